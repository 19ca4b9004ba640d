"""Whether a difference only adds something, and what."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from wfkit.agents.pairing.differences import Difference
from wfkit.agents.pairing.stretches import common_start
from wfkit.agents.pairing.surfaces import texts_in

NEAR = 40
"""Characters within which the end of a sentence is looked for."""
_ENDS_SENTENCE = re.compile(r"(?:[.!?:;][\"')\]]*|\n[ \t]*(?:[-*•][ \t]*)?)\s*$|^\s*$")


class Insertion(NamedTuple):
    """What was put into a text, and where."""

    start: int
    text: str


def insertions(found: Sequence[Difference]) -> list[str] | None:
    """What was added; None where something of the original was taken out or changed."""
    added = []
    for difference in found:
        if isinstance(difference.before, str) and isinstance(difference.after, str):
            one = inserted(difference.before, difference.after)
            if one is None:
                return None
            added.append(one.text)
        elif difference.kind == "added":
            added += _texts(difference.after)
        else:
            return None
    return added


def inserted(old: str, new: str) -> Insertion | None:
    """The one stretch that was put in; None where the old text does not stand in the new one whole."""
    head = common_start(old, new)
    tail = min(common_start(old[::-1], new[::-1]), len(old), len(new) - head)
    if head + tail < len(old):
        return None
    size = len(new) - len(old)
    # Where the stretch begins with what follows it, it can be seen at several places: take one between sentences.
    for start in range(head, len(old) - tail - 1, -1):
        if are_sentences(new[:start], new[start : start + size]):
            return Insertion(start, new[start : start + size])
    return Insertion(head, new[head : head + size])


def are_sentences(before: str, text: str) -> bool:
    """Whether a stretch behind ``before`` is whole sentences, so that it changes the meaning of none beside it."""
    begins = re.match(r"[.!?]\s", text) or _ENDS_SENTENCE.search(before[-NEAR:])
    return bool(begins and text.strip() and _ENDS_SENTENCE.search(text.rstrip(" ")[-NEAR:]))


def all_sentences(found: Sequence[Difference]) -> bool:
    """Whether every stretch that was put into a text is whole sentences."""
    for difference in found:
        old, new = difference.before, difference.after
        if isinstance(old, str) and isinstance(new, str):
            one = inserted(old, new)
            if one is None or not are_sentences(new[: one.start], one.text):
                return False
    return True


def _texts(value: object) -> list[str]:
    """The texts of an added element; of a message its content alone."""
    if isinstance(value, dict) and "role" in value:
        return list(texts_in(value.get("content")))
    return list(texts_in(value))
