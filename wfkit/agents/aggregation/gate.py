"""The question of a CI gate: does any model lose more than allowed, or rest on too little?"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class GateAnswer:
    """The answer for one benchmark and model.

    Attributes:
        group: the benchmark and model.
        status: `pass`, `fail` or `unmeasured`.
        reason: what was compared, in one line.
    """

    group: Mapping[str, str]
    status: str
    reason: str


def judge(
    records: Iterable[Mapping[str, Any]],
    *,
    max_degradation: float | None,
    min_coverage: float | None,
    worst_bound: bool,
) -> list[GateAnswer]:
    """Hold every model on every benchmark against the limits; a value equal to its limit passes.

    Args:
        records: `ap_aggregate` records.
        max_degradation: the largest degradation that passes; None sets no limit.
        min_coverage: the least coverage that passes, in [0, 1]; None sets no limit.
        worst_bound: compare the upper bound of the degradation over all requests, not the figure on the common set.
            Under it no lost episode can help.

    Returns:
        One answer for each record of a benchmark and model. What has no degradation is unmeasured unless its coverage
        already fails.
    """
    return [
        _judged(record, max_degradation, min_coverage, worst_bound)
        for record in records
        if set(record["group"]) == {"benchmark", "model"}
    ]


def _judged(
    record: Mapping[str, Any], max_degradation: float | None, min_coverage: float | None, worst_bound: bool
) -> GateAnswer:
    group, coverage = record["group"], record["coverage"]
    if min_coverage is not None and coverage < min_coverage:
        return GateAnswer(group, "fail", f"coverage {coverage:.4g} is below {min_coverage:g}")
    if max_degradation is None:
        return GateAnswer(group, "pass", f"coverage {coverage:.4g}")
    name = "worst bound of the degradation" if worst_bound else "degradation on the common set"
    value = record["bounds"]["degradation"][1] if worst_bound else record["degradation"]
    if value is None:
        return GateAnswer(group, "unmeasured", f"there is no {name}: coverage {coverage:.4g}, clean {record['clean']}")
    low, high = record["bounds"]["degradation"]
    seen = f"{name} {value:.4g}, coverage {coverage:.4g}, bounds [{_shown(low)}, {_shown(high)}]"
    if value > max_degradation:
        return GateAnswer(group, "fail", f"{seen}: above {max_degradation:g}")
    return GateAnswer(group, "pass", seen)


def _shown(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"
