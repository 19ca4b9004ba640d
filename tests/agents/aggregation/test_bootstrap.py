import numpy as np
import pytest

from wfkit.agents.aggregation import bootstrap
from wfkit.agents.aggregation.bootstrap import effect_intervals, percentile_interval, task_draws


def test_blocks_of_draws_equal_one_call(monkeypatch):
    monkeypatch.setattr(bootstrap, "DRAWS_AT_ONCE", 100)
    blocks = list(task_draws(7, 50, 3))
    assert len(blocks) == 4  # 14 rows of 7 at a time
    assert (np.concatenate(blocks) == np.random.default_rng(3).integers(0, 7, size=(50, 7))).all()


def test_intervals_are_those_of_a_plain_loop():
    """Three tasks with 1, 2 and 3 scored pairs, resampled by copying pairs."""
    tasks = np.array([4, 2, 2, 9, 9, 9])
    clean = np.array([1, 1, 0.5, 0, 0.25, 1])
    perturbed = np.array([0, 1, 0.25, 0.5, 0.25, 0])
    deltas, degradations = [], []
    for draw in np.random.default_rng(1).integers(0, 3, size=(200, 3)):
        places = np.concatenate([np.flatnonzero(tasks == (2, 4, 9)[task]) for task in draw])
        deltas.append(clean[places].mean() - perturbed[places].mean())
        degradations.append((clean[places].sum() - perturbed[places].sum()) / clean[places].sum())
    answer = effect_intervals(tasks, clean, perturbed, replicates=200, seed=1, level=0.9)
    assert answer["delta"] == pytest.approx(np.percentile(deltas, [5, 95]), abs=1e-12)
    assert answer["degradation"] == pytest.approx(np.percentile(degradations, [5, 95]), abs=1e-12)
    assert (answer["tasks"], answer["replicates"], answer["seed"], answer["too_few"]) == (3, 200, 1, True)


def test_replicates_without_clean_success_are_counted():
    tasks, clean, perturbed = np.arange(3), np.array([1.0, 0, 0]), np.zeros(3)
    answer = effect_intervals(tasks, clean, perturbed, replicates=500, seed=0, level=0.95)
    draws = np.random.default_rng(0).integers(0, 3, size=(500, 3))
    assert answer["undefined_replicates"] == np.count_nonzero((draws != 0).all(axis=1)) > 0
    assert answer["degradation"] == [1, 1]


@pytest.mark.parametrize("count", [0, 1])
def test_one_task_is_too_few(count):
    scores = np.ones(count)
    answer = effect_intervals(np.zeros(count, dtype=int), scores, scores, replicates=10, seed=0, level=0.95)
    assert (answer["delta"], answer["degradation"], answer["tasks"], answer["too_few"]) == (None, None, count, True)


def test_nothing_defined_has_no_interval():
    assert percentile_interval(np.full(3, np.nan), 0.95) is None
