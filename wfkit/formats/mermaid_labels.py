"""Labels and ids of Mermaid diagrams, read and written."""

import re

from wfkit.formats.base import clean_text
from wfkit.formats.wording import one_line

_HASH_ENTITY = re.compile(r"#(\w{1,31});")
_ICON = re.compile(r"\bfa[a-z]?:fa-([\w-]+)")
_ESCAPED = re.compile(r"(?:\\[0-9a-fA-F]{2})+")
_MARKDOWN = re.compile(r"(\*\*|__|\*|_)(?=\S)(.+?)(?<=\S)\1")
_PLAIN_ID = re.compile(r"\w", re.ASCII)
RESERVED = frozenset(
    {
        "end",
        "graph",
        "flowchart",
        "subgraph",
        "style",
        "class",
        "classdef",
        "click",
        "linkstyle",
        "direction",
        "default",
        "href",
        "call",
        "interpolate",
    }
)


def plain_label(label: str) -> str:
    """A label as text: entities (``#quot;``) decoded, tags and icons left out, the marks of Markdown labels too."""
    label = label.strip()
    if len(label) > 1 and label[0] == label[-1] == "`":
        label = _MARKDOWN.sub(r"\2", label[1:-1])
    label = _HASH_ENTITY.sub(_as_html_entity, label)
    without_icons = clean_text(_ICON.sub(" ", label))
    if without_icons:
        return without_icons
    return " ".join(icon.replace("-", " ") for icon in _ICON.findall(label))


def _as_html_entity(match: "re.Match[str]") -> str:
    return f"&#{match[1]};" if match[1].isdigit() else f"&{match[1]};"


def written_label(text: str) -> str:
    """A text as a quoted label that reads as that text, whatever it holds."""
    escaped = "".join(f"#{ord(character)};" if character in '"#&<>`;\\' else character for character in one_line(text))
    # A letter that is written as an entity keeps a step called "end" from being END, and an icon from being one.
    escaped = re.sub(
        r"(?i)^(start|begin|end|finish|__start__|__end__)$",
        lambda match: f"#{ord(match[0][0])};{match[0][1:]}",
        escaped,
    )
    return '"' + _ICON.sub(lambda match: f"#{ord(match[0][0])};{match[0][1:]}", escaped) + '"'


def plain_id(written: str) -> str:
    """An id without the escapes that LangGraph writes (``\\3a``); bytes above 7f are those of UTF-8."""
    return _ESCAPED.sub(lambda match: _decoded(match[0]), written)


def _decoded(escapes: str) -> str:
    try:
        return bytes.fromhex(escapes.replace("\\", "")).decode()
    except UnicodeDecodeError:
        return escapes


def written_id(own_id: str) -> str:
    """An id in letters, digits and ``_``; every other byte of it as an escape."""
    if own_id.lower() in RESERVED:
        return f"\\{ord(own_id[0]):02x}{own_id[1:]}"
    return "".join(
        character if _PLAIN_ID.match(character) else "".join(f"\\{byte:02x}" for byte in character.encode())
        for character in own_id
    )
