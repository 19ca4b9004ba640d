"""The one engine of every filter: decode, check, step, encode, with nothing lost.

A filter gives a `Stage`; the engine takes batches of input through it, in this process or in workers, and turns every
bad record into an `error` record in its place. `wfkit.delivery` writes what comes of it. Neither knows a metric or a
format.
"""

import contextlib
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from wfkit import jsonl, schema
from wfkit.errors import DataError
from wfkit.jsonl import Record
from wfkit.streams import Line, tell


@dataclass(frozen=True)
class Ending:
    """What a stage has to say once the input is at its end."""

    records: Iterable[Record] = ()
    codes: set[int] = field(default_factory=set)
    report: Sequence[str] = ()
    summary: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""  # written after the records, where a report was asked for instead of them


class Decoded(NamedTuple):
    """What a line holds: a record, and whether it would be written as the very bytes of the line."""

    record: Any
    canonical: bool


@dataclass(frozen=True)
class Stage:
    """One filter, built from its options.

    Attributes:
        reads: the record kinds that are accepted; empty where ``decode`` is set.
        writes: the record kinds that leave, all of which have a schema.
        step: from one record to none, one or several; raises `DataError` for a bad one.
        prepare: sees all good records of a batch before the first step (to encode texts together).
        prepares_beside: ``prepare`` may run in a thread, while the steps of the batch before it run.
        encode: replaces the writing of one JSON record per line; gives no bytes for a record to be left out.
        adds: the fields that ``step`` sets in the record it is given, where it changes nothing else and gives no other
            record; the others are then neither checked nor written anew.
        output_ids: repeated ids are looked for among the records that leave instead of those that come.
        decode: replaces the reading of one JSON record per line.
        read: replaces the splitting of the input into lines.
        note: what the main process must know of an output record; runs beside ``step``, its result is sent home.
        collect: takes every note in the main process, in input order.
        finish: runs in the main process once the input is at its end.
        close: runs at the very end, whatever the end is.
        flush_each: write each record as soon as it is finished, since the next one may take long.
        may_be_empty: an empty input is none of the ends that a folding filter complains of.
    """

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    step: Callable[[Any], Record | Sequence[Record] | None]
    prepare: Callable[[Sequence[Any]], None] | None = None
    prepares_beside: bool = False
    encode: Callable[[Record], bytes] | None = None
    adds: tuple[str, ...] = ()
    output_ids: bool = False
    decode: Callable[[Line], Decoded] | None = None
    read: Callable[[Iterable[tuple[str, int]], int], Iterator[list[Line]]] | None = None
    note: Callable[[Record], Any] | None = None
    collect: Callable[[Any], None] | None = None
    finish: Callable[[], Ending] | None = None
    close: Callable[[], None] | None = None
    flush_each: bool = False
    may_be_empty: bool = False


class Output(NamedTuple):
    """One record that leaves: its id, its bytes, and whether it is an `error` record."""

    record_id: str | None
    data: bytes
    is_error: bool


class Result(NamedTuple):
    """What became of one input line.

    Attributes:
        record_id: the id that must not come again; None for a line that was bad already or an `error` record.
        outputs: the records that leave.
        notes: what the main process must know of them.
        complaints: what to say on standard error.
    """

    record_id: str | None
    outputs: tuple[Output, ...]
    notes: tuple[Any, ...]
    complaints: tuple[str, ...]


Process = Callable[[Sequence[Line]], Iterable[Result]]
Batches = Iterator[Sequence[Line]]
Processed = Generator[tuple[Sequence[Line], Iterable[Result]], None, None]


