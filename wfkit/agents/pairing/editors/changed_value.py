"""What user/incorrect and context/incorrect share: a value becomes another of its shape wherever a surface says it."""

import itertools
import random
import re
from collections.abc import Iterator

from wfkit.agents.pairing.edit import Edit, Patch, Place, recovery, spliced
from wfkit.agents.pairing.text_slots import sibling
from wfkit.agents.pairing.view import View

DISTINCT, DISTINCT_DIGITS = 4, 6
"""Characters from which on a value that stands in two sources is taken for the same one; a mere number needs more."""


def values_told_elsewhere(view: View, target: str) -> list[Place]:
    """Values of a surface's texts that have a sibling, that the reference passes, and that another source tells."""
    found: dict[str, Place] = {}
    for passage, slot in view.values(target):
        if len(slot.value) < (DISTINCT_DIGITS if slot.value.isdecimal() else DISTINCT):
            continue  # it may stand elsewhere by chance
        usable = slot.value not in found and sibling(slot.value, itertools.count()) is not None
        if usable and view.elsewhere_than.told(target, slot.value) and view.is_used(slot.value):
            key = f"{passage.pointer}#char={slot.start},{slot.end}"
            found[slot.value] = Place(slot.kind, passage.pointer, key, slot)
    return list(found.values())


def changed_value(view: View, target: str, place: Place, chance: random.Random, *, by: str) -> Edit:
    """Change a value in every text of the surface, so that the surface does not contradict itself."""
    slot = place.detail
    new = _unused_sibling(view, slot.value, chance)
    whole = re.compile(rf"(?<!\w){re.escape(slot.value)}(?!\w)")
    patch: Patch = []
    slots: list[str] = []
    for passage in view.passages(target):
        parts = [(match.start(), match.end(), new) for match in whole.finditer(passage.text)]
        if parts:
            changes, claimed = spliced(passage, parts)
            patch += changes
            slots += claimed
    kind = "value" if slot.kind == "quoted" else slot.kind
    note = f"The true {kind} stands in another source; the actor can notice and confirm."
    return Edit(
        "change_value",
        slot.kind,
        patch,
        slots,
        [new],
        f"The {kind} {slot.value} becomes {new}.",
        recovery(by, note, answer=f"The right {kind} is {slot.value}.", restores=[slot.value]),
    )


def _unused_sibling(view: View, value: str, chance: random.Random) -> str:
    """A sibling that stands nowhere in the instance, if one of fifty is such; else the last one tried."""
    new = value
    for _ in range(50):
        new = sibling(value, _draws(chance)) or value
        if not view.occurs(new):
            break
    return new


def _draws(chance: random.Random) -> Iterator[int]:
    while True:
        yield chance.randrange(1000)
