"""Running counts over a gated stream."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wfkit.gate.expectation import Expectation

STATUSES = ("fail", "unmeasured", "review", "waived", "pass")
"""All that a pair can end with, from worst to best."""


@dataclass
class Tally:
    """What was read so far. It does not grow with the number of records.

    Attributes:
        status: verdicts by status.
        changed_passes: passing verdicts with notes: steps lost, gained, merged, moved or re-linked.
        breached: verdicts by the rule that they breach.
        unmeasured: verdicts by the rule that could not be measured.
        not_applicable: verdicts by the rule that does not apply.
        nulls: records by the metric whose score is null.
        metrics: the metrics that any record has.
        errors: error records.
        missing: expected goldens that never came.
    """

    status: Counter[str] = field(default_factory=Counter)
    changed_passes: int = 0
    breached: Counter[str] = field(default_factory=Counter)
    unmeasured: Counter[str] = field(default_factory=Counter)
    not_applicable: Counter[str] = field(default_factory=Counter)
    nulls: Counter[str] = field(default_factory=Counter)
    metrics: dict[str, None] = field(default_factory=dict)
    errors: int = 0
    missing: int = 0

    @property
    def verdicts(self) -> int:
        """Pairs that were judged."""
        return self.status.total()

    def add(self, record: Mapping[str, Any], verdict: Mapping[str, Any]) -> None:
        """Count one judged pair."""
        self.status[verdict["status"]] += 1
        if "notes" in verdict:
            self.changed_passes += 1
        if verdict["breaches"]:
            self.breached.update({breach["rule"] for breach in verdict["breaches"]})
        if "unmeasured" in verdict:
            self.unmeasured.update({gap["rule"] for gap in verdict["unmeasured"]})
        if verdict["not_applicable"]:
            self.not_applicable.update(verdict["not_applicable"])
        scores = record.get("scores") or {}
        self.metrics.update(dict.fromkeys(scores))
        if None in scores.values():
            self.nulls.update(metric for metric, value in scores.items() if value is None)

    def add_error(self) -> None:
        """Count one ``error`` record that was read or written."""
        self.errors += 1


def summarise(
    tally: Tally,
    rules: Sequence[str],
    signatures: Mapping[str, str],
    expectation: Expectation | None = None,
) -> dict[str, Any]:
    """The counts as fields of a ``summary`` record; every status and every rule is there, also with 0.

    Args:
        rules: names of the policy's rules, in its order.
        signatures: how the metrics were measured, by metric.
        expectation: where goldens were expected: which are missing and which came unasked.
    """
    summary: dict[str, Any] = {
        "verdicts": tally.verdicts,
        "status": {status: tally.status[status] for status in STATUSES},
        "changed_passes": tally.changed_passes,
        "rules": {
            rule: {
                "breached": tally.breached[rule],
                "unmeasured": tally.unmeasured[rule],
                "not_applicable": tally.not_applicable[rule],
            }
            for rule in rules
        },
        "nulls": dict(sorted(tally.nulls.items())),
        "errors": tally.errors,
        "signatures": dict(signatures),
    }
    if expectation is not None:
        summary["expected"] = {
            "goldens": len(expectation),
            "missing": expectation.missing(),
            "unexpected": expectation.unexpected,
            "unexpected_ids": list(expectation.unexpected_ids),
        }
    return summary