def decoder(stage: Stage, check: bool) -> Callable[[Line], Decoded]:
    """The function that makes a checked record of a line."""
    accepted = {kind: schema.checker(kind) if check else None for kind in stage.reads}
    expected = " or ".join(stage.reads)

    def decode(line: Line) -> Decoded:
        record, canonical = jsonl.read(line.raw)
        if not isinstance(record, dict):
            raise DataError(f"expected a {expected} record, got a JSON {jsonl.type_name(record)}", code="E-KIND")
        kind = record.get("kind")
        if kind == "error":
            return Decoded(record, canonical)
        if not isinstance(kind, str) or kind not in accepted:
            got = f"got {kind}" if isinstance(kind, str) else "got a record without a kind"
            raise DataError(f"expected {expected}, {got}", code="E-KIND")
        checker = accepted[kind]
        if checker is not None:
            checker(record)
        elif not isinstance(record.get("id", ""), str):  # what every filter takes for granted
            raise DataError(
                f"the id is a JSON {jsonl.type_name(record['id'])}, not a text", code="E-SCHEMA", path="$.id"
            )
        return tuple.__new__(Decoded, (record, canonical))

    return stage.decode or decode


def processor(stage: Stage, filter_name: str, *, check: bool, admit: Callable[[str], bool] | None) -> Process:
    """The function that takes one batch of lines through the stage, one result after the other.

    Args:
        admit: tells whether an id is new; None where the caller looks for repeated ids itself.
    """
    decode = decoder(stage, check)
    checkers = {kind: schema.checker(kind) for kind in stage.writes} if check else {}
    adds = stage.adds
    check_added = schema.checker_of_fields(stage.writes[0], adds) if check and adds else None

    def checked(line: Line, record: Record, checker: Callable[[Any], None] | None) -> Record:
        """The record that leaves; where nothing was known of the input, a bad one is the input's fault."""
        if checker is not None:
            try:
                checker(record)
            except DataError as error:
                if stage.reads:
                    message = f"{filter_name} made a record that its own schema refuses: {error}"
                    raise AssertionError(message) from None
                return error_record_of(filter_name, line, error, jsonl.id_of(record))
        return record

    def read(line: Line) -> Decoded:
        """The record of a line, or what is wrong with it."""
        try:
            if line.size > len(line.raw):
                message = f"{line.size:,} bytes are over the limit of {jsonl.MAX_LINE_BYTES:,}"
                return Decoded(DataError(message, code="E-LIMIT"), False)
            decoded = decode(line)
            if admit is None:
                return decoded
            record = decoded.record
            if isinstance(record, dict) and record["kind"] != "error":
                record_id = record.get("id")
                if isinstance(record_id, str) and not admit(record_id):
                    return Decoded(repeated_id(record_id), False)
            return decoded
        except DataError as error:
            return Decoded(error, False)

    def unchecked_fault(line: Line) -> DataError | None:
        """What the checks would have said of a record that led to an exception without them."""
        try:
            decoder(stage, check=True)(line)
        except DataError as error:
            return error
        return None

    def finish(line: Line, decoded: Decoded) -> Result:
        record, canonical = decoded
        if isinstance(record, DataError):
            return failure(stage, filter_name, line, record)
        record_id = None
        if isinstance(record, dict):
            if record["kind"] == "error":
                return _result(stage, [record])
            record_id = jsonl.id_of(record)
        try:
            outcome = stage.step(record)
            if outcome is None:
                return _result(stage, [], record_id=record_id)
            records = [outcome] if isinstance(outcome, dict) else outcome
            if record is outcome:
                if stage.decode is not None:  # else it was checked as it came in
                    records = [checked(line, records[0], checkers.get(records[0]["kind"]))]
                if canonical and records[0] is record and stage.encode is None:
                    return _single(stage, record, record_id, line.raw + b"\n")
            elif adds and isinstance(outcome, dict):
                added = {name: outcome[name] for name in adds if name in outcome}
                checked(line, added, check_added)
                if canonical and record.keys().isdisjoint(added) and stage.encode is None:
                    return _single(stage, outcome, record_id, line.raw[:-1] + b"," + jsonl.dumps(added)[1:] + b"\n")
            elif checkers:
                records = [checked(line, one, checkers.get(one["kind"])) for one in records]
            return _result(stage, records, [complaint_of(one) for one in records if is_error(one)], record_id)
        except Exception as error:
            problem = error if isinstance(error, DataError) else None if check else unchecked_fault(line)
            if problem is None:
                raise
            return failure(stage, filter_name, line, problem, record_id)._replace(record_id=record_id)

    def process_together(batch: Sequence[Line]) -> Iterator[Result]:
        assert stage.prepare is not None
        decoded = [read(line) for line in batch]
        good = [one.record for one in decoded if not isinstance(one.record, DataError) and not is_error(one.record)]
        if good:
            # Unchecked records may break it; the step then names the one that is at fault.
            with contextlib.nullcontext() if check else contextlib.suppress(LookupError, TypeError, AttributeError):
                stage.prepare(good)
        return map(finish, batch, decoded)

    def process_one_by_one(batch: Sequence[Line]) -> Iterator[Result]:
        return (finish(line, read(line)) for line in batch)

    return process_together if stage.prepare else process_one_by_one


