"""Instances out of your own files: OpenAI chat requests, and tool lists of MCP servers.

    python chat_requests.py BENCHMARK requests.jsonl > instances.jsonl
    python chat_requests.py BENCHMARK requests.jsonl tools-list.json > instances.jsonl

A request is ``{"messages": […], "tools": […]}``, one a line; ``reference``, ``id`` and ``interactive`` beside them,
where given, become the private part. The answer of an MCP server to ``tools/list`` takes the place of the requests'
own tools.

A line that is no such request is told on standard error and left out; the exit code is 3 then, and 2 where a file
cannot be read.
"""

import json
import sys
from pathlib import Path
from typing import Any

Record = dict[str, Any]


class BadFile(Exception):
    """A file that cannot be used at all; the text says which and why."""


class BadRequest(Exception):
    """A line that is no request; the text says why."""


def request_of(line: bytes) -> Record:
    """The request that stands in a line."""
    try:
        request = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadRequest("the line is not UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"the line is not JSON: {error}") from None
    if not isinstance(request, dict):
        raise BadRequest("a request is a JSON object")
    messages = request.get("messages")
    if not isinstance(messages, list):
        raise BadRequest("the request has no list of messages")
    if not all(isinstance(message, dict) and "role" in message for message in messages):
        raise BadRequest("a message is an object with a role")
    if not any(message["role"] == "user" for message in messages):
        raise BadRequest("the request has no message of the user")
    return request


def instance(benchmark: str, request: Record, number: int, tools: list[Record] | None) -> Record:
    messages = request["messages"]
    asked = max(place for place, message in enumerate(messages) if message["role"] == "user")
    systems = [place for place, message in enumerate(messages) if message["role"] in ("system", "developer")]
    earlier = [place for place in range(asked) if place not in systems]
    identifier = str(request.get("id", f"{benchmark}-{number}"))
    pointers = {
        "user": [f"/messages/{asked}/content"],
        "procedure": [f"/messages/{place}/content" for place in systems],
        "context": [f"/messages/{place}" for place in earlier],
        "tools": ["/tools"],
    }
    public = {"messages": messages, "tools": request.get("tools", []) if tools is None else tools}
    private = {key: request[key] for key in ("reference", "interactive") if key in request}
    return {
        "kind": "instance", "id": identifier, "benchmark": benchmark, "task": identifier, "scale": "binary",
        "public": public, "pointers": {target: places for target, places in pointers.items() if places},
        "private": private,
    }  # fmt: skip


def written(record: Record) -> bytes:
    """The line of an instance."""
    try:
        return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        raise BadRequest("a half of a surrogate pair stands in a text") from None


def content(name: str) -> bytes:
    """What stands in a file."""
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise BadFile(f"{name}: {error.strerror}") from None


def listed_tools(name: str) -> list[Record]:
    """The tools in the answer of an MCP server, or in its result alone."""
    try:
        answer = json.loads(content(name).decode("utf-8"))
        tools: list[Record] = answer.get("result", answer)["tools"]
    except (ValueError, RecursionError, AttributeError, TypeError, KeyError):
        raise BadFile(f"{name}: no answer to tools/list") from None
    return tools


def convert(benchmark: str, requests: str, listed: str | None) -> int:
    """Write the instances; the exit code."""
    code = 0
    try:
        tools = None if listed is None else listed_tools(listed)
        lines = content(requests).split(b"\n")  # the other ends of lines that Unicode knows may stand in a text
    except BadFile as problem:
        print(f"chat_requests.py: {problem}", file=sys.stderr)
        return 2
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            sys.stdout.buffer.write(written(instance(benchmark, request_of(line), number, tools)))
        except BadRequest as problem:
            print(f"chat_requests.py: {requests}:{number}: {problem}", file=sys.stderr)
            code = 3
    return code


def main(arguments: list[str]) -> int:
    match arguments:
        case [benchmark, requests]:
            return convert(benchmark, requests, None)
        case [benchmark, requests, listed]:
            return convert(benchmark, requests, listed)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
