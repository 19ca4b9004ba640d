import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfkit.agents.aggregation.rank_residuals import RankResiduals, partial_spearman

MANY = settings(deadline=None, max_examples=40)

F = [0, 0.1, 0.2, 0.3, 0.4, 0.5]
G = [0, 0.2, 0.1, 0.3, 0.5, 0.4]
MODEL = np.array([0, 0, 0, 1, 1, 1])


def plain(columns, control, model):
    """The definition word for word: midranks, least squares on intercept, control and dummies, Pearson of residuals."""
    from scipy.stats import rankdata

    design = np.column_stack([np.ones(len(model)), rankdata(control), *(model == each for each in np.unique(model))])
    ranks = np.array([rankdata(column) for column in columns])
    residuals = ranks - (design @ np.linalg.lstsq(design, ranks.T, rcond=None)[0]).T
    return np.corrcoef(residuals)


def random_rows(seed, rows, models):
    generator = np.random.default_rng(seed)
    columns = np.round(generator.normal(size=(3, rows)), 1)
    return columns, np.round(generator.random(rows), 1), generator.integers(0, models, rows)


def test_two_models_three_tasks_by_hand():
    # residuals f: -1 0 1 -1 0 1, g: -1 1 0 -1 1 0; product sum 2, norms 2 and 2 (squares 4 and 4)
    assert partial_spearman(np.array([F, G]), np.ones(6), MODEL)[0, 1] == 0.5


def test_a_column_without_variation_has_no_correlation():
    matrix = partial_spearman(np.array([F, np.zeros(6), G]), np.ones(6), MODEL)
    assert np.isnan(matrix[1]).all()
    assert np.isnan(matrix[:, 1]).all()
    assert matrix[0, 2] == 0.5


def test_a_column_that_only_differs_between_models_has_no_correlation():
    assert np.isnan(partial_spearman(np.array([F, MODEL * 1.0]), np.ones(6), MODEL)[0, 1])


@MANY
@given(seed=st.integers(0, 10**6), rows=st.integers(12, 40), models=st.integers(1, 3))
def test_equal_to_plain_least_squares(seed, rows, models):
    columns, control, model = random_rows(seed, rows, models)
    assert partial_spearman(columns, control, model) == pytest.approx(plain(columns, control, model), abs=1e-9)


def test_equal_to_pingouin():
    import pandas
    from pingouin import partial_corr

    columns, control, model = random_rows(1, 60, 3)
    frame = pandas.DataFrame(
        {"f": columns[0], "g": columns[1], "clean": control, "second": model == 1, "third": model == 2}, dtype=float
    )
    theirs = partial_corr(frame, x="f", y="g", covar=["clean", "second", "third"], method="spearman")
    assert partial_spearman(columns, control, model)[0, 1] == pytest.approx(theirs["r"].iloc[0], abs=1e-9)


@MANY
@given(seed=st.integers(0, 10**6))
def test_a_weight_is_the_same_as_copies_of_the_row(seed):
    columns, control, model = random_rows(seed, 15, 3)
    weights = np.random.default_rng(seed).integers(0, 4, size=(1, 15))
    copies = np.repeat(np.arange(15), weights[0])
    weighted = RankResiduals(columns, control, model).correlations(weights)[0]
    copied = partial_spearman(columns[:, copies], control[copies], model[copies])
    assert weighted == pytest.approx(copied, abs=1e-9, nan_ok=True)


@MANY
@given(seed=st.integers(0, 10**6))
def test_correlations_are_symmetric_and_within_one(seed):
    matrix = partial_spearman(*random_rows(seed, 20, 2))
    assert np.abs(matrix).max() <= 1
    assert (matrix == matrix.T).all()
    assert np.diagonal(matrix) == pytest.approx(1)
