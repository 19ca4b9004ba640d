"""What the recipes of examples/engines/ are run with: executables on PATH, a few pairs, a program that fails."""

import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT
from wfkit import jsonl

ENGINES = ROOT / "examples" / "engines"
SCORE = ("wf-score", "-q", "--metrics", "bleu,gleu")
"""Metrics that need no encoder."""

DIES_ON_ONE_SHARD = 'shard=$(cat "$@"); case $shard in *"golden 5/"*) kill -9 $$;; esac; printf "%s\\n" "$shard"'
"""A program that passes its input on, but is killed where it holds a certain golden."""

LENIENT = b'{"version":1,"rules":[{"name":"any","primary":{"any_of":["bleu"],"below":0.0001},"action":"fail"}]}'
"""A policy under which everything passes, so that the exit code of wf-gate speaks of the stream alone."""

WORDS = ("open", "close", "check", "send", "the", "a", "door", "letter", "–", "schlüssel", "\u2028", "鍵")

Command = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which the checkout's executables run with this Python."""
    folder = tmp_path_factory.mktemp("bin")
    for path in (ROOT / "bin").iterdir():
        (folder / path.name).write_text(f'#!/bin/sh\nexec "{sys.executable}" "{path}" "$@"\n')
        (folder / path.name).chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}


@pytest.fixture
def execute(environment: dict[str, str], tmp_path: Path) -> Command:
    """Run a command in a folder of its own."""

    def run(*command: str | Path, stdin: bytes = b"", **variables: str) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            list(map(str, command)), input=stdin, capture_output=True, cwd=tmp_path, timeout=300, check=False,
            env={**environment, **variables},
        )  # fmt: skip

    return run


@pytest.fixture(scope="session")
def goldens() -> bytes:
    """Ten goldens whose texts hold what splits lines where bytes are not taken for what they are."""
    chance = random.Random(7)
    records = []
    for number in range(10):
        texts = [" ".join(chance.choices(WORDS, k=6)) + f" {number}.{step}" for step in range(8)]
        nodes = [{"id": str(step), "text": text} for step, text in enumerate(texts)]
        edges = [[str(step), str(step + 1)] for step in range(7)]
        records.append({"kind": "workflow", "id": f"golden {number}", "nodes": nodes, "edges": edges})
    return b"".join(jsonl.dumps(record) + b"\n" for record in records)


def spoilt(data: bytes) -> bytes:
    """The same lines with a damaged one in the middle."""
    lines = data.splitlines(keepends=True)
    return b"".join([*lines[:17], b'{"kind":"pair","id":"spoilt\n', *lines[17:]])


def without_places(data: bytes) -> list[dict[str, object]]:
    """The records without where a fault was: line numbers of one shard are not those of the whole."""
    records = [jsonl.loads(line) for line in data.splitlines()]
    return [{key: value for key, value in record.items() if key != "where"} for record in records]


@pytest.fixture(scope="session")
def pairs(goldens: bytes, environment: dict[str, str]) -> bytes:
    """Thirty damaged pairs."""
    types = "missing_steps,compressed_steps,wrong_dependencies"
    command = ["wf-perturb", "-q", "--type", types, "--severity", "20"]
    done = subprocess.run(command, input=goldens, capture_output=True, env=environment, check=True)
    assert done.stdout.count(b"\n") == 30
    return done.stdout
