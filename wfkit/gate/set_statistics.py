"""The statistics that rules on the set are about; kept as numbers, not as records."""

from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Any

from wfkit.gate.fields import nearest
from wfkit.gate.observation import ABSENT, Observation, Observer, is_left_out
from wfkit.gate.policy import Policy
from wfkit.gate.set_rules import SetRule, Statistic
from wfkit.gate.wording import REASON_LIMIT, counted, printable
from wfkit.registry import METRICS

REPLICATES = 2000
"""Draws of a bootstrap interval."""

FEWEST_GOLDENS = 2
"""With fewer goldens nothing can be said about the noise between goldens."""

_ACCEPTED = ("pass", "waived")


class _Values:
    """The values of one rule in one slice, and the golden that each comes from."""

    def __init__(self) -> None:
        self.values = array("d")
        self.goldens = array("q")
        self.unknown: Counter[str] = Counter()


class SetStatistics:
    """Gathers what the rules on the set ask for, and holds it against their bars."""

    def __init__(self, policy: Policy) -> None:
        self._rules, self._coverage = policy.set_rules, policy.coverage
        self.metrics = list(dict.fromkeys(rule.metric for rule in self._rules if rule.metric is not None))
        self.fields = list(
            dict.fromkeys(
                field for rule in self._rules for field in (*(name for name, _ in rule.slice), rule.by) if field
            )
        )
        self._slices: list[dict[str | None, _Values]] = [{} for _ in self._rules]
        self._numbers: dict[str, int] = {}

    def add(self, seen: Observation, observer: Observer) -> None:
        """Take one observation into account."""
        if not self._rules:
            return
        fields = dict(zip(observer.fields, seen.fields, strict=True))
        scores = dict(zip(observer.metrics, seen.scores, strict=True))
        number = self._numbers.setdefault(seen.unit, len(self._numbers))
        for rule, slices in zip(self._rules, self._slices, strict=True):
            if any(fields[field] != value for field, value in rule.slice):
                continue
            values = slices.setdefault(fields[rule.by] if rule.by is not None else None, _Values())
            score = _passes(seen.status) if rule.metric is None else scores[rule.metric]
            if not isinstance(score, str):
                values.values.append(score)
                values.goldens.append(number)
            elif not is_left_out(score):
                values.unknown[score] += 1

    def results(self, metrics_seen: Sequence[str]) -> list[dict[str, Any]]:
        """One result for every rule and slice, in the order of the policy and of the stream.

        Args:
            metrics_seen: names of all metrics that came, for the hint at a metric that never came.
        """
        return [
            self._result(rule, value, values, metrics_seen)
            for rule, slices in zip(self._rules, self._slices, strict=True)
            for value, values in (slices or {None: _Values()}).items()
        ]

    def _result(self, rule: SetRule, value: str | None, values: _Values, metrics_seen: Sequence[str]) -> dict[str, Any]:
        count, unknown = len(values.values), values.unknown.total()
        where = {**dict(rule.slice), **({rule.by: value} if rule.by is not None else {})}
        reason = _too_little(rule, values, metrics_seen)
        if rule.by is not None and value is None and count == len(self._numbers):
            reason = f"no workflow has a field {rule.by}"
        statistic = None
        if reason is None:
            statistic = _STATISTICS[rule.statistic](values, rule.name)
        status = "pass"
        if statistic is not None and statistic < rule.below:
            status = rule.action
        elif (
            reason is None and unknown and count < (1 if self._coverage is None else self._coverage) * (count + unknown)
        ):
            reason = f"{unknown} of {count + unknown} are unknown: {_first(values)}"
        if reason is not None:
            status = "unmeasured"
        result: dict[str, Any] = {
            "name": rule.name, "status": status, "statistic": rule.statistic, "metric": rule.metric,
            "slice": where or None, "n": count, "unknown": unknown, "value": statistic, "below": rule.below,
        }  # fmt: skip
        return result if reason is None else {**result, "reason": reason}


def _passes(status: str) -> float | str:
    return "unmeasured" if status == "unmeasured" else float(status in _ACCEPTED)


def _first(values: _Values) -> str:
    return printable(next(iter(values.unknown)), REASON_LIMIT)


def _too_little(rule: SetRule, values: _Values, metrics_seen: Sequence[str]) -> str | None:
    """Why the statistic cannot be told, or None."""
    count, what = len(values.values), "verdict" if rule.metric is None else "score"
    if count == 0:
        if list(values.unknown) == [ABSENT] and rule.metric not in metrics_seen:
            return absent_everywhere(str(rule.metric), metrics_seen)
        if values.unknown:
            return f"none of {counted(values.unknown.total(), what)} is known: {_first(values)}"
        where = " and ".join(f"{field} = {value}" for field, value in rule.slice)
        return f"no workflow has {where}" if where else "there is nothing to measure"
    if count < rule.min_n:
        return f"{counted(count, what)}, and at least {rule.min_n} are asked for"
    if rule.statistic == "ci_lower" and len(set(values.goldens)) < FEWEST_GOLDENS:
        return "an interval needs at least two goldens"
    return None


def absent_everywhere(metric: str, metrics_seen: Sequence[str]) -> str:
    """What to say of a metric that no record has."""
    name = printable(metric)
    if metric in METRICS:
        return f"no record has the metric {name}: wf-score --metrics {name} adds it"
    hint = nearest(metric, metrics_seen) if metrics_seen else "; no record has any score"
    return f"no record has the metric {name}{hint}"


def mean_of(numbers: Sequence[float]) -> float:
    """The mean, rounded but once, so that equal numbers have themselves for their mean."""
    from statistics import mean  # slow to import

    return mean(numbers)


def quantile_of(numbers: Sequence[float], share: float) -> float:
    """The quantile, linear between the two numbers around it."""
    ordered = sorted(numbers)
    place = share * (len(ordered) - 1)
    lower = int(place)
    if lower + 1 == len(ordered):
        return ordered[lower]
    return ordered[lower] + (place - lower) * (ordered[lower + 1] - ordered[lower])


def mean_interval(sums: Sequence[float], counts: Sequence[int], *seed: str) -> tuple[float, float]:
    """The 95 % bootstrap interval of a mean, resampling whole goldens.

    The same words of the seed give the same draws, and in whatever order the goldens come, the same interval.

    Args:
        sums: the sum of the values of each golden.
        counts: how many values that are.
    """
    import numpy as np

    from wfkit.sensitivity.intervals import percentile_intervals, resampled_means, seed_for

    goldens = np.asarray(sorted(zip(sums, counts, strict=True)), dtype=np.float64)
    means = resampled_means(goldens[:, :1], goldens[:, 1:], replicates=REPLICATES, seed=seed_for(0, *seed))
    [interval] = percentile_intervals(means)
    assert interval is not None
    low, high = interval
    return low, high


def _ci_lower(values: _Values, name: str) -> float:
    sums: dict[int, list[float]] = {}
    for number, value in zip(values.goldens, values.values, strict=True):
        sums.setdefault(number, []).append(value)
    clusters = list(sums.values())
    return mean_interval([fsum(one) for one in clusters], [len(one) for one in clusters], "set_rule", name)[0]


_STATISTICS: Mapping[Statistic, Callable[[_Values, str], float]] = {
    "mean": lambda values, _: mean_of(values.values),
    "median": lambda values, _: quantile_of(values.values, 0.5),
    "min": lambda values, _: min(values.values),
    "p10": lambda values, _: quantile_of(values.values, 0.1),
    "pass_rate": lambda values, _: mean_of(values.values),
    "ci_lower": _ci_lower,
}
