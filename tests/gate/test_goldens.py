import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.gate.goldens import Goldens, mean_scores
from wfkit.gate.observation import Observation
from wfkit.gate.policy import load_policy

RULE = {"name": "low", "primary": {"metric": "m", "below": 0.5}, "action": "fail"}
HINT = {"name": "hint", "primary": {"metric": "m", "below": 0.8}, "action": "review"}


def seen(identifier, status, score=1.0, *, golden="g", group=None, candidate=None):
    return Observation(identifier, golden, group, candidate or identifier, status, (score,))


def goldens_of(repeats=None, fail_on="fail", waive=lambda golden, rules: False):
    value = {"version": 1, "rules": [RULE, HINT], **({"repeats": repeats} if repeats else {})}
    return Goldens(load_policy(value), ["m"], fail_on, waive)


def settle(goldens, observations):
    at_once = [one for one in observations if goldens.add(one) is not None]
    return at_once, list(goldens.finish())


def test_without_groups_and_repeats_every_pair_counts_at_once():
    goldens = goldens_of()
    observations = [seen("a", "pass"), seen("b", "fail"), seen("c", "fail", golden="h")]
    assert settle(goldens, observations) == (observations, [])
    assert dict(goldens.counts) == {"pass": 1, "fail": 2}
    assert goldens.summary() is None


def test_of_several_goldens_the_best_counts_for_a_candidate():
    goldens = goldens_of()
    worse = seen("c@g1", "fail", 0.2, golden="g1", group="tea", candidate="c")
    better = seen("c@g2", "review", 0.6, golden="g2", group="tea", candidate="c")
    other = seen("d", "fail", 0.1, golden="g1", group="tea", candidate="d")
    assert settle(goldens, [worse, better, other]) == ([], [better, other])
    assert dict(goldens.counts) == {"review": 1, "fail": 1}
    assert goldens.summary() == {
        "rule": "each", "groups": 2, "failed_count": 1, "failed": ["d"], "unmeasured_count": 0, "unmeasured": [],
    }  # fmt: skip


def test_pairs_that_another_golden_outdoes_are_told_if_they_did_not_pass():
    statuses = (("c@g1", "fail"), ("c@g2", "review"), ("c@g3", "pass"), ("c@g4", "pass"), ("c@g5", "fail"))
    observations = [seen(name, status, golden=name[2:], group="tea", candidate="c") for name, status in statuses]
    for order in (observations, observations[::-1]):
        goldens = goldens_of()
        settle(goldens, order)
        assert goldens.outdone == {"c@g1", "c@g2", "c@g5"}


def test_of_goldens_with_one_status_the_higher_scores_count():
    low, high = (
        seen(f"c@{score}", "pass", score, golden=f"g{score}", group="tea", candidate="c") for score in (0.8, 0.9)
    )
    for order in ([low, high], [high, low]):
        assert settle(goldens_of(), order) == ([], [high])


def test_one_candidate_of_one_golden_each_is_no_group_to_speak_of():
    goldens = goldens_of()
    settle(goldens, [seen("a", "pass", group="tea"), seen("b", "fail", group="door")])
    assert (dict(goldens.counts), goldens.summary()) == ({"pass": 1, "fail": 1}, None)


P, W, R, U, F = "pass", "waived", "review", "unmeasured", "fail"


@pytest.mark.parametrize(
    ("statuses", "of_all", "of_any", "of_two"),
    [
        ([P], P, P, U),  # two are asked for, one came
        ([P, P], P, P, P),
        ([P, F], F, P, F),
        ([P, P, F], F, P, P),
        ([P, F, F], F, P, F),
        ([F, F], F, F, F),
        ([P, U], U, P, U),
        ([U, F], F, U, F),  # the unmeasured one may have passed: that is enough for any, and not for two
        ([R, U, F], F, R, U),
        ([P, R], R, P, R),
        ([W, F], F, W, F),
        ([P, W], W, P, W),
    ],
)
def test_repeats_count_together(statuses, of_all, of_any, of_two):
    observations = [seen(str(number), status) for number, status in enumerate(statuses)]
    for repeats, expected in (("all", of_all), ("any", of_any), ({"rule": "k_of_n", "k": 2}, of_two)):
        for order in (observations, observations[::-1]):
            goldens = goldens_of(repeats)
            at_once, held = settle(goldens, order)
            assert (at_once, len(held)) == ([], len(statuses))
            assert dict(goldens.counts) == {expected: 1}


