"""The sign-flip test by task: if nothing was done, the total change of a task could as well be its negative."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_EXACT_TASKS = 16
RANDOM_FLIPS = 100_000
MANY_EQUAL_VALUES = 32
# With k moved tasks p can never be below 2 / 2**k, so fewer than six can never reach 0.05.
FEWEST_TASKS = 6


def sign_flip_test(totals: NDArray[Any], seed: int) -> dict[str, Any]:
    """Two-sided test that the changes of the tasks are symmetric around 0.

    Args:
        totals: the sum of the changes of every task with at least one scored pair.
        seed: the seed of the random flips, used beyond `MOST_EXACT_TASKS` moved tasks.

    Returns:
        `p` in (0, 1], or None without any task; `method`, exact or Monte Carlo; the number of `tasks` and of
        `moved_tasks`, whose total is not 0; `too_few` where no outcome at all could have reached 0.05; with random
        flips also their number and the seed. Monte Carlo p is (b + 1) / (m + 1).
    """
    # 1 - 0.7 is not 0.3: without rounding, totals that are equal on paper would order by accident.
    totals = np.round(totals, 12)
    moved = totals[totals != 0]
    answer: dict[str, Any] = {"p": None, "method": "exact", "tasks": int(totals.size), "moved_tasks": int(moved.size)}
    answer["too_few"] = bool(moved.size < FEWEST_TASKS)
    if not totals.size:
        return answer
    reached = abs(float(moved.sum())) - 1e-9 * float(np.abs(moved).sum())
    if moved.size <= MOST_EXACT_TASKS:
        sums = all_signed_sums(moved)
        answer["p"] = float(np.count_nonzero(np.abs(sums) >= reached) / sums.size)
        return answer
    sums = random_signed_sums(moved, RANDOM_FLIPS, seed)
    answer["p"] = float((np.count_nonzero(np.abs(sums) >= reached) + 1) / (RANDOM_FLIPS + 1))
    return answer | {"method": "Monte Carlo", "flips": RANDOM_FLIPS, "seed": seed}


def all_signed_sums(values: Floats) -> Floats:
    """The sums of the values under every pattern of signs: shape (2 ** len(values),)."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate((sums + value, sums - value))
    return sums


def random_signed_sums(values: Floats, count: int, seed: int) -> Floats:
    """The sums of the values under random signs: shape (count,).

    The signs of many equal values are drawn at once, as how many of them are positive. Of the other values, the
    256 signed sums of eight at a time are tabulated and a random number picks one of them.
    """
    generator = np.random.default_rng(seed)
    sizes, sizes_of, numbers = np.unique(np.abs(values), return_inverse=True, return_counts=True)
    frequent = numbers >= MANY_EQUAL_VALUES
    sums = np.zeros(count)
    for size, number in zip(sizes[frequent], numbers[frequent], strict=True):
        sums += size * (2 * generator.binomial(number, 0.5, size=count) - number)
    rare = values[~frequent[sizes_of]]
    for start in range(0, len(rare), 8):
        table = all_signed_sums(rare[start : start + 8])
        sums += table[generator.integers(0, table.size, size=count, dtype=np.int16)]
    return sums
