"""context/missing: one thing that was said earlier is gone; a tool or the user can tell it again."""

import random

from wfkit.agents.pairing.edit import Edit, Inapplicable, Place, recovery, spliced
from wfkit.agents.pairing.pointers import parent
from wfkit.agents.pairing.surfaces import messages
from wfkit.agents.pairing.text_slots import sentences_in, slots_in
from wfkit.agents.pairing.view import View


def places(view: View) -> list[Place]:
    """Sentences with a value in texts of user and assistant, and whole messages that are one such text.

    A message that calls a tool or answers a call stays, since the ids of calls must pair up. The sentences whose values
    the reference uses come first; if there are any, there are no others.
    """
    whole = {
        f"{message.pointer}/content": message.pointer
        for message in messages(view.public, view.pointers.get("context", ()))
        if not message.value.get("tool_calls") and not message.value.get("function_call")
    }
    found: list[Place] = []
    used: list[Place] = []
    for passage in view.passages("context"):
        spans = sentences_in(passage.text)
        for number, span in enumerate(spans):
            values = [slot.value for slot in slots_in(passage.text[span.start : span.end])]
            if not values:
                continue
            if len(spans) > 1:
                place = Place("sentence", passage.pointer, f"{passage.pointer} {number}", (passage, span))
            elif passage.pointer in whole:
                pointer = whole[passage.pointer]
                place = Place("message", pointer, pointer, (passage, span))
            else:
                continue
            found.append(place)
            if any(view.is_used(value) for value in values):
                used.append(place)
    if not found:
        raise Inapplicable("nothing that was said earlier holds a value and can be left out")
    return used or found


def edit(view: View, place: Place, _chance: random.Random) -> Edit:
    """Leave the sentence or the message out."""
    passage, span = place.detail
    piece = passage.text[span.start : span.end]
    if place.slot == "message":
        patch = [{"op": "remove", "path": place.pointer}]
        slots = [place.pointer]
    else:
        end = span.end
        while end < len(passage.text) and passage.text[end] in " \n":
            end += 1
        start = span.start if end < len(passage.text) else len(passage.text[: span.start].rstrip())
        patch, slots = spliced(passage, [(start, end, "")])
    again = all(view.elsewhere_than.told("context", slot.value) for slot in slots_in(piece))
    note = "A tool or the rest of the instance tells it again." if again else "The user says it again when asked."
    return Edit(
        f"drop_{place.slot}",
        "fact",
        patch,
        slots,
        [],
        f"What was said earlier is left out: {piece} ({parent(passage.pointer)})",
        recovery("tool" if again else "user", note, answer=piece, restores=[piece]),
    )
