"""Whether English text only states something beside the point: what rules cannot read that way stays unverified."""

import re

from wfkit.agents.pairing.text_slots import sentences_in

# Words by which a sentence asks, forbids, allows, takes back or makes a condition.
_BEARING = re.compile(
    r"\b(?:please|must|should|shall|not|\w+n['’]t|never|always|nothing more|forget|ignore|instead|cancel\w*|forbid\w*|"
    r"allow\w*|permit\w*|requir\w*|needs?|needed|only|unless|except|from now on|any ?more|no longer|mind|"
    r"ha(?:s|ve|d) to|make sure|ensure|remember|want\w*|also (?:send|book|add|delete|create)|"
    r"(?:could|can|would|will) you)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^\W*(?:and |then |now |also |so )*"
    r"(?:add|book|buy|call|cancel|change|charge|check|compute|create|delete|do|find|get|give|list|make|move|open|pay|post|put|refund|remove|return|run|search|send|set|"
    r"show|start|stop|tell|transfer|update|use|write)\b",
    re.IGNORECASE,
)
_STATES = re.compile(r"\b(?:is|are|was|were|am|has|had|have been|went)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def only_states(text: str, *, may_ask: bool = False) -> bool:
    """Whether every sentence of a text states something and bears on nothing that is to be done.

    Args:
        may_ask: questions are fine too, since an answer follows them.
    """
    if _BEARING.search(text):
        return False
    sentences = [text[start:end] for start, end in sentences_in(text) if _WORD.search(text, start, end)]
    return bool(sentences) and all(
        (may_ask and sentence.rstrip().endswith("?"))
        or ("?" not in sentence and _STATES.search(sentence) is not None and not _REQUEST.search(sentence))
        for sentence in sentences
    )


_NEUTRAL_WORDS = (
    "the a an some it one i mentioned address date time amount percentage number value kind name that this of"
)
_NEUTRAL = frozenset(_NEUTRAL_WORDS.split())


def adds_no_meaning(text: str, old: str) -> bool:
    """Whether what stands in the place of something says no more than the text around it and a few neutral words do."""
    words = {word.lower() for word in _WORD.findall(text)}
    known = {word.lower() for word in _WORD.findall(old)}
    return not any(character.isdigit() for character in text) and words <= known | _NEUTRAL


def only_values_differ(before: str, after: str) -> bool:
    """Whether two stretches are the same words but for such as have digits in both."""
    old, new = before.split(), after.split()
    return len(old) == len(new) and all(
        one == other or (_has_digit(one) and _has_digit(other)) for one, other in zip(old, new, strict=True)
    )


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)
