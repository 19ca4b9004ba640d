"""What can be cut or changed in a text: numbers, dates, identifiers, addresses, quoted values; items and sentences."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# The first pattern that matches at a place takes it. In the midst of a word only an address of the web begins: that is
# asked first, since most places are such. What is possessive (`++`) keeps patterns from trying a long word twice.
_PATTERN = re.compile(
    r"""
    (?:(?<!\w)|(?!\w)|(?=https?://|www\.))(?:
      (?P<email>(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+)
    | (?P<url>https?://[^\s"'<>)]+|www\.[\w-]+(?:\.[\w-]+)+[^\s"'<>),.]*)
    | (?P<quoted>(?<![\w])(?:'[^'\n]{2,60}'|"[^"\n]{2,60}"|`[^`\n]{2,60}`|“[^”\n]{2,60}”)(?![\w]))
    | (?P<date>\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}/\d{1,2}/\d{2,4}\b
        |\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?\s\d{1,2}(?:st|nd|rd|th)?(?:,?\s\d{4})?\b
        |\b\d{1,2}(?:st|nd|rd|th)?\s(?:of\s)?(?:January|February|March|April|May|June|July|August|September|October
        |November|December)(?:,?\s\d{4})?\b)
    | (?P<time>\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\b)?)
    | (?P<identifier>\#?\b[A-Za-z]++(?:[^\W\d]|-)*+\d[\w-]*\b|(?<![\w.,$€£])\#?\d{5,}\b(?![.,]\d))
    | (?P<amount>[$€£]\s?\d+(?:,\d+)*(?:\.\d+)?(?!\w))
    | (?P<percentage>(?<![\w.,-])\d+(?:,\d+)*(?:\.\d+)?\s?%)
    | (?P<number>(?<![\w.,$€£(\[{/*^+=<>:-])(?<![*^+=<>/-]\s)\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w/*^%-])
        |(?<![\w.,$€£\[{/*^+=<>:-])(?<![*^+=<>/-]\s)\d+(?:\.\d+)?(?![\w/*^%:-])(?![.,]\d)(?!\s[*^+=<>/-]))
    )""",
    re.VERBOSE,
)
_DIGIT = re.compile(r"\d")
_ORDINAL = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b")
_SUFFIXES = {1: "st", 2: "nd", 3: "rd"}


LONGEST = 200_000


class Slot(NamedTuple):
    """A value in a text: its kind, its place, and the value without the quotes around it."""

    kind: str
    start: int
    end: int
    value: str


def slots_in(text: str) -> list[Slot]:
    """Every value in the first 200,000 characters, from left to right."""
    found = []
    for match in _PATTERN.finditer(text, 0, LONGEST):
        kind = str(match.lastgroup)
        value = match[0][1:-1] if kind == "quoted" else match[0]
        found.append(Slot(kind, match.start(), match.end(), value.strip()))
    return found


def sibling(value: str, digits: Iterator[int]) -> str | None:
    """Another value of the same shape: one digit differs. None for a value without digits.

    The digit chosen never becomes a leading zero, and the day of a date stays one that exists.

    Args:
        digits: a source of chance, integers from 0 on.
    """
    places = [match.start() for match in _DIGIT.finditer(value)]
    if not places:
        return None
    place = places[-1]  # the last digit of a number, a day or a minute
    if re.search(r"\d{4}$", value) and re.search(r"[A-Za-z]|/", value):  # a date that ends with its year
        day = re.search(r"\d+", value.split("/")[1]) if "/" in value else re.search(r"\d+", value)
        offset = value.index("/") + 1 if "/" in value else 0
        assert day is not None
        place = offset + day.end() - 1
    old = int(value[place])
    lone = not (place and value[place - 1].isdigit())
    tens = value[place - 1] if not lone else ""
    low, high = (1 if lone else 0), (8 if tens in ("", "0", "1", "2") else 1 if tens == "3" else 8)
    if tens == "0":
        low = 1
    choices = [digit for digit in range(low, high + 1) if digit != old]
    new = choices[next(digits) % len(choices)]
    return _ORDINAL.sub(_ordinal, f"{value[:place]}{new}{value[place + 1 :]}")


def _ordinal(match: re.Match[str]) -> str:
    day = int(match[1])
    return f"{day}{'th' if 10 <= day <= 20 else _SUFFIXES.get(day % 10, 'th')}"


class Span(NamedTuple):
    """A part of a text."""

    start: int
    end: int


class Item(NamedTuple):
    """A list item of a text: the whole line, its mark (``- `` or ``3. ``), and whether it is numbered."""

    span: Span
    mark: str
    numbered: bool
    body: str


_ITEM = re.compile(r"^([ \t]*(?:[-*•]|(\d{1,2})[.)])[ \t]+)(\S.*)$", re.MULTILINE)
_END_OF_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]?\s+(?=[\"'(\[]?[A-Z0-9#])")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|Mr|Mrs|Ms|Dr|No|St|approx|U\.S|Inc|Ltd)\.|\b[A-Z]\.|^\s*\d+\.)$")


def items_in(text: str) -> list[Item]:
    """The list items of a text, one line each."""
    return [
        Item(Span(match.start(), match.end()), match[1], match[2] is not None, match[3])
        for match in _ITEM.finditer(text)
    ]


def sentences_in(text: str) -> list[Span]:
    """The sentences of a text; a line break ends one too."""
    found = []
    offset = 0
    for line in text.splitlines(keepends=True):
        start = 0
        for gap in _END_OF_SENTENCE.finditer(line):
            if not _ABBREVIATION.search(line[start : gap.start()]):
                found.append(Span(offset + start, offset + gap.start()))
                start = gap.end()
        rest = line[start:]
        if rest.strip():
            lead = len(rest) - len(rest.lstrip())
            found.append(Span(offset + start + lead, offset + start + len(rest.rstrip())))
        offset += len(line)
    return found


def outside(items: Sequence[Item], sentences: Sequence[Span]) -> list[Span]:
    """The sentences that begin outside of every item."""
    # Items follow one another, so a sentence can only stand in the last one that begins before it. Asking every item
    # would take the square of the length of the procedure.
    starts = [item.span.start for item in items]
    ends = [0, *(item.span.end for item in items)]
    return [span for span in sentences if span.start >= ends[bisect_right(starts, span.start)]]
