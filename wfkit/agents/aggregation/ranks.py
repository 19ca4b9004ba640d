"""Ranks with ties shared, and Spearman's correlation with its permutation test.

Everything is computed on doubled midranks, which are integers, so that no float decides between equal arrangements.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_EXACT_ITEMS = 10
RANDOM_PAIRINGS = 100_000
# Four items can never give a two-sided p below 2 / 24.
FEWEST_ITEMS = 5


def doubled_midranks(values: Floats) -> Integers:
    """Twice the rank of every value, from 2 for a single smallest one; equal values share the mean of their ranks.

    Values are rounded to 12 decimals first, so that 1 - 0.7 ties with 0.3.
    """
    _, group, sizes = np.unique(np.round(values, 12), return_inverse=True, return_counts=True)
    ends = np.cumsum(sizes)
    return np.asarray((2 * ends - sizes + 1)[group], dtype=np.int64)


def spearman(first: Floats, second: Floats) -> float | None:
    """Spearman's rank correlation.

    Args:
        first: shape (items,).
        second: shape (items,).

    Returns:
        A number in [-1, 1]; None where either side has fewer than two different values.
    """
    a, b = doubled_midranks(first), doubled_midranks(second)
    spread = _spread(a, a) * _spread(b, b)
    return _spread(a, b) / float(np.sqrt(float(spread))) if spread else None


def permutation_test(first: Floats, second: Floats, seed: int) -> dict[str, Any]:
    """Spearman's correlation with the share of pairings that are at least as strong.

    Args:
        first: shape (items,).
        second: shape (items,).
        seed: the seed of the random pairings, used beyond `MOST_EXACT_ITEMS` items.

    Returns:
        `rho`; `p`, the share of all pairings with |rho*| >= |rho| (not twice the smaller tail, which differs under
        ties); `p_greater`, the share with rho* >= rho; the `method`, the number of `items`, and `too_few` below
        `FEWEST_ITEMS`, where no outcome could reach 0.05. All None where rho is undefined. Monte Carlo shares are
        (b + 1) / (m + 1).
    """
    items = len(first)
    answer: dict[str, Any] = {"rho": spearman(first, second) if items else None, "p": None, "p_greater": None}
    answer |= {"method": "exact", "items": items, "too_few": items < FEWEST_ITEMS}
    exact = items <= MOST_EXACT_ITEMS
    if not exact:
        answer |= {"method": "Monte Carlo", "pairings": RANDOM_PAIRINGS, "seed": seed}
    if answer["rho"] is None:
        return answer
    a, b = doubled_midranks(first), doubled_midranks(second)
    products = all_pairing_products(a, b) if exact else random_pairing_products(a, b, RANDOM_PAIRINGS, seed)
    observed = _spread(a, b)
    spreads = items * products[0] - int(a.sum()) * int(b.sum())
    weights = products[1]
    unseen = 0 if exact else 1
    total = int(weights.sum()) + unseen
    answer["p"] = (int(weights[np.abs(spreads) >= abs(observed)].sum()) + unseen) / total
    answer["p_greater"] = (int(weights[spreads >= observed].sum()) + unseen) / total
    return answer


def all_pairing_products(a: Integers, b: Integers) -> tuple[Integers, Integers]:
    """Every sum of products over the pairings of a with b, and how many of the len(a)! pairings give it.

    Built over the subsets of b that the first items of a have taken: 2**n steps instead of n!.
    """
    items = len(a)
    most = int(np.sort(a) @ np.sort(b))  # the rearrangement inequality: no pairing gives more
    ways: dict[int, Integers] = {0: np.bincount([0], minlength=most + 1)}
    for value in a:
        following: dict[int, Integers] = {}
        for taken, counts in ways.items():
            for index in range(items):
                if taken >> index & 1:
                    continue
                step = int(value) * int(b[index])
                target = following.setdefault(taken | 1 << index, np.zeros(most + 1, dtype=np.int64))
                target[step:] += counts[: most + 1 - step]
        ways = following
    (counts,) = ways.values()
    products = np.flatnonzero(counts)
    return products, counts[products]


def random_pairing_products(a: Integers, b: Integers, count: int, seed: int) -> tuple[Integers, Integers]:
    """The sums of products over random pairings, each with the weight 1."""
    generator = np.random.default_rng(seed)
    rows = max(1, 1_000_000 // len(b))
    parts = []
    for start in range(0, count, rows):
        block = np.tile(b, (min(rows, count - start), 1))
        parts.append(generator.permuted(block, axis=1) @ a)
    products = np.concatenate(parts)
    return products, np.ones_like(products)


def _spread(a: Integers, b: Integers) -> int:
    """The covariance of two integer vectors, times the square of their length."""
    return len(a) * int(a @ b) - int(a.sum()) * int(b.sum())
