"""wf-sensitivity on shards: the stage of --partial, and the reading of what it wrote."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from wfkit.errors import DataError, UsageProblem

if TYPE_CHECKING:
    from wfkit.engine import Decoded, Ending, Stage
    from wfkit.jsonl import Record
    from wfkit.streams import Line


def partial_stage(fields: Sequence[str]) -> "Stage":
    """The stage that turns scored pairs into a state, line by line; an empty shard has an empty state."""
    from wfkit.engine import Ending, Stage
    from wfkit.gate.wording import counted
    from wfkit.sensitivity.state import Shard

    shard = Shard(fields)
    errors = 0

    def collect(is_error: bool) -> None:
        nonlocal errors
        errors += is_error

    def finish() -> "Ending":
        state = shard.ending(errors)
        line = counted(state["pairs"], "pair") + (f", {counted(errors, 'error record')}" if errors else "")
        return Ending(records=[state], report=[f"{line}."], summary={"pairs": state["pairs"]})

    return Stage(
        reads=("pair",),
        writes=("observation", "sensitivity_state"),
        step=shard.observe,
        note=lambda record: record["kind"] == "error",
        collect=collect,
        finish=finish,
        may_be_empty=True,
    )


def read_states(inputs: "Iterable[tuple[str, int]]", max_line: int) -> "Iterator[list[Line]]":
    """The lines of states in batches, as `streams.read_batches` gives them.

    Raises:
        UsageProblem: an input does not end as a state does, so that something of it may be missing, or has
            a line that is too long.
    """
    from wfkit import jsonl, streams

    for name, descriptor in inputs:
        last = b""
        for batch in streams.lines_of(name, descriptor, max_line):
            for line in batch:
                if line.size > len(line.raw):
                    raise UsageProblem(f"{name}:{line.number}: {line.size:,} bytes are over the limit of {max_line:,}")
            last = batch[-1].raw
            yield batch
        # Whoever runs over the batches has read the last line before this one is reached, and found it good.
        if not last or jsonl.loads(last)["kind"] != "sensitivity_state":
            raise UsageProblem(f"{name} was cut: it does not end as a state does; make it again with --partial")


def state_record(line: "Line") -> "Decoded":
    """The record in a line of a state. A damaged state is refused as a whole: what it lacks could not be told.

    Raises:
        UsageProblem: the line is not part of a state of the right version.
    """
    from wfkit import jsonl
    from wfkit.engine import Decoded
    from wfkit.sensitivity.state import check_record

    try:
        record: Record
        record, canonical = jsonl.read(line.raw)
        check_record(record)
    except DataError as error:
        raise UsageProblem(f"{line.file}:{line.number}: {error}") from None
    return Decoded(record, canonical)
