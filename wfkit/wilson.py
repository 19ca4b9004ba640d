"""Wilson's score interval, the one interval of a share that every filter prints."""

from math import sqrt
from statistics import NormalDist


def wilson_interval(count: float, total: float, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share (Wilson 1927).

    Args:
        count: how many of the total have the property, 0 to total; a fraction where the units are clusters.
        total: how many were looked at, more than 0.
        level: the confidence level in (0, 1).

    Returns:
        Lower and upper end in [0, 1]; exactly 0 for a count of 0 and exactly 1 for all.
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = count / total
    centre = share + z * z / (2 * total)
    spread = z * sqrt((share * (1 - share) + z * z / (4 * total)) / total)
    divisor = 1 + z * z / total
    low = 0.0 if count == 0 else max(0.0, (centre - spread) / divisor)
    high = 1.0 if count == total else min(1.0, (centre + spread) / divisor)
    return low, high
