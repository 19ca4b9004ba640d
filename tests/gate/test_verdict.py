import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.errors import DataError
from wfkit.gate.policy import DEFAULT_POLICY, load_policy, with_require
from wfkit.gate.verdict import STATUSES, combine, judge

DEFAULT = load_policy(DEFAULT_POLICY)
GOOD = {"graph_f1": 1.0, "chain_f1": 1.0, "kendall_tau": 1.0, "bleu": 1.0, "gleu": 1.0}
TEXTS = ["fetch the key", "unlock the door", "open the door"]


def rule(name="rule", primary=None, secondary=None, action="fail", require="primary"):
    value = {"name": name, "primary": primary or {"any_of": ["a"], "below": 0.5}, "action": action, "require": require}
    return {**value, "secondary": secondary} if secondary else value


def policy(*rules):
    return load_policy({"version": 1, "rules": list(rules)})


@pytest.fixture
def pair(make_pair):
    """A pair of equal workflows with the given scores and reasons."""

    def build(scores, reasons=None):
        return make_pair(TEXTS, TEXTS, scores=scores, reasons=reasons or {})

    return build


# --- three-valued logic ---------------------------------------------------------------------------------------------

T, F, U = True, False, None


@pytest.mark.parametrize(
    ("first", "second", "either", "both"),
    [
        (T, T, T, T),
        (T, F, T, F),
        (T, U, T, U),
        (F, T, T, F),
        (F, F, F, F),
        (F, U, U, F),
        (U, T, T, U),
        (U, F, U, F),
        (U, U, U, U),
    ],
)
def test_three_valued_logic(first, second, either, both):
    assert combine("any_of", [first, second]) is either
    assert combine("all_of", [first, second]) is both


@pytest.mark.parametrize("answer", [T, F, U])
def test_one_answer_stands_for_itself(answer):
    assert combine("any_of", [answer]) is combine("all_of", [answer]) is answer


# A score below the bar of 0.5, one that is not, one that is unknown, one that is undefined for this golden.
LOW, HIGH, UNKNOWN, UNDEFINED = 0.4, 0.5, "unknown", "undefined"


def put(scores, reasons, metric, value):
    if value in (UNKNOWN, UNDEFINED):
        scores[metric] = None
        reasons[metric] = "unavailable: no model" if value == UNKNOWN else "undefined: one step"
    else:
        scores[metric] = value


# (first, second): status under any_of, status under all_of.
ONE_CLAUSE = {
    (LOW, LOW): ("fail", "fail"),
    (LOW, HIGH): ("fail", "pass"),
    (LOW, UNKNOWN): ("fail", "unmeasured"),
    (LOW, UNDEFINED): ("fail", "fail"),  # b is left out; a alone decides
    (HIGH, HIGH): ("pass", "pass"),
    (HIGH, UNKNOWN): ("unmeasured", "pass"),
    (HIGH, UNDEFINED): ("pass", "pass"),
    (UNKNOWN, UNKNOWN): ("unmeasured", "unmeasured"),
    (UNKNOWN, UNDEFINED): ("unmeasured", "unmeasured"),
    (UNDEFINED, UNDEFINED): ("unmeasured", "unmeasured"),  # the only rule is not applicable
}


@pytest.mark.parametrize(("values", "statuses"), ONE_CLAUSE.items())
@pytest.mark.parametrize("swapped", [False, True])
def test_clause_over_all_combinations(pair, values, statuses, swapped):
    scores, reasons = {}, {}
    for metric, value in zip("ba" if swapped else "ab", values, strict=True):
        put(scores, reasons, metric, value)
    for quantifier, status in zip(("any_of", "all_of"), statuses, strict=True):
        verdict = judge(pair(scores, reasons), policy(rule(primary={quantifier: ["a", "b"], "below": 0.5})))
        assert verdict["status"] == status
        assert verdict["not_applicable"] == (["rule"] if set(values) == {UNDEFINED} else [])


