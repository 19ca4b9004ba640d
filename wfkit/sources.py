"""Splits what `wf-parse` is given into sources: JSON rows, CSV rows, or one whole document per input."""

import os
import stat
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from wfkit import jsonl, streams
from wfkit.errors import DataError
from wfkit.formats.base import Source
from wfkit.joining import key_of
from wfkit.streams import Line

CSV_FAULT = b"CSV: "
BATCH_DOCUMENTS = 16
BATCH_BYTES = 1 << 18
NOT_CARRIED = frozenset({"kind", "id", "nodes", "edges", "meta"})


def read(inputs: Iterable[tuple[str, int]], max_line: int, *, rows_of_text: bool) -> Iterator[list[Line]]:
    """Yield batches of sources: a line of a JSONL input, a row of a CSV input (as JSON), or a whole input.

    Args:
        rows_of_text: the input is rows with a text field, so that what is not JSON lines is CSV.
    """
    documents: list[Line] = []
    for name, descriptor in inputs:
        full = len(documents) == BATCH_DOCUMENTS or sum(len(one.raw) for one in documents) > BATCH_BYTES
        if documents and (full or not stat.S_ISREG(os.fstat(descriptor).st_mode)):
            yield documents  # whoever waits for a pipe gets what was read before
            documents = []
        head = _head(descriptor, max_line)
        rows = _is_rows_of_json(head)
        if rows is None or (not rows and not (rows_of_text and _second_is_text(head))):
            head = b"".join([head, *_rest(descriptor, max_line - len(head))])
            rows = not _is_json(head) if rows is None else _has_mostly_rows(head)
        if documents and (rows or rows_of_text):
            yield documents
            documents = []
        if rows:
            yield from streams.lines_of(name, descriptor, max_line, head)
        elif rows_of_text:
            yield from _csv_rows(name, descriptor, head)
        else:
            documents += _document(name, descriptor, max_line, head)
    if documents:
        yield documents


def _head(descriptor: int, limit: int) -> bytes:
    """The beginning of an input, up to the end of its second line that is not blank."""
    parts: list[bytes] = []
    size = 0
    while size <= limit:
        chunk = streams.read_chunk(descriptor)
        if not chunk:
            break
        parts.append(chunk)
        size += len(chunk)
        if b"\n" in chunk and len(b"".join(parts).split(None, 1)) and _complete_lines(b"".join(parts)):
            break
    return b"".join(parts)


def _complete_lines(head: bytes) -> list[bytes]:
    return [line for line in head.removeprefix(streams.BOM).split(b"\n")[:-1] if line.strip()]


def _rest(descriptor: int, limit: int) -> Iterator[bytes]:
    """What follows, until the limit is passed."""
    while limit >= 0 and (chunk := streams.read_chunk(descriptor)):
        limit -= len(chunk)
        yield chunk


def _is_json(data: bytes) -> bool:
    try:
        jsonl.loads(data.removeprefix(streams.BOM).strip())
    except DataError:
        return False
    return True


def _is_rows_of_json(head: bytes) -> bool | None:
    """Whether the input is one JSON value per line; None if the first two lines leave it open.

    A first line that is damaged does not hide the rows, but the lines of one document may begin as rows do: if the
    first two begin an object and the first is none, only the whole input tells. Neither does a first line
    hide the rows that is too long to be read: an object that begins with a key and has no line end for megabytes.
    """
    lines = _complete_lines(head) or [head.removeprefix(streams.BOM)]
    first = lines[0].strip()
    if len(first) > jsonl.MAX_LINE_BYTES:
        return first.startswith(b'{"')
    if not first.startswith((b"{", b"[", b'"')):
        return False
    try:
        jsonl.loads(first)
    except DataError:
        open_still = len(lines) > 1 and first.startswith(b'{"') and lines[1].lstrip().startswith(b'{"')
        return None if open_still else False
    return True


def _second_is_text(head: bytes) -> bool:
    """Whether the second line is no JSON object, so that rows of CSV need not be read to their end to be told."""
    return not any(line.lstrip().startswith(b"{") for line in _complete_lines(head)[1:2])


def _has_mostly_rows(data: bytes) -> bool:
    """Whether most lines of an input are JSON objects: a damaged first line, or a line of a log, does not hide them."""
    lines = [line for line in data.split(b"\n") if line.strip()]
    likely = [line for line in lines if line.lstrip().startswith(b'{"') and line.rstrip().endswith(b"}")]
    return len(likely) > 1 and 2 * len(likely) > len(lines) and 2 * sum(map(_is_json, likely)) > len(lines)


def _document(name: str, descriptor: int, limit: int, head: bytes) -> list[Line]:
    """The one line that stands for a whole input; none for an empty standard input."""
    parts = [head]
    size = len(head)
    while chunk := streams.read_chunk(descriptor):
        size += len(chunk)
        if size <= limit:
            parts.append(chunk)
    raw = b"".join(parts).removeprefix(streams.BOM)
    streams.close_input(descriptor)
    if size > limit:
        return [Line(raw[: jsonl.HEAD_BYTES], size, name, 1)]
    return [Line(raw, len(raw), name, 1)] if raw.strip() or name != "-" else []


