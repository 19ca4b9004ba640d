"""Adjusted p values for a family of tests."""

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment, which bounds the chance of any false finding in the family.

    Args:
        p_values: the raw p values of one family, each in [0, 1].

    Returns:
        The adjusted values in the same order, each in [0, 1] (Holm 1979).
    """
    count = len(p_values)
    adjusted = [0.0] * count
    largest = 0.0
    for rank, index in enumerate(sorted(range(count), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (count - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """The step-up adjustment that bounds the expected share of false findings among all findings.

    Args:
        p_values: the raw p values of one family, each in [0, 1].

    Returns:
        The adjusted values in the same order, each in [0, 1] (Benjamini and Hochberg 1995).
    """
    count = len(p_values)
    adjusted = [0.0] * count
    smallest = 1.0
    for rank, index in reversed(list(enumerate(sorted(range(count), key=p_values.__getitem__), start=1))):
        smallest = min(smallest, (count / rank) * p_values[index])  # not count * p / rank, which may fall below p
        adjusted[index] = smallest
    return adjusted
