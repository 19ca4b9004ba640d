"""JSON Pointers (RFC 6901) and the three operations of JSON Patch (RFC 6902) that an edit needs.

A patched document shares every part with the original that the patch does not touch: an edit of one description in
100 kB of tool contracts copies a few small containers.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from wfkit.errors import DataError

# Section 4 of RFC 6901: no sign, no leading zero, ASCII alone; no array is longer than nine digits can count.
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


@lru_cache(maxsize=1024)
def split(pointer: str) -> tuple[str, ...]:
    """The unescaped parts of a pointer; the empty pointer, which is the whole document, has none."""
    if not pointer:
        return ()
    if not pointer.startswith("/"):
        raise DataError(f"{pointer!r} is not a JSON Pointer", code="E-POINTER")
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/"))


def child(pointer: str, key: str | int) -> str:
    """The pointer of a member or an element."""
    if isinstance(key, str) and ("~" in key or "/" in key):
        key = key.replace("~", "~0").replace("/", "~1")
    return f"{pointer}/{key}"


def parent(pointer: str) -> str:
    """The pointer of what holds it."""
    return pointer.rpartition("/")[0]


def last(pointer: str) -> str:
    """The last part, unescaped."""
    return split(pointer)[-1]


def index_of(part: str) -> int | None:
    """The place in an array that a part of a pointer names; None where it names none."""
    return int(part) if _INDEX.fullmatch(part) else None


def covers(outer: str, inner: str) -> bool:
    """Whether a pointer is another one or leads to a part of it."""
    return inner == outer or inner.startswith(f"{outer}/")


def get(document: Any, pointer: str) -> Any:
    """What stands at a pointer.

    Raises:
        DataError: ``E-POINTER``, nothing stands there.
    """
    value = document
    for part in split(pointer):
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and (place := index_of(part)) is not None and place < len(value):
            value = value[place]
        else:
            raise DataError(f"nothing stands at {pointer}", code="E-POINTER")
    return value


def patched(document: Any, patch: Iterable[Mapping[str, Any]]) -> Any:
    """The document after every operation of a patch: ``add``, ``remove`` and ``replace``, each with a ``path``.

    Raises:
        DataError: ``E-PATCH``, an operation is unknown or has no place.
    """
    for operation in patch:
        name, path = operation.get("op"), operation.get("path")
        if name not in ("add", "remove", "replace") or not isinstance(path, str) or not path:
            raise DataError(f"not an operation of a patch: {str(operation)[:100]}", code="E-PATCH")
        if name != "remove" and "value" not in operation:
            raise DataError(f"the {name} of {path} has no value", code="E-PATCH")
        document = _changed(document, split(path), name, operation.get("value"), path)
    return document


def _changed(container: Any, parts: Sequence[str], name: str, value: Any, path: str) -> Any:
    key, rest = parts[0], parts[1:]
    if isinstance(container, dict):
        if key not in container and (rest or name != "add"):
            raise DataError(f"nothing stands at {path}", code="E-PATCH")
        result = dict(container)
        if rest:
            result[key] = _changed(container[key], rest, name, value, path)
        elif name == "remove":
            del result[key]
        else:
            result[key] = value
        return result
    if isinstance(container, list):
        room = len(container) + (name == "add" and not rest)
        place = len(container) if key == "-" else index_of(key)
        if place is None or place >= room:
            raise DataError(f"nothing stands at {path}", code="E-PATCH")
        elements = list(container)
        if rest:
            elements[place] = _changed(container[place], rest, name, value, path)
        elif name == "add":
            elements.insert(place, value)
        elif name == "remove":
            del elements[place]
        else:
            elements[place] = value
        return elements
    raise DataError(f"nothing stands at {path}", code="E-PATCH")
