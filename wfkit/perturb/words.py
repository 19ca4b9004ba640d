"""The words of a step text: which carry content, and when two texts say the same in the same words.

The stemmer strips the inflections of English verbs and nouns and nothing else. A derivational stemmer such as
Porter's would call *universe* and *university* the same word, which is wrong where a lost word is what is looked
for, and nltk's costs more than a second to import.
"""

import re
import unicodedata
from functools import lru_cache

_NO_SPACES = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"  # scripts that are written without blanks
_WORD = re.compile(rf"\d+(?:[.,]\d+)+(?!\w)|[{_NO_SPACES}]|(?:(?![{_NO_SPACES}])\w)+(?:'(?:(?![{_NO_SPACES}])\w)+)*")
_VOWEL = re.compile("[aeiouy]")
_ARTICLES = frozenset({"a", "an", "the"})

# Words that a merged or paraphrased step may drop or replace without losing an action, a number or a name.
# Negations, conditions and the prepositions that carry meaning (off, without, under, before ...) are not among them.
_FUNCTION_WORDS = frozenset(
    """
    a an the this that these those such some any
    i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself
    we us our ours ourselves they them their theirs themselves who whom whose which what
    and then also so as too next finally afterwards or but
    to of in on at into onto from with by for up out over about
    is are be been being am was were do does did doing done has have had having will would shall should can could may
    might must it's that's you're they're
    there here please
    """.split()  # noqa: SIM905 - a hundred lines otherwise
)


@lru_cache(maxsize=16384)
def words(text: str) -> tuple[str, ...]:
    """The words of a text in order, without case, typographic variants and punctuation; numbers stay whole."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").casefold()
    return tuple(_WORD.findall(plain))


def content_list(text: str) -> list[str]:
    """The stems of the words that carry content, in order; a text such as "do it" has none."""
    return [stem(word) for word in words(text) if word not in _FUNCTION_WORDS]


@lru_cache(maxsize=16384)
def content_words(text: str) -> frozenset[str]:
    """The different stems of `content_list`."""
    return frozenset(content_list(text))


@lru_cache(maxsize=16384)
def wording(text: str) -> tuple[str, ...]:
    """What makes two texts differently worded: the words in order, without articles."""
    return tuple(word for word in words(text) if word not in _ARTICLES)


def lost_words(part: str, whole: str) -> list[str]:
    """The content words of ``part`` that ``whole`` lacks, in their order; inflection and function words do not count.

    A part that has no content words must have all its words in the whole, one without any word (signs only) itself.
    """
    needed, there = content_words(part), content_words(whole)
    if needed:
        lost = needed - there
        return [word for word in words(part) if word not in _FUNCTION_WORDS and stem(word) in lost] if lost else []
    bare = part.strip()
    if words(part):
        return [word for word in words(part) if word not in words(whole)]
    return [] if bare in whole else [bare]


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A casefolded word without its inflection: picks, picked, picking → pick; places, placing → plac."""
    if word.endswith("'s"):
        word = word[:-2]
    if not word.isalpha():
        return word
    if len(word) > 3:
        word = _without_ending(word)
    if len(word) > 2 and word[-1] == word[-2] and word[-1] not in "aeiousz" and (word[-1] != "l" or len(word) > 5):
        word = word[:-1]  # stopp(ed), travell(ing)
    if len(word) > 2 and word.endswith("e"):
        word = word[:-1]  # place, plac(ing)
    return word


def _without_ending(word: str) -> str:
    if word.endswith(("ies", "ied")) and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes", "oes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    if word.endswith("ing") and _VOWEL.search(word[:-3]):
        return word[:-3]
    if word.endswith("ed") and not word.endswith("eed") and _VOWEL.search(word[:-2]):
        return word[:-2]
    return word
