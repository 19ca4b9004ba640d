import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.sensitivity.thresholds import FINEST_GRID, Target, choose, short_decimal

SCORES = st.lists(st.sampled_from([0.0, 0.2, 0.4, 0.5, 0.75, 1.0]), min_size=1, max_size=12)
TARGETS = st.one_of(
    st.builds(Target, max_false_alarm=st.sampled_from([0.05, 0.1, 0.25, 0.5])),
    st.builds(Target, min_detect=st.sampled_from([0.5, 0.75, 0.9])),
)


def fires(values, bars, require):
    below = np.asarray(values) < np.asarray(bars)
    return int((below.any(axis=1) if require == "either" else below.all(axis=1)).sum())


def best_by_trying(tolerated, damaged, require, target):
    """(false alarms, detections) of the best among all choices of bars."""
    grids = [sorted({*column, 2.0}) for column in np.concatenate([tolerated, damaged]).T.tolist()]
    choices = [[bar] for bar in grids[0]] if len(grids) == 1 else [[one, two] for one in grids[0] for two in grids[1]]
    counts = [(fires(tolerated, bars, require), fires(damaged, bars, require)) for bars in choices]
    if target.max_false_alarm is not None:
        allowed = [(a, d) for a, d in counts if a / len(tolerated) <= target.max_false_alarm]
        return min(allowed, key=lambda count: (-count[1], count[0]))
    allowed = [(a, d) for a, d in counts if d / len(damaged) >= target.min_detect]
    return min(allowed, key=lambda count: (count[0], -count[1]))


@given(SCORES, SCORES, TARGETS)
def test_no_other_bar_is_better(tolerated, damaged, target):
    low, high = np.array(tolerated)[:, np.newaxis], np.array(damaged)[:, np.newaxis]
    chosen = choose(low, high, "primary", target)
    assert (chosen.false_alarms, chosen.detections) == best_by_trying(low, high, "both", target)
    assert (chosen.false_alarms, chosen.detections) == tuple(fires(v, chosen.bars, "both") for v in (low, high))


PAIRS = st.lists(st.tuples(*[st.sampled_from([0.0, 0.2, 0.5, 1.0])] * 2), min_size=1, max_size=10)


@given(PAIRS, PAIRS, st.sampled_from(["both", "either"]), TARGETS)
def test_no_other_pair_of_bars_is_better(tolerated, damaged, require, target):
    low, high = np.array(tolerated), np.array(damaged)
    chosen = choose(low, high, require, target)
    assert (chosen.false_alarms, chosen.detections) == best_by_trying(low, high, require, target)
    assert (chosen.false_alarms, chosen.detections) == tuple(fires(v, chosen.bars, require) for v in (low, high))


def test_the_bar_is_short_and_stands_between_the_scores():
    # Tolerated .8 and .9, damaged .5 and .7272…: any bar in (.7272…, .8] does, and .8 is the shortest.
    chosen = choose(np.array([[0.8], [0.9]]), np.array([[0.5], [8 / 11]]), "primary", Target(max_false_alarm=0.05))
    assert chosen == ((0.8,), 0, 2)


def test_five_of_a_hundred_are_five_percent():
    tolerated, damaged = np.arange(100.0)[:, np.newaxis], np.zeros((1, 1))
    for share in range(1, 100):
        assert choose(tolerated, damaged, "primary", Target(max_false_alarm=share / 100)).false_alarms <= share
    even = np.concatenate([np.zeros(29), np.ones(71)])[:, np.newaxis]
    assert choose(even, damaged, "primary", Target(max_false_alarm=0.29)).false_alarms == 29


def test_joint_bars_on_many_different_scores_keep_their_counts():
    chance = np.random.default_rng(0)
    tolerated, damaged = chance.normal(0.8, 0.1, (1500, 2)), chance.normal(0.6, 0.1, (1500, 2))
    assert len(np.unique(tolerated)) > FINEST_GRID
    for require in ("both", "either"):
        chosen = choose(tolerated, damaged, require, Target(max_false_alarm=0.05))
        assert chosen.false_alarms == fires(tolerated, chosen.bars, require) <= 75
        assert chosen.detections == fires(damaged, chosen.bars, require)
        single = choose(tolerated[:, :1], damaged[:, :1], "primary", Target(max_false_alarm=0.05))
        assert chosen.detections > single.detections  # two independent signs tell more than one


@pytest.mark.parametrize(
    ("low", "high", "number"),
    [
        (0.6, 0.9, 0.8),  # the middle .75 rounds to .8 on one digit (to even)
        (0.7, 0.8, 0.8),
        (0.74, 0.76, 0.75),
        (0.72727, 0.72728, 0.72728),
        (0.2, 1.7, 1.0),
        (-0.5, 0.25, 0.0),
        (1.0, 1.1, 1.1),
    ],
)
def test_short_decimals(low, high, number):
    assert repr(short_decimal(low, high)) == repr(number)


@given(st.floats(-2, 2), st.floats(-2, 2))
def test_short_decimals_lie_between(one, other):
    low, high = min(one, other), max(one, other)
    if low < high:
        assert low < short_decimal(low, high) <= high
