"""Instances out of your own files: OpenAI chat requests, and tool lists of MCP servers.

    python chat_requests.py BENCHMARK requests.jsonl > instances.jsonl
    python chat_requests.py BENCHMARK requests.jsonl tools-list.json > instances.jsonl

A request is ``{"messages": […], "tools": […]}``, one a line; ``reference``, ``id`` and ``interactive`` beside them,
where given, become the private part. The answer of an MCP server to ``tools/list`` takes the place of the requests'
own tools.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def instances(benchmark: str, requests: Path, tools: list[Record] | None) -> Iterator[Record]:
    for number, line in enumerate(requests.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip():
            yield instance(benchmark, json.loads(line), number, tools)


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


def main(arguments: list[str]) -> None:
    match arguments:
        case [benchmark, requests]:
            found = instances(benchmark, Path(requests), None)
        case [benchmark, requests, listed]:
            answer = json.loads(Path(listed).read_text(encoding="utf-8"))
            found = instances(benchmark, Path(requests), answer.get("result", answer)["tools"])
        case _:
            sys.exit(__doc__)
    for record in found:
        print(json.dumps(record, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    main(sys.argv[1:])
