"""One episode at a real grader process: scores, and every reason why there is none."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agents.grading.helpers import GRADER, command
from wfkit.agents.command import LineCommand
from wfkit.agents.grading.grader import Graded, fault_of, grade, recorded_score


@pytest.fixture
def grader(tmp_path: Path) -> Iterator[LineCommand]:
    made = LineCommand(command(tmp_path, "grader", GRADER), timeout=30, name="grader")
    yield made
    made.stop()


def episode(result: Any = 1, **more: Any) -> dict[str, Any]:
    return {"kind": "episode", "id": "side-1", "status": "done", "result": result, **more}


def test_scores(grader: LineCommand) -> None:
    assert grade(grader, {"reference": 1}, episode(1), "binary") == Graded(1)
    assert grade(grader, {"reference": 1}, episode(2), "binary") == Graded(0)


@pytest.mark.parametrize(
    ("say", "expected"),
    [
        ('{"id": "ID", "score": 0.5}', Graded(None, None, "the grader gave the score 0.5 on a binary scale")),
        ('{"id": "ID", "score": 1, "failure": "turn_limit"}', Graded(1, "turn_limit", "turn_limit")),
        (
            '{"id": "ID", "score": null, "failure": "parse_error", "message": "no calls"}',
            Graded(None, "parse_error", "parse_error: no calls"),
        ),
        ('{"id": "ID", "score": null, "failure": "the judge is asleep"}', Graded(None, None, "the judge is asleep")),
        ('{"id": "ID", "score": null}', Graded(None, None, "the grader gave no score")),
        ('{"id": "ID"}', Graded(None, None, "the grader gave no score")),
        ('{"id": "other", "score": 1}', Graded(None, None, "the grader answered for 'other'")),
        ('{"id": "ID", "score": true}', Graded(None, None, "the grader gave the score True, which is no number")),
        ('{"id": "ID", "score": "1"}', Graded(None, None, "the grader gave the score '1', which is no number")),
        ('{"id": "ID", "score": 1.5}', Graded(None, None, "the grader gave the score 1.5, which is not from 0 to 1")),
    ],
)  # fmt: skip
def test_what_a_grader_may_say(grader: LineCommand, say: str, expected: Graded) -> None:
    assert grade(grader, {"say": say}, episode(), "binary") == expected


def test_what_is_no_json_is_no_score(grader: LineCommand) -> None:
    graded = grade(grader, {"say": "fine"}, episode(), "binary")
    assert graded.score is None
    assert "not JSON" in (graded.message or "")


def test_a_grader_that_dies_of_an_earlier_episode_is_started_once_more(grader: LineCommand) -> None:
    assert grade(grader, {"reference": 1}, episode(), "binary") == Graded(1)
    # As the second message of the process this one kills it; as the first of the next one it is graded.
    assert grade(grader, {"reference": 1, "die_at": 2}, episode(), "binary") == Graded(1)


def test_a_grader_that_dies_of_this_episode_gives_no_score(grader: LineCommand) -> None:
    graded = grade(grader, {"die": True}, episode(), "binary")
    assert graded == Graded(None, None, "the grader ended with exit code 1 (stderr: no grading of this)")
    assert grade(grader, {"reference": 1}, episode(), "binary") == Graded(1)


def test_an_episode_that_failed_is_graded_if_it_has_a_result(grader: LineCommand) -> None:
    assert grade(grader, {"reference": 1}, episode(1, failure="turn_limit"), "binary") == Graded(1)
    assert grade(grader, {"reference": 1}, episode(None, failure="turn_limit"), "binary") == Graded(None)
    assert grade(grader, {"reference": 1}, episode(None), "binary") == Graded(0)  # it gave up: the grader decides


@pytest.mark.parametrize(
    ("score", "scale", "fine"),
    [
        (0, "binary", True), (1, "binary", True), (1.0, "binary", True), (0.5, "binary", False), (0.5, "unit", True),
        (0, "unit", True), (-0.1, "unit", False), (1.01, "unit", False), (math.nan, "unit", False),
        (math.inf, "unit", False), (True, "binary", False), ("1", "binary", False), ([], "unit", False),
    ],
)  # fmt: skip
def test_what_is_a_score(score: Any, scale: str, fine: bool) -> None:
    assert (fault_of(score, scale) is None) is fine


def test_scores_of_recorded_episodes() -> None:
    assert recorded_score(episode(score=0.5), "unit") == Graded(0.5)
    assert recorded_score(episode(score=0.5), "binary").score is None
    assert "no score" in (recorded_score(episode(), "unit").message or "")
    assert recorded_score(episode(failure="grader_error"), "unit") == Graded(None)
