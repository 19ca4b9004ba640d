"""Intervals that respect that the pairs of one golden are not independent: the golden is the unit."""

import hashlib
import json
from collections.abc import Iterator

import numpy as np

from wfkit.sensitivity.columns import Floats

LEVEL = 0.95
"""Confidence level of every interval."""

DRAWS_AT_ONCE = 2_000_000
DIGITS = 6
"""Decimals of a bootstrap end: far finer than its own chance, and coarser than what processors differ in."""


def resampled_means(sums: Floats, counts: Floats, replicates: int, seed: int) -> Floats:
    """Means of several cells under resampling of whole clusters with replacement (cluster bootstrap).

    Args:
        sums: float64 [clusters, cells], sum of the values that a cluster has in a cell.
        counts: float64 [clusters, cells], number of those values.
        replicates: number of replicates; as many clusters as there are are drawn in each.
        seed: seed of the draws.

    Returns:
        float64 [replicates, cells], NaN where no value was drawn.
    """
    result = np.empty((replicates, sums.shape[1]))
    start = 0
    for weights in _weights(len(sums), replicates, seed):
        totals = weights @ counts
        with np.errstate(invalid="ignore"):  # nothing drawn: 0 / 0
            result[start : start + len(weights)] = (weights @ sums) / totals
        start += len(weights)
    return result


def _weights(clusters: int, replicates: int, seed: int) -> Iterator[Floats]:
    """How often each cluster is drawn: blocks of [replicates in the block, clusters]."""
    generator = np.random.default_rng(seed)
    rows = max(1, DRAWS_AT_ONCE // clusters)
    for start in range(0, replicates, rows):
        block = min(rows, replicates - start)
        draws = generator.integers(0, clusters, size=(block, clusters))
        draws += np.arange(block)[:, np.newaxis] * clusters
        yield np.bincount(draws.ravel(), minlength=block * clusters).reshape(block, clusters).astype(np.float64)


def percentile_intervals(replicates: Floats) -> list[list[float] | None]:
    """The central part of each column of a bootstrap distribution, with linear percentiles.

    Args:
        replicates: float64 [replicates, statistics]; NaN where a replicate is undefined, which is left out.

    Returns:
        for each statistic lower and upper end; None where no replicate is defined.
    """
    ordered = np.sort(replicates, axis=0)  # NaN comes last
    defined = np.count_nonzero(~np.isnan(ordered), axis=0)
    tail = 100 * (1 - LEVEL) / 2
    result: list[list[float] | None] = []
    for column, count in enumerate(defined.tolist()):
        if not count:
            result.append(None)
            continue
        low, high = np.percentile(ordered[:count, column], [tail, 100 - tail])
        result.append([round(float(low), DIGITS), round(float(high), DIGITS)])
    return result


def seed_for(seed: int, *parts: str | None) -> int:
    """The seed of one bootstrap; it depends on the user's seed and on what is resampled, not on what came before."""
    key = json.dumps([seed, *parts])
    return int.from_bytes(hashlib.sha256(key.encode("ascii")).digest()[:8])
