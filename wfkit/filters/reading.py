"""Reads a whole side file of workflows, such as goldens or donors, with the checks that the main input gets."""

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

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
    for batch in streams.read_batches(open_side_input(files, command, awaited), jsonl.MAX_LINE_BYTES):
        for result in process(batch):
            for output in result.outputs:
                (side.errors if output.is_error else side.workflows).append(jsonl.loads(output.data))
    if not side.workflows:
        because = f": {engine.complaint_of(side.errors[0])}" if side.errors else ""
        raise UsageProblem(f"{', '.join(files)} holds no workflow ({awaited}){because}")
    return side


def open_side_input(files: Sequence[str], command: str, awaited: str) -> Iterator[tuple[str, int]]:
    """Open side files as `wfkit.streams.open_inputs` does, if nothing else has to read them too.

    Raises:
        UsageProblem: a file cannot be read; standard input is the main input as well; or, under ``--jobs``, something
            is no regular file, which every worker can read anew.
    """
    from wfkit import streams

    context = click.get_current_context(silent=True)
    options = {} if context is None else context.params  # a worker has none; its parent has looked
    main_files = options.get("files", ("",))
    if "-" in files and (not main_files or "-" in main_files):
        raise UsageProblem(f"standard input cannot be both the {awaited} and the input: name a FILE for one of them")
    inputs = streams.open_inputs(files, command, awaited)
    if options.get("jobs", 1) > 1:
        for name in files:
            if name == "-" or not stat.S_ISREG(os.stat(name).st_mode):
                raise UsageProblem(f"with --jobs the {awaited} must be in a file: {name} can be read only once")
    return inputs
