from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfkit.agents.aggregation.sign_flip import random_signed_sums, sign_flip_test

MANY = settings(deadline=None, max_examples=40)

TOTALS = st.lists(st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.3, 0.5, 1.0, 3.0]), min_size=2, max_size=8)


def test_three_tasks_by_hand():
    # of 8 patterns only +++ and --- reach |2.5|
    test = sign_flip_test(np.array([1, 1, 0.5]), 0)
    assert test["p"] == 0.25
    assert (test["tasks"], test["moved_tasks"], test["method"], test["too_few"]) == (3, 3, "exact", True)


def test_tasks_that_did_not_move_change_nothing():
    test = sign_flip_test(np.array([1, 0, 1, 0.5, 0]), 0)
    assert (test["p"], test["tasks"], test["moved_tasks"]) == (0.25, 5, 3)


def test_six_moved_tasks_are_needed():
    assert sign_flip_test(np.ones(5), 0)["p"] == 2 / 32
    assert sign_flip_test(np.ones(6), 0)["p"] == 2 / 64
    assert not sign_flip_test(np.ones(6), 0)["too_few"]


def test_no_task_and_no_movement():
    assert sign_flip_test(np.array([]), 0)["p"] is None
    assert sign_flip_test(np.zeros(4), 0)["p"] == 1


def test_float_noise_decides_nothing():
    # 1 - 0.7 and 0.3 are the same total: |.3 - .3| = 0 is reached by every pattern
    assert sign_flip_test(np.array([1 - 0.7, -0.3]), 0)["p"] == 1


@MANY
@given(TOTALS)
def test_exact_is_what_enumeration_gives(totals):
    values = np.array(totals)
    sums = np.array(list(product((1, -1), repeat=len(totals)))) @ values
    expected = np.mean(np.abs(sums) >= abs(values.sum()) - 1e-9)
    assert sign_flip_test(values, 0)["p"] == pytest.approx(expected, abs=1e-12)


@MANY
@given(TOTALS)
def test_equal_to_scipy(totals):
    from scipy.stats import permutation_test

    values = np.array(totals)
    theirs = permutation_test((values,), np.sum, permutation_type="samples", n_resamples=np.inf, vectorized=True)
    assert sign_flip_test(values, 0)["p"] == pytest.approx(theirs.pvalue, abs=1e-9)


def test_monte_carlo_comes_near_the_exact_share_and_repeats_itself():
    values = np.array([1.0] * 11 + [-1.0] * 7)
    test = sign_flip_test(values, 3)
    # 18 fair coins, at least 11 or at most 7 heads: p = 2 * P(X >= 11) = 0.48068...
    from scipy.stats import binom

    assert test["method"] == "Monte Carlo"
    assert test["p"] == pytest.approx(2 * binom.sf(10, 18, 0.5), abs=0.006)  # four standard errors
    assert test == sign_flip_test(values, 3)
    assert (test["seed"], test["flips"]) == (3, 100_000)


def test_monte_carlo_never_says_zero():
    assert sign_flip_test(np.ones(60), 0)["p"] == 1 / 100_001


def test_random_sums_flip_every_value_fairly():
    sums = random_signed_sums(np.array([1.0, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7, 1e8]), 20_000, 0)
    assert len(set(sums.tolist())) == 512
    assert abs(np.mean(sums > 0) - 0.5) < 0.02


@pytest.mark.parametrize("number", [9, 200])  # one by one, and many equal values at once
def test_random_sums_of_equal_values_have_the_spread_of_coins(number):
    sums = random_signed_sums(np.full(number, -3.0), 40_000, 0)
    assert set(np.unique(np.abs(sums) / 3 % 2)) == {number % 2}
    assert np.mean(sums) == pytest.approx(0, abs=3 * number**0.5 * 0.02)  # four standard errors
    assert np.std(sums) == pytest.approx(3 * number**0.5, rel=0.015)
