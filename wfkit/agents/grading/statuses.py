"""The status and the score of an episode. The grader's number stands whatever happened; without one nobody knows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wfkit.agents.families import ACTOR_FAILURES
from wfkit.agents.grading.actor import Acted
from wfkit.agents.grading.grader import Graded

Record = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What an episode came to.

    Attributes:
        status: ``graded``, one of `ACTOR_FAILURES`, or ``grader_error``.
        score: in [0, 1]; None where it is unknown, never 0 for that.
        failure: what went wrong, in one line; None for a graded episode.
        message: what the grader said beside its score.
    """

    status: str
    score: float | None
    failure: str | None = None
    message: str | None = None


def settle(acted: Acted, grade: Callable[[Record], Graded]) -> Outcome:
    """The status and score of what an actor did; ``grade`` is called only where there is an episode."""
    episode = acted.episode
    if episode is None:
        assert acted.status is not None
        return Outcome(acted.status, None, acted.failure)
    reported = episode.get("failure")
    graded = grade(episode)
    status = reported or graded.failure
    if graded.score is not None:
        failure = None if status is None else _words(episode, graded.message or status)
        return Outcome(status or "graded", graded.score, failure, graded.message)
    otherwise = graded.message or status or "the grader gave no score"
    return Outcome(status or "grader_error", None, _words(episode, otherwise))


def _words(episode: Record, otherwise: str) -> str:
    """What went wrong: in the actor's own words where it calls its episode failed."""
    said = episode.get("message") if "failure" in episode else None
    return said[:500] if isinstance(said, str) and said else otherwise


def imposed(score: float | None, status: str, actor_failure: str) -> float | None:
    """The score under ``--actor-failure``: with ``zero``, 0 for what the actor did not finish and nobody graded."""
    return 0.0 if score is None and actor_failure == "zero" and status in ACTOR_FAILURES else score
