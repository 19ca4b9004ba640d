"""The code fences of a Markdown text, with their languages."""

import re
from collections.abc import Iterator

_FENCE = re.compile(r"[ \t]*(?P<mark>```+|~~~+)[ \t]*(?P<language>[\w+-]*)[^\n`]*$")


def fences(text: str) -> Iterator[tuple[str, str]]:
    """Language (in small letters, empty where none stands) and body of each fence; one never closed runs to the end."""
    if "```" not in text and "~~~" not in text:
        return
    mark, language, body = "", "", list[str]()
    for line in text.replace("\r\n", "\n").split("\n"):
        fence = _FENCE.match(line)
        if mark and fence and fence["mark"].startswith(mark) and not fence["language"]:
            yield language, "\n".join(body)
            mark = ""
        elif mark:
            body.append(line)
        elif fence:
            mark, language, body = fence["mark"], fence["language"].lower(), []
    if mark:
        yield language, "\n".join(body)
