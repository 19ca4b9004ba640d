import numpy as np
import pytest

from wfkit.sensitivity import intervals
from wfkit.sensitivity.intervals import percentile_intervals, resampled_means, seed_for


def test_resampling_is_that_of_whole_clusters():
    # Two goldens: one has the scores 0 and 0, the other 1. Drawn are 00, 01, 10 or 11, so the mean is 0, 1/3 or 1.
    means = resampled_means(np.array([[0.0], [1.0]]), np.array([[2.0], [1.0]]), 2000, seed=0)
    values, counts = np.unique(means.round(12), return_counts=True)
    assert values.tolist() == [0, round(1 / 3, 12), 1]
    assert counts / 2000 == pytest.approx([0.25, 0.5, 0.25], abs=0.04)


def test_a_cell_that_was_not_drawn_has_no_mean():
    means = resampled_means(np.array([[0.0], [1.0]]), np.array([[0.0], [1.0]]), 200, seed=0)
    undefined = np.isnan(means).mean()
    assert undefined == pytest.approx(0.25, abs=0.1)  # only the golden without a score was drawn
    assert (means[~np.isnan(means)] == 1).all()
    assert percentile_intervals(means) == [[1, 1]]


def test_replicates_do_not_depend_on_blocks(monkeypatch):
    sums, counts = np.random.default_rng(0).random((7, 3)), np.ones((7, 3))
    whole = resampled_means(sums, counts, 50, seed=3)
    monkeypatch.setattr(intervals, "DRAWS_AT_ONCE", 20)
    assert np.allclose(resampled_means(sums, counts, 50, seed=3), whole, rtol=0, atol=1e-12)
    assert not np.allclose(resampled_means(sums, counts, 50, seed=4), whole)


def test_the_interval_has_the_width_that_theory_gives():
    # The standard error of a mean of 400 normal scores with deviation 0.1 is 0.005; 1.96 of them to each side.
    scores = np.random.default_rng(1).normal(0.5, 0.1, 400)
    [(low, high)] = percentile_intervals(resampled_means(scores[:, np.newaxis], np.ones((400, 1)), 4000, seed=0))
    assert high - low == pytest.approx(2 * 1.96 * scores.std() / 20, rel=0.06)
    assert low < scores.mean() < high


def test_repeats_of_a_golden_do_not_narrow_the_interval():
    scores = np.random.default_rng(2).random((50, 1))
    once = resampled_means(scores, np.ones((50, 1)), 500, seed=0)
    copied = resampled_means(10 * scores, 10 * np.ones((50, 1)), 500, seed=0)
    assert np.allclose(once, copied)


def test_percentiles():
    replicates = np.column_stack([np.arange(41.0), np.full(41, np.nan)])
    assert percentile_intervals(replicates) == [[1, 39], None]  # 2.5 % and 97.5 % of 0 … 40


def test_seeds_differ_by_what_is_resampled():
    seeds = {seed_for(0, "size", "5-7", "t"), seed_for(0, None, None, "t"), seed_for(1, None, None, "t")}
    assert len(seeds) == 3 and seed_for(0, None, None, "t") in seeds
