"""Whether a difference only adds something, and what."""

import re
from collections.abc import Sequence

from wfkit.agents.pairing.differences import Difference
from wfkit.agents.pairing.surfaces import texts_in

_ENDS_SENTENCE = re.compile(r"(?:[.!?:;][\"')\]]*|\n[ \t]*(?:[-*•][ \t]*)?)\s*$|^\s*$")


def insertions(found: Sequence[Difference]) -> list[str] | None:
    """What was added; None where something of the original was taken out or changed."""
    added = []
    for difference in found:
        if isinstance(difference.before, str) and isinstance(difference.after, str):
            text = inserted(difference.before, difference.after)
            if text is None:
                return None
            added.append(text)
        elif difference.kind == "added":
            added += _texts(difference.after)
        else:
            return None
    return added


def inserted(old: str, new: str) -> str | None:
    """The one stretch that was put in; None where the old text does not stand in the new one whole."""
    shorter = min(len(old), len(new))
    head = 0
    while head < shorter and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shorter - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    if head + tail < len(old):
        return None
    # Where the stretch begins with what follows it, it can be seen at several places: take one between sentences.
    for start in range(head, len(old) - tail - 1, -1):
        if are_sentences(new[:start], new[start : start + len(new) - len(old)]):
            return new[start : start + len(new) - len(old)]
    return new[head : len(new) - len(old) + head]


def are_sentences(before: str, text: str) -> bool:
    """Whether a stretch behind ``before`` is whole sentences, so that it changes the meaning of none beside it."""
    closes = re.match(r"[.!?]\s", text)
    return bool((closes or _ENDS_SENTENCE.search(before)) and _ENDS_SENTENCE.search(text.rstrip(" ")) and text.strip())


def all_sentences(found: Sequence[Difference]) -> bool:
    """Whether every stretch that was put into a text is whole sentences."""
    for difference in found:
        old, new = difference.before, difference.after
        if isinstance(old, str) and isinstance(new, str):
            text = inserted(old, new)
            if text is None:
                return False
            starts = [
                at for at in range(len(new)) if new.startswith(text, at) and new[:at] + new[at + len(text) :] == old
            ]
            if not any(are_sentences(new[:start], text) for start in starts):
                return False
    return True


def _texts(value: object) -> list[str]:
    """The texts of an added element; of a message its content alone."""
    if isinstance(value, dict) and "role" in value:
        return list(texts_in(value.get("content")))
    return list(texts_in(value))
