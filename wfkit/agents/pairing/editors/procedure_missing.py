"""procedure/missing: one item that names a tool, a number or a condition is dropped; the user says it when asked."""

import random
import re

from wfkit.agents.pairing.edit import Edit, Inapplicable, Place, recovery, spliced
from wfkit.agents.pairing.surfaces import Passage
from wfkit.agents.pairing.text_slots import Item, Span, items_in, sentences_in
from wfkit.agents.pairing.view import View

# Words that make a sentence a rule rather than a remark.
CONDITION = re.compile(
    r"\b(?:if|must|only|unless|never|always|before|after|first|when|cannot|may not|should|do not|don't|until|at most|"
    r"at least|required?)\b|\d",
    re.IGNORECASE,
)


def places(view: View) -> list[Place]:
    """Items of lists, or sentences where there is no list, that say what to do and when."""
    found, pieces = [], 0
    for passage in view.passages("procedure"):
        items = items_in(passage.text)
        spans = [item.span for item in items] if len(items) >= 2 else sentences_in(passage.text)
        pieces += len(spans)
        for number, span in enumerate(spans):
            piece = passage.text[span.start : span.end]
            if CONDITION.search(piece) or any(tool.name in piece for tool in view.tools):
                kind = "step" if len(items) >= 2 else "sentence"
                key = f"{passage.pointer} {kind} {number}"
                found.append(
                    Place(kind, passage.pointer, key, (passage, items if len(items) >= 2 else [], number, span))
                )
    if pieces < 2:
        raise Inapplicable("the procedure has fewer than two items")
    if not found:
        raise Inapplicable("no item of the procedure names a tool, a number or a condition")
    return found


def edit(_view: View, place: Place, _chance: random.Random) -> Edit:
    """Drop the item; later items of a numbered list move up."""
    passage, items, number, span = place.detail
    piece = items[number].body if items else passage.text[span.start : span.end]
    parts = _without_item(passage, items, number) if items else [_without_sentence(passage.text, span)]
    patch, slots = spliced(passage, parts)
    note = "Asked what the procedure says further, the user says it; a rule may also show in errors of the tools."
    return Edit(
        "drop_item",
        place.slot,
        patch,
        slots,
        [],
        f"The {place.slot} is left out: {piece}",
        recovery("user", note, answer=piece, restores=[piece]),
    )


def _without_item(passage: Passage, items: list[Item], number: int) -> list[tuple[int, int, str]]:
    text, item = passage.text, items[number]
    end = item.span.end + (text[item.span.end : item.span.end + 1] == "\n")
    start = item.span.start - (end == item.span.end and text[item.span.start - 1 : item.span.start] == "\n")
    parts = [(start, end, "")]
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
    """The sentence with the blank that follows it, or the one before it at the end of a line."""
    end = span.end
    while end < len(text) and text[end] == " ":
        end += 1
    start = span.start
    if end == len(text) or text[end] == "\n":
        while start > 0 and text[start - 1] == " ":
            start -= 1
        end = span.end
    return start, end, ""
