"""The files of ap-grade: the ledger, the episodes beside it, and the grades that are written at the end."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

from wfkit.errors import UsageProblem

if TYPE_CHECKING:
    from wfkit.agents.grading.episode import Run, Settings
    from wfkit.jsonl import Record


def grades_beside(ledger: str) -> str:
    """The file of the `ap_grade` records: ``runs.grades.jsonl`` beside ``runs.jsonl``."""
    return f"{ledger.removesuffix('.jsonl')}.grades.jsonl"


def send_grades_beside(command: click.Command) -> None:
    """Let ``-o`` name the file of the grades, which stands beside the ledger unless it is named.

    The records are written when the last episode is in; until then the ledger is the only file.
    """
    (option,) = (one for one in command.params if one.name == "output")
    assert isinstance(option, click.Option)
    option.help = "Write the ap_grade records to FILE.  [default: RUNS.grades.jsonl beside --out RUNS.jsonl]"

    def take(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
        from wfkit.streams import is_standard_output

        if value is not None and is_standard_output(value):
            raise UsageProblem("-o names a file: the grades are all written at once, when the last episode is in")
        context.params["grades"] = value

    option.callback = take


class Books:
    """The ledger and, where they are kept, the episodes; one run is entered at a time."""

    def __init__(self, out: str, episodes_out: str | None, settings: "Settings", *, resume: bool) -> None:
        """Open and lock both.

        Raises:
            UsageProblem: one exists without ``resume``, is locked, or was made with other settings.
        """
        from wfkit.agents.grading.belonging import kept_id_of, run_id_of
        from wfkit.agents.grading.ledger import Ledger

        self.runs = Ledger(out, lambda record: run_id_of(record, settings), resume=resume)
        self.episodes: Ledger | None = None
        if episodes_out is None:
            return
        try:
            self.episodes = Ledger(episodes_out, kept_id_of, resume=resume)
            # A kill between the two writes leaves one episode that was never entered: it is run again.
            self.episodes.drop_last_unless(self.runs.holds)
            if resume and self.episodes.size != self.runs.size:
                raise UsageProblem(f"{episodes_out} does not hold the episodes of {out}: leave --episodes-out away")
        except BaseException:
            self.close()
            raise

    def enter(self, run: "Run") -> None:
        """Write down one finished episode.

        Raises:
            Unavailable: the disk is full or the like.
        """
        from wfkit.agents.grading.episode import kept

        if self.episodes is not None:
            self.episodes.append(kept(run))
        self.runs.append(run.record)

    def close(self) -> None:
        """Let go of both files."""
        self.runs.close()
        if self.episodes is not None:
            self.episodes.close()


def write_grades(name: str, records: "Iterable[Record]") -> int:
    """Write the `ap_grade` records, which appear when they are complete.

    Returns:
        how many records there are.

    Raises:
        UsageProblem: the place cannot be written.
        OutputFailed: the disk is full or the like.
    """
    from wfkit import jsonl, streams

    count, lines = 0, bytearray()
    output = streams.OutputFile(name)
    try:
        for record in records:
            count += 1
            lines += jsonl.dumps(record) + b"\n"
            if len(lines) > streams.CHUNK_BYTES:
                streams.write_all(output.descriptor, bytes(lines))
                lines.clear()
        streams.write_all(output.descriptor, bytes(lines))
        output.commit()
    finally:
        output.discard()
    return count


def progress_of(total: int) -> Callable[[], None]:
    """A function that is called after every episode and shows the count on a terminal, at most five times a second."""
    import sys
    import time

    options = click.get_current_context().params
    if options["quiet"] or options["progress"] is False or not (options["progress"] or sys.stderr.isatty()):
        return lambda: None
    started = shown = time.monotonic()
    done = 0

    def show() -> None:
        nonlocal shown, done
        done += 1
        now = time.monotonic()
        if now - shown >= 0.2 or done == total:
            shown = now
            left = (now - started) / done * (total - done)
            line = f"\rap-grade: {done:,} of {total:,} episodes, {left:,.0f} s to go \x1b[K\r"
            print(line, end="", file=sys.stderr, flush=True)

    return show
