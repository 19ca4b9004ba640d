"""Results of tau2-bench: one JSON document with ``simulations``."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wfkit.agents.grading.recorded.base import Record, RecordedFile, calls_in, score, total, usage, values_of

SUMMARY = "tau2-bench results, a JSON document with `simulations`"

# Why a simulation ended, where it did not end in order. What the user or the infrastructure did is no fault of the
# agent's: such a score is unknown, whatever reward stands there.
AGENTS_FAULTS = {"max_steps": "turn_limit", "too_many_errors": "tool_error", "agent_error": "actor_error"}
IN_ORDER = {"user_stop", "agent_stop", "judge_stop"}


def matches(head: Any) -> bool:
    """Whether a file that begins with this value is of this format."""
    return isinstance(head, dict) and isinstance(head.get("simulations"), list)


def episodes(files: Iterable[RecordedFile]) -> Iterator[Record]:
    """One episode for each simulation."""
    for results in values_of(files):
        agent = (results.get("info") or {}).get("agent_info") or {}
        model = agent.get("llm") or agent.get("implementation")
        for simulation in results["simulations"]:
            episode = _episode(simulation)
            yield {**episode, "model": model} if isinstance(model, str) and model else episode


def _episode(simulation: Mapping[str, Any]) -> Record:
    messages = simulation.get("messages") or []
    own = [one for one in messages if one.get("role") == "assistant"]
    spent = [one.get("usage") or {} for one in own]
    reason = simulation.get("termination_reason")
    reason = str(getattr(reason, "value", reason))
    reward = simulation.get("reward_info")
    episode: Record = {
        "kind": "episode",
        "id": str(simulation["task_id"]),
        "repeat": simulation.get("trial") or 0,
        "status": "done",
        "result": calls_in(messages),
        "messages": messages,
        "usage": usage(
            total(one.get("prompt_tokens") for one in spent),
            total(one.get("completion_tokens") for one in spent),
            simulation.get("agent_cost"),
        ),
        "score": score(reward.get("reward")) if isinstance(reward, Mapping) else None,
    }
    if reason in IN_ORDER:
        return episode
    failure = AGENTS_FAULTS.get(reason, "grader_error")
    known = {} if failure in ("turn_limit", "tool_error") else {"result": None, "score": None}
    return {**episode, "status": "gave_up", "failure": failure, "message": f"ended by {reason}", **known}
