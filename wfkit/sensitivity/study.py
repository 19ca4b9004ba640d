"""All records on what was observed: how metrics answer, how well they separate, how often rules fire."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wfkit.gate.policy import Policy
from wfkit.jsonl import Record
from wfkit.sensitivity.columns import Columns, Mask
from wfkit.sensitivity.firing import firing_records
from wfkit.sensitivity.response import Resampling, sensitivity_records
from wfkit.sensitivity.separation import separations
from wfkit.sensitivity.strata import strata_of


@dataclass(frozen=True)
class Plan:
    """What is asked.

    Attributes:
        policy: the rules whose firing is counted.
        tolerate: severity up to which damage is tolerated, percentage.
        detect: severity from which on it is to be detected, percentage.
        resampling: for the intervals of means.
        valid_only: whether pairs that a check found invalid are left out.
    """

    policy: Policy
    tolerate: float
    detect: float
    resampling: Resampling
    valid_only: bool = False

    def used(self, columns: Columns) -> Mask:
        """The pairs that count: bool [pairs]."""
        return columns.applicable & ~columns.invalid if self.valid_only else columns.applicable


def study(columns: Columns, metrics: Sequence[str], plan: Plan, signatures: Mapping[str, str]) -> list[Record]:
    """The ``sensitivity`` records of some metrics, then the ``firing`` records of the policy's rules."""
    strata, used = list(strata_of(columns)), plan.used(columns)
    found = separations(columns, metrics, used, tolerate=plan.tolerate, detect=plan.detect)
    records = []
    for record in sensitivity_records(columns, strata, metrics, used, signatures, plan.resampling):
        whole = record["stratum"] is None
        separation = found.get(record["type"], {}).get(record["metric"]) if whole else None
        records.append({**record, "separation": separation})
    records += firing_records(columns, strata, plan.policy, used, tolerate=plan.tolerate, detect=plan.detect)
    return records
