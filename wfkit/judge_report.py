"""What the judges of a run did, what it took, and how far they agree."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

LEVELS = 6
"""The rubric goes from 0 to 5; means of three calls are rounded to it for the agreement."""


class JudgeReport:
    """Counts judged pairs and keeps none of them."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._outcomes = {name: Counter[str]() for name in names}
        self._used = {name: Counter[str]() for name in names}
        self._cost: dict[str, float | None] = dict.fromkeys(names, 0.0)
        self._spread = Counter[str]()
        self._together: dict[tuple[str, str], list[list[int]]] = {
            pair: [[0] * LEVELS for _ in range(LEVELS)] for pair in combinations(names, 2)
        }
        self._differences = dict.fromkeys(self._together, 0.0)

    def add(self, told: Mapping[str, Mapping[str, Any]]) -> None:
        """Count what `told_of` says about one pair."""
        for name, one in told.items():
            self._outcomes[name][one["outcome"]] += 1
            for key in ("calls", "input_tokens", "output_tokens", "cached"):
                self._used[name][key] += one[key]
            known, cost = self._cost[name], one["cost_usd"]
            self._cost[name] = None if known is None or cost is None else known + cost
            self._spread[name] += one["spread"]
        for pair, table in self._together.items():
            first, second = (told[name]["score"] if name in told else None for name in pair)
            if first is not None and second is not None:
                table[_level(first)][_level(second)] += 1
                self._differences[pair] += abs(first - second)

    def summary(self) -> dict[str, Any]:
        """``judges`` by name, and the ``agreement`` of every two of them."""
        judges = {}
        for name in self._names:
            used, cost, outcomes = self._used[name], self._cost[name], self._outcomes[name]
            judges[name] = {
                **{outcome: outcomes[outcome] for outcome in ("judged", "skipped", "unavailable", "inapplicable")},
                **{key: used[key] for key in ("calls", "cached", "input_tokens", "output_tokens")},
                "cost_usd": None if cost is None else round(cost, 6),
                "mean_spread": self._spread[name] / outcomes["judged"] if outcomes["judged"] else None,
            }
        return {"judges": judges, "agreement": [self._agreement(pair) for pair in self._together]}

    def lines(self) -> list[str]:
        """The same in words."""
        told = self.summary()
        lines = []
        for name, one in told["judges"].items():
            cost = "cost unknown" if one["cost_usd"] is None else f"{one['cost_usd']:.4f} USD"
            lines.append(
                f"{name}: {one['judged']:,} judged, {one['skipped']:,} skipped, {one['unavailable']:,} unavailable; "
                f"{one['calls']:,} calls ({one['cached']:,} answers out of the cache), "
                f"{one['input_tokens']:,} tokens in, {one['output_tokens']:,} out, {cost}"
            )
        for one in told["agreement"]:
            if one["pairs"]:
                kappa = "undefined" if one["kappa"] is None else f"{one['kappa']:.2f}"
                lines.append(
                    f"{' and '.join(one['judges'])}: same level in {one['same']:.0%} of {one['pairs']:,} pairs, "
                    f"mean difference {one['mean_difference']:.3f}, weighted kappa {kappa}"
                )
        return lines

    def _agreement(self, pair: tuple[str, str]) -> dict[str, Any]:
        table = self._together[pair]
        count = sum(map(sum, table))
        if not count:
            return {"judges": list(pair), "pairs": 0, "same": None, "mean_difference": None, "kappa": None}
        return {
            "judges": list(pair),
            "pairs": count,
            "same": sum(table[level][level] for level in range(LEVELS)) / count,
            "mean_difference": self._differences[pair] / count,
            "kappa": weighted_kappa(table),
        }


def weighted_kappa(table: Sequence[Sequence[int]]) -> float | None:
    """Cohen's kappa with quadratic weights (Cohen 1968), -1 to 1, of a square table of counts.

    None where chance alone would agree always: both sides gave one and the same level throughout, or nothing is there.
    """
    size, count = len(table), sum(map(sum, table))
    rows = [sum(row) for row in table]
    columns = [sum(row[level] for row in table) for level in range(size)]
    weighted = [(i, j, (i - j) ** 2) for i in range(size) for j in range(size)]
    expected = sum(weight * rows[i] * columns[j] for i, j, weight in weighted)
    if not expected:
        return None
    return 1 - count * sum(weight * table[i][j] for i, j, weight in weighted) / expected


def told_of(record: Mapping[str, Any], names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What the report must know of one pair, by judge."""
    told = {}
    for name in names:
        if name not in (record.get("scores") or {}):
            continue
        score = record["scores"][name]
        field = record.get(name) or {}
        usage = field.get("usage") or {}
        told[name] = {
            "score": score,
            "outcome": "judged" if score is not None else record["reasons"][name].partition(":")[0],
            "calls": usage.get("calls", 0),
            "input_tokens": usage.get("input_tokens") or 0,
            "output_tokens": usage.get("output_tokens") or 0,
            "cost_usd": usage.get("cost_usd", 0.0),
            "cached": field.get("cached", 0),
            "spread": field.get("spread", 0) if score is not None else 0,
        }
    return told


def _level(score: float) -> int:
    return int(score * (LEVELS - 1) + 0.5)