# (primary, secondary): status under require primary, both, either.
TWO_CLAUSES = {
    (LOW, LOW): ("fail", "fail", "fail"),
    (LOW, HIGH): ("fail", "pass", "fail"),
    (LOW, UNKNOWN): ("fail", "unmeasured", "fail"),
    (LOW, UNDEFINED): ("fail", "fail", "fail"),
    (HIGH, LOW): ("pass", "pass", "fail"),
    (HIGH, HIGH): ("pass", "pass", "pass"),
    (HIGH, UNKNOWN): ("pass", "pass", "unmeasured"),
    (HIGH, UNDEFINED): ("pass", "pass", "pass"),
    (UNKNOWN, LOW): ("unmeasured", "unmeasured", "fail"),
    (UNKNOWN, HIGH): ("unmeasured", "pass", "unmeasured"),
    (UNKNOWN, UNKNOWN): ("unmeasured", "unmeasured", "unmeasured"),
    (UNKNOWN, UNDEFINED): ("unmeasured", "unmeasured", "unmeasured"),
    (UNDEFINED, LOW): ("unmeasured", "fail", "fail"),  # primary: not applicable; else b alone decides
    (UNDEFINED, HIGH): ("unmeasured", "pass", "pass"),
    (UNDEFINED, UNKNOWN): ("unmeasured", "unmeasured", "unmeasured"),
    (UNDEFINED, UNDEFINED): ("unmeasured", "unmeasured", "unmeasured"),
}


@pytest.mark.parametrize(("values", "statuses"), TWO_CLAUSES.items())
def test_require_over_all_combinations(pair, values, statuses):
    scores, reasons = {}, {}
    for metric, value in zip("ab", values, strict=True):
        put(scores, reasons, metric, value)
    clauses = {"primary": {"any_of": ["a"], "below": 0.5}, "secondary": {"any_of": ["b"], "below": 0.5}}
    for require, status in zip(("primary", "both", "either"), statuses, strict=True):
        assert judge(pair(scores, reasons), policy(rule(**clauses, require=require)))["status"] == status


def test_every_combination_is_in_the_tables():
    kinds = (LOW, HIGH, UNKNOWN, UNDEFINED)
    assert set(TWO_CLAUSES) == set(itertools.product(kinds, repeat=2))
    assert set(ONE_CLAUSE) == set(itertools.combinations_with_replacement(kinds, 2))


def test_both_of_a_rule_without_secondary_is_its_primary_clause(pair):
    strict = with_require(policy(rule()), "both")
    assert judge(pair({"a": 0.4}), strict)["status"] == "fail"
    assert judge(pair({"a": 0.5}), strict)["status"] == "pass"


# --- comparison -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "status"),
    [(0.75, "pass"), (0.7499999999999999, "fail"), (3 / 4, "pass"), (6 / 8 - 2**-53, "fail"), (1, "pass"), (0, "fail")],
)
def test_equal_passes_and_nothing_is_rounded(pair, value, status):
    scores = {**GOOD, "graph_f1": value, "chain_f1": value}
    assert judge(pair(scores), DEFAULT)["status"] == status


@pytest.mark.parametrize("bars", [(0.5, 0.75), (0.75, 0.5)])
def test_a_metric_with_two_bars_passes_only_above_both(pair, bars):
    first, second = ({"any_of": ["a"], "below": bar} for bar in bars)
    used = policy(rule("first", first), rule("second", second))
    assert [judge(pair({"a": value}), used)["status"] for value in (0.4, 0.6, 0.75)] == ["fail", "fail", "pass"]


def test_integers_beyond_64_bits_are_compared_exactly(pair):
    bar = policy(rule(primary={"any_of": ["a"], "below": 2.0**70}))
    assert judge(pair({"a": 2**70}), bar)["status"] == "pass"
    assert judge(pair({"a": 2**70 - 1}), bar)["status"] == "fail"


@pytest.mark.parametrize("bad", [True, False, "0.9", float("nan"), float("inf"), -float("inf"), [], {}])
def test_what_is_no_finite_number_is_a_data_error(pair, bad):
    with pytest.raises(DataError, match=r"score chain_f1 is .*, expected a finite number or null") as caught:
        judge(pair({**GOOD, "chain_f1": bad}), DEFAULT)
    assert caught.value.code == "E-SCORE"
    assert caught.value.path == "$.scores.chain_f1"


# --- verdicts of the default policy -----------------------------------------------------------------------------------


