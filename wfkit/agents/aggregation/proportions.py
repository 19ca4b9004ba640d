"""Statistics of counted labels: the interval of a share, and the agreement of two annotators."""

from collections import Counter
from collections.abc import Hashable, Sequence
from math import sqrt
from statistics import NormalDist


def wilson_interval(count: int, total: int, level: float = 0.95) -> tuple[float, float] | None:
    """Wilson's score interval of a share (Wilson 1927).

    Args:
        count: how many of the total have the label, 0 to total.
        total: how many were looked at.
        level: the confidence level in (0, 1).

    Returns:
        Lower and upper end in [0, 1]; None where the total is 0.
    """
    if total == 0:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = count / total
    centre = share + z * z / (2 * total)
    spread = z * sqrt((share * (1 - share) + z * z / (4 * total)) / total)
    divisor = 1 + z * z / total
    return max(0.0, (centre - spread) / divisor), min(1.0, (centre + spread) / divisor)


def cohen_kappa(labels: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """The agreement of two annotators beyond chance (Cohen 1960, unweighted).

    Args:
        labels: the label of the first and of the second annotator for each item that both labelled.

    Returns:
        A number up to 1; None where there is no item or where chance agreement is already complete.
    """
    total = len(labels)
    agreed = sum(first == second for first, second in labels)
    first_counts = Counter(first for first, _ in labels)
    second_counts = Counter(second for _, second in labels)
    by_chance = sum(first_counts[label] * second_counts[label] for label in first_counts)  # times total squared
    if by_chance == total * total:
        return None
    return (agreed * total - by_chance) / (total * total - by_chance)
