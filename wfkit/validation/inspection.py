"""A stratified sample of pairs for a person to decide on, and what the decisions say (appendix A.9).

The paper inspected ten variants per type and severity, all from one source. Here each stratum's share is spread evenly
over the sources that it has, and which pairs are drawn depends on seed and ids alone, not on the order of the stream.
"""

import hashlib
import heapq
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wfkit.errors import DataError
from wfkit.perturb.base import edited_count
from wfkit.strata import field_of
from wfkit.wilson import wilson_interval

_FIXED_COLUMNS = ("source", "golden", "candidate", "question", "decision", "note")
_YES = frozenset({"yes", "y", "true", "1", "pass", "passed", "ok"})
_NO = frozenset({"no", "n", "false", "0", "fail", "failed"})
_QUESTIONS = {
    "missing_steps": "Are {count} steps gone and nothing added?",
    "compressed_steps": "Were steps merged {count} times, and is every action still there?",
    "description_changes": "Are {count} steps worded otherwise, with the meaning of each and all edges kept?",
    "added_steps": "Are {count} steps new and the others as before?",
    "duplicated_steps": "Are {count} steps there twice and the others as before?",
    "reordered_steps": "Are {count} steps out of order and all as before otherwise?",
    "wrong_dependencies": "Do {count} steps wait for the wrong steps?",
    "wrong_tool": "Do {count} steps use a wrong tool?",
}


class Sample:
    """Draws up to ``size`` pairs from each stratum of a stream; memory grows with strata and sources only."""

    def __init__(self, size: int, by: Sequence[str], seed: int) -> None:
        self._size = size
        self._by = tuple(by)
        self._seed = seed
        self._drawn: dict[tuple[str, ...], dict[str, list[tuple[int, tuple[str, ...]]]]] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        """The header of the CSV: id, the fields of the strata, then what the person sees and fills in."""
        return ("id", *self._by, *(name for name in _FIXED_COLUMNS if name not in self._by))

    def add(self, record: Mapping[str, Any]) -> None:
        """Consider one `pair` record; inapplicable pairs have nothing to inspect."""
        if record["kind"] != "pair" or record["candidate"] is None:
            return
        stratum = tuple(field_of(record, name) for name in self._by)
        drawn = self._drawn.setdefault(stratum, {}).setdefault(field_of(record, "source"), [])
        key = json.dumps([self._seed, record["id"]])
        # The heap holds the smallest digests; its first is the largest of them, being negated.
        lot = -int.from_bytes(hashlib.sha256(key.encode("ascii")).digest())
        if len(drawn) < self._size:
            heapq.heappush(drawn, (lot, self._row(record)))
        elif lot >= drawn[0][0]:
            heapq.heappushpop(drawn, (lot, self._row(record)))

    def rows(self) -> list[dict[str, str]]:
        """The drawn pairs as rows of ``columns``, by stratum; decision and note are empty.

        Cells that a spreadsheet would take for a formula have an apostrophe in front.
        """
        result = []
        for _, sources in sorted(self._drawn.items()):
            lots = [sorted(drawn, reverse=True) for _, drawn in sorted(sources.items())]
            turns = [lot[turn] for turn in range(self._size) for lot in lots if turn < len(lot)]
            result += [dict(zip(self.columns, row, strict=True)) for _, row in turns[: self._size]]
        return result

    def _row(self, record: Mapping[str, Any]) -> tuple[str, ...]:
        golden, candidate = record["golden"], record["candidate"]
        cells = {name: field_of(record, name) for name in self._by} | {
            "id": record["id"],
            "source": field_of(record, "source"),
            "golden": _shown(golden, candidate),
            "candidate": _shown(candidate, golden),
            "question": _question(record),
            "decision": "",
            "note": "",
        }
        return tuple(_harmless(cells[name]) for name in self.columns)


def compliance(rows: Iterable[Mapping[str, str | None]], by: Sequence[str]) -> dict[str, Any]:
    """What a person's decisions say, in all and by stratum.

    Args:
        rows: rows of the CSV that `Sample` made, with the decisions filled in.
        by: the fields of the strata.

    Returns:
        ``{"passed", "failed", "undecided", "rate", "low", "high", "strata": [{FIELD: VALUE, …, the same six}]}``;
        rate and its 95 % Wilson interval are None where nothing is decided.

    Raises:
        DataError: ``E-DECISION`` for a decision that is neither yes nor no nor empty, ``E-COLUMN`` for a column that is
            not there.
    """
    counts: dict[tuple[str, ...], list[int]] = {}
    for number, row in enumerate(rows, start=1):
        for name in ("decision", *by):
            if row.get(name) is None:
                raise DataError(f"row {number} has no column {name!r}", code="E-COLUMN")
        stratum = tuple(str(row[name]) for name in by)
        counts.setdefault(stratum, [0, 0, 0])[_decision(number, row)] += 1
    totals = [sum(column) for column in zip(*counts.values(), strict=True)] or [0, 0, 0]
    strata = [dict(zip(by, stratum, strict=True)) | _rate(*tally) for stratum, tally in sorted(counts.items())]
    return {**_rate(*totals), "strata": strata}


def _rate(passed: int, failed: int, undecided: int) -> dict[str, Any]:
    decided = passed + failed
    rate, low, high = (passed / decided, *wilson_interval(passed, decided)) if decided else (None, None, None)
    return {"passed": passed, "failed": failed, "undecided": undecided, "rate": rate, "low": low, "high": high}


def _decision(number: int, row: Mapping[str, str | None]) -> int:
    """The place of a decision among passed, failed, undecided."""
    word = (row["decision"] or "").strip().casefold()
    if not word:
        return 2
    if word not in _YES | _NO:
        raise DataError(f"row {number}: decision {row['decision']!r} is neither yes nor no", code="E-DECISION")
    return 0 if word in _YES else 1


def _question(record: Mapping[str, Any]) -> str:
    perturbation = record.get("perturbation", {})
    question, severity = _QUESTIONS.get(perturbation.get("type")), perturbation.get("severity")
    if question is None or not isinstance(severity, int | float):
        return "Is the candidate what it should be?"
    return question.format(count=edited_count(severity, len(record["golden"]["nodes"])))


def _shown(workflow: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Steps and edges line by line; a star marks each step whose text the other side lacks."""
    texts = {node["text"] for node in other["nodes"]}
    lines = [f"{' ' if node['text'] in texts else '*'} {node['id']}: {node['text']}" for node in workflow["nodes"]]
    edges = " ".join(f"({source},{target})" for source, target in workflow["edges"])
    return "\n".join([*lines, f"Edges: {edges}"])


def _harmless(cell: str) -> str:
    return "'" + cell if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell
