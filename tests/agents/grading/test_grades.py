"""From finished episodes to ap_grade records, and the numbers of a run."""

from typing import Any

from tests.agents.grading.helpers import pair
from wfkit import schema
from wfkit.agents.grading.grades import grades
from wfkit.agents.grading.plan import Plan
from wfkit.agents.grading.tally import GradeTally

COMMON: dict[str, Any] = {
    "model": "oak", "repeats": 2, "seed": 3, "digests": {"actor": "sha256:a", "grader": "sha256:g"},
    "actor_failure": "unknown",
}  # fmt: skip


def run_of(run_id: str, score: float | None = 1, status: str = "graded", **more: Any) -> dict[str, Any]:
    return {
        "kind": "ap_run", "id": run_id, "side": "s", "model": "oak", "repeat": 0, "status": status, "score": score,
        "failure": None if status == "graded" else "why", "usage": None, "turns": 2, "tool_calls": 1, "asked": 0,
        "questions": ["kept in the ledger alone"], "digest": None, "seed": 3, "digests": {}, **more,
    }  # fmt: skip


def two_pairs() -> Plan:
    plan = Plan()
    plan.add(pair("a"))
    plan.add_error({"kind": "error", "message": "no"})
    plan.add(pair("b", status="inapplicable", perturbed=None, reason="no numbers"))
    return plan


def test_each_request_and_repeat_has_a_record_in_its_place() -> None:
    found = list(grades(two_pairs(), run_of, **COMMON))
    assert [(one["kind"], one.get("task"), one.get("repeat")) for one in found] == [
        ("ap_grade", "a", 0), ("ap_grade", "a", 1), ("error", None, None), ("ap_grade", "b", 0), ("ap_grade", "b", 1)
    ]  # fmt: skip
    for one in found:
        if one["kind"] == "ap_grade":
            schema.checker("ap_grade")(one)
    assert len({one["id"] for one in found if one["kind"] == "ap_grade"}) == 4
    first, last = found[0], found[-1]
    assert first["clean"]["episode"] != first["perturbed"]["episode"]
    assert "questions" not in first["clean"]
    assert (first["repeats"], first["seed"], first["model"], first["actor_failure"]) == (2, 3, "oak", "unknown")
    assert last["perturbed"] == {
        "episode": None, "score": None, "status": "not_constructed", "failure": "no numbers"
    }  # fmt: skip


def test_a_request_of_which_a_side_was_not_run_has_no_record() -> None:
    plan = two_pairs()
    lacking = next(iter(plan.slots("oak", 1))).run_id  # the clean side of a, once
    found = list(grades(plan, lambda run_id: None if run_id == lacking else run_of(run_id), **COMMON))
    assert [(one.get("task"), one.get("repeat")) for one in found if one["kind"] == "ap_grade"] == [
        ("a", 1), ("b", 0), ("b", 1)
    ]  # fmt: skip


def test_labels_stand_in_the_record_where_there_are_any() -> None:
    said = [{"annotator": "rules", "awareness": None, "behaviour": "gave_up"}]
    found = list(grades(two_pairs(), run_of, **COMMON, labels=lambda request, *_: said if request.perturbed else []))
    assert ["labels" in one for one in found] == [True, True, False, False, False]


def test_the_tally_counts_pairs_statuses_and_reasons() -> None:
    tally = GradeTally()
    unknown = [run_of("x", None, "actor_error"), run_of("y", None, "actor_error"), run_of("z", 0, "turn_limit")]
    for perturbed in unknown:
        tally.add({"kind": "ap_grade", "clean": run_of("c"), "perturbed": perturbed})
    tally.add({"kind": "error"})
    assert tally.summary() == {
        "pairs": 3, "scored": 1,
        "statuses": {"clean": {"graded": 3}, "perturbed": {"actor_error": 2, "turn_limit": 1}},
    }  # fmt: skip
    assert list(tally.lines()) == [
        "3 pairs, 1 scored on both sides", "  clean: 3 graded", "  perturbed: 2 actor_error, 1 turn_limit",
        "  2 × actor_error: why", "  1 × turn_limit: why",
    ]  # fmt: skip
