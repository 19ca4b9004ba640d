"""An actor that is a language model with tools, at any service that speaks the chat completions of OpenAI.

    export OPENAI_BASE_URL=… OPENAI_API_KEY=…
    ap-grade --actor 'python llm_actor.py MODEL' --grader 'python bfcl.py grade' --out runs.jsonl pairs.jsonl

Sampling is left to the provider. Without --environment the first calls of the model are its result; with it they are
made, their answers are shown to the model, and it goes on until it has no more calls to make. A message that ends in a
question mark is asked of the user.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import environ
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from wfkit.errors import WfkitError
from wfkit.llm.endpoints import Endpoints
from wfkit.llm.errors import CallFailed
from wfkit.llm.transport import Transport

Record = dict[str, Any]

TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": None}  # of BFCL, in JSON Schema
RULES, REQUESTS = ("procedure", "policy"), ("user", "scenario")
RETRIES = 5
LONGEST_PAUSE = 30.0


class Failed(Exception):
    """The episode cannot be finished: which status that is, and why."""

    def __init__(self, failure: str, message: str) -> None:
        super().__init__(message)
        self.failure = failure


@dataclass
class Spent:
    """What an episode took."""

    turns: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    calls: list[Record] = field(default_factory=list)
    version: str = ""


class Model:
    """One model at one service, with the limits of an episode."""

    def __init__(self, settings: argparse.Namespace) -> None:
        self.settings = settings
        endpoints = Endpoints(json.loads(Path(settings.endpoints).read_text()) if settings.endpoints else {}, environ)
        self.endpoint = endpoints.find(settings.model)
        self.name = endpoints.split(settings.model)[0]
        self.transport = Transport(settings.timeout)

    def answer(self, messages: list[Record], tools: list[Record], until: float, spent: Spent) -> Record:
        """The next message of the model; repeated after failures that pass, as long as there is time."""
        body: Record = {"model": self.name, "messages": messages}
        body["max_completion_tokens"] = self.settings.max_completion_tokens
        if tools:
            body["tools"] = tools
        for attempt in range(RETRIES + 1):
            try:
                text, _ = self.transport.exchange(self.endpoint, body)
                return self.read(text, spent)
            except CallFailed as failure:
                if "max_completion_tokens" in body and "max_completion_tokens" in str(failure):
                    body["max_tokens"] = body.pop("max_completion_tokens")  # the older name
                    continue
                pause = min(failure.retry_after or 0.5 * 2**attempt, LONGEST_PAUSE)
                if not failure.passing or attempt == RETRIES:
                    raise Failed("actor_error", str(failure)) from None
                if time.monotonic() + pause > until:
                    raise Failed("actor_timeout", f"{failure}; no time is left to try again") from None
                time.sleep(pause)
        raise Failed("actor_error", "no answer")

    def read(self, text: str, spent: Spent) -> Record:
        try:
            body = json.loads(text)
            message: Record = body["choices"][0]["message"]
        except (ValueError, LookupError, TypeError):
            raise Failed("parse_error", f"the service answered {text[:100]!r}") from None
        usage = body.get("usage") or {}
        spent.turns += 1
        spent.input_tokens += usage.get("prompt_tokens") or 0
        spent.output_tokens += usage.get("completion_tokens") or 0
        spent.version = str(body.get("model") or self.name)
        return {key: message[key] for key in ("role", "content", "tool_calls") if message.get(key) is not None}


class World:
    """The environment in which calls are made: a program that answers one JSON line with another."""

    def __init__(self, command: str) -> None:
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def tell(self, message: Record) -> Record:
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            print(json.dumps(message), file=self.process.stdin, flush=True)
            reply: Record = json.loads(self.process.stdout.readline())
        except (OSError, ValueError):
            raise Failed("tool_error", "the environment gave no answer") from None
        return reply


def chat_of(public: Record) -> list[Record]:
    """The instance as a chat: standing instructions, what was said before, and the request, as far as it has them."""
    if isinstance(public.get("question"), list):
        return [message for turn in public["question"] for message in turn]
    said = public.get("messages") or public.get("context") or []
    if not isinstance(said, list) or not all(isinstance(one, dict) and "role" in one for one in said):
        said = [{"role": "user", "content": as_text(said)}]
    rules, request = (next((public[key] for key in keys if public.get(key)), None) for keys in (RULES, REQUESTS))
    first = [] if rules is None else [{"role": "system", "content": as_text(rules)}]
    last = [] if request is None else [{"role": "user", "content": as_text(request)}]
    return [*first, *said, *last]


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def tools_of(public: Record) -> tuple[list[Record], dict[str, str]]:
    """The tools as the service takes them, and the names that had to be changed, back to what they were."""
    tools, names = [], {}
    for one in public.get("tools") or public.get("function") or []:
        tool = one.get("function", one)
        name = re.sub(r"[^A-Za-z0-9_-]", "_", tool["name"])[:64]
        names[name] = tool["name"]
        schema = tool.get("parameters") or tool.get("inputSchema") or {"type": "object", "properties": {}}
        function = {"name": name, "description": tool.get("description", ""), "parameters": in_json_schema(schema)}
        tools.append({"type": "function", "function": function})
    return tools, names


def in_json_schema(value: Any) -> Any:
    if isinstance(value, list):
        return [in_json_schema(one) for one in value]
    if not isinstance(value, dict):
        return value
    mapped = {key: in_json_schema(inner) for key, inner in value.items()}
    kind = mapped.get("type")
    if isinstance(kind, str) and kind in TYPES:
        mapped["type"] = TYPES[kind]
        if mapped["type"] is None:
            del mapped["type"]
    return mapped


def work(task: Record, model: Model, world: World | None) -> Record:
    """One episode, whatever comes of it."""
    public, spent = task["public"], Spent()
    messages = chat_of(public)
    shown = len(messages)
    episode: Record = {"kind": "episode", "id": task["id"], "status": "done"}
    try:
        for _ in turns(task, model, world, messages, spent):
            pass
    except Failed as failed:
        episode |= {"status": "gave_up", "failure": failed.failure, "message": str(failed)[:300]}
    words = [one["content"] for one in messages[shown:] if one["role"] == "assistant" and one.get("content")]
    settings = model.settings
    return {
        **episode,
        "result": spent.calls or (words[-1] if words else None),
        "messages": messages,
        "turns": spent.turns,
        "tool_calls": len(spent.calls),
        "usage": {"input_tokens": spent.input_tokens, "output_tokens": spent.output_tokens},
        "version": f"{spent.version or model.name}|sampling=provider|max_completion_tokens="
        f"{settings.max_completion_tokens}|max_turns={settings.max_turns}|timeout={settings.timeout:g}",
    }


def turns(task: Record, model: Model, world: World | None, messages: list[Record], spent: Spent) -> Iterator[Record]:
    """The turns of an episode, as they happen; they go into ``messages`` and ``spent``."""
    tools, names = tools_of(task["public"])
    until = time.monotonic() + model.settings.timeout
    if world is not None:
        world.tell({"kind": "start", "id": task["id"], "environment": task["public"].get("environment")})
    while True:
        if spent.turns >= model.settings.max_turns:
            raise Failed("turn_limit", f"{spent.turns} turns without an end")
        if time.monotonic() > until:
            raise Failed("actor_timeout", f"longer than {model.settings.timeout:g} s")
        message = model.answer(messages, tools, until, spent)
        messages.append(message)
        yield message
        made = message.get("tool_calls") or []
        for call in made:
            known = call_of(call, names)
            spent.calls.append(known)
            if world is not None:
                output = world.tell({"kind": "call", "id": task["id"], **known}).get("output")
                messages.append({"role": "tool", "tool_call_id": call.get("id"), "content": as_text(output)})
        if made and world is not None:
            continue
        if made or not str(message.get("content") or "").rstrip().endswith("?"):
            return
        answer = ask(task, message["content"])
        if answer is None:
            return
        messages.append({"role": "user", "content": answer})


def call_of(call: Record, names: dict[str, str]) -> Record:
    function = call.get("function") or {}
    try:
        arguments = json.loads(function.get("arguments") or "{}")
    except ValueError:
        raise Failed("parse_error", f"the arguments are no JSON: {function.get('arguments')!r}"[:200]) from None
    return {"name": names.get(function.get("name"), function.get("name")), "arguments": arguments}


def ask(task: Record, question: str) -> str | None:
    print(json.dumps({"kind": "ask", "id": task["id"], "question": question}), flush=True)
    answer: str | None = json.loads(sys.stdin.readline())["text"]
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--endpoints", help="endpoint profiles, for a model of the form MODEL@NAME")
    parser.add_argument("--environment", help="a command that makes the calls")
    parser.add_argument("--max-completion-tokens", type=int, default=16384)
    parser.add_argument("--max-turns", type=int, default=200)
    parser.add_argument("--timeout", type=float, default=1800, help="seconds for one episode")
    settings = parser.parse_args()
    try:
        model = Model(settings)
    except WfkitError as error:
        sys.exit(f"llm_actor: {error}")
    world = World(settings.environment) if settings.environment else None
    for line in sys.stdin:
        print(json.dumps(work(json.loads(line), model, world)), flush=True)


if __name__ == "__main__":
    main()
