"""The values that a source holds: decoded JSON, YAML documents, and JSON that stands in prose."""

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from wfkit import jsonl
from wfkit.errors import DataError
from wfkit.formats.base import Draft, Source
from wfkit.formats.markdown import fences
from wfkit.formats.yaml_text import load_all, top_level_keys

MAXIMUM_PROSE = 1024 * 1024

_FENCE_AT_MARGIN = re.compile(r"^(?:```|~~~)", re.MULTILINE)
_NO_BLANK = re.compile(r"[^\s\x1e]")  # \x1e begins each record of a JSON text sequence (RFC 7464)
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


def parse_each(source: Source, parse: Callable[[Any, str], list[Draft]]) -> list[Draft]:
    """Read every value of a source with ``parse(value, id)``, keeping failures of several in their place."""
    values = documents(source)
    if len(values) == 1:
        return parse(values[0], source.id)
    drafts: list[Draft] = []
    for place, value in enumerate(values, start=1):
        try:
            drafts += parse(value, f"{source.id}/{place}")
        except DataError as error:
            drafts.append(Draft(f"{source.id}/{place}", problem=error))
    return drafts


def json_stream(text: str) -> list[str] | None:
    """The pieces of a text that is one JSON value after the other, whatever blanks are between them; else None.

    A last piece may be broken, so that whoever reads it tells what is wrong with it.
    """
    decoder = json.JSONDecoder()
    pieces: list[str] = []
    end = 0
    while mark := _NO_BLANK.search(text, end):
        begin = mark.start()
        if mark[0] not in "{[":
            return None
        try:
            _, end = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            if not (pieces and _LIKE_JSON.match(text, begin)):
                return None
            end = len(text)
        pieces.append(text[begin:end])
    return pieces if len(pieces) > 1 else None


class InProse(NamedTuple):
    """The JSON objects and arrays that stand in a text, the largest first, and whether a broken one follows them."""

    values: list[Any]
    broken: bool


def json_in_prose(text: str) -> InProse:
    """The JSON that stands in a text.

    What begins like JSON and is broken ends the search: its inner parts would pass for the whole.

    Raises:
        DataError: ``E-SYNTAX`` with line and column, if there is nothing but broken JSON.
    """
    found: list[tuple[int, Any]] = []
    decoder = json.JSONDecoder()
    position, broken = 0, False
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
            broken = True
            break
    return InProse([value for _, value in sorted(found, key=lambda one: -one[0])], broken)


def _broken(text: str, error: Exception) -> DataError:
    if isinstance(error, DataError):
        return error
    if isinstance(error, json.JSONDecodeError):
        line, column = text.count("\n", 0, error.pos) + 1, error.pos - text.rfind("\n", 0, error.pos)
        return DataError(f"not JSON: line {line}, column {column}: {error.msg}", code="E-SYNTAX")
    return DataError("JSON nested too deeply", code="E-LIMIT")
