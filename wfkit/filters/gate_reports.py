"""The report options of wf-gate: which files to write, where each record stood, and the writing itself."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wfkit import __version__
from wfkit.errors import UsageProblem, WfkitError

if TYPE_CHECKING:
    from wfkit.gate.policy import Policy
    from wfkit.gate.reports.entries import Entry, Fault, Findings, Place
    from wfkit.gate.run import Conclusion
    from wfkit.jsonl import Record
    from wfkit.streams import Line

FILES = ("junit", "markdown", "html", "sarif")
JOB_SUMMARY = "GITHUB_STEP_SUMMARY"

_Function = TypeVar("_Function", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--junit", metavar="FILE", help="Write JUnit XML, as CI servers show it."),
    click.option(
        "--markdown", metavar="FILE",
        help="Write a job summary under 1 MiB; appended where FILE is that of $GITHUB_STEP_SUMMARY.",
    ),
    click.option("--html", metavar="FILE", help="Write one page to browse the workflows; it needs no network."),
    click.option("--sarif", metavar="FILE", help="Write SARIF 2.1.0 for code scanning."),
    click.option("--annotations", type=click.Choice(["github"]), help="Say the findings on stderr as ::error lines."),
)  # fmt: skip


def report_options(function: _Function) -> _Function:
    """Add the report options; their values are the keyword arguments of `Reports`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


class Reports:
    """What was judged so far, as far as the reports that were asked for need it.

    Without any report it keeps nothing; with one it grows with the stream, by little for each passing pair.
    """

    def __init__(
        self,
        *,
        junit: str | None = None,
        markdown: str | None = None,
        html: str | None = None,
        sarif: str | None = None,
        annotations: str | None = None,
    ) -> None:
        """Take the values of the options.

        Raises:
            UsageProblem: a report is to go to standard output, which carries the records.
        """
        from wfkit import streams

        values = (junit, markdown, html, sarif)
        self._names = {kind: name for kind, name in zip(FILES, values, strict=True) if name is not None}
        self._annotate = annotations is not None
        self._entries: list[Entry] = []
        self._faults: list[Fault] = []
        self._goldens: dict[str, Place] = {}
        self._lines = _Lines()
        for kind, name in self._names.items():
            if streams.is_standard_output(name):
                raise UsageProblem(f"--{kind} {name}: standard output carries the records; name a file")

    @property
    def wanted(self) -> bool:
        """Whether there is any report to make."""
        return bool(self._names) or self._annotate

    def expect(self, golden_id: str, file: str, line: int) -> None:
        """Note where an expected golden stands: that is the line of every finding about it."""
        from wfkit.gate.reports.entries import Place

        if self._place_is_shown:
            self._goldens.setdefault(golden_id, Place(file, line))

    def read(self, inputs: Iterable[tuple[str, int]], max_line: int) -> "Iterator[list[Line]]":
        """Read the input as every filter does, and note which lines are being judged."""
        from wfkit import streams

        for batch in streams.read_batches(inputs, max_line):
            if self._place_is_shown:
                self._lines.come(batch)
            yield batch

    def add(self, record: "Record") -> None:
        """Take in a pair with its verdict."""
        from wfkit.gate.reports.entries import entry_of

        if self.wanted:
            self._entries.append(entry_of(record, self._place_of(record)))

    def add_error(self, record: "Record") -> None:
        """Take in an error record."""
        from wfkit.gate.reports.entries import ERROR_LIMIT, fault_of

        if self.wanted and len(self._faults) < ERROR_LIMIT:
            self._faults.append(fault_of(record))

    def write(
        self, conclusion: "Conclusion", policy: "Policy", *, fail_on: str = "fail", policy_file: str | None = None
    ) -> list[str]:
        """Write every report.

        Args:
            conclusion: the end of the run.
            policy: what it was held against.
            fail_on: the mildest status that makes it fail.
            policy_file: where the policy was read from.

        Returns:
            One line for each file that could not be written.
        """
        from wfkit import streams
        from wfkit.gate.reports.entries import Findings, Place

        if not self.wanted:
            return []
        place = Place(streams.shown(policy_file), 1) if policy_file else self._somewhere()
        findings = Findings(
            self._entries, self._faults, conclusion.summary, policy, fail_on, place, frozenset(conclusion.outdone)
        )
        complaints = [self._write_one(kind, name, findings) for kind, name in self._names.items()]
        if self._annotate:
            from wfkit.gate.reports import annotations

            for line in annotations.render(findings):
                streams.tell(line)
        return [line for line in complaints if line]

    def _write_one(self, kind: str, name: str, findings: "Findings") -> str:
        from wfkit import streams

        try:
            if kind == "markdown" and _is_job_summary(name):
                _append(name, findings)
            else:
                streams.write_file(name, _rendered(kind, findings))
        except (WfkitError, streams.OutputFailed) as error:
            return f"--{kind}: {error}"
        except OSError as error:
            return f"--{kind}: cannot write {streams.shown(name)}: {error.strerror}"
        return ""

    @property
    def _place_is_shown(self) -> bool:
        return self._annotate or "sarif" in self._names

    def _place_of(self, record: "Record") -> "Place | None":
        """Where to look: at what the candidate says of its origin, else its golden's line, else the input's."""
        from wfkit.gate.reports.entries import origin_of

        if not self._place_is_shown or record["verdict"]["status"] == "pass":
            return None
        return origin_of(record) or self._goldens.get(record["golden"]["id"]) or self._lines.find(record["id"])

    def _somewhere(self) -> "Place":
        from wfkit.gate.reports.entries import Place

        first = next(iter(self._goldens.values()), None)
        return Place(first.file if first else self._lines.file, 1)


