"""user/redundant: a true, unrelated sentence is added to the request."""

import random

from wfkit.agents.pairing.edit import Edit, Inapplicable, Place, spliced
from wfkit.agents.pairing.language import is_english
from wfkit.agents.pairing.view import View
from wfkit.agents.pairing.word_banks import bank, filled


def places(view: View) -> list[Place]:
    """Each sentence of the bank, before and after the longest text of the request."""
    texts = [passage for passage in view.passages("user") if is_english(passage.text)]
    if not texts:
        raise Inapplicable("the word bank is English and the request is not")
    longest = max(texts, key=lambda passage: len(passage.text))
    return [
        Place("sentence", longest.pointer, f"{longest.pointer} {where} {number}", (longest, where, text))
        for where in ("after", "before")
        for number, text in enumerate(bank()["user"])
    ]


def edit(view: View, place: Place, chance: random.Random) -> Edit:
    """Add the sentence."""
    passage, where, template = place.detail
    text, _ = filled(template, chance, view.occurs)
    body = passage.text.rstrip()
    if where == "before":
        part = (0, 0, f"{text} ")
    else:
        part = (len(body), len(body), f" {text}" if body[-1:] in ".!?:;\"')" else f". {text}")
    patch, slots = spliced(passage, [part])
    return Edit("add_sentence", "sentence", patch, slots, [], "An unrelated sentence is added.", None)
