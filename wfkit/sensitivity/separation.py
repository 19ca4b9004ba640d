"""Which metric tells a type of damage best, and which one sees what that one misses (appendix C, from the data).

The paper takes as primary "the metric family that is both highly sensitive to that perturbation and diagnostically
specific", and as secondary "a complementary family that covers the primary's blind spot". Here all three are
probabilities over single pairs, 0 to 1 with one half for chance, so that means cannot hide how distributions overlap:

- sensitivity: that a pair damaged by at least ``detect`` scores lower than one damaged by at most ``tolerate``;
- specificity: that it scores lower than a pair damaged as much in another way (mean over the other types);
- blind spot: sensitivity on those pairs alone that the primary does not tell from the ones to be tolerated.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wfkit.gate.metric_families import ORDERING_METRICS, STRUCTURAL_METRICS
from wfkit.sensitivity.columns import Columns, Floats, Mask

LEXICAL_METRICS = frozenset({"bleu", "gleu"})
MISSED_SHARE = 0.05
"""The primary misses a damaged pair that scores no lower than this share of the tolerated ones."""


Found = dict[str, dict[str, Any]]
"""For each metric what it says of one type."""


def separations(
    columns: Columns, metrics: Sequence[str], used: Mask, *, tolerate: float, detect: float
) -> dict[str, Found]:
    """For each type and each metric how well it separates, and its role.

    Args:
        columns: the observations.
        metrics: the metrics to compare.
        used: bool [pairs], the pairs looked at.
        tolerate: severity up to which damage is tolerated.
        detect: severity from which on it is to be detected.

    Returns:
        type to metric to ``family, sensitivity, specificity, strength, blind_spot, role``. ``strength`` is the mean of
        sensitivity and specificity, or sensitivity where there is no other type. Types that lack tolerated or
        damaged pairs are left out, and metrics that have no score on either.
    """
    result = {}
    for place, type_name in enumerate(columns.types):
        own = used & (columns.type == place)
        tolerated, damaged = own & (columns.severity <= tolerate), own & (columns.severity >= detect)
        others = [
            used & (columns.type == other) & (columns.severity >= detect)
            for other in range(len(columns.types))
            if other != place
        ]
        found = {}
        for metric in metrics:
            measured = _measure(columns.scores[metric], tolerated, damaged, others)
            if measured is not None:
                found[metric] = {"family": family_of(metric), **measured, "blind_spot": None, "role": None}
        if found:
            _assign_roles(columns, found, tolerated, damaged)
            result[type_name] = found
    return result


def family_of(metric: str) -> str:
    """What a metric looks at; a metric that wfkit does not know is a family of its own, named before any colon."""
    if metric in STRUCTURAL_METRICS:
        return "structure"
    if metric in ORDERING_METRICS:
        return "order"
    return "wording" if metric in LEXICAL_METRICS else metric.partition(":")[0]


def probability_lower(first: Floats, second: Floats) -> float | None:
    """The probability that a value of the first is lower than one of the second, ties by half; None without values.

    The area under the ROC curve of the first against the second (Mann and Whitney 1947).
    """
    if not len(first) or not len(second):
        return None
    ordered = np.sort(second)
    at_most = np.searchsorted(ordered, first, side="right").sum()
    below = np.searchsorted(ordered, first, side="left").sum()
    pairs = len(first) * len(second)
    return float((2 * pairs - int(at_most) - int(below)) / (2 * pairs))


def _measure(scores: Floats, tolerated: Mask, damaged: Mask, others: Sequence[Mask]) -> dict[str, Any] | None:
    low = _known(scores, damaged)
    sensitivity = probability_lower(low, _known(scores, tolerated))
    if sensitivity is None:
        return None
    against = [probability_lower(low, _known(scores, other)) for other in others]
    present = [one for one in against if one is not None]
    specificity = sum(present) / len(present) if present else None
    strength = sensitivity if specificity is None else (sensitivity + specificity) / 2
    return {"sensitivity": sensitivity, "specificity": specificity, "strength": strength}


def _known(scores: Floats, rows: Mask) -> Floats:
    values: Floats = scores[rows]
    return values[~np.isnan(values)]


def _assign_roles(columns: Columns, found: Found, tolerated: Mask, damaged: Mask) -> None:
    """Name the primary and the secondary metric of one type, if better than chance."""
    primary = _best(found, "strength")
    if primary is None:
        return
    found[primary]["role"] = "primary"
    scores = columns.scores[primary]
    bar = np.quantile(_known(scores, tolerated), MISSED_SHARE, method="lower")
    missed = damaged & (scores >= bar)
    rest = {metric: found[metric] for metric in found if found[metric]["family"] != found[primary]["family"]}
    for metric, measured in rest.items():
        own = columns.scores[metric]
        measured["blind_spot"] = probability_lower(_known(own, missed), _known(own, tolerated))
    secondary = _best(rest, "blind_spot" if missed.any() else "strength")
    if secondary is not None:
        found[secondary]["role"] = "secondary"


def _best(found: Mapping[str, Mapping[str, Any]], figure: str) -> str | None:
    """The metric with the largest figure above chance; the first of equals in the order of metrics."""
    better = {metric: one[figure] for metric, one in found.items() if one[figure] is not None and one[figure] > 0.5}
    return max(better, key=lambda metric: better[metric]) if better else None
