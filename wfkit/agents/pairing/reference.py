"""What the reference of an instance does and which values it passes: the yardstick of what an edit may touch."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

NAME_KEYS = ("name", "tool", "function")
ARGUMENT_KEYS = ("arguments", "args", "kwargs", "parameters")


class Call(NamedTuple):
    """A call of a tool with its arguments by name."""

    name: str
    arguments: Mapping[str, Any]


class Literal(NamedTuple):
    """A value that the reference passes, in which call (by place) and under which argument; both None outside calls."""

    call: int | None
    argument: str | None
    value: str | int | float | bool


def calls_of(reference: Any) -> list[Call]:
    """The calls of a reference that is a list of them, or has one as ``calls``; none otherwise."""
    if isinstance(reference, dict):
        reference = reference.get("calls")
    if not isinstance(reference, list):
        return []
    found = []
    for step in reference:
        if not isinstance(step, dict):
            return []
        name = next((step[key] for key in NAME_KEYS if isinstance(step.get(key), str)), None)
        arguments = next((step[key] for key in ARGUMENT_KEYS if isinstance(step.get(key), dict)), None)
        if name is None or arguments is None:
            return []
        found.append(Call(name, arguments))
    return found


def literals_of(reference: Any) -> list[Literal]:
    """Every single value that the reference passes, in order. Nothing (null, an empty text) is no value."""
    calls = calls_of(reference)
    if not calls:
        return [Literal(None, None, value) for value in _scalars(reference)]
    return [
        Literal(place, argument, value)
        for place, call in enumerate(calls)
        for argument, passed in call.arguments.items()
        for value in _scalars(passed)
    ]


def _scalars(value: Any) -> Iterator[str | int | float | bool]:
    if isinstance(value, dict):
        for member in value.values():
            yield from _scalars(member)
    elif isinstance(value, list):
        for element in value:
            yield from _scalars(element)
    elif isinstance(value, bool | int | float) or (isinstance(value, str) and value.strip()):
        yield value


_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\d])")
_WRITTEN = re.compile(r"[-+]?\d+(?:\.\d+)?", re.ASCII)
LONGEST_NUMBER = 1000
"""Digits; what is longer is looked for as a text alone."""
_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_NUMERALS: dict[float, str] = {float(number): word for number, word in enumerate(_WORDS.split())}


def normal(text: str) -> str:
    """Text as it is compared: lower case, one blank for each white space."""
    return " ".join(text.split()).lower()


_wanted = lru_cache(maxsize=1024)(normal)  # the values of a reference, each looked for in many places

_SEAM = "\0"  # no value reaches from one text into the next


class Stock:
    """Texts in which values are looked for, beside those of other stocks; read when they are needed."""

    def __init__(self, texts: Iterable[str], beside: Sequence["Stock"] = ()) -> None:
        self._texts = texts
        self._joined: str | None = None
        self._numbers: set[int | float] | None = None
        self._beside = beside

    def holds(self, value: str | int | float | bool) -> bool:
        """Whether a value stands in the texts: a number as a number of any notation, a text between word boundaries."""
        if isinstance(value, bool):
            return False
        for other in self._beside:
            if other.holds(value):
                return True
        if isinstance(value, int | float):
            word = _NUMERALS.get(value)
            return value in self._all_numbers() or (word is not None and self._has(word))
        wanted = _wanted(value)
        if self._has(wanted):
            return True
        number = _as_number(wanted)
        return number is not None and number in self._all_numbers()

    def _has(self, wanted: str) -> bool:
        text = self._text()
        start = text.find(wanted)
        while start >= 0:
            end = start + len(wanted)
            if not (_joined(text[start - 1 : start], wanted[0]) or _joined(wanted[-1], text[end : end + 1])):
                return True
            start = text.find(wanted, start + 1)
        return False

    def holds_any(self, values: Iterable[str | int | float | bool]) -> bool:
        """Whether one of the values stands in the texts."""
        return any(self.holds(value) for value in values)

    def _all_numbers(self) -> set[int | float]:
        if self._numbers is None:
            self._numbers = numbers_in(self._text())
        return self._numbers

    def _text(self) -> str:
        if self._joined is None:
            self._joined = normal(_SEAM.join(self._texts))
        return self._joined


def numbers_in(text: str) -> set[int | float]:
    """Every number that is written in digits; what begins with a needless 0 is a code and none."""
    return {number for found in _NUMBER.findall(text) if (number := _number(found.replace(",", ""))) is not None}


def _number(digits: str) -> int | float | None:
    """The number that is written so: a whole one exactly, however long it is."""
    if "." in digits:
        return float(digits)
    whole = digits.lstrip("+-")
    if len(whole) > LONGEST_NUMBER or (len(whole) > 1 and whole.startswith("0")):
        return None
    return int(digits)


def _joined(left: str, right: str) -> bool:
    return left.isalnum() and right.isalnum()


def _as_number(text: str) -> int | float | None:
    digits = text.replace(",", "")
    return _number(digits) if _WRITTEN.fullmatch(digits) else None
