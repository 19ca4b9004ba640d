"""Parts of decoded values. What carries the structure of a workflow must have its type; the rest may have any."""

from collections.abc import Mapping
from typing import Any

from wfkit.errors import DataError


def as_object(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def objects_at(holder: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects of a list; none where the key is absent or null.

    Raises:
        DataError: ``E-SYNTAX`` for anything but a list of objects.
    """
    value = holder.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise DataError(f"{key} is no list of objects", code="E-SYNTAX")
    return value


def names_at(holder: Mapping[str, Any], key: str) -> list[str]:
    """One name, or each of a list of names; none where the key is absent or null.

    Raises:
        DataError: ``E-SYNTAX`` for anything else.
    """
    value = holder.get(key)
    names = [] if value is None else value if isinstance(value, list) else [value]
    if not all(isinstance(name, (str, int)) and not isinstance(name, bool) for name in names):
        raise DataError(f"{key} is neither a name nor a list of names", code="E-SYNTAX")
    return [str(name) for name in names]


def name_at(holder: Mapping[str, Any], key: str) -> str | None:
    """A name; None where the key is absent or null.

    Raises:
        DataError: ``E-SYNTAX`` for anything but one name.
    """
    names = names_at(holder, key)
    if isinstance(holder.get(key), list):
        raise DataError(f"{key} is a list, not a name", code="E-SYNTAX")
    return names[0] if names else None
