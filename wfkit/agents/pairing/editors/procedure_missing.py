"""procedure/missing: one item that names a tool, a number or a condition is dropped; the user says it when asked."""

import random
import re

from wfkit.agents.pairing.edit import Edit, Inapplicable, Place, recovery, spliced
from wfkit.agents.pairing.surfaces import Passage
from wfkit.agents.pairing.text_slots import Item, Span, items_in, outside, sentences_in
from wfkit.agents.pairing.view import View

# Words that make a sentence a rule rather than a remark.
CONDITION = re.compile(
    r"\b(?:if|must|only|unless|never|always|before|after|first|when|cannot|may not|should|do not|don't|until|at most|"
    r"at least|required?)\b|\d",
    re.IGNORECASE,
)

SHORTEST_RULE = 4
"""Words."""


def places(view: View) -> list[Place]:
    """Items of lists, and sentences outside of lists, that say what to do and when."""
    found, pieces = [], 0
    for passage in view.passages("procedure"):
        items = items_in(passage.text)
        sentences = outside(items, sentences_in(passage.text))
        pieces += len(items) + len(sentences)
        for span, piece in [(item.span, item.body) for item in items] + [(one, _of(passage, one)) for one in sentences]:
            if _is_rule(view, piece):
                key = f"{passage.pointer}#char={span.start},{span.end}"
                found.append(Place("item", passage.pointer, key, (passage, span)))
    if pieces < 2:
        raise Inapplicable("the procedure has fewer than two items")
    if not found:
        raise Inapplicable("no item of the procedure names a tool, a number or a condition")
    return found


def _of(passage: Passage, span: Span) -> str:
    return passage.text[span.start : span.end]


def _is_rule(view: View, piece: str) -> bool:
    if piece.startswith("#") or len(piece.split()) < SHORTEST_RULE:
        return False  # a heading or a name
    return CONDITION.search(piece) is not None or any(tool.name in piece for tool in view.tools)


def edit(_view: View, place: Place, _chance: random.Random) -> Edit:
    """Drop the item; later items of a numbered list move up."""
    passage, span = place.detail
    items = items_in(passage.text)
    number = next((at for at, item in enumerate(items) if item.span == span), None)
    if number is None:
        piece, parts = _of(passage, span), [_without_sentence(passage.text, span)]
    else:
        piece, parts = items[number].body, _without_item(passage, items, number)
    patch, slots = spliced(passage, parts)
    note = "Asked what the procedure says further, the user says it; a rule may also show in errors of the tools."
    return Edit(
        "drop_item",
        place.slot,
        patch,
        slots,
        [],
        f"An item is left out: {piece}",
        recovery("user", note, answer=piece, restores=[piece]),
    )


def _without_item(passage: Passage, items: list[Item], number: int) -> list[tuple[int, int, str]]:
    text, item = passage.text, items[number]
    end = item.span.end + (text[item.span.end : item.span.end + 1] == "\n")
    start = item.span.start - (end == item.span.end and text[item.span.start - 1 : item.span.start] == "\n")
    parts = [(start, _with_blank_line(text, start, end), "")]
    if item.numbered:
        for before, later in zip(items[number:], items[number + 1 :], strict=False):
            if not later.numbered or _digits(later.mark) != _digits(before.mark) + 1:
                break  # another list begins
            old = str(_digits(later.mark))
            at = later.span.start + later.mark.index(old)
            parts.append((at, at + len(old), str(_digits(before.mark))))
    return parts


def _digits(mark: str) -> int:
    return int(re.sub(r"\D", "", mark) or 0)


def _without_sentence(text: str, span: Span) -> tuple[int, int, str]:
    """The sentence with the blank behind it, or the one before it at the end of a line; a line of its own whole."""
    start, end = span
    while end < len(text) and text[end] == " ":
        end += 1
    if end == len(text) or text[end] == "\n":
        end = span.end
        while start > 0 and text[start - 1] == " ":
            start -= 1
        if start == 0 or text[start - 1] == "\n":
            end = _with_blank_line(text, start, min(len(text), end + 1))
    return start, end, ""


def _with_blank_line(text: str, start: int, end: int) -> int:
    """The end of what is cut, beyond the blank line behind it where one stands before it too."""
    return end + 1 if text[end : end + 1] == "\n" and (start == 0 or text.endswith("\n\n", 0, start)) else end
