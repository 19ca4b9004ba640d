"""Choosing the bars of a rule from the scores of pairs on which it should be silent and on which it should fire.

Section 6 of the paper: a point on each metric's severity-conditioned score distribution rather than at its mean, and
for two metrics that must breach jointly, a pair of points.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np

from wfkit.gate.policy import Require
from wfkit.sensitivity.columns import Floats, Integers

FINEST_GRID = 200
"""Bars that are tried for each of two clauses; a single clause is tried at every score."""


@dataclass(frozen=True)
class Target:
    """What is asked of a rule; exactly one is set.

    Attributes:
        max_false_alarm: largest share of harmless pairs on which it may fire; it then detects as many as possible.
        min_detect: smallest share of damaged pairs on which it must fire; it then raises as few alarms as possible.
    """

    max_false_alarm: float | None = None
    min_detect: float | None = None


class Choice(NamedTuple):
    """Bars, one for each clause; the share of the worst harmless group and of the damage on which the rule fires."""

    bars: tuple[float, ...]
    false_alarm: float
    detected: float


def choose(harmless: Sequence[Floats], damaged: Floats, require: Require, target: Target) -> Choice:
    """Choose the bars of a rule.

    Args:
        harmless: groups of pairs on which the rule should not fire, each float64 [pairs, clauses] with one or two
            clauses; a clause is true where its value is below its bar. The target holds for each group by itself, so
            that a large group cannot hide a small one.
        damaged: float64 [pairs, clauses], pairs on which it should.
        require: how two clauses are joined: ``both`` or ``either``.
        target: what is asked for. It can always be met, if need be by a rule that never or always fires.

    Returns:
        the bars, each the shortest decimal that divides the scores where the target asks for it.
    """
    columns = np.concatenate([*harmless, damaged]).T
    grids = [_grid(values, finest=FINEST_GRID if len(columns) > 1 else None) for values in columns]
    shares = [_fired(group, grids, require) / len(group) for group in harmless]
    false_alarm = np.max(shares, axis=0)
    detected = _fired(damaged, grids, require) / len(damaged)
    # Of what is allowed the best by the other figure, then by the one that has a target, then the lowest bars.
    if target.max_false_alarm is not None:
        candidates = np.flatnonzero(false_alarm <= target.max_false_alarm)
        keys = (false_alarm.flat[candidates], -detected.flat[candidates])
    else:
        candidates = np.flatnonzero(detected >= (target.min_detect or 0))
        keys = (-detected.flat[candidates], false_alarm.flat[candidates])
    best = int(candidates[np.lexsort((candidates, *keys))[0]])
    places = np.unravel_index(best, detected.shape)
    bars = tuple(_bar(values, float(grid[place])) for values, grid, place in zip(columns, grids, places, strict=True))
    return Choice(bars, float(false_alarm.flat[best]), float(detected.flat[best]))


def _grid(values: Floats, finest: int | None) -> Floats:
    """Scores that a bar may stand at, rising: below the bar is what is less than the score. The last is infinity."""
    distinct = np.unique(values)
    if finest is not None and len(distinct) > finest:
        distinct = np.unique(np.quantile(values, np.linspace(0, 1, finest), method="nearest"))
    return np.append(distinct, inf)


def _fired(values: Floats, grids: Sequence[Floats], require: Require) -> Integers:
    """On how many pairs a rule fires, for every choice of bars: int64 [bars] or [bars of one, bars of the other]."""
    # A pair at place p of a grid fires from place p on; counting places and summing up counts the pairs.
    places = [np.searchsorted(grid, values[:, clause], side="right") for clause, grid in enumerate(grids)]
    single = [np.cumsum(np.bincount(place, minlength=len(grid))) for place, grid in zip(places, grids, strict=True)]
    if len(grids) == 1:
        return single[0]
    shape = (len(grids[0]), len(grids[1]))
    cells = np.bincount(places[0] * shape[1] + places[1], minlength=shape[0] * shape[1]).reshape(shape)
    both = cells.cumsum(axis=0).cumsum(axis=1)
    return both if require == "both" else single[0][:, np.newaxis] + single[1] - both


def _bar(values: Floats, score: float) -> float:
    """A short number that divides the values as the score does: above all that are less, and not above it."""
    less = values[values < score]
    if not len(less):
        return score
    low = float(less.max())
    return short_decimal(low, score if score < inf else low + 0.1)


def short_decimal(low: float, high: float) -> float:
    """The shortest decimal above ``low`` and not above ``high``, and of those the one nearest to their middle."""
    middle = low + (high - low) / 2
    for digits in range(17):
        candidate = round(middle, digits) + 0.0  # turns -0.0 into 0.0
        if low < candidate <= high:
            return candidate
    return high
