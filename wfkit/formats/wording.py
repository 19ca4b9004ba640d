"""The text of a step, out of the names, titles and descriptions that tools keep for it."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

CHOICES = ("auto", "name", "desc", "both")

_WORDS = re.compile(r"[_\s]+|(?<=\w)-(?=\w)")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_COPY_NUMBER = re.compile(r"(?<=[A-Za-z]{3})(\d{1,2})$")
_FIELD = re.compile(r"\{([\w.]+)\}")


def words_of(name: str) -> str:
    """An identifier as words: ``_``, ``-`` and camelCase split, a trailing copy number set off.

    A name that has blanks already was written for people, so only its copy number is set off.
    """
    name = one_line(name)
    if " " not in name:
        name = _CAMEL.sub(" ", " ".join(part for part in _WORDS.split(name) if part)) or name
    return with_copy_number_apart(name)


def with_copy_number_apart(name: str) -> str:
    """``HTTP Request2`` as ``HTTP Request 2``; ``S3`` and ``EC2`` are left alone."""
    return _COPY_NUMBER.sub(r" \1", name)


def without_copy_number(name: str) -> str:
    """``HTTP Request2`` as ``HTTP Request``."""
    return re.sub(r"\d+$", "", name).rstrip()


def one_line(text: str) -> str:
    """Composed (NFC), with single blanks; no-break blanks and line ends are blanks too."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def step_text(choice: str, *, name: str, description: str = "", fields: Mapping[str, Any] | None = None) -> str:
    """The text of a step.

    Args:
        choice: ``auto`` (the description, else the name), ``name``, ``desc``, ``both``, or a template such as
            ``{name} by {type}``, in which fields of the step stand in braces.
        name: the name in words.
        description: what the tool holds as explanation.
        fields: what else a template may name; dots lead into objects.
    """
    if choice == "auto":
        return description or name
    if choice == "name":
        return name
    if choice == "desc":
        return description
    if choice == "both":
        return f"{name}: {description}" if name and description and name != description else name or description
    known = {**(fields or {}), "name": name, "desc": description}
    return one_line(_FIELD.sub(lambda match: _shown(known, match[1].split(".")), choice))


def _shown(value: Any, path: list[str]) -> str:
    for part in path:
        value = value.get(part) if isinstance(value, Mapping) else None
    return "" if value is None or isinstance(value, (dict, list)) else str(value)
