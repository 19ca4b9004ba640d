import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.gate.observation import ABSENT, Observation, Observer
from wfkit.gate.policy import load_policy
from wfkit.gate.set_statistics import SetStatistics, mean_interval, mean_of, quantile_of

SCORES = [0.2, 0.4, 0.6, 0.8, 1.0]


def results_of(rule, observations, metrics_seen=("m",), **policy):
    """The results of one set rule over (score, status, fields, golden) of some pairs."""
    value = {"version": 1, "set_rules": [{"name": "r", "below": 0.5, "statistic": "mean", **rule}], **policy}
    statistics = SetStatistics(load_policy(value))
    observer = Observer(["other", *statistics.metrics], statistics.fields)
    for number, given_of in enumerate(observations):
        score, status, fields, golden = (*given_of, *(1.0, "pass", {}, f"g{number}")[len(given_of) :])
        statistics.add(
            Observation(
                f"p{number}", golden, None, f"c{number}", status,
                (0.0, *(score for _ in statistics.metrics)), tuple(fields.get(path) for path in statistics.fields),
            ),
            observer,
        )  # fmt: skip
    return statistics.results(metrics_seen)


def result_of(*arguments, **policy):
    [result] = results_of(*arguments, **policy)
    return result


@pytest.mark.parametrize(
    ("statistic", "value"),
    [
        ("mean", 0.6),
        ("median", 0.6),
        ("min", 0.2),
        ("p10", 0.28),  # 0.1 of the way through four gaps: 0.2 + 0.4 * 0.2
    ],
)
def test_each_statistic_by_hand(statistic, value):
    result = result_of({"metric": "m", "statistic": statistic}, [(score,) for score in SCORES])
    assert result == {
        "name": "r", "status": "pass" if value >= 0.5 else "fail", "statistic": statistic, "metric": "m",
        "slice": None, "n": 5, "unknown": 0, "value": pytest.approx(value, abs=1e-12), "below": 0.5,
    }  # fmt: skip


def test_the_pass_rate_is_of_verdicts_that_are_measured():
    """Two of four pass: waived counts as pass, review does not, unmeasured is left out and makes it open."""
    statuses = ["pass", "waived", "review", "fail"]
    result = result_of({"statistic": "pass_rate"}, [(1.0, status) for status in statuses])
    assert (result["value"], result["status"], result["n"], result["metric"]) == (0.5, "pass", 4, None)
    result = result_of({"statistic": "pass_rate"}, [(1.0, status) for status in (*statuses, "unmeasured")])
    assert (result["value"], result["status"], result["unknown"]) == (0.5, "unmeasured", 1)


@pytest.mark.parametrize(("below", "status"), [(0.6, "pass"), (0.6000000001, "fail"), (0.5, "pass")])
def test_equal_to_the_bar_passes(below, status):
    assert result_of({"metric": "m", "below": below}, [(score,) for score in SCORES])["status"] == status


def test_the_action_may_be_review():
    assert result_of({"metric": "m", "below": 0.9, "action": "review"}, [(0.5,)])["status"] == "review"


@pytest.mark.parametrize(
    ("observations", "rule", "reason"),
    [
        ([], {}, "there is nothing to measure"),
        ([(0.9,)], {"min_n": 2}, "1 score, and at least 2 are asked for"),
        ([(0.1,)], {"min_n": 2}, "1 score, and at least 2 are asked for"),  # too few to fail, too
        ([(ABSENT,), (ABSENT,)], {}, "none of 2 scores is known: not in the record"),
        ([("unavailable: no model",)], {}, "none of 1 score is known: unavailable: no model"),
        ([(0.9,), ("unavailable: no model",)], {}, "1 of 2 are unknown: unavailable: no model"),
        ([(0.9, "pass", {"a.b": "x"})], {"slice": {"a.b": "y"}}, "no workflow has a.b = y"),
        ([(0.9,)], {"by": "a.b"}, "no workflow has a field a.b"),
        ([(0.9,)], {"statistic": "ci_lower"}, "an interval needs at least two goldens"),
        ([(0.9, "pass", {}, "g"), (0.8, "pass", {}, "g")], {"statistic": "ci_lower"}, "needs at least two goldens"),
    ],
)
def test_too_little_is_unmeasured_with_a_reason_and_never_a_pass(observations, rule, reason):
    result = result_of({"metric": "m", **rule}, observations)
    assert result["status"] == "unmeasured"
    assert reason in result["reason"]


