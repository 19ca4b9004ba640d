"""Reads a whole side file of workflows, such as goldens or donors, with the checks that the main input gets."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from wfkit.errors import UsageProblem

if TYPE_CHECKING:
    from wfkit.jsonl import Record


class SideFile(NamedTuple):
    """The good records of a side file, and an `error` record for each bad one."""

    workflows: "list[Record]"
    errors: "list[Record]"


def read_workflows(
    files: Sequence[str], command: str, *, awaited: str, inspect: "Callable[[Record], None] | None" = None
) -> SideFile:
    """Read every `workflow` record of the files.

    Args:
        inspect: raises `DataError` for a record that this filter cannot use.

    Raises:
        UsageProblem: a file cannot be read, or none of the records is good.
    """
    from wfkit import engine, jsonl, streams

    def step(record: "Record") -> "Record":
        if inspect is not None:
            inspect(record)
        return record

    stage = engine.Stage(reads=("workflow",), writes=("workflow",), step=step)
    process = engine.processor(stage, command, check=True, admit=engine.admit_into(set()))
    side = SideFile([], [])
    for batch in streams.read_batches(streams.open_inputs(files, command, awaited), jsonl.MAX_LINE_BYTES):
        for result in process(batch):
            for output in result.outputs:
                (side.errors if output.is_error else side.workflows).append(jsonl.loads(output.data))
    if not side.workflows:
        because = f": {engine.complaint_of(side.errors[0])}" if side.errors else ""
        raise UsageProblem(f"{', '.join(files)} holds no workflow ({awaited}){because}")
    return side
