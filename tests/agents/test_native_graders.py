"""Native graders of real benchmarks, each out of its own virtual environment: `make agents` brings them.

BFCL with the lexical actor belongs to every run of the tests. What takes minutes runs with `make test-agents` alone,
which names the environments in WFKIT_AGENTS.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.agents.grading.helpers import Record, lines, read
from tests.conftest import ROOT, Run

AGENTS = Path(os.environ.get("WFKIT_AGENTS", ROOT / ".build" / "agents")).resolve()
PROGRAMS = ROOT / "examples" / "agents"
REPLAY = f"exec {sys.executable} {PROGRAMS / 'replay.py'} clean.jsonl"
DO_NOTHING = f"exec node {PROGRAMS / 'do_nothing.mjs'}"
LEXICAL = f"exec {sys.executable} {PROGRAMS / 'lexical.py'}"

slow = pytest.mark.skipif("WFKIT_AGENTS" not in os.environ, reason="takes minutes: make test-agents")


def program(benchmark: str, script: str, *arguments: str) -> list[str]:
    python = AGENTS / benchmark / "bin" / "python"
    if not python.exists():
        pytest.skip(f"{benchmark} is not here: make agents")
    return [str(python), str(PROGRAMS / script), *arguments]


def instances(command: list[str]) -> list[Record]:
    done = subprocess.run(command, capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def clean_only(instance: Record) -> Record:
    """A pair of which only the clean side is there to be run."""
    return {
        "kind": "ap_pair", **{key: instance[key] for key in ("benchmark", "task", "scale", "private")},
        "id": f"pair of {instance['id']}", "instance": instance["id"], "target": "user", "type": "missing",
        "status": "inapplicable", "reason": "only graders are looked at",
        "clean": {"id": f"clean-{instance['id']}", "public": instance["public"]}, "perturbed": None, "checks": {},
        "attempts": [], "seed": 0, "generator": "rules", "verifier": "rules",
    }  # fmt: skip


def successes(folder: Path, actor: str, grader: list[str]) -> dict[str, int]:
    """How many clean sides of each benchmark succeed; every one must have been graded."""
    out = f"runs-{len(list(folder.iterdir()))}.jsonl"
    words = ["--actor", actor, "--grader", " ".join(["exec", *grader]), "--out", out, "clean.jsonl"]
    done = subprocess.run(
        [sys.executable, str(ROOT / "bin" / "ap-grade"), *words], cwd=folder, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    counts: dict[str, int] = {}
    for grade in read(folder / out.replace(".jsonl", ".grades.jsonl")):
        assert grade["clean"]["status"] == "graded", grade["clean"]
        counts[grade["benchmark"]] = counts.get(grade["benchmark"], 0) + int(grade["clean"]["score"])
    return counts


def test_bfcl_from_instances_to_figures(tmp_path: Path, run: Run) -> None:
    grader = " ".join(["exec", *program("bfcl", "bfcl.py", "grade")])
    whole = instances(program("bfcl", "bfcl.py", "instances", "simple_python"))[:80]
    families = "user/redundant,user/missing,tools/missing,tools/redundant,tools/incorrect"
    done = run("ap-pair", "--families", families, stdin=lines(whole))
    (tmp_path / "pairs.jsonl").write_bytes(done.stdout)
    pairs = read(tmp_path / "pairs.jsonl")
    accepted = sum(one["status"] == "accepted" for one in pairs)
    assert len(pairs) == 400
    assert accepted >= 200
    graded = run("ap-grade", "--actor", LEXICAL, "--grader", grader, "--out", "runs.jsonl", "pairs.jsonl", cwd=tmp_path)
    assert graded.returncode == 0, graded.stderr
    grades = read(tmp_path / "runs.grades.jsonl")
    assert {one["clean"]["status"] for one in grades} == {"graded"}
    assert sum(one["perturbed"]["status"] == "graded" for one in grades) == accepted
    figures = run("ap-aggregate", "--requested", "pairs.jsonl", "--replicates", "50", "runs.grades.jsonl", cwd=tmp_path)
    assert figures.returncode == 0, figures.stderr
    whole_figures: dict[str, Any] = json.loads(figures.stdout.splitlines()[0])
    assert (whole_figures["requested"], whole_figures["scored"]) == (400, accepted)
    # An actor that picks words and numbers is right now and then, and no edit helps it.
    assert 0 < whole_figures["perturbed"] <= whole_figures["clean"] < 1


@slow
def test_bfcl_multi_turn_pays_the_reference_and_nobody_else(tmp_path: Path) -> None:
    sets = [f"multi_turn_{name}" for name in ("base", "miss_param", "miss_func", "long_context")]
    whole = instances(program("bfcl", "bfcl.py", "instances", *sets))
    (tmp_path / "clean.jsonl").write_bytes(lines([clean_only(one) for one in whole]))
    grader = program("bfcl", "bfcl.py", "grade")
    assert successes(tmp_path, REPLAY, grader) == {f"bfcl_{name}": 200 for name in sets}
    assert successes(tmp_path, DO_NOTHING, grader) == {f"bfcl_{name}": 0 for name in sets}


@slow
def test_agentdojo_pays_the_reference_and_five_who_do_nothing(tmp_path: Path) -> None:
    whole = instances(program("agentdojo", "agentdojo_tasks.py", "instances"))
    (tmp_path / "clean.jsonl").write_bytes(lines([clean_only(one) for one in whole]))
    grader = program("agentdojo", "agentdojo_tasks.py", "grade")
    assert len(whole) == 97
    assert successes(tmp_path, REPLAY, grader) == {"agentdojo": 97}
    assert successes(tmp_path, DO_NOTHING, grader) == {"agentdojo": 5}


@slow
def test_tau2_retail_pays_the_reference_and_seven_who_do_nothing(tmp_path: Path) -> None:
    whole = instances(program("tau2", "tau2_tasks.py", "instances", "retail"))
    (tmp_path / "clean.jsonl").write_bytes(lines([clean_only(one) for one in whole]))
    grader = program("tau2", "tau2_tasks.py", "grade")
    assert len(whole) == 114
    assert successes(tmp_path, REPLAY, grader) == {"tau2_retail": 114}
    assert successes(tmp_path, DO_NOTHING, grader) == {"tau2_retail": 7}
