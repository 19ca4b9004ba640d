import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfkit.agents.aggregation.agreement import cohen_kappa

MANY = settings(deadline=None, max_examples=40)


def test_kappa_by_hand():
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: agreed .7, by chance .5 * .6 + .5 * .4 = .5, so (.7 - .5) / .5
    labels = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    assert cohen_kappa(labels) == 0.4


@pytest.mark.parametrize("labels", [[], [("a", "a"), ("a", "a")]])
def test_kappa_without_any_chance_of_disagreement(labels):
    assert cohen_kappa(labels) is None


@MANY
@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=2, max_size=60))
def test_kappa_is_equal_to_statsmodels(labels):
    import numpy as np
    from statsmodels.stats.inter_rater import cohens_kappa

    kappa = cohen_kappa(labels)
    if kappa is not None:
        names = "abcd"
        table = np.zeros((4, 4))
        for first, second in labels:
            table[names.index(first), names.index(second)] += 1
        assert kappa == pytest.approx(cohens_kappa(table, return_results=False), abs=1e-9)
