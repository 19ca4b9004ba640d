"""Resampling of whole tasks: the families of a task share one clean run, so the task is the unit of evidence."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wfkit.agents.aggregation.sign_flip import FEWEST_TASKS

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Draws are made in blocks of rows, so that memory does not grow with the replicates.
DRAWS_AT_ONCE = 2_000_000


def task_draws(tasks: int, replicates: int, seed: int) -> Iterator[Integers]:
    """The tasks drawn with replacement in every replicate.

    Args:
        tasks: the number of tasks, in sorted order.
        replicates: the number of replicates.
        seed: the seed of the generator.

    Yields:
        Blocks of shape (replicates in the block, tasks). Together they equal
        `default_rng(seed).integers(0, tasks, size=(replicates, tasks))` drawn in one call.
    """
    generator = np.random.default_rng(seed)
    rows = max(1, DRAWS_AT_ONCE // tasks)
    for start in range(0, replicates, rows):
        yield generator.integers(0, tasks, size=(min(rows, replicates - start), tasks))


def percentile_interval(values: Floats, level: float) -> list[float] | None:
    """The central part of a bootstrap distribution, with linear percentiles.

    Args:
        values: the statistic in every replicate, NaN where it is undefined (those are left out).
        level: the confidence level in (0, 1).

    Returns:
        Lower and upper end; None where no replicate is defined.
    """
    defined = values[~np.isnan(values)]
    if not defined.size:
        return None
    tail = 100 * (1 - level) / 2
    low, high = np.percentile(defined, [tail, 100 - tail])
    return [float(low), float(high)]


def effect_intervals(
    tasks: NDArray[np.integer[Any]], clean: Floats, perturbed: Floats, *, replicates: int, seed: int, level: float
) -> dict[str, Any]:
    """Percentile intervals of delta and degradation, clustered by task.

    Args:
        tasks: the code of the task of every scored pair, in the sorted order of tasks.
        clean: the clean scores, same shape, in [0, 1].
        perturbed: the perturbed scores, same shape, in [0, 1].
        replicates: the number of replicates.
        seed: the seed of the draws, recorded in the answer.
        level: the confidence level in (0, 1).

    Returns:
        `delta` and `degradation` as [low, high] or None, the number of `tasks`, the `undefined_replicates` of the
        degradation (no clean success drawn), and `too_few` where there are fewer tasks than `FEWEST_TASKS`;
        with fewer than two tasks there is no interval.
    """
    _, cluster = np.unique(tasks, return_inverse=True)
    count = int(cluster.max()) + 1 if cluster.size else 0
    answer: dict[str, Any] = {"delta": None, "degradation": None, "level": level, "method": "task-cluster percentile"}
    answer |= {"tasks": count, "replicates": replicates, "undefined_replicates": 0, "seed": seed}
    answer["too_few"] = count < FEWEST_TASKS
    if count < 2:
        return answer
    clean_sums = np.bincount(cluster, clean)
    lost_sums = clean_sums - np.bincount(cluster, perturbed)
    pairs = np.bincount(cluster).astype(np.float64)
    delta: list[Floats] = []
    degradation: list[Floats] = []
    for draws in task_draws(count, replicates, seed):
        lost = lost_sums[draws].sum(axis=1)
        base = clean_sums[draws].sum(axis=1)
        delta.append(lost / pairs[draws].sum(axis=1))
        degradation.append(np.divide(lost, base, out=np.full_like(base, np.nan), where=base > 0))
    degradations = np.concatenate(degradation)
    answer["delta"] = percentile_interval(np.concatenate(delta), level)
    answer["degradation"] = percentile_interval(degradations, level)
    answer["undefined_replicates"] = int(np.isnan(degradations).sum())
    return answer
