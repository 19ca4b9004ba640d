"""The status and score of an episode: the grader's number stands, without one nobody knows."""

from typing import Any

import pytest

from wfkit.agents.families import ACTOR_FAILURES
from wfkit.agents.grading.actor import Acted
from wfkit.agents.grading.grader import Graded
from wfkit.agents.grading.statuses import Outcome, imposed, settle


def episode(**more: Any) -> dict[str, Any]:
    return {"kind": "episode", "id": "a", "status": "done", "result": 1, **more}


@pytest.mark.parametrize(
    ("acted", "graded", "expected"),
    [
        (Acted(episode()), Graded(1), Outcome("graded", 1)),
        (Acted(episode()), Graded(0, None, "wrong order"), Outcome("graded", 0, None, "wrong order")),
        (Acted(episode()), Graded(None, None, "asleep"), Outcome("grader_error", None, "asleep")),
        (Acted(episode()), Graded(None, "parse_error", "no calls"), Outcome("parse_error", None, "no calls")),
        (Acted(episode()), Graded(0.5, "tool_error", "gone"), Outcome("tool_error", 0.5, "gone", "gone")),
        (Acted(episode(failure="turn_limit")), Graded(1), Outcome("turn_limit", 1, "turn_limit")),
        (Acted(episode(failure="turn_limit", message="200 turns")), Graded(0), Outcome("turn_limit", 0, "200 turns")),
        (
            Acted(episode(failure="tool_error", message="no disk")),
            Graded(None),
            Outcome("tool_error", None, "no disk"),
        ),
        (
            Acted(episode(failure="grader_error")),
            Graded(None),
            Outcome("grader_error", None, "grader_error"),
        ),
    ],
)
def test_what_an_episode_comes_to(acted: Acted, graded: Graded, expected: Outcome) -> None:
    assert settle(acted, lambda _: graded) == expected


@pytest.mark.parametrize("status", ACTOR_FAILURES)
def test_without_an_episode_there_is_nothing_to_grade(status: str) -> None:
    def never(_: dict[str, Any]) -> Graded:
        raise AssertionError("graded all the same")

    assert settle(Acted(None, status, "it broke"), never) == Outcome(status, None, "it broke")


@pytest.mark.parametrize(
    ("score", "status", "setting", "expected"),
    [
        (None, "actor_error", "unknown", None),
        (None, "actor_error", "zero", 0.0),
        (None, "turn_limit", "zero", 0.0),
        (0.5, "turn_limit", "zero", 0.5),  # the grader's number stands
        (None, "grader_error", "zero", None),  # no fault of the actor's
        (None, "not_constructed", "zero", None),
        (1, "graded", "zero", 1),
    ],
)
def test_the_zero_that_can_be_imposed(score: float | None, status: str, setting: str, expected: float | None) -> None:
    assert imposed(score, status, setting) == expected
