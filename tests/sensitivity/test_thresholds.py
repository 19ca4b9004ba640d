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


def best_by_trying(groups, damaged, require, target):
    """(share of false alarms in the worst group, share of detections) of the best among all choices of bars."""
    grids = [sorted({*column, 2.0}) for column in np.concatenate([*groups, damaged]).T.tolist()]
    choices = [[bar] for bar in grids[0]] if len(grids) == 1 else [[one, two] for one in grids[0] for two in grids[1]]
    shares = [shares_of(groups, damaged, bars, require) for bars in choices]
    if target.max_false_alarm is not None:
        allowed = [(alarm, hit) for alarm, hit in shares if alarm <= target.max_false_alarm]
        return min(allowed, key=lambda share: (-share[1], share[0]))
    allowed = [(alarm, hit) for alarm, hit in shares if hit >= target.min_detect]
    return min(allowed, key=lambda share: (share[0], -share[1]))


def shares_of(groups, damaged, bars, require):
    alarm = max(fires(group, bars, require) / len(group) for group in groups)
    return alarm, fires(damaged, bars, require) / len(damaged)


@given(st.lists(SCORES, min_size=1, max_size=2), SCORES, TARGETS)
def test_no_other_bar_is_better(harmless, damaged, target):
    groups, high = [np.array(group)[:, np.newaxis] for group in harmless], np.array(damaged)[:, np.newaxis]
    chosen = choose(groups, high, "primary", target)
    assert chosen[1:] == best_by_trying(groups, high, "both", target)
    assert chosen[1:] == shares_of(groups, high, chosen.bars, "both")


PAIRS = st.lists(st.tuples(*[st.sampled_from([0.0, 0.2, 0.5, 1.0])] * 2), min_size=1, max_size=10)


@given(PAIRS, PAIRS, st.sampled_from(["both", "either"]), TARGETS)
def test_no_other_pair_of_bars_is_better(tolerated, damaged, require, target):
    groups, high = [np.array(tolerated)], np.array(damaged)
    chosen = choose(groups, high, require, target)
    assert chosen[1:] == best_by_trying(groups, high, require, target)
    assert chosen[1:] == shares_of(groups, high, chosen.bars, require)


def test_the_bar_is_short_and_stands_between_the_scores():
    # Tolerated .8 and .9, damaged .5 and .7272…: any bar in (.7272…, .8] does, and .8 is the shortest.
    chosen = choose([np.array([[0.8], [0.9]])], np.array([[0.5], [8 / 11]]), "primary", Target(max_false_alarm=0.05))
    assert chosen == ((0.8,), 0, 1)


def test_a_large_group_does_not_hide_a_small_one():
    mild, paraphrases = np.full((1000, 1), 0.9), np.array([[0.7], [1.0]])
    damaged = np.array([[0.6], [0.8]])
    # A bar above .8 would catch both and fire on 1 of 1,002 harmless pairs, but on half of the paraphrases.
    assert choose([mild, paraphrases], damaged, "primary", Target(max_false_alarm=0.05)) == ((0.65,), 0, 0.5)


def test_five_of_a_hundred_are_five_percent():
    damaged = np.zeros((1, 1))
    for share in range(1, 100):
        # The first scores are those of the alarms; 100 * .29 is less than 29 in floating point.
        tolerated = np.concatenate([np.zeros(share), np.ones(100 - share)])[:, np.newaxis]
        assert choose([tolerated], damaged, "primary", Target(max_false_alarm=share / 100)).false_alarm == share / 100


def test_joint_bars_on_many_different_scores_keep_their_counts():
    chance = np.random.default_rng(0)
    tolerated, damaged = chance.normal(0.8, 0.1, (1500, 2)), chance.normal(0.6, 0.1, (1500, 2))
    assert len(np.unique(tolerated)) > FINEST_GRID
    for require in ("both", "either"):
        chosen = choose([tolerated], damaged, require, Target(max_false_alarm=0.05))
        assert chosen[1:] == shares_of([tolerated], damaged, chosen.bars, require) and chosen.false_alarm <= 0.05
        single = choose([tolerated[:, :1]], damaged[:, :1], "primary", Target(max_false_alarm=0.05))
        assert chosen.detected > single.detected  # two independent signs tell more than one


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
