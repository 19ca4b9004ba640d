"""The SARIF log: valid by models that were generated from the schema of 2.1.0, and accepted by GitHub's own rules."""

from typing import Any

import pytest
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as SarifLog

from wfkit.gate.reports.entries import Findings, Place
from wfkit.gate.reports.sarif import RESULT_LIMIT, render

Record = dict[str, Any]


def run_of(findings: Findings) -> Record:
    """The one run of the log, once it was found valid and every result has a line of a file and a known rule."""
    log = render(findings, "0.1.0")
    SarifLog.model_validate(log)
    [run] = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        [location] = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"]
        assert location["physicalLocation"]["region"]["startLine"] >= 1
    identities = [tuple(result["partialFingerprints"].values()) for result in run["results"]]
    assert len(set(identities)) == len(identities)
    return run


def told(run: Record) -> list[tuple[str, str, str, int]]:
    return [
        (
            result["ruleId"],
            result["level"],
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            result["locations"][0]["physicalLocation"]["region"]["startLine"],
        )
        for result in run["results"]
    ]


def test_one_result_for_each_broken_rule_worst_first(judged: Any, findings: Any) -> None:
    records = [judged("good", "pass"), judged("look", "review"), judged("unknown", "unmeasured"), judged("bad", "fail")]
    run = run_of(findings(records))
    assert told(run) == [
        ("missing_steps", "error", "goldens.jsonl", 7),
        ("unmeasured", "error", "goldens.jsonl", 7),
        ("description_changes", "warning", "goldens.jsonl", 7),
    ]
    text = run["results"][0]["message"]["text"]
    assert text.startswith("bad: graph_f1 0.500 < 0.75, chain_f1 0.500 < 0.75; ")


def test_a_waived_result_is_suppressed_with_its_reason(waived: Any, findings: Any) -> None:
    [result] = run_of(findings([waived("tea")]))["results"]
    assert result["level"] == "error"
    assert result["suppressions"] == [
        {
            "kind": "external",
            "justification": "missing_steps waived until 2027-01-31: the new model says it shorter (it was: fail)",
        }
    ]


def test_whatever_else_was_found_is_a_result(findings: Any, everything: Record, error_record: Record) -> None:
    run = run_of(findings([], [error_record], **everything))
    assert told(run) == [
        ("nothing-judged", "error", "policy.json", 1),
        ("on average", "error", "policy.json", 1),
        ("long ones over golden.source = wikihow", "error", "policy.json", 1),
        ("coverage", "error", "policy.json", 1),
        ("baseline", "error", "policy.json", 1),
        ("baseline", "error", "policy.json", 1),
        ("missing-candidate", "error", "policy.json", 1),
        *[("repeats", "error", "policy.json", 1)] * 3,
        ("bad-input", "error", "candidates.jsonl", 3),
    ]
    assert run["invocations"][0]["exitCode"] == 1


def test_a_run_without_findings_is_valid(judged: Any, findings: Any) -> None:
    assert run_of(findings([judged("tea", "pass")]))["results"] == []


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("goldens.jsonl", "goldens.jsonl"),
        ("./a b/ü.jsonl", "a%20b/%C3%BC.jsonl"),
        ("a:b.jsonl", "a%3Ab.jsonl"),
        ("/data/x.jsonl", "file:///data/x.jsonl"),
        ("-", "stdin"),
    ],
)
def test_a_file_is_named_as_a_uri(judged: Any, findings: Any, file: str, uri: str) -> None:
    run = run_of(findings([judged("tea", "fail")], place=Place(file, 2)))
    assert told(run) == [("missing_steps", "error", uri, 2)]


def test_an_unknown_line_falls_back_to_the_policy(judged: Any, findings: Any) -> None:
    assert told(run_of(findings([judged("tea", "fail")], place=None)))[0][2:] == ("policy.json", 1)


def test_more_than_github_shows_is_counted(judged: Any, findings: Any) -> None:
    found = findings([judged("tea", "fail")])
    many = found._replace(entries=[found.entries[0]._replace(id=str(number)) for number in range(RESULT_LIMIT + 3)])
    run = run_of(many)
    assert len(run["results"]) == RESULT_LIMIT
    [note] = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "3 results left out; the worst are here"


def test_a_rule_of_the_policy_may_have_one_of_our_names(judged: Any, findings: Any, policy: Any) -> None:
    [first, *others] = policy.rules
    found = findings([judged("tea", "unmeasured")])
    renamed = type(policy)((type(first)(**{**vars(first), "name": "unmeasured"}), *others))
    run = run_of(found._replace(policy=renamed))
    assert [result["ruleId"] for result in run["results"]] == ["wf-gate/unmeasured"]
