import copy
import json
from pathlib import Path

import jsonschema_rs
import pytest

from wfkit.errors import UsageProblem
from wfkit.gate.policy import DEFAULT_POLICY, load_policy, metrics_of, with_require

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "policy.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)


def policy(**changes):
    rule = {"name": "steps", "primary": {"any_of": ["chain_f1"], "below": 0.75}, "action": "fail", **changes}
    return {"version": 1, "rules": [rule]}


def top(**changes):
    return {**policy(), **changes}


def test_default_policy_is_table_1():
    loaded = load_policy(DEFAULT_POLICY)
    assert [(rule.name, rule.action, rule.require) for rule in loaded.rules] == [
        ("missing_steps", "fail", "primary"),
        ("compressed_steps", "fail", "primary"),
        ("description_changes", "review", "primary"),
    ]
    assert metrics_of(loaded) == {"graph_f1", "chain_f1", "kendall_tau", "bleu", "gleu"}


def test_default_policy_and_the_schema_examples_are_valid_for_schema_and_loader():
    assert SCHEMA["examples"][0] == DEFAULT_POLICY
    for example in SCHEMA["examples"]:
        VALIDATOR.validate(example)
        load_policy(example)


def test_every_schema_property_is_described():
    undescribed = []

    def visit(node, path):
        for key, value in node.get("properties", {}).items():
            if "description" not in value:
                undescribed.append(f"{path}.{key}")
            visit(value, f"{path}.{key}")
        for key, value in node.get("$defs", {}).items():
            visit(value, key)

    visit(SCHEMA, "$")
    assert undescribed == []


FAULTS = {
    "not an object": ([], "the policy: expected an object, got a list"),
    "null": (None, "expected an object, got null"),
    "wrong kind": (top(kind="pair"), "expected a policy, got kind 'pair'"),
    "empty": ({}, "'version' is missing"),
    "no rules key": ({"version": 1}, "'rules' is missing"),
    "no rules": (top(rules=[]), "the policy has no rules"),
    "rules no list": (top(rules={}), "rules: expected a list of rules, got an object"),
    "rule no object": (top(rules=["steps"]), r"rules\[0\]: expected an object, got a string"),
    "typo at the top": (top(requier="both"), "unknown key 'requier'; did you mean 'require'"),
    "typo in a rule": (policy(acton="fail"), r"rules\[0\]: unknown key 'acton'; did you mean 'action'"),
    "typo in a clause": (
        policy(primary={"any_off": ["a"], "below": 1}),
        r"rules\[0\]\.primary: unknown key 'any_off'; did you mean 'any_of'",
    ),
    "nothing near": (
        top(zzz=1),
        "unknown key 'zzz'; known are kind, version, require, rules, set_rules, coverage, repeats",
    ),
    "future version": (top(version=2), "policies of version 1, not 2"),
    "version as a boolean": (top(version=True), "policies of version 1, not True"),
    "version as a string": (top(version="1"), "policies of version 1, not '1'"),
    "unknown require": (top(require="bot"), "require: unknown value 'bot'; did you mean 'both'"),
    "require as a list": (top(require=["both"]), "known are primary, both, either"),
    "unknown action": (policy(action="warn"), r"rules\[0\]\.action: unknown value 'warn'; known are fail, review"),
    "require without secondary": (policy(require="both"), "'both' needs a secondary clause, which rule 'steps' lacks"),
    "no name": (policy(name=" "), r"rules\[0\]\.name: expected a name"),
    "name with control characters": (policy(name="a\x1b[1m"), "expected a name"),
    "name no string": (policy(name=3), "expected a name, got 3"),
    "no primary": ({"version": 1, "rules": [{"name": "a", "action": "fail"}]}, "'primary' is missing"),
    "no threshold": (policy(primary={"any_of": ["a"]}), "'below' is missing"),
    "threshold as a string": (
        policy(primary={"any_of": ["a"], "below": "0.75"}),
        r"rules\[0\]\.primary\.below: expected a number, got the string '0.75'; write it without quotes",
    ),
    "threshold as a boolean": (policy(primary={"any_of": ["a"], "below": True}), "expected a number, got a boolean"),
    "threshold null": (policy(primary={"any_of": ["a"], "below": None}), "expected a number, got null"),
    "threshold NaN": (policy(primary={"any_of": ["a"], "below": float("nan")}), "expected a finite number, got nan"),
    "threshold infinite": (policy(primary={"any_of": ["a"], "below": float("inf")}), "expected a finite number"),
    "both quantifiers": (
        policy(primary={"any_of": ["a"], "all_of": ["b"], "below": 1}),
        "any_of, all_of and metric, got any_of and all_of",
    ),
    "no quantifier": (policy(primary={"below": 1}), "any_of, all_of and metric, got none"),
    "no metrics": (policy(primary={"any_of": [], "below": 1}), r"expected a list of metric names, got \[\]"),
    "metrics as a string": (policy(primary={"any_of": "a", "below": 1}), "expected a list of metric names, got 'a'"),
    "metric as a number": (policy(primary={"any_of": [1], "below": 1}), "expected a list of metric names"),
    "metric twice": (policy(primary={"any_of": ["a", "a"], "below": 1}), "a metric is named twice"),
    "secondary null": (policy(secondary=None), r"rules\[0\]\.secondary: expected an object, got null"),
    "calibration as a list": (top(calibration=[]), "calibration: expected null or an object, got a list"),
    "two rules of one name": (top(rules=policy()["rules"] * 2), "two rules are called 'steps'"),
    "contradiction in the bars": (
        top(
            rules=[
                *policy(action="review")["rules"],
                {"name": "harder", "primary": {"metric": "chain_f1", "below": 0.8}, "action": "fail"},
            ]
        ),
        "contradict each other: whatever 'steps' would send to review fails by 'harder' already",
    ),
    "one metric and a list": (policy(primary={"metric": "a", "any_of": ["b"], "below": 1}), "got any_of and metric"),
    "one metric as a list": (policy(primary={"metric": ["a"], "below": 1}), r"primary\.metric: expected a name"),
    "contradiction": (
        top(rules=[*policy()["rules"], *policy(name="again", action="review")["rules"]]),
        "rules 'steps' and 'again' contradict each other",
    ),
}
ONLY_THE_LOADER_SEES = {
    "name with control characters",
    "threshold NaN",
    "threshold infinite",
    "two rules of one name",
    "contradiction",
    "contradiction in the bars",
}


