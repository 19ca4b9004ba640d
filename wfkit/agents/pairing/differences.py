"""What differs between two JSON values, by JSON Pointer. The verifiers' own eyes: nothing of the editors is used."""

from collections.abc import Iterator, Mapping, Sequence
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


def differences(one: Any, other: Any, pointer: str = "") -> Iterator[Difference]:
    """Every place where two values differ, as deep as it can be told."""
    if one is other:
        return
    if isinstance(one, dict) and isinstance(other, dict):
        yield from _of_objects(one, other, pointer)
    elif isinstance(one, list) and isinstance(other, list):
        yield from _of_lists(one, other, pointer)
    elif not same(one, other):
        yield Difference("changed", pointer, one, other, False)


def _of_objects(one: Mapping[str, Any], other: Mapping[str, Any], pointer: str) -> Iterator[Difference]:
    if list(one) != list(other) and [key for key in one if key in other] != [key for key in other if key in one]:
        yield Difference("changed", pointer, one, other, False)
        return
    for key, value in one.items():
        if key not in other:
            yield Difference("removed", child(pointer, key), value, None, False)
        elif value is not other[key]:
            yield from differences(value, other[key], child(pointer, key))
    for key, value in other.items():
        if key not in one:
            yield Difference("added", child(pointer, key), None, value, False)


def _of_lists(one: Sequence[Any], other: Sequence[Any], pointer: str) -> Iterator[Difference]:
    if len(one) == len(other):
        for place, (mine, its) in enumerate(zip(one, other, strict=True)):
            if mine is not its:
                yield from differences(mine, its, child(pointer, place))
        return
    shorter = min(len(one), len(other))
    head = 0
    while head < shorter and same(one[head], other[head]):
        head += 1
    tail = 0
    while tail < shorter - head and same(one[-1 - tail], other[-1 - tail]):
        tail += 1
    kept = min(len(one), len(other)) - head - tail
    for place in range(head, head + kept):
        yield from differences(one[place], other[place], child(pointer, place))
    for place in range(head + kept, len(one) - tail):
        yield Difference("removed", child(pointer, place), one[place], None, True)
    for place in range(head + kept, len(other) - tail):
        yield Difference("added", child(pointer, place), None, other[place], True)
