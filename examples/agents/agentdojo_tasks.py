"""AgentDojo: instances and the native grader, out of the installed package ``agentdojo`` (its utility, no injections).

    python agentdojo_tasks.py instances > instances.jsonl
    ap-pair --grader 'python agentdojo_tasks.py grade' instances.jsonl
    python agentdojo_tasks.py environment       # makes the calls of llm_actor.py --environment

An actor's result is ``{"calls": [{"name", "arguments"}], "text": its last message}``, or the calls alone.
"""

import json
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import carried_over

Record = dict[str, Any]
VERSION = "v1.2.2"


@cache
def suite_of(name: str) -> Any:
    from agentdojo.task_suite.load_suites import get_suites

    return get_suites(VERSION)[name]


def instances() -> Iterator[Record]:
    from agentdojo.agent_pipeline.agent_pipeline import load_system_message
    from agentdojo.agent_pipeline.tool_execution import tool_result_to_str
    from agentdojo.functions_runtime import FunctionsRuntime
    from agentdojo.task_suite.load_suites import get_suites

    procedure = load_system_message(None)
    for name, suite in get_suites(VERSION).items():
        tools = [tool_of(tool) for tool in suite.tools]
        for identifier, task in suite.user_tasks.items():
            environment = task.init_environment(suite.load_and_inject_default_environment({}))
            truth = task.ground_truth(environment.model_copy(deep=True))
            runtime = FunctionsRuntime(suite.tools)
            calls, outputs, reads_only = [], [], []
            for call in truth:
                before = environment.model_copy(deep=True)
                output, _ = runtime.run_function(environment, call.function, call.args, raise_on_error=True)
                calls.append({"name": call.function, "arguments": json.loads(json.dumps(dict(call.args), default=str))})
                outputs.append(tool_result_to_str(output))
                reads_only.append(before == environment)
            count = carried_over.leading(reads_only)
            context = carried_over.earlier_turn(calls[:count], outputs[:count])
            last = 1 + len(context)
            messages = [
                {"role": "system", "content": procedure}, *context, {"role": "user", "content": task.PROMPT},
            ]  # fmt: skip
            pointers = {
                "user": [f"/messages/{last}/content"],
                "procedure": ["/messages/0/content"],
                "tools": ["/tools"],
            }
            if context:
                pointers["context"] = [f"/messages/{place}" for place in range(1, last)]
            yield {
                "kind": "instance", "id": f"agentdojo/{name}/{identifier}", "benchmark": "agentdojo",
                "task": f"{name}/{identifier}", "scale": "binary",
                "public": {
                    "messages": messages, "tools": tools,
                    "environment": {"suite": name, "task": identifier, "played": calls[:count]},
                },
                "pointers": pointers,
                "private": {
                    "reference": {"calls": calls[count:], "text": task.GROUND_TRUTH_OUTPUT},
                    "observations": [
                        {"call": place, "output": output} for place, output in enumerate(outputs[count:])
                    ],
                    "interactive": True, "suite": name, "task": identifier, "played": calls[:count],
                },
            }  # fmt: skip


def tool_of(tool: Any) -> Record:
    parameters = tool.parameters.model_json_schema()
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": parameters},
    }


def grade(message: Record) -> Record:
    from agentdojo.functions_runtime import FunctionCall, FunctionsRuntime
    from agentdojo.types import text_content_block_from_string

    private = message["private"]
    calls, said = carried_over.answered(message["episode"])
    suite = suite_of(private["suite"])
    task = suite.get_user_task_by_id(private["task"])
    environment = task.init_environment(suite.load_and_inject_default_environment({}))
    before = environment.model_copy(deep=True)
    runtime = FunctionsRuntime(suite.tools)
    made = []
    for call in [*private["played"], *calls]:
        made.append(FunctionCall(function=call["name"], args=call["arguments"]))
        runtime.run_function(environment, call["name"], call["arguments"])
    text = [text_content_block_from_string(said)]
    success = suite._check_user_task_utility(task, text, before, environment, made)
    return {"id": message["id"], "score": int(bool(success))}


def environment() -> None:
    """Answer each call as the suite does; every task begins anew, after the calls that were played."""
    from agentdojo.agent_pipeline.tool_execution import tool_result_to_str
    from agentdojo.functions_runtime import FunctionsRuntime

    runtime, state = FunctionsRuntime([]), None
    for line in sys.stdin:
        message = json.loads(line)
        reply = {"id": message["id"]}
        if message["kind"] == "start":
            begun = message["environment"]
            suite = suite_of(begun["suite"])
            runtime = FunctionsRuntime(suite.tools)
            task = suite.get_user_task_by_id(begun["task"])
            state = task.init_environment(suite.load_and_inject_default_environment({}))
            for call in begun["played"]:
                runtime.run_function(state, call["name"], call["arguments"])
        else:
            output, error = runtime.run_function(state, message["name"], message["arguments"])
            reply["output"] = error or tool_result_to_str(output)
        print(json.dumps(reply), flush=True)


def main(arguments: list[str]) -> None:
    warnings.simplefilter("ignore")
    match arguments:
        case ["instances"]:
            for record in instances():
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
