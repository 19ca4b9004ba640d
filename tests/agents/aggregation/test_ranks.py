from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfkit.agents.aggregation.ranks import all_pairing_products, doubled_midranks, permutation_test, spearman

MANY = settings(deadline=None, max_examples=40)

VALUES = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 0.8, 1.0])
TWO_COLUMNS = st.lists(st.tuples(VALUES, VALUES), min_size=2, max_size=7)


def columns(rows):
    return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


def test_ties_share_their_ranks():
    # ranks 1, 2.5, 2.5, 4
    assert doubled_midranks(np.array([0.1, 0.3, 1 - 0.7, 0.9])).tolist() == [2, 5, 5, 8]


def test_spearman_by_hand():
    # ranks 1 2 3 4 and 1 3 2 4: 1 - 6 * 2 / (4 * 15)
    test = permutation_test(np.array([1.0, 2, 3, 4]), np.array([0.1, 0.3, 0.2, 0.4]), 0)
    assert (test["rho"], test["p"], test["p_greater"], test["method"]) == (0.8, 8 / 24, 4 / 24, "exact")


def test_six_ranks_by_hand():
    # ranks 1..6 and 1 3 2 4 6 5: 1 - 6 * 4 / (6 * 35) = 31/35
    assert spearman(np.arange(6.0), np.array([0, 0.2, 0.1, 0.3, 0.5, 0.4])) == pytest.approx(31 / 35, rel=1e-15)


def test_ties_need_the_stated_rule():
    """Under ties, |rho*| >= |rho| and twice the smaller tail are different questions."""
    first, second = np.array([1.0, 1, 2, 3, 4]), np.array([1.0, 2, 2, 3, 1])
    test = permutation_test(first, second, 0)
    rhos = np.array([spearman(first, np.array(order)) for order in permutations(second)])
    assert test["p"] == np.mean(np.abs(rhos) >= abs(test["rho"]) - 1e-12)
    assert test["p_greater"] == np.mean(rhos >= test["rho"] - 1e-12)
    assert test["p"] != 2 * test["p_greater"]


@pytest.mark.parametrize("items", [0, 1, 3])
def test_without_variation_there_is_no_correlation(items):
    test = permutation_test(np.ones(items), np.arange(float(items)), 0)
    assert (test["rho"], test["p"], test["p_greater"], test["too_few"]) == (None, None, None, True)


@MANY
@given(TWO_COLUMNS)
def test_equal_to_scipy(rows):
    from scipy.stats import spearmanr

    first, second = columns(rows)
    rho = spearman(first, second)
    if rho is not None:
        assert rho == pytest.approx(spearmanr(first, second).statistic, abs=1e-9)


@MANY
@given(TWO_COLUMNS)
def test_one_sided_p_is_equal_to_scipy(rows):
    import scipy.stats

    first, second = columns(rows)
    ours = permutation_test(first, second, 0)
    if ours["rho"] is not None and len(rows) > 2:
        ranks = scipy.stats.rankdata(second)
        theirs = scipy.stats.permutation_test(
            (scipy.stats.rankdata(first),),
            lambda order, axis: (order * ranks).sum(axis=axis),
            permutation_type="pairings",
            n_resamples=np.inf,
            alternative="greater",
            vectorized=True,
        )
        assert ours["p_greater"] == pytest.approx(theirs.pvalue, abs=1e-9)


@MANY
@given(TWO_COLUMNS)
def test_all_pairings_are_counted(rows):
    first, second = (doubled_midranks(column) for column in columns(rows))
    products, counts = all_pairing_products(first, second)
    listed = sorted(int(first @ np.array(order)) for order in permutations(second.tolist()))
    assert np.repeat(products, counts).tolist() == listed


def test_ten_items_are_exact():
    # of 10! pairings only the identity and the reverse reach |rho| = 1
    test = permutation_test(np.arange(10.0), np.arange(10.0), 0)
    assert (test["method"], test["p"]) == ("exact", 2 / 3_628_800)


def test_beyond_ten_items_pairings_are_drawn():
    first = np.arange(11.0)
    second = np.array([3, 1, 4, 15, 9, 2, 6, 5, 35, 8, 97.0])
    test = permutation_test(first, second, 5)
    from scipy.stats import spearmanr

    assert test["method"] == "Monte Carlo"
    assert test["rho"] == pytest.approx(spearmanr(first, second).statistic, abs=1e-9)
    assert test["p"] == pytest.approx(spearmanr(first, second).pvalue, abs=0.01)
    assert test == permutation_test(first, second, 5)
    assert test["p"] != permutation_test(first, second, 6)["p"]
    assert permutation_test(first, first, 0)["p"] >= 1 / 100_001
