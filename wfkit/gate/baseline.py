"""A run against the last approved one, golden by golden: is the drop of a mean real, and larger than is allowed?"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Any

from wfkit.errors import UsageProblem
from wfkit.gate.observation import Observation, Observer
from wfkit.gate.set_statistics import FEWEST_GOLDENS, mean_interval, mean_of
from wfkit.gate.wording import counted, printable
from wfkit.signature import UNSIGNED, difference_in_words

MAX_DROP = 0.02
"""Drop of a mean that is allowed where nothing else is said."""

NAMES_SHOWN = 100

DIGITS = 12
"""Decimals of a drop: 1 - 0.98 is 0.02, not 0.020000000000000018."""

Scores = tuple[float | None, ...]


@dataclass
class _Drops:
    """The differences of one metric: for each golden before, now and how many pairs that are; and what was lost."""

    before: dict[str, list[float]] = field(default_factory=dict)
    now: dict[str, list[float]] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)


def baseline_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of a ``pair`` record in a baseline: ids, scores and how they were measured."""
    kept: dict[str, Any] = {"kind": "baseline", "id": record["id"], "golden": record["golden"]["id"]}
    if isinstance(record.get("group"), str) and record["candidate"] is not None:
        kept |= {"group": record["group"], "candidate": record["candidate"]["id"]}
    return {**kept, "scores": record.get("scores") or {}, "signatures": record.get("signatures") or {}}


class Baseline:
    """The scores of the approved run, and what this run has of the same pairs or else of the same goldens."""

    def __init__(self, name: str, metrics: Sequence[str]) -> None:
        """Begin with an empty baseline.

        Args:
            name: of its file, for messages.
            metrics: those that are compared.
        """
        self.name = name
        self._observer = Observer(metrics)
        self._signatures: dict[str, str | None] = {}
        self._best: dict[tuple[str, str], Observation] = {}
        self._now: dict[str, dict[str, Scores]] = {}

    def __len__(self) -> int:
        """Number of candidates in the baseline."""
        return len(self._best)

    def learn(self, record: Mapping[str, Any]) -> None:
        """Take one record of the baseline: a ``baseline`` record or a scored ``pair``.

        Raises:
            UsageProblem: it was measured in another way than those before it.
        """
        if record["kind"] == "pair":
            record = baseline_record(record)
        for metric, signature in self._signed(record):
            if self._signatures.setdefault(metric, signature) != signature:
                raise UsageProblem(
                    f"{self.name}: {metric} was measured in two ways, which are not comparable: "
                    f"{self._signatures[metric] or UNSIGNED} and {signature or UNSIGNED} (record {record['id']!r})"
                )
        golden = {"golden": {"id": record["golden"]}, "candidate": {"id": record.get("candidate", record["id"])}}
        seen = self._observer.observe({**record, **golden}, "pass")
        key = (seen.unit, seen.name)
        if key in self._best and self._best[key].golden == seen.golden:
            key = (seen.unit, seen.id)  # another candidate, whatever it calls itself
        if key not in self._best or _height(seen) > _height(self._best[key]):  # of several goldens the best counts
            self._best[key] = seen

    def check(self, record: Mapping[str, Any]) -> None:
        """Refuse a pair of this run that was measured in another way than the baseline.

        Raises:
            UsageProblem: naming both ways.
        """
        for metric, signature in self._signed(record):
            known = self._signatures.get(metric, signature)
            if known != signature:
                where = difference_in_words(known, signature)
                raise UsageProblem(
                    f"{metric} of the baseline {self.name} was measured as {known or UNSIGNED}, and in this run as "
                    f"{signature or UNSIGNED} (record {record.get('id')!r}){where}: make a new baseline with --bless"
                )

    def add(self, seen: Observation, observer: Observer) -> None:
        """Take the scores of one candidate of this run."""
        scores = dict(zip(observer.metrics, seen.scores, strict=True))
        candidates = self._now.setdefault(seen.unit, {})
        candidates[seen.id if seen.name in candidates else seen.name] = tuple(
            [_number(scores[metric]) for metric in self._observer.metrics]
        )

    def compare(self, max_drop: float) -> dict[str, Any]:
        """The drop of each metric for the summary record, and the ids of the baseline that did not come."""
        units: dict[str, dict[str, Scores]] = {}
        for (unit, name), seen in self._best.items():
            units.setdefault(unit, {})[name] = tuple(map(_number, seen.scores))
        drops = [_Drops() for _ in self._observer.metrics]
        missing: list[str] = []
        for unit, before in units.items():
            now = self._now.get(unit, {})
            shared = [name for name in before if name in now]
            if shared:
                missing += [name for name in before if name not in now]
                for name in shared:
                    _note_pair(drops, unit, name, before[name], now[name])
            elif now:
                _note_means(drops, unit, list(before.values()), list(now.values()))
            else:
                missing += before
        results = [_result(metric, one, max_drop) for metric, one in zip(self._observer.metrics, drops, strict=True)]
        return {
            "file": self.name,
            "max_drop": max_drop,
            "metrics": [result for result in results if result is not None],
            "missing_count": len(missing),
            "missing": missing[:NAMES_SHOWN],
            "new": sum(unit not in units for unit in self._now),
        }

    def _signed(self, record: Mapping[str, Any]) -> Iterable[tuple[str, str | None]]:
        scores, signatures = record.get("scores") or {}, record.get("signatures") or {}
        for metric in self._observer.metrics:
            if scores.get(metric) is not None:
                yield metric, signatures.get(metric)


