"""Do families that share a target disturb the same tasks, more than families that share a type? (AgentPerturb B.2)"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wfkit.agents.aggregation.bootstrap import percentile_interval, task_draws
from wfkit.agents.aggregation.evidence import Evidence
from wfkit.agents.aggregation.rank_residuals import RankResiduals
from wfkit.agents.aggregation.sign_flip import FEWEST_TASKS
from wfkit.agents.families import FAMILIES, TYPES

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

KINDS = ("same_target", "same_type", "neither")
# Numbers held at once: replicates x rows x columns.
CELLS_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class ChangeRows:
    """One row for each (task, model) that has a score in every family.

    Attributes:
        families: the families, in the order of `FAMILIES`.
        changes: shape (families, rows); perturbed minus clean, or that over clean.
        clean: shape (rows,), the mean clean score.
        model, task: shape (rows,).
        possible: how many (task, model) were requested.
        clean_zero: how many complete ones were left out because a relative change of 0 has no meaning.
    """

    families: tuple[str, ...]
    changes: Floats
    clean: Floats
    model: Codes
    task: Codes
    possible: int
    clean_zero: int


def change_rows(evidence: Evidence, change: str) -> ChangeRows:
    """The changes of every (task, model) in every family that has any scored pair.

    Where a task and model have several pairs of a family (instances or repeats), their means count.

    Args:
        evidence: all requests of one benchmark.
        change: `difference` for p - c, `relative` for (p - c) / c.
    """
    family = evidence.target * len(TYPES) + evidence.type
    scored = evidence.scored
    present = np.unique(family[scored])
    unit_keys, unit = np.unique(np.stack((evidence.task, evidence.model)), axis=1, return_inverse=True)
    unit, units = unit.reshape(-1), unit_keys.shape[1]
    column = np.searchsorted(present, family[scored])
    cell = column * units + unit[scored]
    size = len(present) * units
    counts = np.bincount(cell, minlength=size).reshape(-1, units)
    clean = np.bincount(cell, evidence.clean.score[scored], minlength=size).reshape(-1, units)
    change_sums = -np.bincount(cell, evidence.changes[scored], minlength=size).reshape(-1, units)
    complete = (counts > 0).all(axis=0) & (len(present) > 0)
    clean_zero = complete & (clean == 0).any(axis=0)
    relative = change == "relative"
    kept = complete & ~clean_zero if relative else complete
    divisor = clean[:, kept] if relative else counts[:, kept]
    return ChangeRows(
        families=tuple(FAMILIES[code] for code in present),
        changes=change_sums[:, kept] / divisor,
        clean=clean[:, kept].sum(axis=0) / counts[:, kept].sum(axis=0),
        model=unit_keys[1, kept].astype(np.int64),
        task=unit_keys[0, kept].astype(np.int64),
        possible=units,
        clean_zero=int(np.count_nonzero(clean_zero)) if relative else 0,
    )


def cross_family(rows: ChangeRows, *, replicates: int, seed: int, level: float) -> dict[str, Any]:
    """Partial Spearman correlations of all pairs of families, with intervals from redrawn tasks.

    Every replicate draws tasks with replacement, a task bringing all its models, ranks again and fits again.

    Args:
        rows: at least the rows of one task.
        replicates: the number of replicates.
        seed: the seed of the draws.
        level: the confidence level.

    Returns:
        `pairs`: families `a` and `b`, their `kind`, `rho` (None where a family has no variation left, such as one that
        never changes anything), its `ci` and the `undefined_replicates`, which are in no interval; `groups`: the mean
        rho of each kind with interval, and two contrasts from the same draws; `intervals`: how many of all exclude 0
        and their median width; the numbers of rows and tasks; `too_few` tasks.
    """
    tasks, cluster = np.unique(rows.task, return_inverse=True)
    pairs = list(combinations(range(len(rows.families)), 2))
    kinds = [kind_of(rows.families[a], rows.families[b]) for a, b in pairs]
    answer: dict[str, Any] = {
        "rows": len(rows.task),
        "possible_rows": rows.possible,
        "clean_zero": rows.clean_zero,
        "tasks": len(tasks),
        "replicates": replicates,
        "seed": seed,
        "too_few": len(tasks) < FEWEST_TASKS,
    }
    if not pairs or not len(tasks):
        return answer | {"pairs": [], "groups": None, "intervals": None}
    residuals = RankResiduals(rows.changes, rows.clean, rows.model)
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    observed = residuals.correlations(np.ones((1, len(cluster)), dtype=np.int64))[:, first, second]
    drawn = _replicates(residuals, cluster, len(tasks), replicates, seed, len(rows.families))[:, first, second]
    listed = []
    for place, (a, b) in enumerate(pairs):
        rho = observed[0, place]
        defined = not np.isnan(rho)
        listed.append(
            {
                "a": rows.families[a],
                "b": rows.families[b],
                "kind": kinds[place],
                "rho": float(rho) if defined else None,
                "ci": percentile_interval(drawn[:, place], level) if defined else None,
                "undefined_replicates": int(np.isnan(drawn[:, place]).sum()),
            }
        )
    return answer | {
        "pairs": listed,
        "groups": _groups(observed, drawn, kinds, level),
        "intervals": _intervals(listed),
    }


def kind_of(a: str, b: str) -> str:
    """What two families share: same_target, same_type or neither."""
    (first_target, first_type), (second_target, second_type) = a.split("/"), b.split("/")
    if first_target == second_target:
        return "same_target"
    return "same_type" if first_type == second_type else "neither"


def _replicates(
    residuals: RankResiduals, cluster: NDArray[Any], tasks: int, replicates: int, seed: int, families: int
) -> Floats:
    """The correlation matrices of all replicates: shape (replicates, families, families)."""
    block = max(1, CELLS_AT_ONCE // (len(cluster) * (families + 1)))
    parts = []
    for draws in task_draws(tasks, replicates, seed):
        for start in range(0, len(draws), block):
            some = draws[start : start + block]
            places = some + np.arange(len(some))[:, None] * tasks
            counts = np.bincount(places.ravel(), minlength=len(some) * tasks).reshape(len(some), tasks)
            parts.append(residuals.correlations(counts[:, cluster]))
    return np.concatenate(parts)


def _groups(observed: Floats, drawn: Floats, kinds: list[str], level: float) -> dict[str, Any]:
    means, drawn_means = {}, {}
    for kind in KINDS:
        chosen = np.array([each == kind for each in kinds])
        means[kind], drawn_means[kind] = _mean_defined(observed[:, chosen]), _mean_defined(drawn[:, chosen])
    figures = {kind: {"pairs": kinds.count(kind), **_estimate(means[kind], drawn_means[kind], level)} for kind in KINDS}
    for kind in ("same_type", "neither"):
        difference = means["same_target"] - means[kind], drawn_means["same_target"] - drawn_means[kind]
        figures[f"same_target_minus_{kind}"] = _estimate(*difference, level)
    return figures


def _estimate(observed: Floats, drawn: Floats, level: float) -> dict[str, Any]:
    defined = not np.isnan(observed[0])
    return {
        "rho": float(observed[0]) if defined else None,
        "ci": percentile_interval(drawn, level) if defined else None,
        "undefined_replicates": int(np.isnan(drawn).sum()),
    }


def _mean_defined(values: Floats) -> Floats:
    """The mean of the defined values of each row; NaN where there is none."""
    defined = ~np.isnan(values)
    counts = defined.sum(axis=1)
    sums = np.where(defined, values, 0.0).sum(axis=1)
    return np.asarray(np.divide(sums, counts, out=np.full(len(values), np.nan), where=counts > 0))


def _intervals(pairs: list[dict[str, Any]]) -> dict[str, Any]:
    intervals = [pair["ci"] for pair in pairs if pair["ci"] is not None]
    widths = [high - low for low, high in intervals]
    return {
        "pairs": len(pairs),
        "defined": len(intervals),
        "excluding_zero": sum(low > 0 or high < 0 for low, high in intervals),
        "median_width": float(np.median(widths)) if widths else None,
    }
