"""Whether a text is English, as far as fixed English word banks are concerned."""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from wfkit.agents.pairing.word_banks import bank

_WORD = re.compile(r"[^\W\d_]+")
ENOUGH_WORDS = 4
SAMPLE = 20_000
"""Characters that are looked at."""


@lru_cache(maxsize=64)
def is_english(text: str) -> bool:
    """False for a text whose letters or function words belong to another language; a short one passes for English."""
    text = text[:SAMPLE]
    letters = [character for character in text if character.isalpha()]
    if sum(character > "\u024f" for character in letters) * 3 > len(letters):
        return False
    known = _function_words()
    words = [word.lower() for word in _WORD.findall(text)]
    if len(words) < ENOUGH_WORDS:
        return True
    english = sum(word in known.english for word in words)
    other = sum(word in known.other for word in words)
    return english > other or (english == other == 0)


class _FunctionWords(NamedTuple):
    english: frozenset[str]
    other: frozenset[str]


@cache
def _function_words() -> _FunctionWords:
    words = bank()["language"]
    return _FunctionWords(frozenset(words["english"].split()), frozenset(words["other"].split()))
