"""What differs between two JSON values, by JSON Pointer. The verifiers' own eyes: nothing of the editors is used."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from wfkit import jsonl
from wfkit.agents.pairing.pointers import child


class Difference(NamedTuple):
    """One place that differs.

    Attributes:
        kind: ``changed``, ``removed`` or ``added``.
        pointer: the place; of something added its place in the second value, else its place in the first.
        before, after: what stands there; None where there is nothing.
        in_list: whether it is an element that shifts those behind it.
    """

    kind: str
    pointer: str
    before: Any
    after: Any
    in_list: bool


def same(one: Any, other: Any) -> bool:
    """Whether two values are written with the same bytes: 1 is not 1.0, and the order of keys counts."""
    return one is other or jsonl.dumps(one) == jsonl.dumps(other)


def differences(one: Any, other: Any) -> list[Difference]:
    """Every place where two values differ, as deep as it can be told."""
    found: list[Difference] = []
    _compare(one, other, "", found)
    return found


def _compare(one: Any, other: Any, pointer: str, found: list[Difference]) -> None:
    if one is other:
        return
    if isinstance(one, dict) and isinstance(other, dict):
        _compare_objects(one, other, pointer, found)
    elif isinstance(one, list) and isinstance(other, list):
        _compare_lists(one, other, pointer, found)
    elif not same(one, other):
        found.append(Difference("changed", pointer, one, other, False))


def _compare_objects(one: Mapping[str, Any], other: Mapping[str, Any], pointer: str, found: list[Difference]) -> None:
    if list(one) != list(other) and [key for key in one if key in other] != [key for key in other if key in one]:
        found.append(Difference("changed", pointer, one, other, False))
        return
    for key, value in one.items():
        if key not in other:
            found.append(Difference("removed", child(pointer, key), value, None, False))
        elif value is not other[key]:
            _compare(value, other[key], child(pointer, key), found)
    for key, value in other.items():
        if key not in one:
            found.append(Difference("added", child(pointer, key), None, value, False))


def _compare_lists(one: Sequence[Any], other: Sequence[Any], pointer: str, found: list[Difference]) -> None:
    if len(one) == len(other):
        for place, (mine, its) in enumerate(zip(one, other, strict=True)):
            if mine is not its:
                _compare(mine, its, child(pointer, place), found)
        return
    shorter = min(len(one), len(other))
    head = 0
    while head < shorter and same(one[head], other[head]):
        head += 1
    tail = 0
    while tail < shorter - head and same(one[-1 - tail], other[-1 - tail]):
        tail += 1
    kept = shorter - head - tail
    for place in range(head, head + kept):
        _compare(one[place], other[place], child(pointer, place), found)
    for place in range(head + kept, len(one) - tail):
        found.append(Difference("removed", child(pointer, place), one[place], None, True))
    for place in range(head + kept, len(other) - tail):
        found.append(Difference("added", child(pointer, place), None, other[place], True))
