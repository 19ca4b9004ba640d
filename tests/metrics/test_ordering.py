"""Kendall's tau: which predicted step a golden step finds, and the count of pairs."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfkit.metrics.ordering import KendallTau, KendallTauAligned, predicted_places, tau


@pytest.mark.parametrize(
    ("golden", "candidate", "similarity", "places"),
    [
        # An assigned step takes its partner, although a is even more like the second (ties in sum are no matter).
        ("ab", "xy", [[0.85, 0.9], [0.9, 0.97]], [0, 1]),  # 0.85 + 0.97 = 1.82 > 0.9 + 0.9
        # c is assigned to none (fewer steps predicted) and finds m, the partner of b, which has another text.
        ("abc", "am", [[1, 0, 0], [0, 0.9, 0.85]], [0, 1, 1]),
        # The same with b twice: the lost b is missing.
        ("abb", "am", [[1, 0, 0], [0, 0.9, 0.9]], [0, 1]),
        # Of two equally similar predicted steps the one listed first is taken: c is 0.8 like both.
        ("abc", "xy", [[0.9, 0, 0.8], [0, 0.9, 0.8]], [0, 1, 0]),
        # Just below the threshold c is lost.
        ("abc", "xy", [[0.9, 0, 0.79], [0, 0.9, 0.79]], [0, 1]),
        # a is assigned to x below the threshold, which does not count, and finds y, which is b's: no longer missing.
        ("ab", "xy", [[0.5, 0.1], [0.85, 0.99]], [1, 1]),
        # The closest step is the twin's, so the step is missing, even though another one would have reached 0.8.
        ("aab", "ab", [[1, 1, 0.9], [0.8, 0.8, 1]], [0, 1]),
    ],
)
def test_places(compare, golden, candidate, similarity, places):
    comparison = compare(golden, candidate, similarity=similarity)
    assert predicted_places(comparison.golden, comparison.alignment) == places


def test_empty_candidate_has_no_places(compare):
    comparison = compare("abc", "", similarity=np.zeros((0, 3)))
    assert predicted_places(comparison.golden, comparison.alignment) == []


@given(st.lists(st.integers(0, 9), min_size=2, max_size=12), st.integers(1, 9), st.integers(1, 9))
def test_tau_counts_every_pair_once(places, one, other):
    shorter, longer = sorted((one, other))
    concordant = sum(left < right for left, right in combinations(places, 2))
    pairs = len(places) * (len(places) - 1) // 2
    expected = (2 * concordant - pairs) / pairs
    if expected > 0:
        expected *= shorter / longer
    score = tau(places, shorter, longer)
    assert score.value == pytest.approx(expected, abs=1e-12)
    assert score.details == {"matched": len(places), "concordant": concordant, "discordant": pairs - concordant}


@pytest.mark.parametrize("places", [[], [3]])
def test_fewer_than_two_found_steps_give_zero(places):
    score = tau(places, 1, 1)
    assert score.value == 0.0
    assert score.details == {"matched": len(places)}


@pytest.mark.parametrize("metric", [KendallTau(), KendallTauAligned()])
@pytest.mark.parametrize("golden", ["", "a"])
@pytest.mark.parametrize("candidate", ["", "a", "abc"])
def test_a_golden_without_order_is_undefined(compare, metric, golden, candidate):
    score = metric.score(compare(golden, candidate))
    assert score.value is None
    assert score.reason.startswith("undefined: ")


@settings(max_examples=100)
@given(st.integers(2, 12), st.data())
def test_deletion_lowers_tau_by_the_ratio_of_sizes_alone(compare, size, data):
    golden = "abcdefghijkl"[:size]
    kept = "".join(data.draw(st.lists(st.sampled_from(golden), min_size=2, unique=True).map(sorted)))
    assert KendallTau().score(compare(golden, kept)).value == len(kept) / size
    assert KendallTauAligned().score(compare(golden, kept)).value == 1.0
