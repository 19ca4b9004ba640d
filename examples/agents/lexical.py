"""An actor without a model: picks a tool by shared words, fills its arguments by type, asks for what it does not find.

    ap-grade --actor 'python lexical.py' --grader 'python bfcl.py grade' --out runs.jsonl pairs.jsonl

It reads what it is shown and nothing else, so it feels an edit, unlike a replay of the reference.
"""

import json
import re
import sys
from typing import Any

Record = dict[str, Any]

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?![\w.]*\w)")
QUOTED = re.compile(r"'([^']+)'|\"([^\"]+)\"|“([^”]+)”")
NAME = re.compile(r"\b[A-Z][\w.]*(?:[ ,]+[A-Z][\w.]*)*")
NUMERIC = {"integer", "number", "float"}


def words(text: str) -> set[str]:
    return {word.lower().rstrip("s") for word in re.findall(r"[A-Za-z]{3,}", text.replace("_", " ").replace(".", " "))}


def request_of(public: Record) -> str:
    """The last thing that the user says."""
    for key in ("user", "scenario"):
        if public.get(key):
            return public[key] if isinstance(public[key], str) else "\n".join(map(str, public[key].values()))
    said = [message["content"] for message in messages(public) if message.get("role") == "user"]
    return said[-1] if said else ""


def messages(value: Any) -> list[Record]:
    if isinstance(value, dict) and "role" in value:
        return [value] if isinstance(value.get("content"), str) else []
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [message for child in children for message in messages(child)]


def tools_of(public: Record) -> list[Record]:
    tools = public.get("tools") or public.get("function") or []
    return [tool.get("function", tool) for tool in tools if isinstance(tool, dict)]


def parameters_of(tool: Record) -> Record:
    found = tool.get("parameters") or tool.get("inputSchema") or {}
    return found if isinstance(found, dict) else {}


def choose(tools: list[Record], request: str) -> Record:
    """The tool that shares most words with the request; the first of equals."""
    asked = words(request)

    def shared(tool: Record) -> float:
        described = words(str(tool.get("description", "")))
        return 2 * len(asked & words(tool["name"])) + len(asked & described) / (1 + len(described) ** 0.5)

    return max(tools, key=shared)


class Values:
    """What the request holds, each value given out once, in order."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.numbers = [number.replace(",", "") for number in NUMBER.findall(text)]
        self.texts = [next(filter(None, groups)) for groups in QUOTED.findall(text)]
        self.texts += [name for name in NAME.findall(text)[1:] if name not in self.texts]

    def take(self, schema: Record) -> Any:
        kind = schema.get("type")
        if schema.get("enum"):
            return next((one for one in schema["enum"] if str(one).lower() in self.text.lower()), None)
        if kind in NUMERIC:
            return self.number(kind) if self.numbers else None
        if kind == "boolean":
            return True
        if kind in ("array", "list", "tuple"):
            inner = schema.get("items", {}).get("type") if isinstance(schema.get("items"), dict) else None
            if inner in NUMERIC:
                numbers, self.numbers = self.numbers, []
                return [int(one) if inner == "integer" and "." not in one else float(one) for one in numbers] or None
            texts, self.texts = self.texts, []
            return texts or None
        return self.texts.pop(0) if kind == "string" and self.texts else None

    def number(self, kind: str) -> int | float:
        text = self.numbers.pop(0)
        return int(text) if "." not in text else float(text)


def ask(task: Record, question: str) -> str | None:
    print(json.dumps({"kind": "ask", "id": task["id"], "question": question}), flush=True)
    answer: str | None = json.loads(sys.stdin.readline())["text"]
    return answer


def work(task: Record) -> Record:
    public = task["public"]
    tools = tools_of(public)
    if not tools:
        return {"kind": "episode", "id": task["id"], "status": "gave_up", "result": None, "turns": 1, "tool_calls": 0}
    request = request_of(public)
    tool = choose(tools, request)
    schema = parameters_of(tool)
    properties = schema.get("properties") or {}
    values, arguments, turns = Values(request), {}, 1
    for name in schema.get("required") or []:
        shape = properties.get(name) or {}
        value = values.take(shape)
        if value is None and shape.get("type") in NUMERIC:  # a number is asked for, a text is guessed
            turns += 1
            answer = ask(task, f"What is the {name}?")
            value = Values(answer).take(shape) if answer else None
        arguments[name] = shape.get("default") if value is None else value
    calls = [{"name": tool["name"], "arguments": {name: one for name, one in arguments.items() if one is not None}}]
    # No model, no tokens: words stand for them, so that costs can be looked at.
    read, written = len(json.dumps(public).split()), len(json.dumps(calls).split())
    return {
        "kind": "episode", "id": task["id"], "status": "done", "result": calls, "turns": turns, "tool_calls": 1,
        "usage": {"input_tokens": read * turns, "output_tokens": written},
    }  # fmt: skip


def main() -> None:
    for line in sys.stdin:
        print(json.dumps(work(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
