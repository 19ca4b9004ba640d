"""user/missing: one value that the reference needs is withheld; the user says it when asked."""

import random
import re

from wfkit.agents.pairing.edit import Edit, Inapplicable, Place, recovery, spliced
from wfkit.agents.pairing.language import is_english
from wfkit.agents.pairing.reference import Stock
from wfkit.agents.pairing.text_slots import Slot
from wfkit.agents.pairing.view import View

_NOUN_BEFORE = re.compile(r"\b(?:(?:the|my|your|our|a|an|this)\s+)?((?:[a-z]+\s)?[a-z]+)\s+(?:ID\s+|id\s+|number\s+)?$")
_FUNCTION_WORDS = (
    "is are was were be as of for to in on at by with from than and or into under over about between after before "
    "until since named called titled says say said using through via around per equals the a an my your it"
)
_NOT_A_NOUN = frozenset(_FUNCTION_WORDS.split())
_UNIT_AFTER = re.compile(r"\s([a-z]{3,}s)\b")
_PHRASES = {
    "email": "the address I mentioned",
    "url": "the address I mentioned",
    "date": "the date I mentioned",
    "time": "the time I mentioned",
    "amount": "the amount I mentioned",
    "percentage": "the percentage I mentioned",
    "number": "the number I mentioned",
    "identifier": "the one I mentioned",
    "quoted": "the one I mentioned",
}


def places(view: View) -> list[Place]:
    """Values of the request that the reference passes and that stand nowhere else in the instance."""
    if not view.literals:
        raise Inapplicable("no reference tells which values matter")
    found = []
    for passage, slot in view.values("user"):
        if is_english(passage.text) and _stands_once(view, slot) and view.is_used(slot.value):
            key = f"{passage.pointer}#char={slot.start},{slot.end}"
            found.append(Place(slot.kind, passage.pointer, key, (passage, slot)))
    if not found:
        raise Inapplicable("no value of the request is used by the reference and said only once")
    return found


def _stands_once(view: View, slot: Slot) -> bool:
    texts = [passage.text for passage in view.passages("user")]
    if sum(Stock([other.value]).holds(slot.value) for _, other in view.values("user")) > 1:
        return False
    return sum(text.count(slot.value) for text in texts) == 1 and not view.elsewhere_than.told("user", slot.value)


def edit(_view: View, place: Place, _chance: random.Random) -> Edit:
    """Put a phrase that says nothing in the place of the value."""
    passage, slot = place.detail
    start, phrase = _wording(passage.text, slot)
    patch, slots = spliced(passage, [(start, slot.end, phrase)])
    return Edit(
        "cut_value",
        slot.kind,
        patch,
        slots,
        [],
        f"The {slot.kind} {slot.value} is withheld.",
        recovery(
            "user", f"Asked for the {slot.kind}, the user says it.", answer=f"It is {slot.value}.",
            restores=[slot.value],
        ),
    )  # fmt: skip


def _wording(text: str, slot: Slot) -> tuple[int, str]:
    """Where the replaced part starts, and what stands there instead."""
    before, after = text[: slot.start], text[slot.end :]
    if slot.kind == "number" and _UNIT_AFTER.match(after):
        return slot.start, "some"
    if slot.kind in ("identifier", "quoted"):
        noun = _NOUN_BEFORE.search(before)
        if noun and noun[1].split()[-1] not in _NOT_A_NOUN:
            kept = noun[1].split()
            name = kept[-1] if kept[0] in _NOT_A_NOUN or len(kept) == 1 else noun[1]
            start = noun.start(1) if name == noun[1] else before.rindex(name)
            article = re.search(r"\b(?:the|my|your|our|a|an|this)\s+$", before[:start])
            return (article.start() if article else start), f"the {name} I mentioned"
    return slot.start, _PHRASES[slot.kind]
