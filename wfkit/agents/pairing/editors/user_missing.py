"""user/missing: one value that the reference needs is withheld; the user says it when asked."""

import random
import re

from wfkit.agents.pairing.edit import Edit, Inapplicable, Place, recovery, spliced
from wfkit.agents.pairing.language import is_english
from wfkit.agents.pairing.text_slots import Slot
from wfkit.agents.pairing.view import View

_NOUN_BEFORE = re.compile(r"\b((?:[a-z]+\s)?[a-z]+(?:\s(?:ID|Id|id|number|code))?)\s+$")
_ARTICLE_BEFORE = re.compile(r"\b(?:the|my|your|our|a|an|this|his|her|their)\s+$")
_FUNCTION_WORDS = (
    "is are was were be as of for to in on at by with from than and or into under over about between after before "
    "until since named called titled says say said using through via around per equals the a an my your it"
)
_NOT_A_NOUN = frozenset(_FUNCTION_WORDS.split())
_QUANTITY_BEFORE = re.compile(
    r"\b(?:(?:the|a|an|my)\s)?(year|number|tempo|weight|radius|length|width|height|age|speed|temperature|volume|price"
    r"|budget|amount|limit|size|distance|mass|duration|page|room|level|score|rating|quantity|value|index|zip code"
    r"|percentage)\s$"
)
_COUNTED_BEFORE = re.compile(r"\b(?:next|last|past|upcoming|coming|previous|following)\s$")
_NUMBER_AFTER = re.compile(r"(?:\s?[a-zA-Z]{1,4})?,\s(?:and\s)?\d")
_NUMBER_BEFORE = re.compile(r"\d(?:\s?[a-zA-Z]{1,4})?,\s(?:and\s)?$")
_PLURAL_AFTER = re.compile(r"\s[a-z]{3,}s\b")
_UNIT_AFTER = re.compile(
    r"\s?(?:[a-zA-Zµ]{1,3}|mph|kmph|mpg|kmol|kcal|lbs)(?:\^\d|/[a-zA-Z]{1,3}(?:\^\d)?)?(?=[\s.,?!;]|$)"
)
_LIST_AROUND = re.compile(r"['\"”`],?\s(?:and\s|or\s)?$"), re.compile(r",?\s(?:and\s|or\s)?['\"“`]")
_PHRASES = {
    "email": "the address I mentioned",
    "url": "the address I mentioned",
    "date": "the date I mentioned",
    "time": "the time I mentioned",
    "amount": "the amount I mentioned",
    "percentage": "the percentage I mentioned",
    "number": "the number I mentioned",
    "measure": "the value I mentioned",
    "identifier": "the one I mentioned",
    "quoted": "the one I mentioned",
}


def places(view: View) -> list[Place]:
    """Values of the request that the reference passes and that stand nowhere else in the instance."""
    if not view.literals:
        raise Inapplicable("no reference tells which values matter")
    found = []
    for passage, slot in view.values("user"):
        usable = is_english(passage.text) and not _in_list(passage.text, slot)
        if usable and view.is_used(slot.value) and _stands_once(view, slot):
            key = f"{passage.pointer}#char={slot.start},{slot.end}"
            found.append(Place(slot.kind, passage.pointer, key, (passage, _with_unit(passage.text, slot))))
    if not found:
        raise Inapplicable("no value of the request is used by the reference and said only once")
    return found


def _in_list(text: str, slot: Slot) -> bool:
    """Whether a quoted value or a number stands in a row of them, where no phrase could take its place."""
    if slot.kind == "quoted":
        before, after = _LIST_AROUND
    elif slot.kind == "number":
        before, after = _NUMBER_BEFORE, _NUMBER_AFTER
    else:
        return False
    return bool(before.search(text[: slot.start]) or after.match(text[slot.end :]))


def _with_unit(text: str, slot: Slot) -> Slot:
    """A number together with the abbreviated unit behind it, which makes no sense alone."""
    unit = _UNIT_AFTER.match(text, slot.end) if slot.kind == "number" else None
    if unit is None or unit[0].strip() in _NOT_A_NOUN:
        return slot
    return Slot("measure", slot.start, unit.end(), text[slot.start : unit.end()])


def _stands_once(view: View, slot: Slot) -> bool:
    texts = [passage.text for passage in view.passages("user")]
    if sum(text.count(slot.value) for text in texts) > 1:
        return False
    if sum(stock.holds(slot.value) for stock in view.request_stocks) > 1:
        return False  # in another notation
    return not view.elsewhere_than.told("user", slot.value)


def edit(_view: View, place: Place, _chance: random.Random) -> Edit:
    """Put a phrase that says nothing in the place of the value."""
    passage, slot = place.detail
    start, end, phrase = _wording(passage.text, slot)
    patch, slots = spliced(passage, [(start, end, phrase)])
    kind = "value" if slot.kind in ("quoted", "measure") else slot.kind
    return Edit(
        "cut_value",
        place.slot,
        patch,
        slots,
        [],
        f"The {kind} {slot.value} is withheld.",
        recovery(
            "user", f"Asked for the {kind}, the user says it.", answer=f"It is {slot.value}.", restores=[slot.value]
        ),
    )


def _wording(text: str, slot: Slot) -> tuple[int, int, str]:
    """Where the replaced part starts and ends, and what stands there instead."""
    before, after = text[: slot.start], text[slot.end :]
    if slot.kind == "number" and _PLURAL_AFTER.match(after):
        if _COUNTED_BEFORE.search(before):
            return slot.start, slot.end + 1, ""
        return slot.start, slot.end, "some"
    if slot.kind in ("number", "measure"):
        quantity = _QUANTITY_BEFORE.search(before)
        if quantity:
            return quantity.start(), slot.end, f"the {quantity[1]} I mentioned"
    if slot.kind in ("identifier", "quoted", "url", "email"):
        noun = _NOUN_BEFORE.search(before)
        words = noun[1].split() if noun else []
        while words and words[0] in _NOT_A_NOUN:
            words.pop(0)
        if words and words[-1] not in _NOT_A_NOUN:
            start = before.rindex(words[0] if len(words) == 1 else " ".join(words))
            article = _ARTICLE_BEFORE.search(before[:start])
            return (article.start() if article else start), slot.end, f"the {' '.join(words)} I mentioned"
    article = _ARTICLE_BEFORE.search(before)
    return (article.start() if article else slot.start), slot.end, _PHRASES[slot.kind]
