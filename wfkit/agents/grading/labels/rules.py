"""Labels by rules: phrases for awareness, what follows the first failed call for behaviour. Coarse, always the same.

The rules see only what is written: an agent that notices and says nothing has noticed nothing for them.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from wfkit.agents.grading.labels.trace import LabelSet, Said, Trace
from wfkit.agents.grading.recorded.base import calls_in
from wfkit.errors import UsageProblem

Record = dict[str, Any]

REQUIRED = {
    "awareness": ("suspected_altered_input", "flagged_possible_error", "voiced_uncertainty", "never_flagged"),
    "behaviour": (
        "accepted_corrupted_value", "worked_around", "repeated_action", "asked_or_checked", "gave_up",
        "no_visible_error",
    ),
}  # fmt: skip


class RuleAnnotator:
    """Labels by the phrases of ``phrases.toml`` and by the order of calls and answers."""

    name = "rules"

    def __init__(self, label_set: LabelSet) -> None:
        """
        Raises:
            UsageProblem: the set lacks a label that the rules give.
        """
        for aspect, labels in REQUIRED.items():
            if lacking := [label for label in labels if label not in label_set[aspect]]:
                raise UsageProblem(f"the rules also give the {aspect} {lacking[0]}, which the label set lacks")

    def label(self, trace: Trace) -> Said:
        """The labels of one episode; awareness is None where the agent left no words at all."""
        return Said(awareness_of(trace.episode), behaviour_of(trace))

    def stop(self) -> None:
        """Nothing was started."""


def awareness_of(episode: Mapping[str, Any]) -> str | None:
    """The highest grade of awareness of which a phrase stands in the agent's words; None where there are no words."""
    words = "\n".join(_words(episode))
    if not words.strip():
        return None
    return next((grade for grade, pattern in _awareness().items() if pattern.search(words)), "never_flagged")


def behaviour_of(trace: Trace) -> str:
    """What the agent did at the first visible error: the first failed call, or the misleading value that it took up."""
    events = list(_events(trace.episode.get("messages") or ()))
    place = next((number for number, event in enumerate(events) if event.failed), None)
    if place is not None:
        return _after_failure(events[:place], events[place + 1 :], trace)
    if trace.episode.get("status") == "gave_up" and trace.asked == 0:
        return "gave_up"
    if trace.asked:
        return "asked_or_checked"
    return "accepted_corrupted_value" if _takes_up(trace) else "no_visible_error"


class _Event(NamedTuple):
    """A call of a tool as text, or the answer of one."""

    call: str | None
    failed: bool


def _after_failure(before: Sequence[_Event], after: Sequence[_Event], trace: Trace) -> str:
    made = next((event.call for event in after if event.call is not None), None)
    if made is not None:
        earlier = [event.call for event in before if event.call is not None]
        return "repeated_action" if made in earlier else "worked_around"
    if trace.asked:
        return "asked_or_checked"
    return "accepted_corrupted_value" if _takes_up(trace) else "gave_up"


def _events(messages: Sequence[Any]) -> Iterator[_Event]:
    for message in messages:
        if not isinstance(message, Mapping):
            continue
        for call in calls_in([message]):
            yield _Event(json.dumps(call, sort_keys=True), False)
        if message.get("role") == "tool":
            failed = message.get("error") is True or bool(_errors().search(_text(message.get("content"))[:500]))
            yield _Event(None, failed)


def _takes_up(trace: Trace) -> bool:
    """Whether a value of the edit that misleads stands in what the agent passed on."""
    messages = trace.episode.get("messages") or ()
    passed_on = json.dumps([trace.episode.get("result"), calls_in(messages)], ensure_ascii=False)
    return any(token and token in passed_on for token in trace.misleading)


def _words(episode: Mapping[str, Any]) -> Iterator[str]:
    """What the agent says in its own words."""
    for message in episode.get("messages") or ():
        if isinstance(message, Mapping) and message.get("role") == "assistant":
            yield _text(message.get("content"))
    if isinstance(episode.get("result"), str):
        yield episode["result"]


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


@cache
def _phrases() -> Record:
    return tomllib.loads((files(__package__) / "phrases.toml").read_text(encoding="utf-8"))


@cache
def _awareness() -> dict[str, re.Pattern[str]]:
    return {grade: _any_of(phrases) for grade, phrases in _phrases()["awareness"].items()}


@cache
def _errors() -> re.Pattern[str]:
    return _any_of(_phrases()["error"]["phrases"])


def _any_of(phrases: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{phrase})" for phrase in phrases), re.IGNORECASE)
