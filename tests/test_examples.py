"""Every pipeline of examples/ runs and says what it is there to show; so does every command of the README."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "COLUMNS": "100"}


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory, encoder_is_there: None) -> Path:
    """The outputs of `make -C examples gate variants`, made in a folder of their own."""
    out = tmp_path_factory.mktemp("examples")
    made = subprocess.run(
        ["make", "-C", str(ROOT / "examples"), f"OUT={out}", "gate", "variants"],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return out


def statuses(path: Path) -> dict[str, str]:
    return {one["id"]: one["verdict"]["status"] for one in records(path) if one["kind"] == "pair"}


def test_the_gate_refuses_the_workflow_that_lost_steps(examples: Path) -> None:
    found = statuses(examples / "verdicts.jsonl")
    assert found == {"data_pipeline": "pass", "incident_runbook": "pass", "support_escalation": "fail"}
    (failed,) = [one for one in records(examples / "verdicts.jsonl") if one.get("id") == "support_escalation"]
    explanation = failed["verdict"]["explanation"]
    assert any(
        "Check whether the refund policy covers the case" in line and "no counterpart" in line for line in explanation
    )


def test_the_variants_are_told_apart(examples: Path) -> None:
    found = statuses(examples / "variant_verdicts.jsonl")
    assert len(found) == 18
    for name, status in found.items():
        variant = name.split("/")[1]
        if variant in ("reordered", "unparsable"):
            assert status == "fail", name
        elif variant == "good":
            assert status == "pass", name
        elif variant == "reworded":
            assert status == "review", name
    pairs = [one for one in records(examples / "variant_verdicts.jsonl") if one["kind"] == "pair"]
    lost = [one["verdict"] for one in pairs if one["id"].endswith("/step_lost")]
    notes = [verdict["notes"] for verdict in lost if verdict["status"] == "pass"]
    assert notes and all(notes), "a pass that lost a step says so"


def test_the_generator_in_javascript_pipes_into_the_gate(encoder_is_there: None) -> None:
    pipe = (
        "node examples/generators/refund.mjs | wf-parse -q --candidates"
        " | wf-score -q --golden examples/generators/goldens.jsonl | wf-gate -q"
    )
    done = subprocess.run(["bash", "-c", pipe], cwd=ROOT, env=ENVIRONMENT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    first = json.loads(done.stdout.splitlines()[0])
    assert first["verdict"]["status"] == "pass"
    assert first["scores"]["chain_f1"] == 1.0


def test_the_first_block_of_the_readme_works_when_pasted(tmp_path: Path, encoder_is_there: None) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```sh\n(.*?)```", readme, re.S)
    assert block is not None
    lines = block[1].splitlines()
    assert lines[0].startswith("make demo && . .venv/bin/activate"), (
        "the set-up, which the environment of this test has"
    )
    script = "\n".join(lines[1:])
    copied = tmp_path / "examples"
    subprocess.run(["cp", "-r", str(ROOT / "examples"), str(copied)], check=True)
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "exit code 1\n", done.stderr
    assert "Check whether the refund policy covers the case" in done.stderr


def test_every_command_of_the_readme_has_its_options() -> None:
    """Each option that a README command uses is known to the executable that it is used with."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    helps: dict[str, str] = {}
    checked = 0
    for block in re.findall(r"```(?:sh|console)\n(.*?)```", readme, re.S):
        for line in block.splitlines():
            for command in re.split(r"[|;&]+|\$\(", line.split(" #")[0]):
                words = command.replace("$ ", "").split()
                if not words or not re.fullmatch(r"(wf|ap)-[a-z]+", words[0]):
                    continue
                sub = [words[1]] if words[0] == "wf-models" and len(words) > 1 else []
                key = " ".join([words[0], *sub])
                if key not in helps:
                    shown = [sys.executable, str(ROOT / "bin" / words[0]), *sub, "--help"]
                    helps[key] = subprocess.run(shown, capture_output=True, text=True, check=True).stdout
                for word in words:
                    if word.startswith("--"):
                        checked += 1
                        option = word.split("=")[0]
                        assert re.search(rf"{option}\b", helps[key]), f"{option} of {key}"
    assert checked > 10
