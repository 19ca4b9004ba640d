"""What the reports show: one entry for each judged pair and each error record, and the summary of the gate.

A passing pair keeps its names and scores only; the others keep their verdict and the drawing of both workflows too.
"""

from collections.abc import Mapping, Sequence, Set
from typing import Any, Literal, NamedTuple

from wfkit.gate.policy import Policy
from wfkit.gate.reports.diagram import Drawing, draw
from wfkit.gate.wording import breach_text, printable

STATUSES = ("fail", "unmeasured", "review", "waived", "pass")
"""From worst to best, as the reports list them."""

Level = Literal["error", "warning", "notice", "none"]

LEVELS: Mapping[str, Level] = {
    "fail": "error", "unmeasured": "error", "bad_input": "error", "review": "warning", "waived": "notice",
    "pass": "none",
}  # fmt: skip

ID_LIMIT = 200
"""Characters of an id that a report shows."""

ERROR_LIMIT = 1000
"""Error records that the reports name; the others are only counted."""


class Place(NamedTuple):
    """A line of a file, as a report names it."""

    file: str
    line: int


class Entry(NamedTuple):
    """One judged pair.

    Attributes:
        record_id: the pair's id.
        id: the same, at most `ID_LIMIT` characters and safe to show.
        golden: the golden's id, likewise.
        unit: what repeats have in common: the group, else the golden's id.
        candidate: the candidate's id.
        source: where the golden comes from; ``goldens`` where its record does not say.
        verdict: the pair's verdict.
        scores: the pair's scores, null where not measured.
        drawing: both workflows; None for a pass.
        place: the line that the reader should look at; None where nobody knows.
    """

    record_id: str
    id: str
    golden: str
    unit: str
    candidate: str
    source: str
    verdict: Mapping[str, Any]
    scores: Mapping[str, float | None]
    drawing: Drawing | None
    place: Place | None

    @property
    def status(self) -> str:
        """One of `STATUSES`."""
        return str(self.verdict["status"])


class Fault(NamedTuple):
    """One error record: which filter could not process what, where and why."""

    id: str
    filter: str
    message: str
    place: Place


class Findings(NamedTuple):
    """Everything that a report shows.

    Attributes:
        entries: in the order of the stream.
        faults: the first `ERROR_LIMIT` error records; ``summary["errors"]`` counts all of them.
        summary: the fields of the gate's ``summary`` record.
        policy: what the verdicts were made by.
        fail_on: the mildest status that makes the gate fail: ``fail`` or ``review``.
        policy_place: the file of the policy, or else of the goldens or the input.
        outdone: ids of the pairs that do not count, as another golden fits their candidate better.
    """

    entries: Sequence[Entry]
    faults: Sequence[Fault]
    summary: Mapping[str, Any]
    policy: Policy
    fail_on: str
    policy_place: Place
    outdone: Set[str] = frozenset()

    def level(self, status: str) -> Level:
        """How grave a status is, also ``bad_input`` of an error record: errors stop the check, warnings do not.

        Where the run passes nothing is an error.
        """
        level = "error" if status == "review" and self.fail_on == "review" else LEVELS[status]
        return "warning" if level == "error" and self.summary["result"] == "pass" else level

    def level_of_workflow(self, status: str) -> Level:
        """How grave the status of one workflow is: unmeasured ones are no error where enough of them is measured."""
        coverage = self.summary.get("coverage") or {}
        if status == "unmeasured" and coverage.get("floor") is not None and coverage["status"] == "pass":
            return "warning"
        return self.level(status)

    def level_of(self, entry: "Entry") -> Level:
        """How grave an entry is: its status, unless others of its golden outweigh it."""
        return "warning" if self.is_outweighed(entry) else self.level_of_workflow(entry.status)

    def is_outweighed(self, entry: "Entry") -> bool:
        """Whether a pair is not good enough and this does not count, for the sake of other pairs."""
        if entry.record_id in self.outdone:
            return True
        goldens = self.summary.get("goldens")
        if not goldens or entry.status not in ("fail", "unmeasured"):
            return False
        if goldens["failed_count"] > len(goldens["failed"]) or goldens["unmeasured_count"] > len(goldens["unmeasured"]):
            return False  # not all are named
        return not {entry.unit, entry.candidate} & {*goldens["failed"], *goldens["unmeasured"]}

    def why(self, entry: "Entry") -> list[str]:
        """Why an entry has its status, line by line: what excuses it, its scores, its explanation, its notes."""
        lines = [waiver_text(entry)] if waiver_text(entry) else []
        if entry.record_id in self.outdone:
            lines.append("does not count: another golden fits this candidate better")
        elif self.is_outweighed(entry):
            lines.append("does not count: all pairs of this golden taken together are good enough")
        return lines + reasons_of(entry)

    def worst_first(self) -> list[Entry]:
        """The entries by status, then by how far a score is below its bar, then in the order of the stream.

        Those that do not count come before those that pass.
        """
        return sorted(self.entries, key=lambda entry: (self._rank(entry), _headroom(entry)))

    def _rank(self, entry: Entry) -> float:
        rank = STATUSES.index(entry.status)
        return max(rank, STATUSES.index("pass") - 0.5) if self.is_outweighed(entry) else rank


