from datetime import date

import pytest

from wfkit.errors import UsageProblem
from wfkit.gate.baseline import Baseline
from wfkit.gate.expectation import Expectation
from wfkit.gate.policy import DEFAULT_POLICY, load_policy
from wfkit.gate.run import Run, compared_metrics
from wfkit.gate.waivers import Waivers, load_waivers

RULE = {"name": "low", "primary": {"metric": "m", "below": 0.5}, "action": "fail"}
MEAN = {"name": "average", "metric": "k", "statistic": "mean", "below": 0.8}
TEXTS = ["fetch the key", "unlock the door"]


@pytest.fixture
def pair(make_pair):
    def build(identifier, score, golden="g", **fields):
        record = make_pair(TEXTS, TEXTS, scores={"m": score, "k": score})
        record["golden"]["id"], record["candidate"]["id"] = golden, identifier
        return {**record, "id": identifier, **fields}

    return build


def policy(**fields):
    return load_policy({"version": 1, "rules": [RULE], **fields})


def waivers_for(loaded, golden="g"):
    waiver = {"golden": golden, "rule": "low", "reason": "on purpose", "expires": "2026-12-31"}
    return Waivers(load_waivers([waiver], loaded), date(2026, 1, 1))


def test_a_plain_run_says_what_was_asked_for_and_nothing_else(pair):
    run = Run(policy())
    statuses = [run.judge(pair(name, score))["status"] for name, score in (("a", 0.9), ("b", 0.4))]
    conclusion = run.finish()
    assert statuses == ["pass", "fail"]
    assert conclusion.exit_code == conclusion.summary["exit_code"] == 1
    assert list(conclusion.summary) == [
        "result", "exit_code", "reasons", "verdicts", "status", "changed_passes", "rules", "nulls", "errors",
        "signatures",
    ]  # fmt: skip
    assert conclusion.lines == [
        "fail  b  m 0.400 < 0.5; no step differs from its counterpart: the scores alone are below their bars",
        "2 workflows: 1 passed, 1 failed, 0 to review, 0 unmeasured",
    ]


def test_everything_that_was_asked_for_is_in_the_summary(pair):
    loaded = policy(set_rules=[MEAN], coverage=0.5, repeats="any")
    baseline = Baseline("base.jsonl", compared_metrics(loaded))
    baseline.learn(pair("a", 0.9))
    run = Run(loaded, waivers=waivers_for(loaded, "other"), baseline=baseline, expectation=Expectation(["g", "h"]))
    run.judge(pair("a", 0.9))
    run.saw_error({"kind": "error", "id": "x"})
    conclusion = run.finish()
    assert list(conclusion.summary)[-6:] == ["expected", "set_rules", "goldens", "coverage", "baseline", "waivers"]
    assert conclusion.summary["coverage"] == {
        "expected": 3, "measured": 1, "share": 1 / 3, "floor": 0.5, "status": "unmeasured",
    }  # fmt: skip
    assert conclusion.exit_code == 3


def test_a_run_that_asks_for_nothing_of_the_whole_keeps_no_pair(pair):
    run = Run(load_policy(DEFAULT_POLICY))
    sizes = []
    for number in range(200):
        run.judge(pair(f"p{number}", 0.9))
        sizes.append(len(run._goldens._held) + sum(len(one) for one in run._statistics._slices))
    assert max(sizes) == 0


def test_the_metrics_of_all_rules_are_compared_each_once():
    assert compared_metrics(policy(set_rules=[MEAN, {**MEAN, "name": "again", "statistic": "min"}])) == ["m", "k"]


def test_a_waived_pair_and_a_waived_mean_of_repeats(pair):
    for repeats in (None, "mean"):
        loaded = policy(repeats=repeats)
        run = Run(loaded, waivers=waivers_for(loaded))
        assert run.judge(pair("a", 0.4))["status"] == "waived"
        conclusion = run.finish()
        assert conclusion.exit_code == 0
        assert conclusion.summary["status"]["waived"] == 1
        assert len(conclusion.summary["waivers"]["used"]) == 1
        assert conclusion.lines[0].startswith("waived  a  waived until 2026-12-31: on purpose; m 0.400 < 0.5")


def test_metrics_that_no_record_has_are_told_once_for_all(pair):
    slip = {"name": "slip", "primary": {"metric": "chain_fl", "below": 0.5}, "action": "fail"}
    run = Run(load_policy({"version": 1, "rules": [slip]}))
    for name in "abc":
        assert run.judge(pair(name, 0.9, scores={"chain_f1": 0.9}))["status"] == "unmeasured"
    conclusion = run.finish()
    assert conclusion.exit_code == 4
    assert conclusion.summary["reasons"] == [
        "3 of 3 workflows could not be measured",
        "no record has the metric chain_fl; did you mean 'chain_f1'?",
    ]


def test_bars_that_were_calibrated_for_other_scores_are_told(pair):
    calibration = {"signatures": {"m": "wfkit=1", "k": "wfkit=1"}}
    run = Run(policy(calibration=calibration))
    run.judge(pair("a", 0.9, signatures={"m": "wfkit=2", "k": "wfkit=1"}))
    assert run.finish().lines[0] == "the bars of m were calibrated for wfkit=1, and these scores are of wfkit=2"
    for other in (None, {}, {"signatures": []}):
        run = Run(policy(calibration=other))
        run.judge(pair("a", 0.9, signatures={"m": "wfkit=2"}))
        assert len(run.finish().lines) == 1


def test_signatures_are_not_mixed(pair):
    run = Run(policy())
    run.judge(pair("a", 0.9, signatures={"m": "wfkit=1"}))
    with pytest.raises(UsageProblem, match="m was measured in two ways"):
        run.judge(pair("b", 0.9, signatures={"m": "wfkit=2"}))


def test_set_rules_see_the_best_of_several_goldens(pair):
    run = Run(policy(set_rules=[MEAN]))
    for golden, score in (("g1", 0.2), ("g2", 1.0)):
        run.judge(pair(f"c@{golden}", score, golden, group="tea", candidate={**pair("c", 1)["candidate"], "id": "c"}))
    conclusion = run.finish()
    assert conclusion.exit_code == 0
    assert [(one["n"], one["value"]) for one in conclusion.summary["set_rules"]] == [(1, 1.0)]