def test_a_good_pair_passes(pair):
    assert judge(pair(GOOD), DEFAULT) == {
        "status": "pass", "breaches": [], "not_applicable": [], "diagnosis": None, "explanation": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "status", "rules"),
    [
        ({"graph_f1": 0.6}, "pass", []),  # one re-linked deletion: chain F1 holds
        ({"graph_f1": 0.6, "chain_f1": 0.7}, "fail", ["missing_steps", "missing_steps"]),
        ({"kendall_tau": 0.64}, "fail", ["compressed_steps"]),
        ({"bleu": 0.69}, "review", ["description_changes"]),
        ({"bleu": 0.69, "gleu": 0.5}, "review", ["description_changes", "description_changes"]),
        ({"bleu": 0.69, "kendall_tau": 0.0}, "fail", ["compressed_steps", "description_changes"]),
    ],
)
def test_default_policy(pair, changes, status, rules):
    verdict = judge(pair({**GOOD, **changes}), DEFAULT)
    assert verdict["status"] == status
    assert [breach["rule"] for breach in verdict["breaches"]] == rules


def test_breaches_are_listed_structure_first_then_order_then_wording(pair):
    policy_backwards = load_policy({**DEFAULT_POLICY, "rules": DEFAULT_POLICY["rules"][::-1]})
    scores = {"graph_f1": 0.1, "chain_f1": 0.2, "kendall_tau": 0.3, "bleu": 0.4, "gleu": 0.5}
    for used in (DEFAULT, policy_backwards):
        assert judge(pair(scores), used)["breaches"] == [
            {"rule": "missing_steps", "metric": "graph_f1", "value": 0.1, "below": 0.75},
            {"rule": "missing_steps", "metric": "chain_f1", "value": 0.2, "below": 0.75},
            {"rule": "compressed_steps", "metric": "kendall_tau", "value": 0.3, "below": 0.65},
            {"rule": "description_changes", "metric": "bleu", "value": 0.4, "below": 0.7},
            {"rule": "description_changes", "metric": "gleu", "value": 0.5, "below": 0.7},
        ]


def test_a_clause_that_did_not_decide_leaves_no_breach(pair):
    # both: the primary is below its bar, the secondary is not, so the rule holds and graph_f1 is not reported.
    both = policy(
        rule("a", {"any_of": ["graph_f1"], "below": 0.75}, {"any_of": ["judge"], "below": 0.5}, require="both"),
        rule("b", {"any_of": ["bleu"], "below": 0.5}, action="review"),
    )
    verdict = judge(pair({"graph_f1": 0.1, "judge": 0.9, "bleu": 0.1}), both)
    assert (verdict["status"], [breach["metric"] for breach in verdict["breaches"]]) == ("review", ["bleu"])


def test_kendall_tau_undefined_for_a_golden_of_one_step_leaves_its_rule_out(pair):
    record = pair({**GOOD, "kendall_tau": None}, {"kendall_tau": "undefined: the golden has one step"})
    verdict = judge(record, DEFAULT)
    assert (verdict["status"], verdict["not_applicable"]) == ("pass", ["compressed_steps"])


def test_a_pair_to_which_no_rule_applies_is_unmeasured(pair):
    scores = dict.fromkeys(GOOD)
    verdict = judge(pair(scores, dict.fromkeys(GOOD, "undefined: empty golden")), DEFAULT)
    assert verdict["status"] == "unmeasured"
    assert verdict["not_applicable"] == ["missing_steps", "compressed_steps", "description_changes"]
    assert verdict["explanation"] == [
        "no rule applies: every score that the policy asks for is undefined for this golden"
    ]


@pytest.mark.parametrize(
    ("reasons", "told"),
    [
        ({"kendall_tau": "unavailable: model all-mpnet-base-v2"}, "unavailable: model all-mpnet-base-v2"),
        ({"kendall_tau": "skipped: by --judge-when"}, "skipped: by --judge-when"),
        ({"kendall_tau": "inapplicable: no candidate"}, "inapplicable: no candidate"),
        ({}, "null, and the record gives no reason"),
        ({"kendall_tau": "unavailable: \x1b[31m"}, "unavailable: \\x1b[31m"),
    ],
)
def test_a_null_score_is_unmeasured_with_its_reason(pair, reasons, told):
    verdict = judge(pair({**GOOD, "kendall_tau": None}, reasons), DEFAULT)
    assert verdict["status"] == "unmeasured"
    assert verdict["unmeasured"] == [{"rule": "compressed_steps", "metric": "kendall_tau", "reason": told}]
    assert verdict["explanation"] == [f"kendall_tau could not be measured: {told}"]