@pytest.mark.parametrize(("value", "message"), FAULTS.values(), ids=FAULTS)
def test_faults_are_named(value, message):
    with pytest.raises(UsageProblem, match=message):
        load_policy(value)


@pytest.mark.parametrize("name", sorted(FAULTS.keys() - ONLY_THE_LOADER_SEES))
def test_the_schema_refuses_what_the_loader_refuses(name):
    assert not VALIDATOR.is_valid(FAULTS[name][0])


def test_one_metric_needs_no_list():
    value = policy(primary={"metric": "chain_f1", "below": 0.75})
    VALIDATOR.validate(value)
    assert load_policy(value) == load_policy(policy())


def test_a_lower_bar_for_failing_than_for_review_is_no_contradiction():
    value = top(
        rules=[
            *policy(action="review")["rules"],
            *policy(name="hard", primary={"metric": "chain_f1", "below": 0.5})["rules"],
        ]
    )
    assert [rule.action for rule in load_policy(value).rules] == ["review", "fail"]


@pytest.mark.parametrize("bar", [-0.5, 0, 0.75, 1, 10**16])
def test_any_finite_number_is_a_bar(bar):
    value = policy(primary={"any_of": ["foreign"], "below": bar})
    VALIDATOR.validate(value)
    assert load_policy(value).rules[0].primary.below == bar


def test_calibration_is_carried():
    assert load_policy(top(calibration={"seed": 0})).calibration == {"seed": 0}


def test_require_of_a_rule_goes_before_that_of_the_policy_and_an_override_before_both():
    value = copy.deepcopy(dict(DEFAULT_POLICY))
    value["require"] = "both"
    value["rules"][2]["require"] = "either"
    loaded = load_policy(value)
    assert [rule.require for rule in loaded.rules] == ["both", "both", "either"]
    assert metrics_of(loaded) == {"graph_f1", "chain_f1", "kendall_tau", "bleu", "gleu", "judge", "bertscore"}
    assert [rule.require for rule in with_require(loaded, "primary").rules] == ["primary"] * 3
    assert "judge" not in metrics_of(with_require(loaded, "primary"))


def test_safe_levels_are_the_highest_bars_that_decide():
    assert dict(load_policy(DEFAULT_POLICY).safe_levels) == {
        "graph_f1": 0.75,
        "chain_f1": 0.75,
        "kendall_tau": 0.65,
        "bleu": 0.7,
        "gleu": 0.7,
    }


@pytest.mark.parametrize(("metric", "bar", "message"), [
    ("chain_f1", 0, "no chain_f1 is below 0"),
    ("kendall_tau", -1, "no kendall_tau is below -1"),
    ("bleu", 70, "every bleu is below 70: its scores end at 1"),
])  # fmt: skip
def test_a_bar_that_decides_nothing_is_refused(metric, bar, message):
    with pytest.raises(UsageProblem, match=message):
        load_policy(policy(primary={"metric": metric, "below": bar}))


@pytest.mark.parametrize(("metric", "bar"), [("kendall_tau", 0), ("chain_f1", 1), ("our_own", -5), ("bertscore", -0.5)])
def test_a_bar_inside_the_range_or_of_a_foreign_metric_is_taken(metric, bar):
    assert load_policy(policy(primary={"metric": metric, "below": bar})).rules[0].primary.below == bar
