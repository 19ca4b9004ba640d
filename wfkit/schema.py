"""The record schemas: where they are, and fast checks against them.

``schemas/`` at the top of the repository is the one copy; the wheel carries it as ``wfkit/schemas``.
jsonschema-rs checks where it is installed, else jsonschema; a test holds both to the same answers.
"""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from wfkit import interrupts
from wfkit.errors import DataError

Check = Callable[[Any], None]
MAX_MESSAGE = 300


def directory() -> Path:
    """The folder that holds the schemas, inside the wheel or beside the package in a checkout."""
    package = Path(__file__).resolve().parent
    inside = package / "schemas"
    return inside if inside.is_dir() else package.parent / "schemas"


def text(kind: str) -> str:
    """The schema of one record kind as it stands in its file."""
    return (directory() / f"{kind}.schema.json").read_text(encoding="utf-8")


def whole_text(kind: str) -> str:
    """The schema of one record kind as a validator can take it alone: as in its file, but where it refers to others."""
    schema = bundled(kind)
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n" if _references(schema) else text(kind)


@cache
def bundled(kind: str) -> dict[str, Any]:
    """The schema of one kind with every schema that it refers to embedded under ``$defs``."""
    schema: dict[str, Any] = json.loads(text(kind))
    pending, embedded = [schema], {}
    while pending:
        for reference in _references(pending.pop()):
            if reference not in embedded and reference != schema["$id"]:
                embedded[reference] = json.loads((directory() / reference).read_text(encoding="utf-8"))
                pending.append(embedded[reference])
    if embedded:
        schema["$defs"] = schema.get("$defs", {}) | embedded
    return schema


def _references(value: Any) -> set[str]:
    """The file names of all schemas that ``value`` refers to."""
    found = set()
    if isinstance(value, dict):
        reference = value.get("$ref")
        if isinstance(reference, str) and not reference.startswith("#"):
            found.add(reference.split("#")[0])
        for child in value.values():
            found |= _references(child)
    elif isinstance(value, list):
        for child in value:
            found |= _references(child)
    return found


@cache
def checker(kind: str) -> Check:
    """A function that raises `DataError` (``E-SCHEMA``) unless its argument fits the schema of ``kind``."""
    try:
        return _checker_with_jsonschema_rs(bundled(kind))
    except ImportError:
        return checker_with_jsonschema(bundled(kind))


@cache
def checker_of_fields(kind: str, names: tuple[str, ...]) -> Check:
    """The same for some fields of a record alone, where the rest of it was checked before."""
    whole = bundled(kind)
    part: dict[str, Any] = {key: whole[key] for key in ("$schema", "$id", "$defs") if key in whole}
    part |= {"type": "object", "properties": {name: whole["properties"][name] for name in names}}
    try:
        return _checker_with_jsonschema_rs(part)
    except ImportError:
        return checker_with_jsonschema(part)


def _checker_with_jsonschema_rs(schema: dict[str, Any]) -> Check:
    with interrupts.held():  # which would make it panic
        import jsonschema_rs

        validator = jsonschema_rs.validator_for(schema)

    def check(value: Any) -> None:
        if not validator.is_valid(value):
            error = min(validator.iter_errors(value), key=lambda error: -len(error.instance_path))
            raise _complaint(list(error.instance_path), error.message)

    return check


def checker_with_jsonschema(schema: dict[str, Any]) -> Check:
    """The same check by the reference implementation, hundreds of times slower."""
    import jsonschema

    validator = jsonschema.Draft202012Validator(schema)

    def check(value: Any) -> None:
        error = min(validator.iter_errors(value), key=lambda error: -len(error.absolute_path), default=None)
        if error is not None:
            raise _complaint(list(error.absolute_path), error.message)

    return check


def _complaint(path: list[Any], message: str) -> DataError:
    place = "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    short = message if len(message) <= MAX_MESSAGE else message[: MAX_MESSAGE - 1] + "…"
    return DataError(f"{place}: {short}", code="E-SCHEMA", path=place)
