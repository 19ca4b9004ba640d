"""Logs of Inspect, written as JSON (``inspect log dump`` or ``--log-format json``)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wfkit.agents.grading.recorded.base import Record, RecordedFile, result_of, score, total, usage, values_of

SUMMARY = "Inspect logs as JSON (`inspect log dump`)"
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
LIMITS = {"time": "actor_timeout", "working": "actor_timeout"}


def matches(head: Any) -> bool:
    """Whether a file that begins with this value is of this format."""
    return isinstance(head, dict) and "eval" in head and ("samples" in head or "status" in head)


def episodes(files: Iterable[RecordedFile]) -> Iterator[Record]:
    """One episode for each sample; one that ended by an error has no score and none is made up."""
    for log in values_of(files):
        model = (log.get("eval") or {}).get("model")
        for sample in log.get("samples") or ():
            episode = _episode(sample)
            yield {**episode, "model": model} if isinstance(model, str) and model else episode


def _episode(sample: Mapping[str, Any]) -> Record:
    messages = sample.get("messages") or []
    spent = list((sample.get("model_usage") or {}).values())
    episode: Record = {
        "kind": "episode",
        "id": str(sample["id"]),
        "repeat": max((sample.get("epoch") or 1) - 1, 0),
        "status": "done",
        "result": result_of(messages),
        "messages": messages,
        "usage": usage(
            total(one.get("input_tokens") for one in spent), total(one.get("output_tokens") for one in spent)
        ),
        "score": _score(sample.get("scores")),
    }
    if sample.get("error"):
        said = sample["error"].get("message") if isinstance(sample["error"], Mapping) else sample["error"]
        fault = {"failure": "actor_error", "message": str(said)[:300]}
        return {**episode, "status": "gave_up", "result": None, **fault}
    limit = sample.get("limit")
    if isinstance(limit, Mapping):
        kind = str(limit.get("type"))
        fault = {"failure": LIMITS.get(kind, "turn_limit"), "message": f"the {kind} limit was reached"}
        return {**episode, "status": "gave_up", **fault}
    return episode


def _score(scores: Any) -> float | None:
    """The one score of a sample; None where there is none, or several and nobody says which is meant."""
    if not isinstance(scores, Mapping) or len(scores) != 1:
        return None
    (entry,) = scores.values()
    value = entry.get("value") if isinstance(entry, Mapping) else entry
    if isinstance(value, bool):
        return float(value)
    return LETTERS.get(value) if isinstance(value, str) else score(value)