def test_an_absent_score_that_looks_like_a_slip_names_the_one_that_is_there(pair):
    slip = rule(primary={"any_of": ["chain_fl"], "below": 0.5})
    [gap] = judge(pair(GOOD), policy(slip))["unmeasured"]
    assert gap["reason"] == "not in the record, which has chain_f1: is that the name?"


def test_an_absent_score_says_what_to_add(pair):
    scores = {metric: value for metric, value in GOOD.items() if metric != "gleu"}
    verdict = judge(pair(scores), DEFAULT)
    assert verdict["status"] == "unmeasured"
    assert "wf-score --metrics gleu" in verdict["unmeasured"][0]["reason"]


def test_a_record_without_scores_is_unmeasured(pair):
    record = pair(GOOD)
    del record["scores"]
    assert judge(record, DEFAULT)["status"] == "unmeasured"


def test_a_failure_goes_before_what_is_unmeasured_and_that_before_a_review(pair):
    unknown = {"kendall_tau": None}
    failed = judge(pair({**GOOD, **unknown, "graph_f1": 0, "chain_f1": 0}), DEFAULT)
    assert failed["status"] == "fail"
    assert failed["unmeasured"][0]["metric"] == "kendall_tau"
    assert judge(pair({**GOOD, **unknown, "bleu": 0}), DEFAULT)["status"] == "unmeasured"


@pytest.mark.parametrize(
    ("fields", "explanation"),
    [
        ({}, "there is no candidate"),
        (
            {"perturbation": {"type": "missing_steps", "inapplicable": "two steps only"}},
            "there is no candidate: the perturbation does not apply (two steps only)",
        ),
    ],
)
@pytest.mark.parametrize("scores", [{}, GOOD, dict.fromkeys(GOOD)])
def test_without_candidate_a_pair_is_unmeasured_whatever_its_scores(pair, fields, explanation, scores):
    record = {**pair(scores), "candidate": None, **fields}
    verdict = judge(record, DEFAULT)
    assert (verdict["status"], verdict["explanation"]) == ("unmeasured", [explanation])


def test_an_unparsable_candidate_fails_by_its_scores_and_says_why(make_pair):
    record = make_pair(TEXTS, [], scores=dict.fromkeys(GOOD, 0.0))
    record["candidate"]["meta"] = {"error": "no Node: section \x1b[2J"}
    verdict = judge(record, DEFAULT)
    assert verdict["status"] == "fail"
    assert verdict["explanation"] == ["the candidate is not usable: no Node: section \\x1b[2J"]


def test_scores_alone_below_their_bars_are_said_to_be_so(pair):
    verdict = judge(pair({**GOOD, "kendall_tau": 0.0}), DEFAULT)
    assert verdict["explanation"] == ["no step differs from its counterpart: the scores alone are below their bars"]


def test_a_pass_with_a_lost_step_has_a_note(make_pair):
    record = make_pair(TEXTS, TEXTS[:2], scores=GOOD)
    verdict = judge(record, DEFAULT)
    assert (verdict["status"], verdict["explanation"]) == ("pass", [])
    assert verdict["notes"] == ["golden step 3 «open the door» has no counterpart"]


def test_the_example_record_of_the_contract(make_pair):
    """Seven steps, the last three removed. The contract shows the first breach only; bleu and gleu fire here too."""
    texts = [f"do part {number}" for number in range(1, 5)] + ["open the door", "walk in", "shut the window"]
    scores = {
        "chain_f1": 0.7272727272727273,  # 2 * 4 / (4 + 7)
        "graph_f1": 0.7272727272727273,
        "kendall_tau": 0.5714285714285714,  # 1 * 4 / 7
        "bleu": 0.47,
        "gleu": 0.56,
        "bertscore": None,
    }
    record = make_pair(texts, texts[:4], scores=scores, reasons={"bertscore": "unavailable: model roberta-large"})
    record["alignment"]["closest"] = {"5": ["c2", 0.41], "6": ["c1", 0.2], "7": ["c1", 0.1]}
    verdict = judge(record, DEFAULT)
    assert verdict["status"] == "fail"
    breach = {"rule": "missing_steps", "metric": "chain_f1", "value": 0.7272727272727273, "below": 0.75}
    assert breach in verdict["breaches"]
    assert verdict["breaches"][0]["rule"] == "missing_steps"
    assert verdict["not_applicable"] == []
    assert verdict["explanation"][0] == (
        "golden step 5 «open the door» has no counterpart "
        "(closest 0.41: candidate step c2 «do part 2», matched with golden step 2)"
    )
    assert len(verdict["explanation"]) == 3


