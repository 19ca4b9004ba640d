"""A small language of conditions over the scores of a pair: ``chain_f1 in 0.6..0.9 and graph_f1 < 0.9``.

    condition   = conjunction { "or" conjunction }
    conjunction = comparison { "and" comparison }
    comparison  = METRIC ( "<" | "<=" | ">" | ">=" ) NUMBER
                | METRIC "in" NUMBER ".." NUMBER        both ends included
                | "(" condition ")"

Logic has three values: a score that is null makes a comparison unknown, and ``unknown or true`` is true.
"""

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from wfkit.errors import UsageProblem

Verdict = bool | None
Holds = Callable[[Mapping[str, Any]], Verdict]


class Condition(NamedTuple):
    """A parsed condition.

    Attributes:
        text: as it was written.
        metrics: the metrics that it speaks of, each once.
        holds: answers true or false for a mapping from metric names to numbers or None, and None where the scores that
            are there do not decide it.
    """

    text: str
    metrics: tuple[str, ...]
    holds: Holds


_TOKEN = re.compile(
    r"\s*(?:(?P<number>[+-]?(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(?P<sign><=|>=|<|>|\.\.|\(|\))"
    r"|(?P<name>[A-Za-z_][\w:/@-]*(?:\.[\w:/@-]+)*))"
)
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def parse_condition(text: str) -> Condition:
    """Parse a condition.

    Raises:
        UsageProblem: the text is no condition; the message says where and what was expected.
    """
    parser = _Parser(text)
    holds = parser.disjunction()
    if parser.kind:
        raise parser.problem("and, or, or the end")
    return Condition(text.strip(), tuple(parser.metrics), holds)


class _Parser:
    """Reads tokens from left to right; ``kind`` and ``value`` are those of the next one, empty at the end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._start = self._end = 0
        self.kind = self.value = ""
        self.metrics: dict[str, None] = {}
        self._advance()

    def disjunction(self) -> Holds:
        parts = [self._conjunction()]
        while self._took("or"):
            parts.append(self._conjunction())
        return parts[0] if len(parts) == 1 else lambda scores: _any([part(scores) for part in parts])

    def problem(self, expected: str) -> UsageProblem:
        found = f"{self.value!r}" if self.kind else "its end"
        return UsageProblem(
            f"condition {self._text!r}: expected {expected} at character {self._start + 1}, found {found}"
        )

    def _conjunction(self) -> Holds:
        parts = [self._comparison()]
        while self._took("and"):
            parts.append(self._comparison())
        return parts[0] if len(parts) == 1 else lambda scores: _all([part(scores) for part in parts])

    def _comparison(self) -> Holds:
        if self._took("("):
            inside = self.disjunction()
            if not self._took(")"):
                raise self.problem("and, or, or )")
            return inside
        if self.kind != "name" or self.value in ("and", "or", "in"):
            raise self.problem("the name of a metric")
        name = self._take()
        self.metrics[name] = None
        if self._took("in"):
            low = self._number()
            if not self._took(".."):
                raise self.problem("..")
            high = self._number()
            if low > high:
                raise UsageProblem(f"condition {self._text!r}: {low:g}..{high:g} is empty")
            return lambda scores: _compared(scores, name, lambda value: low <= value <= high)
        if self.value not in _COMPARISONS:
            raise self.problem("<, <=, >, >= or in")
        compare, bar = _COMPARISONS[self._take()], self._number()
        return lambda scores: _compared(scores, name, lambda value: compare(value, bar))

    def _number(self) -> float:
        if self.kind != "number":
            raise self.problem("a number")
        return float(self._take())

    def _took(self, word: str) -> bool:
        if self.value != word:
            return False
        self._advance()
        return True

    def _take(self) -> str:
        value = self.value
        self._advance()
        return value

    def _advance(self) -> None:
        rest = self._text[self._end :]
        self._start = self._end + len(rest) - len(rest.lstrip())
        if not rest.strip():
            self.kind = self.value = ""
            return
        found = _TOKEN.match(self._text, self._end)
        if found is None:
            self.kind, self.value = "sign", self._text[self._start]
            raise self.problem("a metric, a number or a comparison")
        self.kind, self._end = found.lastgroup or "", found.end()
        self.value = found[self.kind]


def _compared(scores: Mapping[str, Any], name: str, holds: Callable[[float], bool]) -> Verdict:
    value = scores.get(name)
    return None if value is None else holds(value)


def _all(verdicts: list[Verdict]) -> Verdict:
    return False if False in verdicts else None if None in verdicts else True


def _any(verdicts: list[Verdict]) -> Verdict:
    return True if True in verdicts else None if None in verdicts else False
