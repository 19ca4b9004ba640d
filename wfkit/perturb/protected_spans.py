"""The parts of a step text that a rewording must carry over letter for letter.

Numbers, names, quoted strings, code, placeholders, addresses and options carry the meaning that a paraphrase may
not touch. They are taken out before any rule looks at the text and put back afterwards, so no rule can change them:
it can at most move them.
"""

import re

# Stand-ins come from the two private planes: no rule can match one by accident, and each is a single character.
_FIRST_STAND_IN = 0xF0000
_FIRST_ACTION = 0x100000
_MOST_SPANS = 0xFFFD
OPEN_QUOTATION = "\U0010fffd"
"""The stand-in of a quotation that never closes; it is the last of a text and cannot be moved."""

ACTION = "[\U00100000-\U0010fffd]"
"""Regular expression for the stand-in of an action in code, such as ``search[red shoes]``."""
STAND_IN = "[\U000f0000-\U000ffffd\U00100000-\U0010fffd]"
"""Regular expression for any one stand-in."""

_UNITS = (
    r"°\s?[CF]?|%|percent|degrees?|cm|mm|km|m|inch(?:es)?|feet|foot|ft|in(?=\s+(?:x|long|wide|\d))|yards?|miles?|"
    r"kg|g|mg|lbs?|pounds?|oz|ounces?|l|ml|cups?|tsp|tbsp|seconds?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|"
    r"years?|dollars?|cents?|euros?|MB|GB|KB|TB|px"
)
_COUNTS = """
    one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred hundreds thousand
    thousands million millions dozen dozens twice thrice first second third fourth fifth half halves quarter quarters
    double triple
"""
_NUMBER_WORDS = frozenset(_COUNTS.split())

_PROTECTED = re.compile(
    "|".join(
        (
            r"(?<!\w)[a-z]+(?=[,.]?\s)",  # A plain word, nearly always nothing to protect: the quick way past it.
            f"{STAND_IN}+",
            r"```.*?```|`[^`]+`",
            r"\"[^\"]*(?:\"|\Z)|“[^”]*”|«[^»]*»",
            r"(?<![\w'’])'[^'\n]+'(?!\w)|(?<!\w)‘[^’\n]+’(?!\w)",
            r"[\w.-]*\[[^\]]*\]|\{[^}]*\}|<[^>\s][^>]*>",
            r"\w+://\S*[^\s.,;:!?)]|www\.\S*[^\s.,;:!?)]",
            r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
            r"(?<!\S)(?:~|\.{1,2})?/[\w./-]*\w|\S*\\\S*[^\s.,;:!?)]",
            r"\b\w*[_a-z]\w*\([^)]*\)",
            r"(?<!\S)--?[A-Za-z][\w-]*(?:=\S*\w)?",
            r"\b(?:[A-Za-z]\.){2,}",
            r"\b\w+(?:\.\w+)+",
            r"\b\w*_\w*|\b[a-z]+[A-Z]\w*",
            rf"[$€£¥#±-]?(?<![^\W\d])\d[\d,./:×x^*+=-]*(?<![,.:])(?:\s?(?:{_UNITS})\b|\s?[°%]|[\w-]+)?",
            r"\b\w*\d\w*(?:-\w+)*",
            rf"\b(?:{'|'.join(sorted(_NUMBER_WORDS))})\b(?:-\w+)*",
            r"\b[A-Z]\w*(?:['’&.-]\w+)*",
        )
    ),
    re.DOTALL,
)
_ACTION_CALL = re.compile(r"[a-z][\w.-]*\[[^\]]*\]")
_SENTENCE_START = re.compile(r"(?:\A|[.!?]+[\"”')*]*\s+|\n)[\s*#>•_-]*")


def protect(text: str) -> tuple[str, list[str]] | None:
    """Replace every protected span by a stand-in.

    A capitalised word that opens a sentence is left alone, since its capital says nothing about it, unless it is a
    number or has a further capital inside.

    Args:
        text: a step text.

    Returns:
        The masked text and the spans in their order, or None where a text has more spans (65,533) than stand-ins.
    """
    openings = {match.end() for match in _SENTENCE_START.finditer(text)}
    spans: list[str] = []

    def stand_in(match: re.Match[str]) -> str:
        span = match.group()
        if span.islower() and span.isalpha() and span not in _NUMBER_WORDS:
            return span
        if match.start() in openings and span[0].isupper() and _is_ordinary(span):
            return span
        spans.append(span)
        if span[0] == '"' and span.count('"') == 1:
            return OPEN_QUOTATION
        plane = _FIRST_ACTION if _ACTION_CALL.fullmatch(span) else _FIRST_STAND_IN
        return chr(plane + min(len(spans), _MOST_SPANS) - 1)

    masked = _PROTECTED.sub(stand_in, text)
    return (masked, spans) if len(spans) <= _MOST_SPANS else None


def restore(masked: str, spans: list[str]) -> str:
    """Put the spans back in the places of their stand-ins (the inverse of `protect`)."""
    last = len(spans) - 1  # where an open quotation is
    return re.sub(STAND_IN, lambda match: spans[min(ord(match.group()) & 0xFFFF, last)], masked)


def _is_ordinary(opening_word: str) -> bool:
    rest = opening_word[1:]
    return (not rest or rest.islower()) and opening_word.lower() not in _NUMBER_WORDS