@pytest.mark.parametrize(
    ("fail_on", "statuses", "of_any", "of_all"),
    [("fail", [R, U], R, U), ("review", [R, U], U, R), ("review", [R, F], R, F)],
)
def test_what_is_unmeasured_stands_between_what_is_good_enough_and_what_is_not(fail_on, statuses, of_any, of_all):
    for repeats, expected in (("any", of_any), ("all", of_all)):
        goldens = goldens_of(repeats, fail_on)
        settle(goldens, [seen(str(number), status) for number, status in enumerate(statuses)])
        assert dict(goldens.counts) == {expected: 1}


@pytest.mark.parametrize("group", [None, "tea"])
def test_repeats_that_are_called_alike_are_repeats_and_not_several_goldens(group):
    """A program may call every candidate by the id of its golden."""
    observations = [
        seen(f"run{number}", status, golden="tea", group=group, candidate="tea")
        for number, status in enumerate((P, F, F))
    ]
    for repeats, status in ((None, None), ("all", F), ({"rule": "k_of_n", "k": 2}, F), ("any", P)):
        goldens = goldens_of(repeats)
        settle(goldens, observations)
        assert dict(goldens.counts) == ({P: 1, F: 2} if status is None else {status: 1})
        assert goldens.outdone == set()


def test_repeats_of_other_goldens_are_apart():
    goldens = goldens_of("any")
    settle(goldens, [seen("a1", F, golden="a"), seen("a2", P, golden="a"), seen("b1", F, golden="b")])
    assert dict(goldens.counts) == {P: 1, F: 1}
    assert goldens.summary()["failed"] == ["b"]


def test_goldens_and_repeats_together():
    """Candidate c fails against one golden and passes against the other; d fails against both; one of two passes."""
    observations = [
        seen(f"{name}@{golden}", status, golden=golden, group="tea", candidate=name)
        for name, golden, status in (("c", "g1", F), ("c", "g2", P), ("d", "g1", F), ("d", "g2", F))
    ]
    for repeats, status in (("any", P), ("all", F)):
        goldens = goldens_of(repeats)
        settle(goldens, observations)
        assert dict(goldens.counts) == {status: 1}


@pytest.mark.parametrize(
    ("scores", "status"),
    [
        ([0.4, 0.6], R),  # 0.5 is not below the bar of 0.5, and below that of 0.8
        ([0.4, 0.5], F),  # 0.45
        ([0.4, 1.0, 1.0], P),  # 0.8
        ([0.9, "unavailable: no model"], U),
        ([0.9, "undefined: one step"], P),  # left out
        (["undefined: one step", "undefined: one step"], U),  # no rule applies
    ],
)
def test_the_mean_of_repeats_is_held_against_the_rules(scores, status):
    goldens = goldens_of("mean")
    settle(goldens, [seen(str(number), P, score) for number, score in enumerate(scores)])
    assert dict(goldens.counts) == {status: 1}


def test_a_waiver_covers_what_the_mean_of_repeats_breaks():
    asked = []

    def waive(golden, rules):
        asked.append((golden, rules))
        return True

    goldens = goldens_of("mean", waive=waive)
    settle(goldens, [seen("a", F, 0.4), seen("b", F, 0.3)])
    assert (dict(goldens.counts), asked) == ({W: 1}, [("g", ["low", "hint"])])


def test_many_failing_goldens_are_counted_and_the_first_named():
    goldens = goldens_of("all")
    settle(goldens, [seen(f"c{number}", F, golden=f"g{number}") for number in range(130)])
    summary = goldens.summary()
    assert (summary["failed_count"], summary["failed"]) == (130, [f"g{number}" for number in range(100)])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_a_mean_lies_between_the_scores(scores):
    means, reasons = mean_scores(["m"], [seen("a", P, score) for score in scores])
    assert min(scores) <= means["m"] <= max(scores)
    assert reasons == {}
