"""OpenAI chats: one transcript a line, or the output of the batch interface. They carry no score: a grader gives it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wfkit.agents.grading.recorded.base import Record, RecordedFile, count, result_of, usage, values_of
from wfkit.errors import DataError

SUMMARY = "OpenAI chats, one a line: `{id, messages, usage?, model?}`, or lines of a batch's output"
NAMES = ("id", "custom_id", "task_id")


def matches(head: Any) -> bool:
    """Whether a file that begins with this value is of this format."""
    return isinstance(head, dict) and (isinstance(head.get("messages"), list) or "custom_id" in head)


def episodes(files: Iterable[RecordedFile]) -> Iterator[Record]:
    """One episode for each line.

    Raises:
        DataError: a line has no messages or no id.
    """
    for value in values_of(files):
        name = next((value[key] for key in NAMES if isinstance(value.get(key), str)), None)
        if name is None:
            raise DataError("a chat needs the id of its task as id, custom_id or task_id")
        yield _of_batch(name, value) if "custom_id" in value else _of_chat(name, value)


def _of_chat(name: str, value: Mapping[str, Any]) -> Record:
    messages = value.get("messages")
    if not isinstance(messages, list):
        raise DataError(f"the chat of {name} has no messages")
    return _episode(name, messages, value)


def _of_batch(name: str, value: Mapping[str, Any]) -> Record:
    response = value.get("response") or {}
    body = response.get("body") or {}
    choices = body.get("choices")
    if not choices:
        fault = value.get("error") or body.get("error") or {}
        said = fault.get("message") if isinstance(fault, Mapping) else None
        failed = {"kind": "episode", "id": name, "status": "gave_up", "result": None, "failure": "actor_error"}
        return {**failed, "message": str(said or f"status {response.get('status_code')}")[:300]}
    return _episode(name, [choices[0].get("message") or {}], body)


def _episode(name: str, messages: list[Any], source: Mapping[str, Any]) -> Record:
    spent = source.get("usage") or {}
    result = result_of(messages)
    episode = {
        "kind": "episode",
        "id": name,
        "status": "gave_up" if result is None else "done",
        "result": result,
        "messages": messages,
        "usage": usage(count(spent.get("prompt_tokens")), count(spent.get("completion_tokens"))),
    }
    return {**episode, **{key: source[key] for key in ("model", "repeat") if key in source}}
