import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit import schema
from wfkit.gate.policy import DEFAULT_POLICY, load_policy
from wfkit.gate.verdict import judge
from wfkit.sensitivity.firing import (
    LEFT_OUT,
    NO,
    UNKNOWN,
    YES,
    expected,
    firing_records,
    rule_answers,
)
from wfkit.sensitivity.strata import strata_of

CLAUSES = st.builds(
    lambda quantifier, metrics, below: {quantifier: metrics, "below": below},
    st.sampled_from(["any_of", "all_of"]),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True),
    st.sampled_from([0.25, 0.5, 0.75]),
)
POLICIES = st.builds(
    lambda primary, secondary, require: load_policy(
        {
            "version": 1,
            "rules": [
                {"name": "r", "primary": primary, "secondary": secondary, "require": require, "action": "fail"},
            ],
        }
    ),
    CLAUSES,
    CLAUSES,
    st.sampled_from(["primary", "both", "either"]),
)
SCORES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, "undefined: no order", "unavailable: no model"])


def pair_with(make_pair, scores):
    reasons = {metric: value for metric, value in scores.items() if isinstance(value, str)}
    values = {metric: None if metric in reasons else value for metric, value in scores.items()}
    return make_pair("g", "missing_steps", 30, values, reasons=reasons)


@given(policy=POLICIES, all_scores=st.lists(st.dictionaries(st.sampled_from("abc"), SCORES), min_size=1, max_size=8))
def test_a_rule_says_what_the_gate_says(make_pair, columns, policy, all_scores):
    pairs = [
        {**pair_with(make_pair, scores), "id": f"g/missing_steps/30/r{number}"}
        for number, scores in enumerate(all_scores)
    ]
    for pair in pairs:
        verdict = judge(pair, policy)
        [answer] = rule_answers(columns([pair]), policy.rules[0]).tolist()
        if verdict["not_applicable"]:
            assert answer == LEFT_OUT
        else:
            assert answer == {"fail": YES, "pass": NO, "unmeasured": UNKNOWN}[verdict["status"]]
    together = rule_answers(columns(pairs), policy.rules[0]).tolist()
    assert sorted(together) == sorted(rule_answers(columns([pair]), policy.rules[0]).item() for pair in pairs)


@pytest.fixture
def records_of(columns):
    """The firing records of pairs under the default policy, which all fit the schema."""

    def build(pairs, fields=()):
        seen = columns(pairs, fields)
        policy = load_policy(DEFAULT_POLICY)
        records = list(firing_records(seen, list(strata_of(seen)), policy, seen.applicable, tolerate=10, detect=30))
        for record in records:
            schema.checker("firing")(record)
        return records

    return build


def test_shares_by_rule_type_and_severity(make_pair, records_of):
    # Of 40 goldens 10 fall below the bar of both structural metrics: 25 %; Wilson at n = 40 gives 14.2 to 40.2 %.
    pairs = [
        make_pair(f"g{number}", "missing_steps", 30, {"graph_f1": score, "chain_f1": score})
        for number, score in enumerate([0.5] * 10 + [0.75] * 30)  # equal passes
    ]
    found = {record["rule"]: record for record in records_of(pairs) if record["stratum"] is None}
    structure = found["missing_steps"]
    assert (structure["type"], structure["severity"]) == ("missing_steps", 30)
    assert (structure["n"], structure["goldens"], structure["fired"], structure["rate"]) == (40, 40, 10, 0.25)
    assert structure["interval"] == pytest.approx([0.1419, 0.4019], abs=6e-5)
    assert (structure["too_small"], structure["expected"]) == (False, "yes")
    order = found["compressed_steps"]
    assert (order["n"], order["rate"], order["interval"], order["unmeasured"]) == (0, None, None, 40)


def test_repeats_of_one_golden_do_not_narrow_the_interval(make_pair, records_of):
    scores = {"graph_f1": 0.5, "chain_f1": 0.5}
    pairs = [make_pair(f"g{n % 4}", "missing_steps", 30, scores, repeat=f"/r{n}") for n in range(40)]
    record = records_of(pairs)[0]
    assert (record["n"], record["goldens"], record["too_small"]) == (40, 4, True)
    assert record["interval"] == pytest.approx([0.5101, 1.0], abs=6e-5)  # 4 of 4: 1 / (1 + 3.8415/4)


def test_undefined_scores_are_not_applicable_and_inapplicable_pairs_are_no_pairs(make_pair, records_of):
    pairs = [
        make_pair("a", "compressed_steps", 30, {"kendall_tau": None}, reasons={"kendall_tau": "undefined: one step"}),
        make_pair("b", "compressed_steps", 30, {"kendall_tau": None}, candidate=None),
    ]
    found = {record["rule"]: record for record in records_of(pairs)}
    assert (found["compressed_steps"]["not_applicable"], found["compressed_steps"]["unmeasured"]) == (1, 0)


def test_strata_but_not_windows(make_pair, records_of):
    pairs = [
        make_pair("a", "missing_steps", 30, {"bertscore": 0.1}, perturbation={"placement": "tail"}),
        make_pair("b", "missing_steps", 30, {"bertscore": 0.1}, perturbation={"placement": "uniform"}),
    ]
    strata = {(r["stratum"] or {}).get("by") for r in records_of(pairs, fields=("placement",))}
    assert strata == {None, "size", "placement"}


@pytest.mark.parametrize(
    ("type_name", "severity", "target", "answer"),
    [
        ("missing_steps", 5, 0.95, "no"),
        ("missing_steps", 10, 0.9, "no"),
        ("missing_steps", 20, 0.8, None),
        ("missing_steps", 30, 0.7, "yes"),
        ("missing_steps", 100, 0.0, "yes"),
        ("compressed_steps", 50, 0.5, None),
        ("description_changes", 50, 1.0, "no"),
    ],
)
def test_what_is_expected(type_name, severity, target, answer):
    rule = load_policy(DEFAULT_POLICY).rules[0]
    assert rule.name == "missing_steps"
    assert expected(rule, type_name, severity, target, 10, 30) == answer


def test_paraphrase_is_the_business_of_the_rule_of_that_name():
    rule = load_policy(DEFAULT_POLICY).rules[2]
    assert rule.name == "description_changes"
    assert expected(rule, "description_changes", 50, 1.0, 10, 30) == "yes"
