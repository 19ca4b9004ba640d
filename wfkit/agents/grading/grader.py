"""One episode at the native grader: a score in range, or why there is none."""

import math
from dataclasses import dataclass
from typing import Any

from wfkit.agents.command import CommandEnded, CommandFailed, LineCommand
from wfkit.agents.families import ACTOR_FAILURES

Record = dict[str, Any]

LONGEST_MESSAGE = 500


@dataclass(frozen=True)
class Graded:
    """What the grader said.

    Attributes:
        score: in [0, 1]; None where it gave none.
        failure: one of `ACTOR_FAILURES` that the grader found in the episode, or None.
        message: in words.
    """

    score: float | None
    failure: str | None = None
    message: str | None = None


def grade(command: LineCommand, private: Record, episode: Record, scale: str, directory: str | None = None) -> Graded:
    """Ask the grader for the score of one episode; after any failure the process is ended.

    An episode that the actor itself calls failed is graded if it has a result: unfinished work may count. Without one
    there is nothing to grade, and a grader that gave 0 for nothing would make a failure look like a zero.

    A grader whose process ends is started once more for the same episode: it may have died of an earlier one.

    Args:
        directory: where the actor worked, for tasks that are directories.
    """
    if "failure" in episode and episode.get("result") is None:
        return Graded(None)
    message = {"kind": "grade", "id": episode["id"], "private": private, "episode": episode}
    if directory is not None:
        message["directory"] = directory
    try:
        try:
            answer = command.ask(message)
        except CommandEnded:
            answer = command.ask(message)
    except CommandFailed as failure:
        return Graded(None, message=str(failure))
    if answer.get("id") != episode["id"]:
        command.stop()
        return Graded(None, message=f"the grader answered for {str(answer.get('id'))[:60]!r}")
    return _read(answer, scale)


def _read(answer: Record, scale: str) -> Graded:
    failure, said, score = answer.get("failure"), answer.get("message"), answer.get("score")
    words = [text[:LONGEST_MESSAGE] for text in (failure, said) if isinstance(text, str) and text]
    known = failure if failure in ACTOR_FAILURES else None
    message = ": ".join(words) or None
    if score is None:
        return Graded(None, known, message or "the grader gave no score")
    fault = fault_of(score, scale)
    return Graded(None, known, f"the grader gave {fault}") if fault else Graded(score, known, message)


def recorded_score(episode: Record, scale: str) -> Graded:
    """The score that a recorded episode carries."""
    score = episode.get("score")
    if score is None:
        return Graded(None, message=None if "failure" in episode else "the recorded episode carries no score")
    fault = fault_of(score, scale)
    return Graded(None, message=f"the recorded episode carries {fault}") if fault else Graded(score)


def fault_of(score: object, scale: str) -> str | None:
    """Why a value is no score of this scale, as the end of a sentence; None if it is one."""
    if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
        return f"the score {score!r}, which is no number"
    if not 0 <= score <= 1:
        return f"the score {score!r}, which is not from 0 to 1"
    if scale == "binary" and score not in (0, 1):
        return f"the score {score!r} on a binary scale"
    return None
