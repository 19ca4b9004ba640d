"""procedure/redundant: a true remark that asks for nothing is added to the procedure."""

import random

from wfkit.agents.pairing.edit import Edit, Inapplicable, Place, spliced
from wfkit.agents.pairing.language import is_english
from wfkit.agents.pairing.text_slots import items_in, outside, sentences_in
from wfkit.agents.pairing.view import View
from wfkit.agents.pairing.word_banks import bank, filled

SHORTEST_SENTENCE = 4
"""Words."""


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
    """Add the remark to a list of sentences, to the end of a paragraph, or behind everything."""
    passage, template = place.detail
    remark, _ = filled(template, chance, view.occurs)
    items = items_in(passage.text)
    marked = [item for item in items if not item.numbered and _is_sentence(item.body)]
    paragraphs = [
        span.end
        for span in outside(items, sentences_in(passage.text))
        if passage.text[span.end - 1] == "." and passage.text[span.end : span.end + 2] in ("", "\n", "\n\n")
    ]
    if marked:
        item = chance.choice(marked)
        part = (item.span.end, item.span.end, f"\n{item.mark}{remark}")
    elif paragraphs:
        end = chance.choice(paragraphs)
        part = (end, end, f" {remark}")
    else:
        end = len(passage.text.rstrip())
        part = (end, end, f"\n{remark}")
    patch, slots = spliced(passage, [part])
    return Edit("add_remark", "remark", patch, slots, [], "A remark without consequence is added.", None)


def _is_sentence(body: str) -> bool:
    """Whether a list item is more than a name, so that a remark can stand beside it."""
    return body.endswith(".") and len(body.split()) >= SHORTEST_SENTENCE