@pytest.mark.parametrize(
    ("metric", "metrics_seen", "reason"),
    [
        ("chain_fl", ["chain_f1", "bleu"], "no record has the metric chain_fl; did you mean 'chain_f1'?"),
        ("chain_fl", ["bleu"], "no record has the metric chain_fl; known are bleu"),
        ("chain_fl", [], "no record has the metric chain_fl; no record has any score"),
        # A metric of ours is no slip, however near another one is.
        ("gleu", ["bleu"], "no record has the metric gleu: wf-score --metrics gleu adds it"),
    ],
)
def test_a_metric_that_no_record_has(metric, metrics_seen, reason):
    assert result_of({"metric": metric}, [(ABSENT,)], metrics_seen)["reason"] == reason


def test_unknown_scores_do_not_undo_a_failure_and_are_tolerated_down_to_the_coverage_floor():
    observations = [(0.9,), (0.9,), (0.9,), ("unavailable: no model",)]
    assert result_of({"metric": "m", "below": 0.95}, observations)["status"] == "fail"
    assert result_of({"metric": "m"}, observations, coverage=0.75)["status"] == "pass"
    assert result_of({"metric": "m"}, observations, coverage=0.76)["status"] == "unmeasured"


def test_what_is_left_out_on_purpose_is_missed_nowhere():
    result = result_of({"metric": "m"}, [(0.9,), ("undefined: one step",), ("skipped: chain_f1 > 0.9",)])
    assert (result["status"], result["n"], result["unknown"], result["value"]) == ("pass", 1, 0, 0.9)


def test_slices_and_one_result_for_each_value_of_a_field():
    observations = [
        (0.9, "pass", {"golden.source": "n8n", "severity": "10"}),
        (0.3, "fail", {"golden.source": "asl", "severity": "10"}),
        (0.1, "fail", {"golden.source": "asl", "severity": "30"}),
        (0.7, "pass", {"severity": "10"}),
    ]
    results = results_of({"metric": "m", "by": "golden.source", "slice": {"severity": 10}}, observations)
    assert [(one["slice"], one["n"], one["value"], one["status"]) for one in results] == [
        ({"severity": "10", "golden.source": "n8n"}, 1, 0.9, "pass"),
        ({"severity": "10", "golden.source": "asl"}, 1, 0.3, "fail"),
        ({"severity": "10", "golden.source": None}, 1, 0.7, "pass"),
    ]


def test_the_interval_resamples_goldens():
    """Ten equal pairs of one golden are one observation: the interval is as wide as with one pair each."""
    one_each = [(float(score), "pass", {}, f"g{score}") for score in (0, 1)]
    ten_each = [one for one in one_each for _ in range(10)]
    rule = {"metric": "m", "statistic": "ci_lower"}
    assert result_of(rule, one_each)["value"] == result_of(rule, ten_each)["value"] == 0.0


def test_the_interval_is_the_same_in_every_run_and_near_the_normal_one():
    chance = np.random.default_rng(1)
    values = chance.normal(0.7, 0.1, 400)
    low, high = mean_interval(list(values), [1] * 400, "test")
    assert (
        (low, high) == mean_interval(list(values), [1] * 400, "test") == mean_interval(values[::-1], [1] * 400, "test")
    )
    margin = 1.96 * values.std() / np.sqrt(400)
    assert low == pytest.approx(values.mean() - margin, abs=0.001)
    assert high == pytest.approx(values.mean() + margin, abs=0.001)


@given(st.permutations([(score, "pass", {}, golden) for score, golden in zip(SCORES, "aabbc", strict=True)]))
def test_the_order_of_the_stream_changes_nothing(observations):
    rules = [{"metric": "m", "statistic": one} for one in ("mean", "median", "min", "p10", "ci_lower")]
    in_order = [(score, "pass", {}, golden) for score, golden in zip(SCORES, "aabbc", strict=True)]
    for rule in rules:
        assert result_of(rule, observations) == result_of(rule, in_order)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=30), st.floats(0, 1))
def test_quantiles_are_those_of_numpy(numbers, share):
    assert quantile_of(numbers, share) == pytest.approx(float(np.quantile(numbers, share)), abs=1e-9)


@given(st.floats(0, 1), st.integers(1, 50))
def test_the_mean_of_equal_scores_is_that_score(score, count):
    assert mean_of([score] * count) == score
