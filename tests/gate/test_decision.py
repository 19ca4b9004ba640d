import pytest

from wfkit.gate.decision import Findings, coverage_of, decide
from wfkit.gate.policy import load_policy

RULES = [{"name": "r", "primary": {"metric": "m", "below": 0.5}, "action": "fail"}]
SET_RULE = {"name": "average", "metric": "m", "statistic": "mean", "below": 0.9}


def policy(**fields):
    return load_policy({"version": 1, "rules": RULES, "set_rules": [SET_RULE], **fields})


def set_result(status):
    value = None if status == "unmeasured" else 0.8
    result = {
        "name": "average", "status": status, "statistic": "mean", "metric": "m", "slice": None, "n": 9, "unknown": 0,
        "value": value, "below": 0.9,
    }  # fmt: skip
    return {**result, "reason": "none of 9 scores is known: x"} if status == "unmeasured" else result


def baseline(status="pass", missing=0, metrics=True):
    result = {
        "metric": "m", "n": 9, "goldens": 9, "baseline_mean": 0.9, "mean": 0.8, "drop": 0.1, "ci": [0.05, 0.15],
        "max_drop": 0.02, "status": status, **({"reason": "1 score"} if status == "unmeasured" else {}),
    }  # fmt: skip
    missing_ids = [f"g{number}" for number in range(missing)]
    return {"file": "b", "metrics": [result] if metrics else [], "missing_count": missing, "missing": missing_ids}


@pytest.mark.parametrize(
    ("findings", "on_fail", "on_review"),
    [
        (Findings({"pass": 2}), 0, 0),
        (Findings({"pass": 1, "waived": 1}), 0, 0),
        (Findings({"pass": 1, "review": 1}), 0, 1),
        (Findings({"pass": 1, "fail": 1}), 1, 1),
        (Findings({"fail": 1, "unmeasured": 1}, errors=1, missing=["g"]), 1, 1),
        (Findings({"review": 1}, errors=1), 3, 1),
        (Findings({"pass": 1}, errors=1), 3, 3),
        (Findings({}, errors=1), 3, 3),
        (Findings({"pass": 1, "unmeasured": 1}, errors=1), 3, 3),
        (Findings({"pass": 1, "unmeasured": 1}), 4, 4),
        (Findings({"review": 1, "unmeasured": 1}), 4, 1),
        (Findings({"pass": 1}, missing=["g"]), 4, 4),
        (Findings({}), 4, 4),
        (Findings({"pass": 1}, set_results=[set_result("pass")]), 0, 0),
        (Findings({"pass": 1}, set_results=[set_result("fail")]), 1, 1),
        (Findings({"pass": 1}, set_results=[set_result("review")]), 0, 1),
        (Findings({"pass": 1}, set_results=[set_result("unmeasured")]), 4, 4),
        (Findings({"pass": 1}, errors=1, set_results=[set_result("fail")]), 1, 1),
        (Findings({"pass": 1}, baseline=baseline()), 0, 0),
        (Findings({"pass": 1}, baseline=baseline("fail")), 1, 1),
        (Findings({"pass": 1}, baseline=baseline("unmeasured")), 4, 4),
        (Findings({"pass": 1}, baseline=baseline(missing=1)), 4, 4),
        (Findings({"pass": 1}, baseline=baseline(metrics=False)), 4, 4),
        (Findings({"pass": 1}, absent=["no record has the metric x"]), 0, 0),
    ],
)
def test_the_exit_code_is_the_gravest_answer_and_always_has_a_reason(findings, on_fail, on_review):
    for fail_on, code in (("fail", on_fail), ("review", on_review)):
        decision = decide(findings, policy(), fail_on)
        assert decision.exit_code == code
        assert bool(decision.reasons) == (code != 0)


def test_reasons_are_in_plain_words_the_gravest_first():
    findings = Findings(
        {"fail": 1, "pass": 17, "review": 1, "unmeasured": 1},
        errors=2,
        missing=["a", "b"],
        set_results=[set_result("fail")],
        baseline=baseline("fail", missing=1),
        absent=["no record has the metric x"],
    )
    assert decide(findings, policy(), "review").reasons == [
        "1 of 20 workflows failed",
        "1 of 20 workflows must be reviewed, which --fail-on review refuses",
        "set rule average: the mean of m is 0.800 < 0.9 (9 values)",
        "baseline: mean m dropped by 0.1000, from 0.9000 to 0.8000, 95 % interval of the drop 0.0500 to 0.1500: "
        "more than the 0.02 allowed",
        "2 error records came or had to be written",
        "1 of 20 workflows could not be measured",
        "no record has the metric x",
        "2 expected goldens without candidate: a, b",
        "baseline: 1 of its workflows is missing from this run: g0",
    ]


def test_thousands_of_slices_are_no_thousands_of_reasons():
    findings = Findings({"pass": 1}, set_results=[set_result("unmeasured")] * 5000)
    reasons = decide(findings, policy(), "fail").reasons
    assert (len(reasons), reasons[-1]) == (21, "4980 more results of set rules like these")


@pytest.mark.parametrize(
    ("counts", "errors", "missing", "floor", "share", "code"),
    [
        ({"pass": 19, "unmeasured": 1}, 0, 0, 0.95, 0.95, 0),
        ({"pass": 18, "unmeasured": 1}, 0, 1, 0.95, 0.9, 4),
        ({"pass": 19}, 0, 1, 0.95, 0.95, 0),
        ({"pass": 19}, 1, 0, 0.95, 0.95, 3),  # an error record is never tolerated
        ({"fail": 1, "pass": 18}, 0, 1, 0.95, 0.95, 1),
        ({"pass": 19, "unmeasured": 1}, 0, 0, None, 0.95, 4),
        ({"unmeasured": 1}, 0, 0, 0, 0.0, 4),  # nothing was measured, which no floor lets pass
        ({"pass": 3}, 0, 0, 1, 1.0, 0),
        ({}, 0, 3, 0, 0.0, 4),  # nothing was judged
        ({}, 0, 0, 0, None, 4),
    ],
)
def test_a_coverage_floor_says_how_much_may_be_unmeasured_or_missing(counts, errors, missing, floor, share, code):
    findings = Findings(counts, errors=errors, missing=["g"] * missing)
    assert coverage_of(findings, floor)["share"] == share
    assert decide(findings, policy(coverage=floor), "fail").exit_code == code


def test_coverage_counts_error_records_and_missing_goldens_among_what_was_expected():
    findings = Findings({"pass": 5, "fail": 1, "unmeasured": 2}, errors=1, missing=["a"])
    assert coverage_of(findings, 0.9) == {
        "expected": 10, "measured": 6, "share": 0.6, "floor": 0.9, "status": "unmeasured",
    }  # fmt: skip
