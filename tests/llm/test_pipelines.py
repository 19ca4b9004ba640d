"""Whole pipelines with language models, against stand-in servers: two judges compared, and every filter in a row."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.llm.behaviour import answer
from tests.llm.conftest import ROOT, WORDS, lines, records, workflow
from tests.llm.stand_in import StandIn


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The executables on PATH, and a cache of their own."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for path in (ROOT / "bin").iterdir():
        (folder / path.name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "{path}" "$@"\n')
        (folder / path.name).chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(tmp_path / "cache")}


def test_the_example_of_two_judges(environment: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    with StandIn(answer) as hosted, StandIn(answer) as local:
        endpoints = tmp_path / "endpoints.json"
        endpoints.write_text(json.dumps({"local": {"base_url": local.url}}))
        prices = tmp_path / "prices.json"
        prices.write_text(json.dumps({"gpt-4o": {"input": 2.5, "output": 10}, "lenient": {"input": 0, "output": 0}}))
        places = (f"OUT={out}", f"ENDPOINTS={endpoints}", f"PRICES={prices}", "OPEN=lenient@local")

        def make(*targets: str) -> "subprocess.CompletedProcess[str]":
            return subprocess.run(
                ["make", "-C", str(ROOT / "examples" / "judges"), *places, *targets],
                env={**environment, **hosted.environment}, capture_output=True, text=True, timeout=120, check=True,
            )  # fmt: skip

        counted = make("count")
        assert hosted.connections + local.connections == 0
        assert "dry run: gpt-4o: 81 calls" in counted.stderr  # 3 goldens × 9 variants × 3 calls
        make()
        assert (len(hosted.calls), len(local.calls)) == (81, 81)
    told = json.loads((out / "judges.json").read_text())
    assert told["judges"]["judge:gpt-4o"]["cost_usd"] > 0
    assert told["judges"]["judge:lenient@local"]["cost_usd"] == 0
    assert told["agreement"][0]["pairs"] == 27
    table = (out / "comparison.md").read_text()
    assert "judge:gpt-4o" in table
    assert "judge:lenient@local" in table


def test_generator_and_judge_in_one_pipe(environment: dict[str, str], tmp_path: Path) -> None:
    goldens = [workflow(f"tea{number}", (*WORDS, f"close the lid {number} times")) for number in range(3)]
    (tmp_path / "goldens.jsonl").write_bytes(lines(*goldens))
    (tmp_path / "policy.json").write_text(
        json.dumps(
            {"kind": "policy", "version": 1, "require": "primary", "calibration": None, "rules": [
                {"name": "steps", "primary": {"all_of": ["judge"], "below": 0.75}, "action": "fail"},
            ]}
        )
    )  # fmt: skip
    command = (
        "wf-parse goldens.jsonl | wf-perturb --generator llm --model maker --llm-jobs 8 | wf-validate"
        " | wf-score --metrics bleu,judge --judge-model critic --llm-jobs 8 | tee scored.jsonl"
        " | wf-sensitivity -o sensitivity.jsonl && wf-gate --policy policy.json scored.jsonl -o verdicts.jsonl"
    )

    def run(server: StandIn) -> int:
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], cwd=tmp_path, env={**environment, **server.environment},
            capture_output=True, timeout=120, check=False,
        ).returncode  # fmt: skip

    with StandIn(answer) as server:
        assert run(server) == 1  # the gate says no to the damaged ones
        calls = len(server.calls)
        assert calls == 27 + 27 * 3
        assert run(server) == 1
        assert len(server.calls) == calls  # not one call is paid twice
    scored = records((tmp_path / "scored.jsonl").read_bytes())
    assert len(scored) == 27
    assert all(pair["validation"]["valid"] for pair in scored)
    verdicts: dict[str, Any] = {
        record["id"]: record["verdict"]["status"]
        for record in records((tmp_path / "verdicts.jsonl").read_bytes())
        if record["kind"] == "pair"
    }
    # 7 steps: 1, 3 or 4 lost leave 6/7, 4/7, 3/7 of 5, so 4, 3 and 2 of 5: 0.8, 0.6, 0.4 against 0.75
    assert [verdicts[f"tea0/missing_steps/{severity}"] for severity in (10, 30, 50)] == ["pass", "fail", "fail"]
    metrics = {
        record["metric"] for record in records((tmp_path / "sensitivity.jsonl").read_bytes()) if "metric" in record
    }
    assert {"bleu", "judge"} <= metrics
