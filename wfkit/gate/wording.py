"""How texts and numbers of records are shown to people: short, on one line, and harmless to a terminal."""

from collections.abc import Mapping
from typing import Any

from wfkit.escaping import escaped

TEXT_LIMIT = 60
"""Characters of a step text that are shown."""

REASON_LIMIT = 200
"""Characters of a reason of another filter that are shown."""

_JOINERS = "\u200c\u200d"  # zero-width, but needed to spell Persian, Indic scripts and emoji


def printable(text: str, limit: int = TEXT_LIMIT) -> str:
    """The text on one line, at most ``limit`` characters of it, with control and invisible characters escaped.

    Escape sequences, bidirectional overrides and lone surrogates become visible as ``\\x1b``, ``\\u202e``, ``\\udc80``.
    """
    if len(text) <= limit and text.isprintable() and "  " not in text and text == text.strip():
        return text  # the usual case, kept quick
    line = " ".join(text[: 4 * limit].split())
    if len(line) > limit or len(text) > 4 * limit:
        line = line[: limit - 1].rstrip() + "…"
    if line.isprintable():
        return line
    return "".join(mark if mark.isprintable() or mark in _JOINERS else escaped(mark) for mark in line)


def quoted(text: str) -> str:
    """A step text as it stands in a sentence: «open the door»."""
    return f"«{printable(text)}»"


def similarity_text(similarity: float) -> str:
    """A similarity of -1 to 1 with two decimals; only what is exactly 1 is shown as 1.00."""
    if similarity < 1 and round(similarity, 2) >= 1:
        return "0.99"
    return f"{similarity:.2f}"


def value_text(value: float, bar: float) -> str:
    """A score with three to eight decimals, or else all digits: enough to see on which side of the bar it is."""
    if type(value) is int or abs(value) >= 1e6:
        return printable(repr(value), 24)
    for decimals in range(3, 9):
        text = f"{value:.{decimals}f}"
        if (float(text) < bar) == (value < bar) and (float(text) == bar) == (value == bar):
            return text
    return repr(value)


def counted(count: int, what: str) -> str:
    """``1 step``, ``2 steps``."""
    return f"{count} {what if count == 1 else what + 's'}"


def passed_text(passed: int, changed: int) -> str:
    """``18 passed``, and how many of them are no longer quite what they were."""
    noted = f" ({changed} of them with steps lost, gained, merged, moved or re-linked)" if changed else ""
    return f"{passed} passed{noted}"


def breach_text(breach: Mapping[str, Any]) -> str:
    """A breach of a verdict in as many digits as show it: ``chain_f1 0.727 < 0.75``."""
    return f"{printable(breach['metric'])} {value_text(breach['value'], breach['below'])} < {breach['below']!r}"