def entry_of(record: Mapping[str, Any], place: Place | None) -> Entry:
    """The entry of a ``pair`` record with its ``verdict``."""
    golden, candidate, verdict = record["golden"], record["candidate"], record["verdict"]
    group = record.get("group")
    source = golden.get("source")
    return Entry(
        record["id"],
        printable(record["id"], ID_LIMIT),
        printable(golden["id"], ID_LIMIT),
        group if isinstance(group, str) else golden["id"],
        record["id"] if candidate is None else candidate["id"],
        printable(source, ID_LIMIT) if isinstance(source, str) and source else "goldens",
        verdict,
        record.get("scores") or {},
        None if verdict["status"] == "pass" else draw(record),
        place,
    )


def origin_of(record: Mapping[str, Any]) -> Place | None:
    """The line that the candidate itself names in ``meta.origin`` (``file``, ``line``), if it does."""
    meta = (record["candidate"] or {}).get("meta")
    origin = meta.get("origin") if isinstance(meta, dict) else None
    file, line = (origin.get("file"), origin.get("line", 1)) if isinstance(origin, dict) else (None, None)
    if not isinstance(file, str) or not file or type(line) is not int or line < 1:
        return None
    return Place(file, line)


def fault_of(record: Mapping[str, Any]) -> Fault:
    """The fault that an ``error`` record, perhaps of a foreign program, tells of."""
    where = record["where"] if isinstance(record.get("where"), dict) else {}
    file, line = where.get("file"), where.get("line")
    place = Place(
        file if isinstance(file, str) and file else "-",
        line if type(line) is int and line > 0 else 1,
    )
    return Fault(
        printable(str(record.get("id", f"{place.file}:{place.line}")), ID_LIMIT),
        printable(str(record.get("filter", "unknown")), ID_LIMIT),
        printable(str(record.get("message", "error record")), 500),
        place,
    )


def reasons_of(entry: Entry) -> list[str]:
    """Why an entry has its status, line by line: scores below their bars, then the explanation, then the notes."""
    verdict = entry.verdict
    breaches = list(dict.fromkeys(breach_text(breach) for breach in verdict["breaches"]))
    scores = ", ".join(breaches)
    if verdict.get("diagnosis"):
        scores += f" (the pattern points to {printable(str(verdict['diagnosis']))})"
    return [*filter(None, [scores.strip()]), *verdict["explanation"], *verdict.get("notes", ())]


def waiver_text(entry: Entry) -> str:
    """``missing_steps waived until 2026-12-31: REASON (it was: fail)``; empty for an entry without a waiver."""
    waiver = entry.verdict.get("waiver")
    if not waiver:
        return ""
    rules, reason = printable(", ".join(waiver["rules"]), 200), printable(waiver["reason"], 500)
    was = f" (it was: {entry.verdict['was']})" if "was" in entry.verdict else ""
    return f"{rules} waived until {printable(waiver['expires'])}: {reason}{was}"


def broken_rules(entry: Entry) -> list[str]:
    """The rules that an entry breaks or that could not be decided, each once."""
    verdict = entry.verdict
    found = [*verdict["breaches"], *verdict.get("unmeasured", ())]
    return list(dict.fromkeys(finding["rule"] for finding in found))


def _headroom(entry: Entry) -> float:
    return min((breach["value"] - breach["below"] for breach in entry.verdict["breaches"]), default=0.0)
