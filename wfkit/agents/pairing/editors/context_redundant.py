"""context/redundant: a finished, unrelated exchange stands before what was said earlier."""

import random
from collections.abc import Sequence

from wfkit.agents.pairing.edit import Edit, Inapplicable, Place, spliced
from wfkit.agents.pairing.language import is_english
from wfkit.agents.pairing.surfaces import Message, messages, room
from wfkit.agents.pairing.view import View
from wfkit.agents.pairing.word_banks import bank, filled


def places(view: View) -> list[Place]:
    """Each exchange of the bank, in front of the context."""
    pointers = view.pointers["context"]
    space = room(view.public, pointers)
    texts = view.passages("context")
    if texts and not all(is_english(passage.text) for passage in texts):
        raise Inapplicable("the word bank is English and the context is not")
    chat = messages(view.public, pointers)
    if space is not None and (chat or space.first == space.last) and not _answers(chat):
        pointer = f"{space.array}/{space.first}"
        return [Place("exchange", pointer, f"{pointer} {number}", one) for number, one in enumerate(bank()["context"])]
    if texts and not chat:
        return [
            Place("remark", texts[0].pointer, f"{texts[0].pointer} {number}", one)
            for number, one in enumerate(bank()["context"])
        ]
    raise Inapplicable("the context is neither a chat nor a text")


def _answers(chat: Sequence[Message]) -> bool:
    """Whether the first message, before which the exchange comes, answers a call that stands further up."""
    return bool(chat) and chat[0].value["role"] == "tool"


def edit(view: View, place: Place, chance: random.Random) -> Edit:
    """Add the exchange, as two messages or as one line of text."""
    text, _ = filled(f"{place.detail['user']}\n{place.detail['assistant']}", chance, view.occurs)
    asked, _, answered = text.partition("\n")
    if place.slot == "exchange":
        array, _, first = place.pointer.rpartition("/")
        added = [{"role": "user", "content": asked}, {"role": "assistant", "content": answered}]
        paths = [f"{array}/{int(first) + offset}" for offset in range(2)]
        patch = [{"op": "add", "path": path, "value": value} for path, value in zip(paths, added, strict=True)]
        slots = paths
    else:
        passage = view.passages("context")[0]
        patch, slots = spliced(passage, [(0, 0, f"{answered}\n")])
    return Edit("add_exchange", place.slot, patch, slots, [], "A finished exchange on another matter is added.", None)