def _note_pair(drops: Sequence[_Drops], unit: str, name: str, before: Scores, now: Scores) -> None:
    for drop, old, new in zip(drops, before, now, strict=True):
        if old is not None and new is None:
            drop.lost.append(name)
        elif old is not None and new is not None:
            drop.before.setdefault(unit, []).append(old)
            drop.now.setdefault(unit, []).append(new)


def _note_means(drops: Sequence[_Drops], unit: str, before: Sequence[Scores], now: Sequence[Scores]) -> None:
    """Other candidates than in the baseline: their means are compared."""
    for place, drop in enumerate(drops):
        old = [scores[place] for scores in before]
        new = [scores[place] for scores in now]
        known = [score for score in old if score is not None]
        if known and None in new:
            drop.lost.append(unit)
        elif known:
            drop.before.setdefault(unit, []).append(mean_of(known))
            drop.now.setdefault(unit, []).append(mean_of([score for score in new if score is not None]))


def _result(metric: str, drops: _Drops, max_drop: float) -> dict[str, Any] | None:
    """What became of one metric; None for one that the baseline does not have."""
    if not drops.before and not drops.lost:
        return None
    before = [score for scores in drops.before.values() for score in scores]
    now = [score for scores in drops.now.values() for score in scores]
    result: dict[str, Any] = {"metric": metric, "n": len(before), "goldens": len(drops.before)}
    drop = low = high = None
    if before:
        changes = {
            unit: [a - b for a, b in zip(scores, drops.now[unit], strict=True)] for unit, scores in drops.before.items()
        }
        drop = round(fsum(change for one in changes.values() for change in one) / len(before), DIGITS)
        if len(changes) >= FEWEST_GOLDENS:
            sums = [fsum(one) for one in changes.values()]
            low, high = mean_interval(sums, [len(one) for one in changes.values()], "baseline", metric)
    result |= {
        "baseline_mean": mean_of(before) if before else None,
        "mean": mean_of(now) if now else None,
        "drop": drop,
        "ci": None if low is None else [low, high],
        "max_drop": max_drop,
    }
    status, reason = _judged(drop, low, max_drop, drops.lost)
    return {**result, "status": status, **({"reason": reason} if reason else {})}


def _judged(drop: float | None, low: float | None, max_drop: float, lost: Sequence[str]) -> tuple[str, str | None]:
    if drop is not None and drop > max_drop and low is not None and low > 0:
        return "fail", None
    if lost:
        names = ", ".join(map(printable, lost[:5])) + (", …" if len(lost) > 5 else "")
        return "unmeasured", f"{counted(len(lost), 'score')} of the baseline cannot be measured now: {names}"
    if drop is not None and drop > max_drop and low is None:
        return "unmeasured", "one golden alone cannot tell a drop from noise"
    return "pass", None


def _number(score: float | str) -> float | None:
    return None if isinstance(score, str) else score


def _height(seen: Observation) -> float:
    numbers = [score for score in seen.scores if not isinstance(score, str)]
    return fsum(numbers) / len(numbers) if numbers else float("-inf")
