"""What the tests of language models share: small pairs, and filters run against a stand-in server."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.llm.stand_in import StandIn

ROOT = Path(__file__).resolve().parents[2]
WORDS = ("boil the water", "warm the pot", "add the leaves", "pour the water", "wait four minutes", "serve the tea")

Filter = Callable[..., "subprocess.Popen[bytes]"]


def workflow(name: str, texts: tuple[str, ...] = WORDS, task: str = "make tea") -> dict[str, Any]:
    nodes = [{"id": str(number), "text": text} for number, text in enumerate(texts, 1)]
    edges = [[str(number), str(number + 1)] for number in range(1, len(texts))]
    return {"kind": "workflow", "id": name, "task": task, "nodes": nodes, "edges": edges}


def pair(name: str, missing: int = 1, task: str = "make tea") -> dict[str, Any]:
    """A pair whose candidate lacks the last steps; its name stands in the task, so that no two prompts are the same."""
    task = f"{task} ({name})"
    candidate = workflow(f"{name}/c", WORDS[: len(WORDS) - missing], task)
    return {"kind": "pair", "id": name, "golden": workflow(name, task=task), "candidate": candidate}


def lines(*records: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def records(output: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Filter]:
    """Start a filter with its cache in the test's folder; nothing of the user's environment leads it elsewhere."""
    started: list[subprocess.Popen[bytes]] = []

    def start_filter(name: str, *arguments: str, server: StandIn | None = None, **environment: str) -> Any:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("OPENAI_", "AZURE_", "HTTP"))}
        reached = server.environment if server else {}
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "bin" / name), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**kept, "XDG_CACHE_HOME": str(tmp_path / "cache"), **reached, **environment},
        )
        started.append(process)
        return process

    yield start_filter
    for process in started:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()


class Done:
    """A finished filter."""

    def __init__(self, process: "subprocess.Popen[bytes]", data: bytes) -> None:
        output, error = process.communicate(data, timeout=120)
        self.code = process.returncode
        self.output = output
        self.error = error.decode()
        self.records = records(output)


@pytest.fixture
def run_with(start: Filter) -> Callable[..., Done]:
    """Run a filter to its end."""

    def run(name: str, *arguments: str, data: bytes = b"", **more: Any) -> Done:
        return Done(start(name, *arguments, **more), data)

    return run
