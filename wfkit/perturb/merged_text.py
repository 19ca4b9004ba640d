"""One sentence out of several steps, in which every word of every step is still there."""

import re
from collections.abc import Iterable, Sequence
from functools import reduce

_NAME_INSIDE_SENTENCE = re.compile(r"(?<=[\w,;'’)] )[A-Z][\w'’-]*")
_FIRST_WORDS = re.compile(r"(?P<word>[A-Z][a-z]+(?:-[a-z]+)*)(?=,?\s+[a-z(\"'“‘0-9]|[.!?]?$)")
_CLOSED = re.compile(r"(?:[!?…:]|\.\.\.)[\"'”’)]*$")
_ABBREVIATION = re.compile(r"(?:\betc|\b[A-Za-z]\.[A-Za-z]|\b[A-Z])\.$")
_FULL_STOP = re.compile(r"\.([\"'”’)]*)$")
_SEQUENCE_WORDS = ("then", "next", "finally", "afterwards", "after that")


def names_in(texts: Iterable[str]) -> frozenset[str]:
    """The words that are written with a capital inside a sentence somewhere, so that they keep it everywhere."""
    return frozenset(name for text in texts for name in _NAME_INSIDE_SENTENCE.findall(text))


def merged_text(parts: Sequence[str], names: frozenset[str]) -> str:
    """Join step texts: "Pour the tea." and "Serve it." become "Pour the tea, then serve it."

    Nothing is taken away but the full stop between two parts and the capital of a word that is no name.
    """
    return reduce(lambda whole, part: _joined(whole, part, names), parts)


def _joined(first: str, second: str, names: frozenset[str]) -> str:
    first, second = first.rstrip(), second.lstrip()
    if not first or not second:
        return first or second
    if _CLOSED.search(first):
        return f"{first} {second}"
    if not _ABBREVIATION.search(first):
        first = _FULL_STOP.sub(r"\1", first)
    first = first.rstrip(",;") or first
    starts_small = first[:1].islower()
    if not starts_small:
        second = _without_capital(second, names)
    if second.casefold().startswith(_SEQUENCE_WORDS):
        return f"{first}; {second}"
    return f"{first}, then {second}"


def _without_capital(text: str, names: frozenset[str]) -> str:
    found = _FIRST_WORDS.match(text)
    if not found or found["word"] in names:
        return text
    return text[0].lower() + text[1:]
