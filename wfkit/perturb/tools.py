"""Which tool a step uses: its ``tool`` field, else a tool that its text names."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

_QUOTE = "[\"'`“”‘’]"
_KIND = r"(?:tool|function|API|endpoint)"
_IDENTIFIER = r"(?:[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+|(?:[A-Z][a-z0-9]+){2,})"
# Words that no tool's name begins with or contains: "the results of the provided API" names none.
_NO_NAME = (
    r"(?:a|an|the|this|that|of|to|in|on|for|from|with|by|and|or|as|is|are|using|via|through|your|its|their|any|each"
    r"|same|other|another|different|following|provided|given|available|appropriate|relevant|right|correct|suitable"
    r"|specific|specified|respective|odd|even|API|necessary|chosen|selected|next|first|second|previous|reliable|external|new)\b"
)
_NAME_WORD = rf"(?!{_NO_NAME})[A-Za-z][\w/-]*"
_NAMED = re.compile(
    rf"""(?<![\w.]){_QUOTE}?(?P<identifier>{_IDENTIFIER})(?:\(\))?{_QUOTE}?\s+{_KIND}\b"""
    rf"""|\b{_KIND}\s+(?:called\s+|named\s+)?{_QUOTE}?(?P<after>{_IDENTIFIER})\b"""
    rf"""|{_QUOTE}(?P<quoted>[A-Za-z][\w.-]*)(?:\(\))?{_QUOTE}\s+{_KIND}\b"""
    rf"""|`(?P<code>[A-Za-z][\w.-]*)(?:\([^`]*\))?`"""
    rf"""|\bthe\s+(?P<words>{_NAME_WORD}(?:\s+{_NAME_WORD}){{0,3}}?)\s+{_KIND}\b""",
)
_ORDINARY_WORDS = re.compile(r"[A-Z]?[a-z]+")


def tools_of(node: Mapping[str, Any]) -> list[str]:
    """The names of the tools that a step uses, each once: its ``tool`` field alone where it has one."""
    field = node.get("tool")
    if isinstance(field, str) and field.strip():
        return [field]
    return list(_tools_named_in(node["text"]))


@lru_cache(maxsize=8192)  # the candidates of a golden share most of their texts with it
def _tools_named_in(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(match[match.lastgroup or 0] for match in _NAMED.finditer(text)))


def with_other_tool(text: str, old: str, new: str) -> str:
    """The text with every mention of one tool replaced by another.

    A name that is an ordinary word ("search") counts as a mention only where the text calls it a tool.
    """
    if _ORDINARY_WORDS.fullmatch(old):
        return _NAMED.sub(lambda match: _renamed(match, old, new), text)
    return re.sub(rf"(?<![\w-]){re.escape(old)}(?![\w-])", lambda _: new, text)


def _renamed(match: re.Match[str], old: str, new: str) -> str:
    start, end = match.span(match.lastgroup or 0)
    if match.string[start:end] != old:
        return match[0]
    return match.string[match.start() : start] + new + match.string[end : match.end()]
