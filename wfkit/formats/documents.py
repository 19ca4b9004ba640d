"""The values that a source holds: decoded JSON, YAML documents, and JSON that stands in prose."""

import json
import re
from collections.abc import Iterator
from typing import Any

from wfkit import jsonl
from wfkit.errors import DataError
from wfkit.formats.base import Source
from wfkit.formats.markdown import fences
from wfkit.formats.yaml_text import load_all, top_level_keys

MAXIMUM_PROSE = 1024 * 1024

_FENCE_AT_MARGIN = re.compile(r"^(?:```|~~~)", re.MULTILINE)
_OPENING = re.compile(r"[{\[]")
_LIKE_JSON = re.compile(r"\{\s*\"|\[\s*(?:\{\s*\"|\[\s*[\"\d]|\")")


def documents(source: Source) -> list[Any]:
    """The decoded JSON value, or the values of all YAML documents of a text or of the code fences in it.

    Raises:
        DataError: the text is no YAML, or holds no value.
    """
    text = source.plain_text()
    if text is None:
        return [source.value]
    if source.fault is not None:
        raise source.fault
    text = text.replace("\r\n", "\n")
    parts = [body for _, body in fences(text) if top_level_keys(body)] if _FENCE_AT_MARGIN.search(text) else []
    values = [value for part in parts or [text] for value in load_all(part)]
    if not values:
        raise DataError("there is nothing to read", code="E-NO-NODES")
    return values


def json_in_prose(text: str) -> Iterator[Any]:
    """The JSON objects and arrays that stand in a text, the largest first.

    What begins like JSON and is broken ends the search: its inner parts would pass for the whole.

    Raises:
        DataError: ``E-SYNTAX`` with line and column, if there is nothing but broken JSON.
    """
    found: list[tuple[int, Any]] = []
    decoder = json.JSONDecoder()
    position = 0
    while len(text) <= MAXIMUM_PROSE and (opening := _OPENING.search(text, position)):
        begin = position = opening.start()
        if not _LIKE_JSON.match(text, begin):
            position += 1
            continue
        try:
            _, position = decoder.raw_decode(text, begin)
            found.append((position - begin, jsonl.loads(text[begin:position].encode(errors="surrogatepass"))))
        except (ValueError, RecursionError, DataError) as error:
            if not found:
                raise _broken(text, error) from None
            break
    yield from (value for _, value in sorted(found, key=lambda one: -one[0]))


def _broken(text: str, error: Exception) -> DataError:
    if isinstance(error, DataError):
        return error
    if isinstance(error, json.JSONDecodeError):
        line, column = text.count("\n", 0, error.pos) + 1, error.pos - text.rfind("\n", 0, error.pos)
        return DataError(f"not JSON: line {line}, column {column}: {error.msg}", code="E-SYNTAX")
    return DataError("JSON nested too deeply", code="E-LIMIT")
