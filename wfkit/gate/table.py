"""The short table for people: which workflows did not pass, worst first, and why."""

from bisect import insort
from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple

from wfkit.gate.expectation import Expectation
from wfkit.gate.run_words import ID_LIMIT, some
from wfkit.gate.tally import STATUSES, Tally
from wfkit.gate.wording import breach_text, counted, passed_text, printable

ROW_LIMIT = 20
"""Rows of the table; how many more workflows there are is said below it."""

LINE_LIMIT = 300


class Row(NamedTuple):
    """One workflow that did not pass. Rows sort worst first: by status, then by how far a score is below its bar."""

    rank: int
    headroom: float
    id: str
    place: int
    status: str
    why: str


class WorstRows:
    """The worst rows of a stream; holds `ROW_LIMIT` of them, however long the stream is."""

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._count = 0

    def add(self, record: Mapping[str, Any], verdict: Mapping[str, Any]) -> None:
        """Take a judged pair into account; a pass leaves no row."""
        status = verdict["status"]
        if status == "pass":
            return
        self._count += 1
        breaches = verdict["breaches"]
        headroom = min((breach["value"] - breach["below"] for breach in breaches), default=0.0)
        row_key = (STATUSES.index(status), headroom, record["id"], self._count)
        if len(self._rows) == ROW_LIMIT and row_key > self._rows[-1][:4]:
            return
        insort(self._rows, Row(*row_key, status, _why(verdict)))
        del self._rows[ROW_LIMIT:]

    def leave_out(self, ids: Set[str]) -> None:
        """Take back the rows of pairs that did not pass and turned out not to count."""
        self._rows = [row for row in self._rows if row.id not in ids]
        self._count -= len(ids)

    @property
    def rows(self) -> Sequence[Row]:
        """The worst rows, worst first."""
        return self._rows

    @property
    def hidden(self) -> int:
        """Workflows that did not pass and have no row."""
        return self._count - len(self._rows)


def table_lines(
    worst: WorstRows, tally: Tally, expectation: Expectation | None = None, of_the_run: Sequence[str] = ()
) -> list[str]:
    """The lines of the table, the missing and unexpected goldens, what is told of the run, and the totals.

    Args:
        worst: the rows.
        tally: the totals.
        expectation: where goldens were expected.
        of_the_run: lines on the run as a whole.
    """
    missing = expectation.missing() if expectation is not None else []
    lines = _row_lines(worst.rows)
    if worst.hidden:
        lines.append(f"… and {worst.hidden} more")
    if missing:
        lines.append(f"{counted(len(missing), 'expected golden')} without candidate: {some(missing)}")
    if expectation is not None and expectation.unexpected:
        goldens = some(expectation.unexpected_ids)
        lines.append(f"{counted(expectation.unexpected, 'record')} of goldens that were not expected: {goldens}")
    return [*lines, *of_the_run, _totals(tally)]


def _row_lines(rows: Sequence[Row]) -> list[str]:
    names = [printable(row.id, ID_LIMIT) for row in rows]
    status_width = max((len(row.status) for row in rows), default=0)
    name_width = max((len(name) for name in names), default=0)
    return [
        f"{row.status:<{status_width}}  {name:<{name_width}}  {row.why}".rstrip()
        for row, name in zip(rows, names, strict=True)
    ]


def _why(verdict: Mapping[str, Any]) -> str:
    # Two rules may compare one metric with one bar; that is one reason.
    scores = ", ".join(dict.fromkeys(breach_text(breach) for breach in verdict["breaches"]))
    waiver = verdict.get("waiver")
    accepted = f"waived until {waiver['expires']}: {waiver['reason']}" if waiver else ""
    explanation = verdict["explanation"]
    more = f" … and {len(explanation) - 1} more" if len(explanation) > 1 else ""
    told = printable("; ".join(filter(None, (accepted, scores, *explanation[:1]))), LINE_LIMIT - len(more))
    return told + more


def _totals(tally: Tally) -> str:
    parts = [
        passed_text(tally.status["pass"], tally.changed_passes),
        f"{tally.status['fail']} failed",
        f"{tally.status['review']} to review",
        f"{tally.status['unmeasured']} unmeasured",
    ]
    if tally.status["waived"]:
        parts.append(f"{tally.status['waived']} waived")
    if tally.errors:
        parts.append(counted(tally.errors, "error record"))
    if tally.missing:
        parts.append(f"{tally.missing} missing")
    return f"{counted(tally.verdicts, 'workflow')}: {', '.join(parts)}"
