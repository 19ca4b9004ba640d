"""The JUnit document as junitparser reads it."""

from collections.abc import Callable
from typing import Any

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped

from wfkit.gate.reports.junit import render

Record = dict[str, Any]


def cases_of(text: str) -> dict[str, Any]:
    """The test cases by suite, class and name, once the counts of each suite were found right."""
    found = {}
    document = JUnitXml.fromstring(text.encode())
    for suite in document:
        counts = (suite.tests, suite.failures, suite.errors, suite.skipped)
        suite.update_statistics()
        assert (suite.tests, suite.failures, suite.errors, suite.skipped) == counts
        found.update({(suite.name, case.classname, case.name): case for case in suite})
    assert document.tests == len(found)
    return found


@pytest.mark.parametrize(
    ("status", "fail_on", "kind"),
    [
        ("pass", "fail", None),
        ("fail", "fail", Failure),
        ("unmeasured", "fail", Error),
        ("review", "fail", Skipped),
        ("review", "review", Failure),
    ],
)
def test_each_status_has_its_element(judged: Any, findings: Any, status: str, fail_on: str, kind: Any) -> None:
    text = render(findings([judged("tea", status)], fail_on=fail_on))
    case = cases_of(text)["workflows", "goldens", "tea"]
    assert [type(result) for result in case.result] == ([] if kind is None else [kind])


def test_a_failure_has_message_type_and_the_full_text(judged: Callable[..., Record], findings: Any) -> None:
    record = judged("tea", "fail", candidate=["boil the water", "drink"])
    [failure] = cases_of(render(findings([record])))["workflows", "goldens", "tea"].result
    assert failure.type == "missing_steps"
    assert failure.message.startswith(
        "graph_f1 0.500 < 0.75, chain_f1 0.500 < 0.75 (the pattern points to missing_steps); golden step 2 «put the tea"
    )
    lines = failure.text.splitlines()
    assert lines[1:4] == [
        "golden step 2 «put the tea in a cup» has no counterpart",
        "golden step 3 «pour the water over it» has no counterpart",
        "golden step 4 «wait for four minutes» has no counterpart",
    ]
    assert lines[4] == "scores: chain_f1 0.5, graph_f1 0.5, kendall_tau 1, bleu 1, gleu 1"


def test_the_class_is_the_source_of_the_golden(judged: Any, findings: Any) -> None:
    record = judged("tea", "pass")
    record["golden"]["source"] = "wikihow"
    assert list(cases_of(render(findings([record])))) == [("workflows", "wikihow", "tea"), ("gate", "gate", "outcome")]


def test_a_waived_failure_stays_visible(waived: Any, findings: Any) -> None:
    [skipped] = cases_of(render(findings([waived("tea")])))["workflows", "goldens", "tea"].result
    assert isinstance(skipped, Skipped)
    assert skipped.message.startswith(
        "missing_steps waived until 2027-01-31: the new model says it shorter (it was: fail)"
    )
    assert "golden step 3 «pour the water over it» has no counterpart" in skipped.text


def test_a_pass_that_changed_says_so(judged: Any, findings: Any) -> None:
    record = judged(
        "tea", "pass", candidate=["boil the water", "put the tea in a cup", "pour the water over it", "drink"]
    )
    case = cases_of(render(findings([record])))["workflows", "goldens", "tea"]
    assert "golden step 4 «wait for four minutes» has no counterpart" in case.system_out


def test_whatever_else_was_found_is_a_case_of_its_own(
    judged: Any, findings: Any, everything: Record, error_record: Record
) -> None:
    cases = cases_of(render(findings([judged("tea", "pass")], [error_record], unnamed_errors=2, **everything)))
    kinds = {key: [type(result) for result in case.result] for key, case in cases.items()}
    assert kinds == {
        ("workflows", "goldens", "tea"): [],
        ("set", "set", "on average"): [Failure],
        ("set", "set", "long ones over golden.source = wikihow"): [Error],
        ("set", "set", "share"): [],
        ("set", "set", "coverage"): [Error],
        ("baseline", "baseline", "chain_f1"): [Failure],
        ("baseline", "baseline", "missing from this run"): [Error],
        ("goldens", "goldens", "lost_one"): [Error],
        ("goldens", "goldens", "wobbly"): [Failure],
        ("goldens", "goldens", "further goldens"): [Failure],
        ("goldens", "goldens", "vague"): [Error],
        ("input", "wf-score", "broken"): [Error],
        ("input", "input", "further error records"): [Error],
        ("gate", "gate", "outcome"): [Failure],
    }
    assert cases["input", "wf-score", "broken"].result[0].text == (
        "candidates.jsonl:3: the steps form a cycle: 1 -> 2 -> 1"
    )
    assert cases["set", "set", "on average"].result[0].text == ("the mean of chain_f1 is 0.800 < 0.9 (20 values)")
    suite = next(iter(JUnitXml.fromstring(render(findings([judged("tea", "pass")], **everything)).encode())))
    assert [(one.name, one.value) for one in suite.properties()] == [
        ("signature.chain_f1", "wfkit=1|enc=all-mpnet-base-v2@78c0197b|align=0.8")
    ]


def test_a_run_without_workflows_is_not_green(findings: Any) -> None:
    [case] = cases_of(render(findings([]))).values()
    assert isinstance(case.result[0], Error)
    assert case.result[0].text == "no workflow was judged"


@pytest.mark.parametrize("status", ["fail", "unmeasured"])
def test_the_report_is_red_only_where_the_run_is(judged: Any, findings: Any, status: str) -> None:
    goldens = {"rule": "any", "groups": 1, "failed_count": 0, "failed": [], "unmeasured_count": 0, "unmeasured": []}
    records = [judged("first", status, golden_id="tea"), judged("second", "pass", golden_id="tea")]
    for result in ("pass", "fail"):
        cases = cases_of(render(findings(records, result=result, goldens=goldens)))
        [skipped] = cases["workflows", "goldens", "first"].result
        assert isinstance(skipped, Skipped)
        assert skipped.message.startswith("does not count: all pairs of this golden taken together are good enough; ")


def test_what_a_coverage_floor_allows_is_no_error(judged: Any, findings: Any, everything: Record) -> None:
    coverage = {"expected": 20, "measured": 19, "share": 0.95, "floor": 0.9, "status": "pass"}
    expected = {"goldens": 20, "missing": ["gone"], "unexpected": 0, "unexpected_ids": []}
    rule = {**everything["set_rules"][1], "name": "share"}
    records = [judged("vague", "unmeasured"), judged("bad", "fail")]
    found = findings(records, coverage=coverage, expected=expected, set_rules=[rule])
    results = {key[2]: [type(one) for one in case.result] for key, case in cases_of(render(found)).items()}
    assert results == {
        "vague": [Skipped], "bad": [Failure], "share over golden.source = wikihow": [Error], "coverage": [],
        "gone": [Skipped], "outcome": [Failure],
    }  # fmt: skip
