"""The files that wf-gate reads beside its stream, and the baseline that it writes."""

import datetime
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from wfkit.errors import DataError, UsageProblem, WfkitError
from wfkit.filters.configuration import read_configuration
from wfkit.filters.reading import open_side_input

if TYPE_CHECKING:
    from wfkit.gate.baseline import Baseline
    from wfkit.gate.decision import FailOn
    from wfkit.gate.expectation import Expectation
    from wfkit.gate.policy import Policy
    from wfkit.gate.waivers import Waivers
    from wfkit.jsonl import Record
    from wfkit.streams import Line


def read_policy(name: str | None) -> "Policy":
    """The policy of a file, or the default one."""
    from wfkit.gate.policy import DEFAULT_POLICY, load_policy

    return load_policy(DEFAULT_POLICY if name is None else read_configuration(name))


def read_waivers(name: str, policy: "Policy", today: str | None) -> "Waivers":
    """The waivers of a file; ``today`` is a day such as 2026-01-31, by default that of the clock (UTC)."""
    from wfkit.gate.waivers import Waivers, day_of, load_waivers

    day = datetime.datetime.now(datetime.UTC).date() if today is None else day_of(today, "--today")
    try:
        return Waivers(load_waivers(read_configuration(name), policy), day)
    except UsageProblem as error:
        raise error if str(error).startswith(name) else UsageProblem(f"{name}: {error}") from None


def explain_options(fail_on: "FailOn", baseline: str | None, max_drop: float, waivers: "Waivers | None") -> list[str]:
    """What the options add to the policy, in words."""
    lines = []
    if fail_on == "review":
        lines.append("A workflow that goes to review makes the run fail.")
    if baseline is not None:
        lines.append(f"Since {baseline} no mean may drop by more than {max_drop:g}, unless that is within noise.")
    return lines if waivers is None else [*lines, *waivers.in_words()]


def read_expectation(name: str, note: Callable[[str, str, int], None]) -> "Expectation":
    """The ids of the expected goldens: workflow records, or pairs, which stand for their golden.

    Args:
        name: of their file.
        note: takes id, file and line of each golden.
    """
    from wfkit.gate.expectation import Expectation

    ids = []
    for line, record in _records(name, "goldens"):
        try:
            ids.append(record["golden"]["id"] if record["kind"] == "pair" else record["id"])
        except (KeyError, TypeError):
            raise _problem(line, "not a workflow record with an id") from None
        note(ids[-1], line.file, line.number)
    if not ids:
        raise UsageProblem(f"{name} holds no golden: there is nothing to expect")
    return Expectation(ids)


def read_baseline(name: str, policy: "Policy") -> "Baseline":
    """The scores of the approved run: `baseline` records of --bless, or scored pairs."""
    from wfkit import schema
    from wfkit.gate.baseline import Baseline
    from wfkit.gate.run import compared_metrics

    baseline = Baseline(name, compared_metrics(policy))
    for line, record in _records(name, "baseline"):
        kind = record.get("kind") if isinstance(record, dict) else None
        if kind in ("summary", "error"):
            continue
        if kind not in ("baseline", "pair"):
            raise _problem(line, "expected baseline records or scored pairs")
        try:
            schema.checker(kind)(record)
        except DataError as error:
            raise _problem(line, str(error)) from None
        baseline.learn(record)
    if not len(baseline):
        raise UsageProblem(f"{name} holds no scored pair: there is nothing to compare with")
    return baseline


class Blessing:
    """The new baseline: gathered as the stream goes by, written at the end if the gate passed."""

    def __init__(self, name: str) -> None:
        """Take the name of its file.

        Raises:
            UsageProblem: it is standard output, which carries the records.
        """
        from wfkit import streams

        if streams.is_standard_output(name):
            raise UsageProblem(f"--bless {name}: standard output carries the records; name a file")
        self._name = name
        self._lines: list[bytes] = []

    def add(self, record: "Record") -> None:
        """Take down one pair."""
        from wfkit import jsonl
        from wfkit.gate.baseline import baseline_record

        self._lines.append(jsonl.dumps(baseline_record(record)) + b"\n")

    def write(self, passed: bool) -> list[str]:
        """Write the file in one step, or leave the old one as it is; the complaint where it cannot be written."""
        from wfkit import streams

        if not passed:
            streams.tell(f"wf-gate: {streams.shown(self._name)} is not written: only a run that passes can be blessed")
            return []
        try:
            streams.write_file(self._name, b"".join(self._lines))
        except WfkitError as error:
            return [str(error)]
        return []


def _records(name: str, awaited: str) -> "Iterator[tuple[Line, Any]]":
    """Every line of a side file with its value."""
    from wfkit import jsonl, streams

    for batch in streams.read_batches(open_side_input([name], "wf-gate", awaited), jsonl.MAX_LINE_BYTES):
        for line in batch:
            try:
                yield line, jsonl.loads(line.raw)
            except DataError as error:
                raise _problem(line, str(error)) from None


def _problem(line: "Line", text: str) -> UsageProblem:
    return UsageProblem(f"{line.file}:{line.number}: {text}")
