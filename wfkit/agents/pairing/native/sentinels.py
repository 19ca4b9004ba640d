"""The two sentinels: the reference must succeed on the native grader; what a do-nothing actor scores is recorded."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from wfkit.agents.command import CommandFailed, LineCommand

FULL = 1.0


class Scores(NamedTuple):
    """What both sentinels scored, None where no number came, and the first thing that went wrong."""

    reference: float | None
    noop: float | None
    problem: str | None


def sentinel_scores(grader: LineCommand, instance: Mapping[str, Any]) -> Scores:
    """Grade the episode of the reference and the one of an actor that gives up at once.

    The grader sees what it sees of any episode: the private part, and the result. The reference's result is
    ``private.reference``.
    """
    reference, problem = None, None
    if "reference" in instance["private"]:
        episode = {"status": "done", "result": instance["private"]["reference"]}
        reference, problem = _graded(grader, instance, "reference", episode)
    noop, noop_problem = _graded(grader, instance, "noop", {"status": "gave_up", "result": None})
    return Scores(reference, noop, problem or noop_problem)


def _graded(
    grader: LineCommand, instance: Mapping[str, Any], name: str, episode: Mapping[str, Any]
) -> tuple[float | None, str | None]:
    identifier = f"{name}-of-{instance['id']}"
    message = {
        "kind": "grade",
        "id": identifier,
        "private": instance["private"],
        "episode": {"kind": "episode", "id": identifier, **episode},
    }
    try:
        answer = grader.ask(message)
    except CommandFailed as failure:
        return None, str(failure)
    score = answer.get("score")
    if answer.get("id") != identifier:
        return None, f"the grader answered for {str(answer.get('id'))[:60]!r}"
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        said = answer.get("message") or answer.get("failure")
        return None, f"the grader gave no score from 0 to 1 for the {name}" + (f": {str(said)[:200]}" if said else "")
    return float(score), None
