"""Reading the fields of configuration values: what is unknown, missing or of the wrong type is told with its path."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, cast

from wfkit.errors import UsageProblem
from wfkit.gate.metric_families import RANGES


def fields_of(value: Any, where: str, known: Sequence[str], *, required: Sequence[str]) -> Mapping[str, Any]:
    """The value as an object with no other keys than the known ones.

    Raises:
        UsageProblem: it is none, has an unknown key (the nearest known one is named), or lacks a required one.
    """
    if not isinstance(value, Mapping):
        raise UsageProblem(f"{where}: expected an object, got {kind_of(value)}")
    for key in value:
        if key not in known:
            raise UsageProblem(f"{where}: unknown key {key!r}{nearest(str(key), known)}")
    for key in required:
        if key not in value:
            raise UsageProblem(f"{where}: {key!r} is missing")
    return value


def choice_of(value: Any, where: str, choices: Sequence[str]) -> str:
    """The value as one of some words."""
    if value not in choices:
        hint = nearest(value, choices) if isinstance(value, str) else f"; known are {', '.join(choices)}"
        raise UsageProblem(f"{where}: unknown value {value!r}{hint}")
    return cast(str, value)


def name_of(value: Any, where: str) -> str:
    """The value as a name that can be shown on one line."""
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise UsageProblem(f"{where}: expected a name, got {value!r}")
    return value


def number_of(value: Any, where: str) -> float:
    """The value as a finite number."""
    if isinstance(value, str):
        raise UsageProblem(f"{where}: expected a number, got the string {value!r}; write it without quotes")
    if type(value) not in (int, float):
        raise UsageProblem(f"{where}: expected a number, got {kind_of(value)}")
    if not -1e308 < value < 1e308:
        raise UsageProblem(f"{where}: expected a finite number, got {value}")
    return float(value)


def bar_of(value: Any, where: str, metrics: Sequence[str]) -> float:
    """The value as a bar for these metrics, one that some score is below and some is not."""
    bar = number_of(value, where)
    for metric in metrics:
        least, largest = RANGES.get(metric, (-inf, inf))
        if bar <= least:
            raise UsageProblem(f"{where}: no {metric} is below {bar:g}, so the rule could not fail anything")
        if bar > largest:
            raise UsageProblem(f"{where}: every {metric} is below {bar:g}: its scores end at {largest:g}")
    return bar


def share_of(value: Any, where: str) -> float:
    """The value as a number from 0 to 1."""
    number = number_of(value, where)
    if not 0 <= number <= 1:
        hint = f"; write {number / 100:g} for {number:g} %" if 1 < number <= 100 else ""
        raise UsageProblem(f"{where}: expected a share from 0 to 1, got {value}{hint}")
    return number


def count_of(value: Any, where: str) -> int:
    """The value as a whole number from 1 on."""
    if type(value) is not int or value < 1:
        raise UsageProblem(f"{where}: expected a whole number from 1 on, got {value!r}")
    return value


def path_of(value: Any, where: str) -> str:
    """The value as a dotted path to a field of a record, such as ``golden.source``."""
    if not isinstance(value, str) or not value.isprintable() or not all(value.split(".")):
        raise UsageProblem(f"{where}: expected a field such as golden.source, got {value!r}")
    return value


def nearest(word: str, known: Sequence[str]) -> str:
    """A hint at the known word that is most like an unknown one, or else at all known ones."""
    import difflib

    close = difflib.get_close_matches(word, known, 1, 0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; known are {', '.join(known)}"


def kind_of(value: Any) -> str:
    """What a value is, in a word."""
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", dict: "an object"}
    return names.get(type(value), type(value).__name__)