class _Lines:
    """The lines of the batch that is being judged, to find the one of a record."""

    file = "-"

    def __init__(self) -> None:
        self._batch: Sequence[Line] = ()
        self._numbers: dict[str | None, Place] | None = None

    def come(self, batch: "Sequence[Line]") -> None:
        """Forget the batch before and take this one."""
        if self.file == "-":
            self.file = batch[0].file
        self._batch, self._numbers = batch, None

    def find(self, record_id: str) -> "Place | None":
        """The line of a record; the ids of a batch are read once, when the first is looked for."""
        from wfkit import jsonl

        if self._numbers is None:
            self._numbers = self._numbered(jsonl.leading_id)
        if record_id not in self._numbers:
            # Some ids come after nested values: whole records have to be read to find them.
            self._numbers |= self._numbered(jsonl.readable_id)
        return self._numbers.get(record_id)

    def _numbered(self, id_of: Callable[[bytes], str | None]) -> "dict[str | None, Place]":
        from wfkit.gate.reports.entries import Place

        return {id_of(line.raw): Place(line.file, line.number) for line in self._batch}


def _rendered(kind: str, findings: "Findings") -> bytes:
    if kind == "junit":
        from wfkit.gate.reports import junit

        return junit.render(findings).encode()
    if kind == "markdown":
        from wfkit.gate.reports import markdown

        return markdown.render(findings).encode()
    if kind == "sarif":
        from wfkit import jsonl
        from wfkit.gate.reports import sarif

        return jsonl.dumps(sarif.render(findings, __version__)) + b"\n"
    from wfkit.gate.reports import html

    return html.render(findings, __version__).encode()


def _is_job_summary(name: str) -> bool:
    """Whether a file is the one that GitHub shares among all commands of a step."""
    shared = os.environ.get(JOB_SUMMARY)
    return bool(shared) and os.path.realpath(name) == os.path.realpath(str(shared))


def _append(name: str, findings: "Findings") -> None:
    from wfkit.gate.reports import markdown

    with open(name, "ab") as file:
        text = markdown.render(findings, markdown.BYTE_LIMIT - file.tell())
        file.write(text.encode())
    if not text:
        raise UsageProblem(f"{name} is full: GitHub takes {markdown.BYTE_LIMIT:,} bytes of a step")
