"""Results of tau-bench: one JSON document, a list of ``{task_id, reward, info, traj, trial}``."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wfkit.agents.grading.recorded.base import Record, RecordedFile, calls_in, score, values_of

SUMMARY = "tau-bench results, a JSON list of `{task_id, reward, info, traj, trial}`"


def matches(head: Any) -> bool:
    """Whether a file that begins with this value is of this format."""
    first = head[0] if isinstance(head, list) and head else None
    return isinstance(first, dict) and {"task_id", "reward", "traj"} <= first.keys()


def episodes(files: Iterable[RecordedFile]) -> Iterator[Record]:
    """One episode for each result.

    A run that ended by an exception stands there with reward 0; nobody graded it, so its score is unknown.
    """
    for results in values_of(files):
        for result in results:
            yield _episode(result)


def _episode(result: Mapping[str, Any]) -> Record:
    info = result.get("info")
    error = info.get("error") if isinstance(info, Mapping) else None
    episode = {"kind": "episode", "id": str(result["task_id"]), "repeat": result.get("trial", 0)}
    if error is not None:
        failed = {"status": "gave_up", "result": None, "failure": "actor_error", "message": str(error)[:300]}
        return {**episode, **failed}
    messages = result.get("traj") or []
    return {
        **episode,
        "status": "done",
        "result": calls_in(messages),
        "messages": messages,
        "score": score(result.get("reward")),
    }
