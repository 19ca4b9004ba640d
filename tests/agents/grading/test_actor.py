"""One task at a real actor process: every answer that is in order, and everything else that it can do."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agents.grading.helpers import ACTOR, command
from wfkit.agents.command import LineCommand
from wfkit.agents.grading.actor import Acted, Limits, act, late_output
from wfkit.agents.grading.plan import Job

PATIENT = Limits(seconds=30, questions=3)
HURRIED = Limits(seconds=1.5, questions=3)


@pytest.fixture
def actor(tmp_path: Path) -> Iterator[LineCommand]:
    made = LineCommand(command(tmp_path, "actor", ACTOR), timeout=30, name="actor")
    yield made
    made.stop()


def job(do: str, value: Any = 1, answer: str | None = None) -> Job:
    return Job("side-1", {"do": do, "value": value}, {"reference": "a secret"}, answer, "binary")


def test_an_answer(actor: LineCommand) -> None:
    acted = act(actor, job("answer", 7), PATIENT)
    assert acted == Acted(
        {"kind": "episode", "id": "side-1", "status": "done", "result": 7, "turns": 1, "tool_calls": 0,
         "usage": {"input_tokens": 10, "output_tokens": 2}}
    )  # fmt: skip
    assert actor.running  # and is used again


@pytest.mark.parametrize(
    ("do", "status", "words"),
    [
        ("crash", "actor_error", "exit code 1 (stderr: it broke)"),
        ("fork", "actor_error", "exit code 1"),
        ("flood", "parse_error", "a line of more than"),
        ("half a line", "parse_error", "not JSON"),
        ("another", "parse_error", "answered for 'somebody else'"),
        ("twice", "parse_error", "more than one answer"),
        ("invalid", "parse_error", "episode is not valid: $.status"),
        ("wander", "parse_error", "neither an episode nor a question"),
        ("leak", "actor_error", "MemoryError"),
        ("ask for ever", "turn_limit", "more than 3 questions"),
    ],
)
def test_what_goes_wrong(actor: LineCommand, do: str, status: str, words: str) -> None:
    acted = act(actor, job(do), PATIENT)
    assert (acted.episode, acted.status) == (None, status)
    assert words in (acted.failure or "")
    assert act(actor, job("answer"), PATIENT).status is None  # the next episode is none the worse


@pytest.mark.parametrize("do", ["hang", "half a line and wait", "stubborn"])
def test_what_takes_too_long(actor: LineCommand, do: str) -> None:
    act(actor, job("answer"), PATIENT)  # started: the time is for the episode alone
    acted = act(actor, job(do), HURRIED)
    assert (acted.status, acted.failure) == ("actor_timeout", "the actor took longer than 1.5 s")
    assert not actor.running


def test_what_an_actor_writes_after_its_episode_is_noticed_when_it_comes(actor: LineCommand) -> None:
    assert act(actor, job("tail"), PATIENT).status is None
    until = time.monotonic() + 10
    while (told := late_output(actor)) is None and time.monotonic() < until:
        time.sleep(0.02)
    assert "more than one answer" in (told or "")
    assert not actor.running


def test_a_flood_on_stderr_disturbs_nobody(actor: LineCommand) -> None:
    assert act(actor, job("stderr", 3), PATIENT).status is None
    assert (act(actor, job("answer", 4), PATIENT).episode or {})["result"] == 4


def test_a_question_brings_the_fact_that_was_left_out(actor: LineCommand) -> None:
    acted = act(actor, job("ask", answer="It is 40."), PATIENT)
    assert (acted.episode or {})["result"] == "It is 40."
    assert acted.questions == [{"text": "How many?", "answered": True}]


def test_a_question_to_which_there_is_no_answer(actor: LineCommand) -> None:
    acted = act(actor, job("ask"), PATIENT)
    assert (acted.episode or {})["result"] is None
    assert acted.questions == [{"text": "How many?", "answered": False}]


def test_the_questions_of_an_episode_that_failed_are_kept(actor: LineCommand) -> None:
    assert len(act(actor, job("ask for ever"), PATIENT).questions) == 3


def test_who_writes_between_two_tasks_is_started_anew(tmp_path: Path) -> None:
    source = ACTOR + '    if do == "late":\n        time.sleep(0.3)\n        say({"log": "late"})\n'
    actor = LineCommand(command(tmp_path, "actor", source), timeout=30, name="actor")
    assert act(actor, job("late"), PATIENT).status is None
    time.sleep(1)
    assert act(actor, job("answer", 2), PATIENT).status is None
    actor.stop()


def test_a_program_that_answers_once_is_told_what_it_needs(tmp_path: Path) -> None:
    actor = LineCommand(command(tmp_path, "actor", "import sys; sys.stdin.readline()"), timeout=30, name="actor")
    assert "--fresh" in (act(actor, job("answer"), PATIENT).failure or "")
