"""Writes the results of the engine in order: records, complaints, counts, the ending, and the exit codes."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from wfkit import exit_codes, interrupts, jsonl
from wfkit.engine import Ending, Processed, Result, Stage, complaint_of, failure, is_error, repeated_id
from wfkit.streams import Line

MAX_COMPLAINTS = 100
FLUSH_SECONDS = 0.1


class Stopped(Exception):
    """A record was bad and ``--on-error fail`` asked to stop there."""


def deliver(
    processed: Processed,
    stage: Stage,
    filter_name: str,
    *,
    write: Callable[[bytes], None],
    say: Callable[[str], None],
    stop_at_error: bool,
    admit: Callable[[str], bool] | None,
    progress: Callable[[int], None],
) -> tuple[set[int], dict[str, Any], Sequence[str]]:
    """Write all results in order and finish the stage.

    Args:
        admit: tells whether an id is new, where repeated ids are to be found here (the workers cannot).

    Returns:
        The exit codes that apply, the counts for the summary, and the lines of the human report.

    Raises:
        Stopped: under ``stop_at_error``, at the first bad record, after everything before it was written.
    """
    read = written = errors = complaints = 0
    output: list[bytes] = []
    flush_each, collect = stage.flush_each, stage.collect
    last_write = time.monotonic()

    def complain(texts: Sequence[str]) -> None:
        nonlocal complaints
        for text in texts:
            complaints += 1
            if complaints <= MAX_COMPLAINTS:
                say(text)
            elif complaints == MAX_COMPLAINTS + 1:
                say("further bad records are not named here; each is an error record in the output")

    def flush() -> None:
        with interrupts.held():  # an interrupt must neither cut a record nor write it twice
            data = b"".join(output)
            output.clear()
            write(data)

    for batch, results in processed:
        try:
            for line, result in zip(batch, results, strict=True):
                if admit is not None:
                    result = _with_new_ids(result, line, stage, filter_name, admit)
                read += 1
                if result.complaints:
                    complain(result.complaints)
                    if stop_at_error:
                        raise Stopped
                for _, data, is_bad in result.outputs:
                    errors += is_bad
                    written += bool(data)
                    output.append(data)
                if collect is not None:
                    for note in result.notes:
                        collect(note)
                now = time.monotonic()
                if flush_each or now - last_write > FLUSH_SECONDS:
                    flush()
                    last_write = now
                    progress(read)
        finally:
            flush()
    progress(read)
    ending = stage.finish() if stage.finish else Ending()
    for record in ending.records:
        if is_error(record):
            errors += 1
            complain([complaint_of(record)])
        written += 1
        output.append(jsonl.dumps(record) + b"\n")
        flush()
    output.append(ending.text.encode())
    flush()
    codes = ending.codes | ({exit_codes.DATA} if errors else set())
    counts = {"read": read, "written": written, "errors": errors, **ending.summary}
    return codes, counts, ending.report


def _with_new_ids(result: Result, line: Line, stage: Stage, filter_name: str, admit: Callable[[str], bool]) -> Result:
    """The result itself, or with an `error` record in the place of everything whose id came before."""
    if not stage.output_ids:
        record_id = result.record_id
        return result if record_id is None or admit(record_id) else _repeated(stage, filter_name, line, record_id)
    known = [
        number
        for number, (record_id, _, is_bad) in enumerate(result.outputs)
        if record_id is not None and not is_bad and not admit(record_id)
    ]
    if not known:
        return result
    outputs, notes, complaints = list(result.outputs), list(result.notes), list(result.complaints)
    for number in known:
        record_id = outputs[number].record_id or ""
        (outputs[number],), note, complaint = _repeated(stage, filter_name, line, record_id)[1:]
        complaints += complaint
        if notes:
            (notes[number],) = note
    return Result(result.record_id, tuple(outputs), tuple(notes), tuple(complaints))


def _repeated(stage: Stage, filter_name: str, line: Line, record_id: str) -> Result:
    return failure(stage, filter_name, line, repeated_id(record_id), record_id)
