"""What reports keep of a judged pair and of an error record, and in which order they list them."""

from collections.abc import Callable
from typing import Any

import pytest

from wfkit.gate.reports.entries import Place, broken_rules, entry_of, fault_of, origin_of, reasons_of, waiver_text

Record = dict[str, Any]
Judged = Callable[..., Record]


def test_a_pass_keeps_names_and_scores_but_no_drawing(judged: Judged) -> None:
    entry = entry_of(judged("tea", "pass"), Place("a.jsonl", 1))
    assert (entry.id, entry.golden, entry.status, entry.drawing) == ("tea", "tea", "pass", None)
    assert entry.scores["chain_f1"] == 1.0
    assert entry_of(judged("tea", "fail"), None).drawing is not None


@pytest.mark.parametrize(
    ("source", "shown"),
    [("wikihow", "wikihow"), (None, "goldens"), ("", "goldens"), (["x"], "goldens"), ("a\x1bb", "a\\x1bb")],
)
def test_the_source_is_the_goldens_or_a_plain_word(judged: Judged, source: Any, shown: str) -> None:
    record = judged("tea", "pass")
    record["golden"]["source"] = source
    assert entry_of(record, None).source == shown


def test_worst_first_means_status_then_headroom_then_the_stream(judged: Judged, findings: Any) -> None:
    worse = judged("worse", "fail")
    worse["verdict"]["breaches"][0]["value"] = 0.1
    records = [judged("good", "pass"), judged("look", "review"), judged("first", "fail"), judged("second", "fail")]
    records += [judged("unknown", "unmeasured"), worse]
    names = [entry.id for entry in findings(records).worst_first()]
    assert names == ["worse", "first", "second", "unknown", "look", "good"]


def test_what_another_golden_outdoes_comes_before_the_passes_and_stops_nobody(judged: Judged, findings: Any) -> None:
    records = [judged("good", "pass"), judged("other", "fail"), judged("look", "review")]
    found = findings(records)._replace(outdone={"other"})
    look, other, good = found.worst_first()
    assert (look.id, other.id, good.id) == ("look", "other", "good")
    assert (found.level_of(look), found.level_of(other)) == ("warning", "warning")
    assert found.why(other)[0] == "does not count: another golden fits this candidate better"


def test_reasons_tell_scores_then_the_diagnosis_then_the_steps(judged: Judged) -> None:
    record = judged("tea", "fail", candidate=["boil the water", "drink"])
    record["verdict"]["diagnosis"] = "missing_steps"
    scores, first, *_ = reasons_of(entry_of(record, None))
    assert scores == "graph_f1 0.500 < 0.75, chain_f1 0.500 < 0.75 (the pattern points to missing_steps)"
    assert first == "golden step 2 «put the tea in a cup» has no counterpart"
    assert broken_rules(entry_of(record, None)) == ["missing_steps"]


def test_a_waiver_says_until_when_and_why(waived: Any, judged: Judged) -> None:
    entry = entry_of(waived("tea"), None)
    assert waiver_text(entry) == "missing_steps waived until 2027-01-31: the new model says it shorter (it was: fail)"
    assert waiver_text(entry_of(judged("tea", "fail"), None)) == ""


@pytest.mark.parametrize(
    ("origin", "place"),
    [
        ({"file": "flows/tea.py", "line": 12}, Place("flows/tea.py", 12)),
        ({"file": "flows/tea.py"}, Place("flows/tea.py", 1)),
        ({"file": "", "line": 1}, None),
        ({"file": "a", "line": 0}, None),
        ({"file": "a", "line": "1"}, None),
        ({"file": "a", "line": True}, None),
        ({"line": 1}, None),
        ("a:1", None),
        (None, None),
    ],
)
def test_a_candidate_may_name_its_origin(judged: Judged, origin: Any, place: Place | None) -> None:
    record = judged("tea", "fail")
    record["candidate"]["meta"] = {"origin": origin}
    assert origin_of(record) == place


@pytest.mark.parametrize("candidate", [None, {}, {"meta": None}, {"meta": "text"}])
def test_most_candidates_name_none(candidate: Any) -> None:
    assert origin_of({"candidate": candidate}) is None


@pytest.mark.parametrize(
    ("record", "shown"),
    [
        (
            {"id": "a", "filter": "wf-parse", "message": "bad", "where": {"file": "x", "line": 3}},
            ("a", "wf-parse", "bad", Place("x", 3)),
        ),
        ({"where": {"file": "x", "line": 3}}, ("x:3", "unknown", "error record", Place("x", 3))),
        ({"where": {"line": -1}}, ("-:1", "unknown", "error record", Place("-", 1))),
        ({"where": "there", "message": 5}, ("-:1", "unknown", "5", Place("-", 1))),
    ],
)
def test_error_records_of_foreign_programs_are_shown_as_they_are(record: Record, shown: tuple[Any, ...]) -> None:
    assert tuple(fault_of(record)) == shown


@pytest.mark.parametrize(("fail_on", "level"), [("fail", "warning"), ("review", "error")], ids=["fail", "review"])
def test_a_review_stops_the_check_only_where_that_was_asked_for(findings: Any, fail_on: str, level: str) -> None:
    found = findings([], fail_on=fail_on)
    assert (found.level("review"), found.level("fail"), found.level("waived")) == (level, "error", "notice")
