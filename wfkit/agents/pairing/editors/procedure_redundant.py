"""procedure/redundant: a true remark that asks for nothing is added to the procedure."""

import random

from wfkit.agents.pairing.edit import Edit, Inapplicable, Place, spliced
from wfkit.agents.pairing.language import is_english
from wfkit.agents.pairing.text_slots import items_in, sentences_in
from wfkit.agents.pairing.view import View
from wfkit.agents.pairing.word_banks import bank, filled


def places(view: View) -> list[Place]:
    """Each remark of the bank, after some item or sentence of the longest text."""
    texts = [passage for passage in view.passages("procedure") if is_english(passage.text)]
    if not texts:
        raise Inapplicable("the word bank is English and the procedure is not")
    longest = max(texts, key=lambda passage: len(passage.text))
    return [
        Place("remark", longest.pointer, f"{longest.pointer} remark {number}", (longest, text))
        for number, text in enumerate(bank()["procedure"])
    ]


def edit(view: View, place: Place, chance: random.Random) -> Edit:
    """Add the remark as an item of a list with marks, or as a sentence."""
    passage, template = place.detail
    remark, _ = filled(template, chance, view.occurs)
    marked = [item for item in items_in(passage.text) if not item.numbered]
    if marked:
        item = chance.choice(marked)
        part = (item.span.end, item.span.end, f"\n{item.mark}{remark}")
    else:
        numbered = [item.span for item in items_in(passage.text)]
        outside = [
            span
            for span in sentences_in(passage.text)
            if not any(item.start <= span.start < item.end for item in numbered)
        ]
        end = chance.choice(outside).end if outside else len(passage.text.rstrip())
        part = (end, end, f" {remark}" if outside else f"\n{remark}")
    patch, slots = spliced(passage, [part])
    return Edit("add_remark", "remark", patch, slots, [], "A remark without consequence is added.", None)
