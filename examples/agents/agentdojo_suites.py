"""AgentDojo: instances and the native grader, out of the installed package ``agentdojo``.

    python agentdojo_suites.py instances > instances.jsonl
    ap-grade --actor '…' --grader 'python agentdojo_suites.py grade' --out runs.jsonl pairs.jsonl
    python agentdojo_suites.py environment      # makes the calls of llm_actor.py --environment

An episode's result is a list of calls {name, arguments}; a call of ``say`` is what the agent tells the user. They are
made in a new environment of the suite, and the task's own ``utility`` looks at what it has become.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from agentdojo.agent_pipeline.base_pipeline_element import BasePipelineElement
from agentdojo.agent_pipeline.tool_execution import tool_result_to_str
from agentdojo.functions_runtime import EmptyEnv, FunctionCall, FunctionsRuntime
from agentdojo.task_suite.load_suites import get_suites
from agentdojo.types import text_content_block_from_string

Record = dict[str, Any]

VERSION = "v1.2.2"
SAY = "say"


@cache
def suites() -> dict[str, Any]:
    return get_suites(VERSION)


def instances() -> Iterator[Record]:
    for name, suite in suites().items():
        tools = [
            {"type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": tool.parameters.model_json_schema(),
            }}
            for tool in suite.tools
        ]  # fmt: skip
        for task_id, task in suite.user_tasks.items():
            environment = task.init_environment(suite.load_and_inject_default_environment({}))
            reference = [plain(call) for call in task.ground_truth(environment)]
            if task.GROUND_TRUTH_OUTPUT:
                reference.append({"name": SAY, "arguments": {"text": task.GROUND_TRUTH_OUTPUT}})
            yield {
                "kind": "instance", "id": f"{name}/{task_id}", "benchmark": "agentdojo", "task": f"{name}/{task_id}",
                "scale": "binary",
                "public": {
                    "user": task.PROMPT, "tools": tools, "environment": {"suite": name, "user_task": task_id},
                },
                "private": {"suite": name, "user_task": task_id, "reference": reference, "interactive": True},
            }  # fmt: skip


def plain(call: FunctionCall) -> Record:
    return {"name": call.function, "arguments": json.loads(json.dumps(dict(call.args), default=str))}


class Played(BasePipelineElement):
    """An agent that makes the calls of an episode and says what it said."""

    def __init__(self, calls: Sequence[Record], text: str) -> None:
        self.calls = calls
        self.text = text

    def query(self, query, runtime, env=EmptyEnv(), messages=(), extra_args=None):  # type: ignore[no-untyped-def]  # noqa: B008
        made = []
        for one in self.calls:
            call = FunctionCall(function=one["name"], args=one["arguments"])
            output, error = runtime.run_function(env, call.function, call.args)
            made += [
                {"role": "assistant", "content": [text_content_block_from_string("")], "tool_calls": [call]},
                {"role": "tool", "content": [text_content_block_from_string(tool_result_to_str(output))],
                 "tool_call": call, "tool_call_id": None, "error": error},
            ]  # fmt: skip
        made.append({"role": "assistant", "content": [text_content_block_from_string(self.text)], "tool_calls": None})
        return query, runtime, env, [*messages, *made], extra_args or {}


def environment() -> None:
    """Answer each call with what the tool gives in the environment of its task, which begins anew with each task."""
    runtime, state = None, None
    for line in sys.stdin:
        message = json.loads(line)
        if message["kind"] == "start":
            suite = suites()[message["environment"]["suite"]]
            task = suite.user_tasks[message["environment"]["user_task"]]
            runtime = FunctionsRuntime(suite.tools)
            state = task.init_environment(suite.load_and_inject_default_environment({}))
            reply = {}
        else:
            assert runtime is not None
            output, error = runtime.run_function(state, message["name"], message["arguments"])
            reply = {"output": error or tool_result_to_str(output)}
        print(json.dumps({"id": message["id"], **reply}), flush=True)


def grade(message: Record) -> Record:
    private, episode = message["private"], message["episode"]
    result = episode.get("result")
    calls = [one for one in result if isinstance(one, dict)] if isinstance(result, list) else []
    suite = suites()[private["suite"]]
    agent = Played([one for one in calls if one["name"] != SAY], said(calls, episode))
    solved, _ = suite.run_task_with_pipeline(agent, suite.user_tasks[private["user_task"]], None, {})
    return {"id": message["id"], "score": int(bool(solved))}


def said(calls: list[Record], episode: Record) -> str:
    """What the agent tells the user: its ``say``, else the last words of its transcript."""
    texts = [str(one["arguments"].get("text", "")) for one in calls if one["name"] == SAY]
    if texts:
        return "\n".join(texts)
    words = [one.get("content") for one in episode.get("messages") or [] if one.get("role") == "assistant"]
    return next((text for text in reversed(words) if isinstance(text, str) and text), "")


def main(arguments: list[str]) -> None:
    match arguments:
        case ["instances"]:
            for record in instances():
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