def _csv_rows(name: str, descriptor: int, head: bytes) -> Iterator[list[Line]]:
    import csv

    csv.field_size_limit(jsonl.MAX_LINE_BYTES)
    rows = csv.DictReader(_text_lines(descriptor, head.removeprefix(streams.BOM)), strict=True)
    batch: list[Line] = []
    try:
        columns = list(rows.fieldnames or ())
        if len(set(columns)) < len(columns):
            raise csv.Error(f"a column name occurs twice in {','.join(columns)}")
        for row in rows:
            raw = _row_as_json(row, len(columns))
            batch.append(Line(raw, len(raw), name, rows.line_num))
            if len(batch) == streams.BATCH_LINES:
                yield batch
                batch = []
    except csv.Error as error:
        raw = CSV_FAULT + str(error).encode(errors="replace")
        batch.append(Line(raw, len(raw), name, rows.line_num + 1))
    if batch:
        yield batch
    streams.close_input(descriptor)


def _text_lines(descriptor: int, head: bytes) -> Iterator[str]:
    chunk = head
    parts: list[bytes] = []  # of the unfinished line
    while chunk:
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            yield b"".join([*parts, line, b"\n"]).decode("utf-8", errors="surrogateescape")
            parts = []
        parts.append(rest)
        chunk = streams.read_chunk(descriptor)
    yield b"".join(parts).decode("utf-8", errors="surrogateescape")


def _row_as_json(row: dict[str | Any, Any], columns: int) -> bytes:
    """A row as a JSON object, or what is wrong with it; cells that the row lacks are left out."""
    if None in row:
        return CSV_FAULT + b"the row has %d cells, the header %d" % (columns + len(row[None]), columns)
    try:
        return jsonl.dumps({key: value for key, value in row.items() if value is not None})
    except UnicodeEncodeError:
        return CSV_FAULT + b"the row is not UTF-8 text"


class Row(NamedTuple):
    """A source, and the further fields of the row that held its text."""

    source: Source
    fields: dict[str, Any]


def row_of(
    line: Line, *, text_path: tuple[str, ...] | None, id_path: tuple[str, ...] | None, given_id: str | None
) -> Row:
    """The source that a line or document holds.

    Raises:
        DataError: ``E-SYNTAX`` for bytes that are neither JSON nor UTF-8 text, ``E-FIELD`` for a row without the field.
    """
    default_id = given_id or (os.path.splitext(os.path.basename(line.file))[0] if line.file != "-" else "workflow")
    if line.number > 1:
        default_id = f"{default_id}/{line.number}"
    stripped = line.raw.lstrip(b" \t\r\n\x1e")  # RFC 7464 begins each value of a stream with \x1e
    fault = None
    if stripped.startswith((b"{", b"[", b'"')):
        try:
            value = jsonl.loads(line.raw.strip())
        except DataError as error:
            if text_path is not None or id_path is not None or line.number > 1:
                raise
            fault = error  # a text may begin so; the reader tells the fault if the text is nothing else
            default_id = jsonl.leading_id(line.raw) or default_id
        else:
            return _row_of_value(value, line, default_id, text_path, id_path)
    if text_path is not None and stripped.startswith(CSV_FAULT):
        raise DataError(line.raw.decode(errors="replace"), code="E-SYNTAX")
    if text_path is not None or (line.number > 1 and stripped):
        raise DataError(f"expected an object, got a JSON {jsonl.type_name(jsonl.loads(stripped))}", code="E-SYNTAX")
    try:
        text = line.raw.decode("utf-8")
        return Row(Source(text=text, name=line.file, id=default_id, fault=fault, whole=True), {})
    except UnicodeDecodeError as error:
        raise fault or DataError(
            f"not UTF-8 text: byte {error.start} is {line.raw[error.start]:#04x}", code="E-SYNTAX"
        ) from None


def _row_of_value(
    value: Any, line: Line, default_id: str, text_path: tuple[str, ...] | None, id_path: tuple[str, ...] | None
) -> Row:
    if id_path is not None:
        found = key_of(value, id_path) if isinstance(value, dict) else None
        if found is None:
            raise DataError(f"no id at .{'.'.join(id_path)}", code="E-FIELD")
        default_id = found
    elif text_path is not None and isinstance(value, dict):
        default_id = key_of(value, ("id",)) or default_id
    if text_path is None:
        return Row(Source(value=value, name=line.file, id=default_id), {})
    row = value
    for part in text_path:
        if not isinstance(value, dict) or part not in value:
            raise DataError(f"no text at .{'.'.join(text_path)}", code="E-FIELD")
        value = value[part]
    fields = {key: field for key, field in row.items() if key != text_path[0] and key not in NOT_CARRIED}
    if isinstance(value, str):
        return Row(Source(text=value, name=line.file, id=default_id), fields)
    return Row(Source(value=value, name=line.file, id=default_id), fields)
