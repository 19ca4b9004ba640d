"""The workflow commands that GitHub reads: one line each, ten of a level, nothing in a text can end or start one."""

import re
from typing import Any
from urllib.parse import unquote

import pytest

from wfkit.gate.reports.annotations import SHOWN, render
from wfkit.gate.reports.entries import Place

COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::(.*)")


def parsed(line: str) -> tuple[str, dict[str, str], str]:
    """Level, properties and text, read as GitHub's runner reads them."""
    match = COMMAND.fullmatch(line)
    assert match, line
    properties = dict(part.split("=", 1) for part in match[2].split(","))
    return match[1], {name: unquote(value) for name, value in properties.items()}, unquote(match[3])


def test_each_status_has_its_level_with_the_actual_value(judged: Any, waived: Any, findings: Any) -> None:
    records = [judged("good", "pass"), waived("known"), judged("look", "review")]
    records.append(judged("bad", "fail", candidate=["boil the water", "drink"]))
    lines = [parsed(line) for line in render(findings(records))]
    assert [(level, properties["title"]) for level, properties, _ in lines] == [
        ("error", "bad: missing_steps"),
        ("warning", "look: description_changes"),
        ("notice", "known: missing_steps"),
    ]
    _, properties, text = lines[0]
    assert (properties["file"], properties["line"]) == ("goldens.jsonl", "7")
    assert text.startswith("graph_f1 0.500 < 0.75, chain_f1 0.500 < 0.75 (the pattern points to missing_steps); ")


def test_reviews_are_errors_where_they_stop_the_check(judged: Any, findings: Any) -> None:
    [line] = render(findings([judged("look", "review")], fail_on="review"))
    assert parsed(line)[0] == "error"


@pytest.mark.parametrize("place", [None, Place("-", 3)])
def test_standard_input_is_no_file(judged: Any, findings: Any, place: Place | None) -> None:
    [line] = render(findings([judged("bad", "fail")], place=place))
    assert set(parsed(line)[1]) == {"title"}


def test_the_tenth_of_a_level_counts_the_others(judged: Any, findings: Any) -> None:
    exactly = render(findings([judged(f"flow {number}", "fail") for number in range(SHOWN)]))
    assert len(exactly) == SHOWN and " more;" not in exactly[-1]
    lines = render(findings([judged(f"flow {number}", "fail") for number in range(25)]))
    assert len(lines) == SHOWN
    assert parsed(lines[-1])[2] == "16 more; 25 workflows: 0 passed, 25 failed"


def test_whatever_else_was_found_is_told(findings: Any, everything: Any, error_record: Any) -> None:
    lines = [parsed(line) for line in render(findings([], [error_record], **everything))]
    assert [properties["title"] for _, properties, _ in lines] == [
        "wf-gate", "on average", "long ones over golden.source = wikihow", "coverage", "chain_f1",
        "missing from this run", "lost_one", "wobbly", "further goldens", "wf-gate",
    ]  # fmt: skip
    assert lines[1][1]["file"] == "policy.json"
    assert lines[-1][2] == "2 more; 0 workflows: 0 passed, 1 error record, 1 missing"


def test_all_is_well_says_nothing(judged: Any, findings: Any) -> None:
    assert render(findings([judged("tea", "pass")])) == []