def _single(stage: Stage, record: Record, record_id: str | None, data: bytes) -> Result:
    """The result of a good line that leads to one good record, whose bytes are known: the usual case, kept quick."""
    notes = (stage.note(record),) if stage.note else ()
    output = tuple.__new__(Output, (record_id, data, False))
    return tuple.__new__(Result, (record_id, (output,), notes, ()))


def _result(
    stage: Stage, records: Sequence[Record], complaints: Sequence[str] = (), record_id: str | None = None
) -> Result:
    outputs = []
    for record in records:
        data = stage.encode(record) if stage.encode else jsonl.dumps(record) + b"\n"
        outputs.append(Output(jsonl.id_of(record), data, record["kind"] == "error"))
    notes = tuple([stage.note(record) for record in records]) if stage.note else ()
    return Result(record_id, tuple(outputs), notes, tuple(complaints))


def failure(stage: Stage, filter_name: str, line: Line, error: DataError, record_id: str | None = None) -> Result:
    """The result of a bad line: an `error` record in its place, and a complaint."""
    record = error_record_of(filter_name, line, error, record_id)
    return _result(stage, [record], [complaint_of(record)])


def error_record_of(filter_name: str, line: Line, error: DataError, record_id: str | None) -> Record:
    """The `error` record in the place of a bad line; its id is read from the raw bytes where it is not known."""
    return jsonl.error_record(
        filter_name,
        error,
        file=line.file,
        line=line.number,
        raw=line.raw,
        size=line.size,
        record_id=jsonl.readable_id(line.raw) if record_id is None else record_id,
    )


def complaint_of(error: Record) -> str:
    """The line on stderr that goes with an `error` record."""
    where = error["where"] if isinstance(error.get("where"), dict) else {}
    place = f"{where.get('file', '-')}:{where.get('line', '?')}" + (f": {error['id']}" if "id" in error else "")
    return f"{place}: {error.get('message', 'error record')}"


def is_error(record: Any) -> bool:
    """Whether a record is an `error` record."""
    return isinstance(record, dict) and record.get("kind") == "error"


def repeated_id(record_id: str) -> DataError:
    """What is wrong with a record whose id came before."""
    return DataError(f"id {record_id!r} occurs twice in the stream", code="E-DUP-ID", path="$.id")


def admit_into(seen: set[int]) -> Callable[[str], bool]:
    """A function that tells whether an id is new; 64-bit digests keep a million ids in about 100 MB."""

    def admit(record_id: str) -> bool:
        digest = hash(record_id)
        if digest in seen:
            return False
        seen.add(digest)
        return True

    return admit


def serial(batches: Batches, process: Process) -> Processed:
    """Process batch after batch in this process."""
    for batch in batches:
        yield batch, process(batch)


def tell_bug(filter_name: str, error: BaseException, debug: bool) -> None:
    """Print one line about an exception that nobody expected, and its traceback if asked for."""
    if debug:
        import traceback

        traceback.print_exception(error, file=sys.stderr)
    text = f"{type(error).__name__}: {error}".splitlines()[0][:500]
    hint = "" if debug else " (WFKIT_DEBUG=1 shows the traceback)"
    tell(f"{filter_name}: this is a bug of ours: {text}{hint}")
