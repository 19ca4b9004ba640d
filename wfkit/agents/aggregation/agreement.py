"""The agreement of two annotators."""

from collections import Counter
from collections.abc import Hashable, Sequence


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
