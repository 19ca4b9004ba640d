"""procedure/incorrect: two steps or two tools change places, a number is wrong, or a rule is turned round."""

import itertools
import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

from wfkit.agents.pairing.edit import Edit, Inapplicable, Place, recovery, spliced
from wfkit.agents.pairing.surfaces import Passage
from wfkit.agents.pairing.text_slots import items_in, sentences_in, sibling, slots_in
from wfkit.agents.pairing.view import View

Parts = list[tuple[int, int, str]]

_RULES = {
    "must not": "must",
    "must": "must not",
    "cannot": "can",
    "should not": "should",
    "should": "should not",
    "do not": "do",
    "never": "always",
    "always": "never",
}
_RULE = re.compile(r"\b(" + "|".join(sorted(_RULES, key=len, reverse=True)) + r")\b")


def places(view: View) -> list[Place]:
    """Statements that the environment enforces whatever the actor is told, if it says which; else all statements."""
    found = []
    for passage in view.passages("procedure"):
        for operation, slot, parts, piece in _changes(view, passage):
            start = parts[0][0]
            key = f"{passage.pointer}#char={start},{parts[-1][1]} {operation}"
            found.append(Place(slot, passage.pointer, key, (passage, operation, parts, piece)))
    enforced = view.private.get("enforced")
    if enforced is not None:
        found = [place for place in found if _all_inside(place, enforced)]
        if not found:
            raise Inapplicable("nothing that can be changed in the procedure is enforced by the environment")
    if not found:
        raise Inapplicable("the procedure has no ordered steps, numbers, tools or rules to change")
    return found


def _all_inside(place: Place, enforced: Sequence[str]) -> bool:
    """Whether every changed part stands in a statement that is enforced."""
    passage, _, parts, _ = place.detail
    starts = [(passage.text.find(rule), len(rule)) for rule in enforced if rule in passage.text]
    return all(any(at <= start and end <= at + size for at, size in starts) for start, end, _ in parts)


def edit(_view: View, place: Place, chance: random.Random) -> Edit:
    """Make the change."""
    passage, operation, parts, piece = place.detail
    if operation == "change_number":
        start, end, value = parts[0]
        parts = [(start, end, sibling(value, iter(lambda: chance.randrange(1000), -1)) or value)]
    patch, slots = spliced(passage, parts)
    return Edit(
        operation,
        place.slot,
        patch,
        slots,
        [new for _, _, new in parts if new.strip()],
        f"The procedure no longer says: {piece}",
        recovery(
            "error", "The environment enforces the true rule; its error, or the user when asked, tells it.",
            answer=piece, restores=[piece],
        ),
    )  # fmt: skip


def _changes(view: View, passage: Passage) -> Iterator[tuple[str, str, Parts, str]]:
    """Operation, slot, parts and the true statement of every change that can be made."""
    text = passage.text
    items = items_in(text)
    for first, second in itertools.pairwise(items):
        if first.numbered and second.numbered and first.body != second.body:
            parts: Parts = [
                (first.span.start + len(first.mark), first.span.end, second.body),
                (second.span.start + len(second.mark), second.span.end, first.body),
            ]
            yield "swap_steps", "order of two steps", parts, text[first.span.start : second.span.end]
    words = list(dict.fromkeys(slot.value for slot in slots_in(text) if slot.kind == "quoted" and slot.value.isalpha()))
    for span in sentences_in(text):
        piece = text[span.start : span.end]
        for slot in slots_in(piece):
            others = [word for word in words if word not in piece]
            if slot.kind == "quoted" and slot.value in words and others:
                other = others[slot.start % len(others)]
                start = span.start + slot.start + 1
                yield "change_value", "quoted", [(start, start + len(slot.value), other)], piece
        for match in _RULE.finditer(piece):
            at = span.start + match.start()
            yield "negate_rule", "rule", [(at, span.start + match.end(), _RULES[match[1]])], piece
        for slot in slots_in(piece):
            if slot.kind in ("number", "amount", "percentage", "time") and not _is_mark(piece, slot.start):
                yield "change_number", slot.kind, [(span.start + slot.start, span.start + slot.end, slot.value)], piece
        names = [(match, tool) for tool in view.tools for match in re.finditer(rf"\b{re.escape(tool.name)}\b", piece)]
        names.sort(key=lambda found: found[0].start())
        for (left, first_tool), (right, second_tool) in itertools.pairwise(names):
            if first_tool.name != second_tool.name:
                yield "swap_tools", "two tools", _swapped(span.start, left, right), piece


def _swapped(offset: int, one: Any, other: Any) -> Parts:
    return [
        (offset + one.start(), offset + one.end(), other[0]),
        (offset + other.start(), offset + other.end(), one[0]),
    ]


def _is_mark(piece: str, start: int) -> bool:
    return re.match(r"\s*\d{1,2}[.)]\s", piece) is not None and piece[:start].strip() == ""
