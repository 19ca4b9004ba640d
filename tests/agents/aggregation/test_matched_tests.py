import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wfkit.agents.aggregation.matched_tests import mcnemar_test, wilcoxon_test

MANY = settings(deadline=None, max_examples=40)


def outcomes(broke, fixed, held):
    clean = np.array([1] * broke + [0] * fixed + [1] * held, dtype=float)
    return clean, np.array([0] * broke + [1] * fixed + [1] * held, dtype=float)


def test_mcnemar_by_hand():
    # 5 broke and 1 fixed: 2 * (1 + 6) / 2**6
    assert mcnemar_test(*outcomes(5, 1, 4)) == {"p": 0.21875, "method": "exact", "broke": 5, "fixed": 1}


def test_mcnemar_without_change():
    assert mcnemar_test(*outcomes(0, 0, 3))["p"] == 1


@MANY
@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_equal_to_statsmodels(broke, fixed):
    from statsmodels.stats.contingency_tables import mcnemar

    assume(broke + fixed)
    theirs = mcnemar([[3, broke], [fixed, 4]], exact=True).pvalue
    assert mcnemar_test(*outcomes(broke, fixed, 7))["p"] == pytest.approx(theirs, abs=1e-9)


def test_wilcoxon_by_hand():
    # ranks of 1 2 3 -1.5 4: 1 3 4 2 5; positive 13 of 15; P(W >= 13) = 3/32
    test = wilcoxon_test(np.array([1, 2, 3, -1.5, 4]))
    assert test == {"p": 0.1875, "method": "exact", "statistic": 13, "changed": 5}


def test_wilcoxon_without_change():
    assert wilcoxon_test(np.zeros(4))["p"] is None


@MANY
@given(st.lists(st.integers(1, 10_000), unique=True, min_size=1, max_size=40), st.data())
def test_wilcoxon_is_equal_to_scipy_where_nothing_ties(sizes, data):
    from scipy.stats import wilcoxon

    signs = data.draw(st.lists(st.sampled_from((-1, 1)), min_size=len(sizes), max_size=len(sizes)))
    differences = np.array(sizes) / 10_000 * signs
    assert wilcoxon_test(differences)["p"] == pytest.approx(wilcoxon(differences, mode="exact").pvalue, abs=1e-9)


@MANY
@given(st.lists(st.sampled_from([-0.5, -0.25, 0.25, 0.5, 1.0]), min_size=2, max_size=7))
def test_wilcoxon_is_equal_to_scipy_under_ties(differences):
    from scipy.stats import PermutationMethod, wilcoxon

    theirs = wilcoxon(differences, method=PermutationMethod(n_resamples=np.inf)).pvalue
    assert wilcoxon_test(np.array(differences))["p"] == pytest.approx(theirs, abs=1e-9)


def test_wilcoxon_of_very_many_pairs():
    from scipy.stats import wilcoxon

    differences = np.round(np.random.default_rng(0).normal(0.05, 1, 700), 2)
    test = wilcoxon_test(differences)
    assert test["method"] == "normal approximation"
    theirs = wilcoxon(differences, mode="approx", correction=False).pvalue
    assert test["p"] == pytest.approx(theirs, abs=1e-9)
