"""Tests on single pairs. They are valid only where every task gives one pair: pairs of one task share its clean run."""

from math import erfc, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wfkit.agents.aggregation.ranks import doubled_midranks

Floats = NDArray[np.float64]

MOST_EXACT_DIFFERENCES = 500


def mcnemar_test(clean: Floats, perturbed: Floats) -> dict[str, Any]:
    """McNemar's exact two-sided test on matched binary outcomes.

    Args:
        clean: shape (pairs,), each 0 or 1.
        perturbed: shape (pairs,), each 0 or 1.

    Returns:
        `broke` (1 to 0), `fixed` (0 to 1) and `p`, which is 1 where nothing changed.
    """
    broke = int(np.count_nonzero(clean > perturbed))
    fixed = int(np.count_nonzero(clean < perturbed))
    changed = broke + fixed
    tail = ways = (
        1  # how many of the 2**changed outcomes have no change, then at most the fewer changes, in one direction
    )
    for count in range(min(broke, fixed)):
        ways = ways * (changed - count) // (count + 1)
        tail += ways
    return {"p": min(1.0, 2 * tail / 2**changed), "method": "exact", "broke": broke, "fixed": fixed}


def wilcoxon_test(differences: Floats) -> dict[str, Any]:
    """Wilcoxon's signed-rank test, two-sided, with pairs that did not change left out.

    Args:
        differences: clean minus perturbed, shape (pairs,).

    Returns:
        `p`, or None where nothing changed; `statistic`, the sum of the ranks of the positive differences; the number of
        `changed` pairs; and the `method`. Up to `MOST_EXACT_DIFFERENCES` the distribution is exact, with midranks
        under ties; beyond it is the normal approximation with the tie correction.
    """
    differences = np.round(differences, 12)
    differences = differences[differences != 0]
    answer: dict[str, Any] = {"p": None, "method": "exact", "statistic": None, "changed": int(differences.size)}
    if not differences.size:
        return answer
    ranks = doubled_midranks(np.abs(differences))
    positive = int(ranks[differences > 0].sum())
    total = int(ranks.sum())
    answer["statistic"] = positive / 2
    if differences.size <= MOST_EXACT_DIFFERENCES:
        shares = np.zeros(total + 1)
        shares[0] = 1.0
        for rank in ranks:
            shares[rank:] = (shares[rank:] + shares[:-rank]) / 2
            shares[:rank] /= 2
        # The distribution is symmetric: both tails together are all sums at least as far from the middle.
        distances = np.abs(2 * np.arange(total + 1) - total)
        answer["p"] = float(min(1.0, shares[distances >= abs(2 * positive - total)].sum()))
        return answer
    z = abs(2 * positive - total) / float(np.sqrt((ranks.astype(np.float64) ** 2).sum()))
    return answer | {"p": erfc(z / sqrt(2)), "method": "normal approximation"}
