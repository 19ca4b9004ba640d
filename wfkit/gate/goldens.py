"""Which answer counts where a golden has several candidates, or a candidate several goldens.

The verdict of every pair is streamed as it is. For the exit code the best of several goldens counts for a candidate,
and of several candidates of one golden the repeats rule of the policy decides; without one each counts for itself.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from typing import Any

from wfkit.gate.observation import Observation, is_left_out
from wfkit.gate.policy import Policy
from wfkit.gate.set_statistics import mean_of
from wfkit.gate.verdict import weigh

NAMES_SHOWN = 100
"""Failing goldens that are named; the others are only counted."""

_FROM_BEST_TO_WORST = {
    # What is unmeasured could be anything, so it stands between what is good enough and what is not.
    "fail": ("pass", "waived", "review", "unmeasured", "fail"),
    "review": ("pass", "waived", "unmeasured", "review", "fail"),
}

Waive = Callable[[str, Sequence[str]], bool]
"""Whether waivers cover these broken rules of this golden."""


class Goldens:
    """The outcomes of a run: of pairs as they come, of what belongs together once all of it is there.

    Attributes:
        counts: outcomes by status.
        failed: units that failed, and ``unmeasured`` those that could not be measured, where pairs belong together.
        grouped: whether any pairs belonged together.
        outdone: ids of the pairs that did not pass and do not count, as another golden fits their candidate better.
    """

    def __init__(self, policy: Policy, metrics: Sequence[str], fail_on: str, waive: Waive) -> None:
        """Begin.

        Args:
            policy: its repeats rule decides; ``mean`` also needs its rules.
            metrics: which metric each observed score is of.
            fail_on: the mildest status that is not good enough.
            waive: asked for the rules that the mean of repeats breaks.
        """
        self._policy, self._metrics, self._waive = policy, tuple(metrics), waive
        self._rank = {status: rank for rank, status in enumerate(_FROM_BEST_TO_WORST[fail_on])}
        self._held: dict[tuple[str, str], Observation] = {}
        self.counts: Counter[str] = Counter()
        self.failed: list[str] = []
        self.unmeasured: list[str] = []
        self.units = 0
        self.too_few = 0  # goldens with fewer candidates than must pass
        self.grouped = policy.repeats is not None
        self.outdone: set[str] = set()

    def add(self, seen: Observation) -> Observation | None:
        """Take one judged pair; gives it back if it counts as it is, or else holds it until the end."""
        if self._policy.repeats is None and seen.group is None:
            self.counts[seen.status] += 1
            return seen
        key = (seen.unit, seen.name)
        if key in self._held and self._held[key].golden == seen.golden:
            key = (seen.unit, seen.id)  # another candidate, whatever it calls itself
        other = self._held.setdefault(key, seen)
        if other is not seen:
            self.grouped = True
            best, worse = sorted((other, seen), key=self._badness)
            self._held[key] = best
            if worse.status != "pass":
                self.outdone.add(worse.id)
        return None

    def finish(self) -> Iterable[Observation]:
        """Settle what was held: count the outcomes, and give back the observation that counts for each candidate."""
        held = list(self._held.values())
        self._held.clear()
        for name, status in self._outcomes(held):
            self.units += 1
            self.counts[status] += 1
            if status in ("fail", "unmeasured"):
                (self.failed if status == "fail" else self.unmeasured).append(name)
        return held

    def summary(self) -> dict[str, Any] | None:
        """What became of the pairs that belong together, for the summary record; None if there are none."""
        if not self.grouped:
            return None
        repeats = self._policy.repeats
        rule: dict[str, Any] = {"rule": "each" if repeats is None else repeats.rule}
        if repeats is not None and repeats.k is not None:
            rule["k"] = repeats.k
        return {
            **rule,
            "groups": self.units,
            "failed_count": len(self.failed),
            "failed": self.failed[:NAMES_SHOWN],
            "unmeasured_count": len(self.unmeasured),
            "unmeasured": self.unmeasured[:NAMES_SHOWN],
        }

    def _badness(self, seen: Observation) -> tuple[int, float]:
        numbers = [score for score in seen.scores if not isinstance(score, str)]
        return self._rank[seen.status], -fsum(numbers) / len(numbers) if numbers else 0.0

    def _outcomes(self, held: Sequence[Observation]) -> Iterable[tuple[str, str]]:
        repeats = self._policy.repeats
        if repeats is None:
            return [(seen.name, seen.status) for seen in held]
        units: dict[str, list[Observation]] = {}
        for seen in held:
            units.setdefault(seen.unit, []).append(seen)
        if repeats.rule == "mean":
            return [(name, self._status_of_mean(candidates)) for name, candidates in units.items()]
        return [(name, self._status_of(candidates, repeats.k)) for name, candidates in units.items()]

    def _status_of(self, candidates: Sequence[Observation], k: int | None) -> str:
        """The k-th best status: if that one passes, at least k do. ``any`` asks for the best, ``all`` for the worst."""
        statuses = sorted((seen.status for seen in candidates), key=self._rank.__getitem__)
        assert self._policy.repeats is not None
        needed = {"any": 1, "all": len(statuses)}.get(self._policy.repeats.rule, k or 1)
        if needed > len(statuses):
            self.too_few += 1
            return "unmeasured"
        return statuses[needed - 1]

    def _status_of_mean(self, candidates: Sequence[Observation]) -> str:
        means, reasons = mean_scores(self._metrics, candidates)
        weighed = weigh(means, reasons, self._policy)
        rules = list(dict.fromkeys(breach["rule"] for breach in weighed.breaches))
        if weighed.status in ("fail", "review") and self._waive(candidates[0].golden, rules):
            return "waived"
        return weighed.status


def mean_scores(
    metrics: Sequence[str], candidates: Sequence[Observation]
) -> tuple[Mapping[str, float | None], Mapping[str, str]]:
    """The mean of each metric; None where a score is unknown, with the reason. What is left out on purpose is not."""
    means: dict[str, float | None] = {}
    reasons: dict[str, str] = {}
    for place, metric in enumerate(metrics):
        scores = [seen.scores[place] for seen in candidates]
        numbers = [score for score in scores if not isinstance(score, str)]
        unknown = [score for score in scores if isinstance(score, str) and not is_left_out(score)]
        if numbers and not unknown:
            means[metric] = mean_of(numbers)
        else:
            means[metric] = None
            reasons[metric] = unknown[0] if unknown else str(scores[0])
    return means, reasons
