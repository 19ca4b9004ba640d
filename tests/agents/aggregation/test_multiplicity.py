import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wfkit.agents.aggregation.multiplicity import benjamini_hochberg, holm

MANY = settings(deadline=None, max_examples=40)

P_VALUES = st.lists(st.floats(0, 1), max_size=30)


def test_holm_by_hand():
    # sorted .01 .03 .04: times 3, 2, 1 is .03 .06 .04, and no adjusted value may be below an earlier one
    assert holm([0.01, 0.04, 0.03]) == [0.03, 0.06, 0.06]


def test_benjamini_hochberg_by_hand():
    # sorted .01 .03 .04: times 3/1, 3/2, 3/3 is .03 .045 .04, and no adjusted value may be above a later one
    assert benjamini_hochberg([0.01, 0.04, 0.03]) == [0.03, 0.04, 0.04]


def test_nothing_to_adjust():
    assert holm([]) == benjamini_hochberg([]) == []


@pytest.mark.parametrize(("adjust", "name"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])
@MANY
@given(p_values=P_VALUES)
def test_equal_to_statsmodels(adjust, name, p_values):
    from statsmodels.stats.multitest import multipletests

    if p_values:
        assert adjust(p_values) == pytest.approx(multipletests(p_values, method=name)[1], abs=1e-9)


@MANY
@given(P_VALUES)
@example([0.0] * 5 + [0.7])  # 6 * 0.7 / 6 is less than 0.7
def test_holm_is_never_below_benjamini_hochberg_nor_below_the_raw_value(p_values):
    for strict, lenient, raw in zip(holm(p_values), benjamini_hochberg(p_values), p_values, strict=True):
        assert 1 >= strict >= lenient >= raw
