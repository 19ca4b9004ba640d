"""YAML 1.2 as plain values: ``on`` stays a word, repeated keys are an error, and aliases cannot blow up.

Numbers that would not be written back as they stand (``1.10``, ``0x1F``) and dates stay text, as names and versions
are what workflow files hold. A tag that YAML does not know (``!Sub``) is left off its value.
"""

import re
from functools import cache
from typing import Any

from wfkit.errors import DataError, Unavailable

MAXIMUM_CHARACTERS = 2 * 1024 * 1024  # some ten seconds of reading
MAXIMUM_VALUES = 500_000
MAXIMUM_DEPTH = 100

_PREFIX = "tag:yaml.org,2002:"
_INTEGER = re.compile(r"-?[1-9]\d{0,17}|0")
_TOP_LEVEL_KEY = re.compile(r"^([A-Za-z_$][\w.$-]*|\"[^\"\n]{1,200}\"|'[^'\n]{1,200}')[ \t]*:(?=\s|$)", re.MULTILINE)


def top_level_keys(text: str) -> frozenset[str]:
    """The words before a colon at the left margin: a cheap look, before anything is parsed."""
    return frozenset(key.strip("\"'") for key in _TOP_LEVEL_KEY.findall(text))


def load_all(text: str) -> list[Any]:
    """The values of all documents of a text; empty documents are left out.

    Raises:
        DataError: ``E-SYNTAX`` with line and column, or ``E-LIMIT`` for a text of over 2 million characters, nesting
            over 100 and aliases that stand for more than half a million values.
        Unavailable: ruamel.yaml is not installed.
    """
    if len(text) > MAXIMUM_CHARACTERS:
        message = f"{len(text):,} characters of YAML; the limit is {MAXIMUM_CHARACTERS:,}"
        raise DataError(message, code="E-LIMIT")
    try:
        documents = list(_reader().compose_all(text))
    except ImportError:
        raise Unavailable("YAML needs ruamel.yaml: pip install 'wfkit[formats]'") from None
    except Exception as error:
        _reader.cache_clear()  # where it stopped is no place to begin the next text
        raise _fault(error) from None
    values = [_Values().of(document, 0) for document in documents if document is not None]
    return [value for value in values if value is not None]


@cache
def _reader() -> Any:
    """One reader for all texts: a new one for each would leave rings of garbage behind."""
    from ruamel.yaml import YAML

    return YAML(typ="safe", pure=True)


def _fault(error: Exception) -> Exception:
    """What an exception of the reader tells about the text; the exception itself if it is a bug."""
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    if isinstance(error, RecursionError):
        return _too_deep()
    if isinstance(error, MarkedYAMLError):
        mark = error.problem_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        return DataError(f"not YAML: {place}{error.problem or error.context}", code="E-SYNTAX")
    if isinstance(error, (YAMLError, ValueError)):
        return DataError(f"not YAML: {' '.join(str(error).split())[:200]}", code="E-SYNTAX")
    return error


def _too_deep() -> DataError:
    return DataError(f"YAML nested deeper than {MAXIMUM_DEPTH}", code="E-LIMIT")


class _Values:
    """Turns composed nodes into values, counting every one, also those that an alias repeats."""

    def __init__(self) -> None:
        self.count = 0

    def of(self, node: Any, depth: int) -> Any:
        self.count += 1
        if self.count > MAXIMUM_VALUES:
            raise DataError(f"YAML aliases stand for more than {MAXIMUM_VALUES:,} values", code="E-LIMIT")
        if depth > MAXIMUM_DEPTH:
            raise _too_deep()
        kind = node.id
        if kind == "scalar":
            return _scalar(node)
        if kind == "sequence":
            return [self.of(item, depth + 1) for item in node.value]
        return self.mapping(node, depth)

    def mapping(self, node: Any, depth: int) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        values: dict[str, Any] = {}
        for key_node, value_node in node.value:
            value = self.of(value_node, depth + 1)
            if key_node.tag == f"{_PREFIX}merge":
                for part in reversed(value if isinstance(value, list) else [value]):
                    merged.update(part if isinstance(part, dict) else {})
                continue
            key = _key(key_node)
            if key in values:
                raise DataError(f"not YAML: {_place(key_node)}the key {key!r} occurs twice", code="E-SYNTAX")
            values[key] = value
        return {**merged, **values}


def _key(node: Any) -> str:
    if node.id != "scalar":
        raise DataError(f"not YAML that JSON could say: {_place(node)}a key is no word", code="E-SYNTAX")
    return str(node.value)


def _place(node: Any) -> str:
    return f"line {node.start_mark.line + 1}, column {node.start_mark.column + 1}: "


def _scalar(node: Any) -> Any:
    kind = str(node.tag).removeprefix(_PREFIX)
    text: str = node.value
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() == "true"
    if kind == "int" and _INTEGER.fullmatch(text):
        return int(text)
    return text
