"""The one JSON object in an answer of a model, whatever stands around it."""

import contextlib
import json
from collections.abc import Callable
from typing import Any

import orjson

from wfkit.errors import DataError
from wfkit.formats.answers import unwrapped
from wfkit.llm.errors import BadAnswer

LONGEST_ANSWER = 1 << 18

_DECODER = json.JSONDecoder()


def object_in(text: str, check: Callable[[Any], None]) -> dict[str, Any]:
    """The JSON object that passes ``check``, out of prose, Markdown fences or answer tags around it.

    An object inside another one does not count. The same object twice counts once; where several different ones
    pass, nobody can tell which is meant: one of them may be quoted from the data.

    Args:
        check: raises `DataError` for an object that is not as asked for.

    Raises:
        BadAnswer: there is no such object, or several.
    """
    if len(text) > LONGEST_ANSWER:
        raise BadAnswer(f"the answer has {len(text):,} characters")
    if text.startswith("{"):
        with contextlib.suppress(orjson.JSONDecodeError, DataError):  # the usual case, kept quick: nothing around it
            only: dict[str, Any] = orjson.loads(text)
            check(only)
            return only
    found: list[dict[str, Any]] = []
    fault = "no JSON object in it"
    for value in _objects(unwrapped(text, lambda part: "{" in part)):
        try:
            check(value)
        except DataError as error:
            fault = str(error)
        else:
            if value not in found:
                found.append(value)
    if len(found) > 1:
        raise BadAnswer(f"the answer holds {len(found)} different JSON objects that fit")
    if not found:
        raise BadAnswer(f"the answer is not as asked for: {fault}: «{' '.join(text.split())[:80]}»")
    return found[0]


def _objects(text: str) -> list[dict[str, Any]]:
    """Every outermost JSON object, from left to right."""
    objects = []
    start = text.find("{")
    while start >= 0:
        try:
            value, end = _DECODER.raw_decode(text, start)
            objects.append(value)
        except (ValueError, RecursionError):
            end = start + 1
        start = text.find("{", end)
    return objects