# --- properties -----------------------------------------------------------------------------------------------------

METRICS = ("chain_f1", "kendall_tau", "bleu", "foreign")
VALUES = st.one_of(st.none(), st.floats(-1, 1), st.integers(0, 1), st.sampled_from([0.25, 0.5, 0.75]))


@st.composite
def clauses(draw):
    metrics = draw(st.lists(st.sampled_from(METRICS), min_size=1, unique=True))
    return {draw(st.sampled_from(["any_of", "all_of"])): metrics, "below": draw(st.sampled_from([0.25, 0.5, 0.75]))}


@st.composite
def policies(draw):
    # One action for all, as equal conditions with two actions are refused.
    action = draw(st.sampled_from(["fail", "review"]))
    return [
        {
            "name": f"rule {number}",
            "primary": draw(clauses()),
            "secondary": draw(clauses()),
            "action": action,
            "require": draw(st.sampled_from(["primary", "both", "either"])),
        }
        for number in range(draw(st.integers(1, 4)))
    ]


@st.composite
def scored(draw):
    scores = draw(st.dictionaries(st.sampled_from(METRICS), VALUES))
    kinds = st.sampled_from(["undefined: one step", "unavailable: no model"])
    return scores, {metric: draw(kinds) for metric, value in scores.items() if value is None}


@given(policies(), scored(), st.randoms(use_true_random=False))
def test_the_order_of_rules_does_not_change_the_status(make_pair, rules, measured, random):
    scores, reasons = measured
    record = make_pair(TEXTS, TEXTS, scores=scores, reasons=reasons)
    shuffled = rules[:]
    random.shuffle(shuffled)
    one, other = judge(record, policy(*rules)), judge(record, policy(*shuffled))
    assert one["status"] == other["status"]
    assert {json.dumps(breach) for breach in one["breaches"]} == {json.dumps(breach) for breach in other["breaches"]}
    assert set(one["not_applicable"]) == set(other["not_applicable"])


@given(policies(), scored(), st.data())
def test_raising_a_score_never_makes_the_status_worse(make_pair, rules, measured, data):
    scores, reasons = measured
    numbers = [metric for metric, value in scores.items() if value is not None]
    raised = {metric: scores[metric] + data.draw(st.floats(0, 1)) for metric in numbers}
    used = policy(*rules)
    before = judge(make_pair(TEXTS, TEXTS, scores=scores, reasons=reasons), used)["status"]
    after = judge(make_pair(TEXTS, TEXTS, scores={**scores, **raised}, reasons=reasons), used)["status"]
    assert STATUSES.index(after) >= STATUSES.index(before) or (before, after) == ("review", "unmeasured")


@given(policies(), scored())
def test_what_is_unknown_never_passes_what_some_value_would_fail(make_pair, rules, measured):
    """Pass and fail are safe from the unknown scores: whatever they are, the verdict would be the same."""
    scores, reasons = measured
    used = policy(*rules)
    known = judge(make_pair(TEXTS, TEXTS, scores=scores, reasons=reasons), used)["status"]
    if known not in ("pass", "fail"):
        return
    unknown = [
        metric for metric in METRICS if scores.get(metric) is None and "undefined" not in reasons.get(metric, "")
    ]
    for extreme in (-1.0, 1.0):
        filled = {**scores, **dict.fromkeys(unknown, extreme)}
        assert judge(make_pair(TEXTS, TEXTS, scores=filled, reasons=reasons), used)["status"] == known


@given(policies(), scored())
def test_require_both_never_breaks_more_than_either(make_pair, rules, measured):
    scores, reasons = measured
    record = make_pair(TEXTS, TEXTS, scores={**dict.fromkeys(METRICS, 0.5), **scores}, reasons=reasons)
    used = policy(*rules)
    strict, lenient = (judge(record, with_require(used, require)) for require in ("either", "both"))
    broken = [{breach["rule"] for breach in verdict["breaches"]} for verdict in (lenient, strict)]
    assert broken[0] <= broken[1]
