"""Bytes to records and back: strict JSON, exact integers, no repeated keys, bounded size and depth.

orjson does the work wherever its answer is provably the right one: a line that it writes back byte for
byte has no repeated key and no number that lost precision. Every other line is read again by jiter, which
keeps integers exact and refuses repeated keys.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

import orjson

from wfkit.errors import DataError

Record = dict[str, Any]

MAX_LINE_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 200
MAX_DIGITS = 4000  # Python refuses to write integers of more than 4,300 digits
MAX_INPUT_BYTES = 64 * 1024
HEAD_BYTES = 1024

_LEADING_ID = re.compile(rb'^\s*\{[^{\[]*?"id"\s*:\s*(?:"((?:[^"\\]|\\.)*)"|(-?\d+))')


def loads(line: bytes) -> Any:
    """Decode one line of JSON.

    Raises:
        DataError: ``E-SYNTAX`` for anything that is not strict JSON in UTF-8 (NaN, lone surrogates, numbers
            beyond a double, repeated keys), ``E-LIMIT`` for more than 200 nested containers.
    """
    return read(line)[0]


def read(line: bytes) -> tuple[Any, bool]:
    """Decode one line of JSON, and tell whether `dumps` would write the value as this very line.

    Raises:
        DataError: as `loads` does.
    """
    try:
        value = orjson.loads(line)
        if line.count(b"[") + line.count(b"{") <= MAX_DEPTH and orjson.dumps(value) == line:
            return value, True
    except orjson.JSONDecodeError as error:
        if "infinity" not in str(error):
            raise _bad_utf8(line) or _refused(error) from None
        _check_large_numbers(line)
    except TypeError:
        pass
    return _loads_carefully(line), False


def _loads_carefully(line: bytes) -> Any:
    import jiter

    try:
        return jiter.from_json(line, allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError as error:
        raise _refused(error) from None


def _check_large_numbers(line: bytes) -> None:
    """Refuse a line for numbers that a double cannot hold; an integer of hundreds of digits is none of them."""
    import json

    def finite(digits: str) -> float:
        if math.isinf(float(digits)):
            raise DataError(f"not JSON: the number {digits[:40]} is beyond a double", code="E-SYNTAX")
        return 0.0

    def short(digits: str) -> int:
        if len(digits) > MAX_DIGITS:
            raise DataError(f"an integer of {len(digits):,} digits is over the limit of {MAX_DIGITS:,}", code="E-LIMIT")
        return 0

    try:
        json.loads(line, parse_float=finite, parse_int=short)
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise _refused(error) from None


def _bad_utf8(line: bytes) -> DataError | None:
    """The fault of a line that is no UTF-8, which the decoder tells without its place."""
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as error:
        place = f"byte {error.start + 1} of the line is {line[error.start]:#04x}"
        return DataError(f"not JSON: not UTF-8 text: {place}", code="E-SYNTAX")
    return None


def _refused(error: ValueError) -> DataError:
    if any(words in str(error).lower() for words in ("recursion limit", "depth limit")):
        return _too_deep()
    return DataError(f"not JSON: {error}", code="E-SYNTAX")


def _too_deep() -> DataError:
    return DataError(f"nested deeper than {MAX_DEPTH} levels", code="E-LIMIT")


def type_name(value: Any) -> str:
    """What a value is called in JSON."""
    names = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")


def dumps(value: Any) -> bytes:
    """Encode one value as compact UTF-8 JSON without a newline; integers of any size stay exact."""
    try:
        return orjson.dumps(value)
    except TypeError:
        import json

        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode("utf-8")


def readable_id(line: bytes) -> str | None:
    """The id of a record in a bad line, wherever it can be read."""
    try:
        value = loads(line)
    except DataError:
        return leading_id(line)
    found = value.get("id") if isinstance(value, dict) else None
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    return found if isinstance(found, str) else None


def leading_id(line: bytes) -> str | None:
    """The id of a record that cannot be parsed, where it stands before any nested value."""
    found = _LEADING_ID.match(line[:HEAD_BYTES])
    if not found:
        return None
    if found[2] is not None:
        return found[2].decode()
    try:
        return str(orjson.loads(b'"' + found[1] + b'"'))
    except orjson.JSONDecodeError:
        return None


def error_record(
    filter_name: str, error: DataError, *, file: str, line: int, raw: bytes, size: int, record_id: str | None
) -> Record:
    """The `error` record that takes the place of a bad input record.

    Args:
        raw: the bytes of the input, or its head if it was too long to keep.
        size: the whole size in bytes of the input.
    """
    where: Record = {"file": file, "line": line}
    if error.path is not None:
        where["path"] = error.path
    result: Record = {"kind": "error"}
    if record_id is not None:
        result["id"] = record_id
    result |= {"filter": filter_name, "code": error.code, "message": str(error), "where": where}
    if size <= MAX_INPUT_BYTES:
        result["input"] = raw.decode("utf-8", errors="replace")
    else:
        result["input"] = raw[:HEAD_BYTES].decode("utf-8", errors="replace")
        result["input_bytes"] = size
    return result


def id_of(record: Mapping[str, Any]) -> str | None:
    """The id of a record, or None where it has none that is a string."""
    value = record.get("id")
    return value if isinstance(value, str) else None
