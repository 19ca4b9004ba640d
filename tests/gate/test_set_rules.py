import json
from pathlib import Path

import jsonschema_rs
import pytest

from wfkit.errors import UsageProblem
from wfkit.gate.policy import load_policy
from wfkit.gate.set_rules import Repeats, SetRule, field_text

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "policy.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)
RULE = {"name": "average", "metric": "chain_f1", "statistic": "mean", "below": 0.9}
PASS_RATE = {"name": "enough", "statistic": "pass_rate", "below": 0.95}


def policy(*rules, **fields):
    return {"version": 1, "set_rules": list(rules), **fields}


def with_fields(**fields):
    return policy({**RULE, **fields})


def without(key):
    return policy({name: value for name, value in RULE.items() if name != key})


def test_a_rule_with_all_that_it_leaves_out():
    [rule] = load_policy(policy(RULE)).set_rules
    assert rule == SetRule("average", "mean", "chain_f1", 0.9, (), None, 1, "fail")


def test_a_rule_with_everything():
    value = with_fields(slice={"golden.source": "n8n", "severity": 30}, by="golden.meta.team", min_n=5, action="review")
    VALIDATOR.validate(value)
    [rule] = load_policy(value).set_rules
    assert rule.slice == (("golden.source", "n8n"), ("severity", "30"))
    assert (rule.by, rule.min_n, rule.action) == ("golden.meta.team", 5, "review")


FAULTS = {
    "no list": ({"version": 1, "set_rules": {}}, "set_rules: expected a list of rules, got an object"),
    "empty": ({"version": 1, "set_rules": []}, "'rules' is missing"),
    "both empty": ({"version": 1, "rules": [], "set_rules": []}, "the policy has no rules"),
    "typo": (with_fields(statistics="mean"), r"set_rules\[0\]: unknown key 'statistics'; did you mean 'statistic'"),
    "unknown statistic": (with_fields(statistic="avg"), "unknown value 'avg'; known are mean, median, min, p10"),
    "statistic near another": (with_fields(statistic="p-10"), "unknown value 'p-10'; did you mean 'p10'"),
    "no statistic": (without("statistic"), "'statistic' is missing"),
    "no bar": (without("below"), "'below' is missing"),
    "no metric": (without("metric"), "'metric' is missing: mean of which scores"),
    "metric of a pass rate": (policy({**PASS_RATE, "metric": "bleu"}), "pass_rate is a share of verdicts"),
    "bar as a string": (with_fields(below="0.9"), r"below: expected a number, got the string '0\.9'"),
    "pass rate as a percentage": (policy({**PASS_RATE, "below": 95}), "from 0 to 1, got 95; write 0.95 for 95 %"),
    "negative pass rate": (policy({**PASS_RATE, "below": -0.1}), "expected a share from 0 to 1, got -0.1"),
    "slice as a text": (with_fields(slice="n8n"), r"slice: expected fields and values .*, got a string"),
    "slice by a list": (with_fields(slice={"golden.source": ["n8n"]}), "expected a text, a number or a boolean"),
    "slice by nothing": (with_fields(slice={"golden..source": "n8n"}), "expected a field such as golden.source"),
    "by a number": (with_fields(by=3), "expected a field such as golden.source, got 3"),
    "too few": (with_fields(min_n=0), "min_n: expected a whole number from 1 on, got 0"),
    "half a value": (with_fields(min_n=1.5), "min_n: expected a whole number from 1 on, got 1.5"),
    "unknown action": (with_fields(action="warn"), "unknown value 'warn'; known are fail, review"),
    "name of nothing": (with_fields(name=""), r"set_rules\[0\]\.name: expected a name, got ''"),
    "name of another": (policy(RULE, {**RULE, "statistic": "min"}), "two rules are called 'average'"),
    "name of a rule on pairs": (
        policy(RULE, rules=[{"name": "average", "primary": {"metric": "a", "below": 1}, "action": "fail"}]),
        "two rules are called 'average'",
    ),
    "two bars": (policy(RULE, {**RULE, "name": "b", "below": 0.8}), "two bars, 0.9 and 0.8, for the same statistic"),
    "never to review": (
        policy(RULE, {**RULE, "name": "b", "below": 0.8, "action": "review"}),
        "what is below 0.8 fails already, so it can never go to review",
    ),
    "coverage as a string": (policy(RULE, coverage="0.9"), "coverage: expected a number, got the string"),
    "coverage as a percentage": (policy(RULE, coverage=95), "from 0 to 1, got 95; write 0.95 for 95 %"),
    "unknown repeats": (policy(RULE, repeats="every"), "repeats.rule: unknown value 'every'"),
    "k of n without k": (policy(RULE, repeats="k_of_n"), "k_of_n needs the number that must pass"),
    "k of n of none": (policy(RULE, repeats={"rule": "k_of_n", "k": 0}), "repeats.k: expected a whole number from 1"),
    "k of all": (policy(RULE, repeats={"rule": "all", "k": 2}), "repeats.k: all takes no number; only k_of_n does"),
    "repeats with a typo": (policy(RULE, repeats={"rul": "all"}), "repeats: unknown key 'rul'; did you mean 'rule'"),
    "repeats as a number": (policy(RULE, repeats=2), "repeats: expected an object, got a number"),
    "mean of repeats without rules": (policy(RULE, repeats="mean"), "mean holds the mean scores of the repeats"),
}
ONLY_THE_LOADER_SEES = {
    "slice by nothing", "name of another", "name of a rule on pairs", "two bars", "never to review",
    "mean of repeats without rules",
}  # fmt: skip


@pytest.mark.parametrize(("value", "message"), FAULTS.values(), ids=FAULTS)
def test_faults_are_named(value, message):
    with pytest.raises(UsageProblem, match=message):
        load_policy(value)


@pytest.mark.parametrize("name", sorted(FAULTS.keys() - ONLY_THE_LOADER_SEES))
def test_the_schema_refuses_what_the_loader_refuses(name):
    assert not VALIDATOR.is_valid(FAULTS[name][0])


def test_review_above_failure_is_no_contradiction():
    rules = load_policy(policy(RULE, {**RULE, "name": "b", "below": 0.95, "action": "review"})).set_rules
    assert [rule.action for rule in rules] == ["fail", "review"]


@pytest.mark.parametrize(
    ("value", "repeats"),
    [
        (None, None),
        ("any", Repeats("any")),
        ({"rule": "all"}, Repeats("all")),
        ({"rule": "k_of_n", "k": 2}, Repeats("k_of_n", 2)),
    ],
)
def test_repeats(value, repeats):
    whole = policy(RULE, repeats=value)
    VALIDATOR.validate(whole)
    assert load_policy(whole).repeats == repeats


@pytest.mark.parametrize(
    ("value", "text"),
    [("a", "a"), (30, "30"), (30.0, "30"), (12.5, "12.5"), (True, "true"), (None, None), ([1], None), ({}, None)],
)
def test_fields_are_compared_as_text(value, text):
    assert field_text(value) == text
