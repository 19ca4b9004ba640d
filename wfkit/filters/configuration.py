"""Reads configuration files that people write: JSON, JSON Lines, YAML or TOML, by their name or else their content."""

import datetime
import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from wfkit.errors import Unavailable, UsageProblem

_TOML_LINE = re.compile(r"\[\[?[\w\".-]+\]\]?\s*(#.*)?$|[\w\".-]+\s*=")


def read_configuration(name: str) -> Any:
    """The value of a configuration file: plain objects, lists, texts and numbers; days become texts.

    Raises:
        UsageProblem: the file cannot be read, is not what it seems to be, or an object has a key twice.
        Unavailable: it is YAML, and the package that reads it is not installed.
    """
    from wfkit import jsonl, streams
    from wfkit.errors import DataError

    try:
        with open(name, "rb") as file:
            raw = file.read(jsonl.MAX_LINE_BYTES + 1)
    except OSError as error:
        raise UsageProblem(f"cannot read {streams.shown(name)}: {error.strerror}") from None
    if len(raw) > jsonl.MAX_LINE_BYTES:
        raise UsageProblem(f"{streams.shown(name)}: larger than {jsonl.MAX_LINE_BYTES:,} bytes")
    raw = raw.removeprefix(streams.BOM)
    read = _READERS.get(os.path.splitext(name)[1].lower()) or _reader_for(raw)
    try:
        return _plain(read(raw))
    except (DataError, ValueError) as error:
        raise UsageProblem(f"{streams.shown(name)}: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise UsageProblem(f"{streams.shown(name)}: nested too deeply") from None


def _reader_for(raw: bytes) -> Callable[[bytes], Any]:
    """How to read a file whose name does not tell."""
    lines = [line for line in raw.decode("utf-8", errors="replace").splitlines() if line.strip()]
    first = next((line.strip() for line in lines if not line.lstrip().startswith("#")), "")
    if _TOML_LINE.match(first):
        return _read_toml
    if first.startswith("{") and len(lines) > 1 and all(line.startswith("{") for line in lines):
        return _read_json_lines
    return _read_json if first.startswith(("{", "[")) or not first else _read_yaml


def _read_json(raw: bytes) -> Any:
    from wfkit import jsonl

    return jsonl.loads(raw)


def _read_json_lines(raw: bytes) -> list[Any]:
    from wfkit import jsonl
    from wfkit.errors import DataError

    values = []
    for number, line in enumerate(raw.split(b"\n"), 1):
        if line.strip():
            try:
                values.append(jsonl.loads(line))
            except DataError as error:
                raise ValueError(f"line {number}: {error}") from None
    return values


def _read_toml(raw: bytes) -> Any:
    import tomllib

    try:
        return tomllib.loads(raw.decode())
    except ValueError as error:  # of the decoding as well
        raise ValueError(f"not TOML: {error}") from None


def _read_yaml(raw: bytes) -> Any:
    try:
        from ruamel.yaml import YAML
        from ruamel.yaml.error import MarkedYAMLError, YAMLError
    except ImportError:
        raise Unavailable("YAML needs ruamel.yaml: pip install 'wfkit[formats]'") from None
    try:
        return YAML(typ="safe", pure=True).load(raw.decode())
    except MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        raise ValueError(f"not YAML: {place}{(error.problem or error.context).splitlines()[0]}") from None
    except (YAMLError, ValueError) as error:
        raise ValueError(f"not YAML: {error}") from None


def _plain(value: Any) -> Any:
    """The value with days and times as text, which JSON has no type for."""
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else value


_READERS: Mapping[str, Callable[[bytes], Any]] = {
    ".json": _read_json,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
    ".toml": _read_toml,
    ".yaml": _read_yaml,
    ".yml": _read_yaml,
}
