"""The gate on real goldens and damage of known kind, scored by the real encoder."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Record = dict[str, Any]
Run = Callable[..., "subprocess.CompletedProcess[bytes]"]
ROOT = Path(__file__).resolve().parents[2]
STRICT = {
    "version": 1,
    "rules": [
        {
            "name": "perfect",
            "primary": {"any_of": ["chain_f1", "graph_f1", "kendall_tau", "bleu"], "below": 1},
            "action": "fail",
        }
    ],
}


def lines(records: list[Record]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def records_of(done: "subprocess.CompletedProcess[bytes]") -> list[Record]:
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def goldens(corpus: Path) -> list[Record]:
    """Twenty instructions for people, with five steps or more."""
    done = subprocess.run(
        [sys.executable, ROOT / "bin" / "wf-parse", "-q", corpus / "worfbench" / "wikihow.json"],
        capture_output=True, check=True,
    )  # fmt: skip
    return [golden for golden in records_of(done) if len(golden["nodes"]) >= 5][:20]


@pytest.fixture(scope="module")
def scored(goldens: list[Record], encoder_is_there: None, tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """Every kind of damage that applies, at 30 and 50 %."""
    python, folder = sys.executable, tmp_path_factory.mktemp("scored")
    (folder / "goldens.jsonl").write_bytes(lines(goldens))
    damage = f"{python} {ROOT}/bin/wf-perturb -q --type all --severity 30,50 --donors goldens.jsonl goldens.jsonl"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{damage} | {python} {ROOT}/bin/wf-score -q"],
        capture_output=True, check=True, cwd=folder,
    )  # fmt: skip
    return [record for record in records_of(done) if record["candidate"] is not None]


def test_the_diagnosis_names_the_damage(run: Run, tmp_path: Path, scored: list[Record]) -> None:
    (tmp_path / "strict.json").write_text(json.dumps(STRICT))
    done = run("wf-gate", "-q", "--policy", tmp_path / "strict.json", stdin=lines(scored))
    named: dict[str, Counter[str]] = {}
    for record in records_of(done)[:-1]:
        if record["verdict"]["status"] == "fail":
            named.setdefault(record["perturbation"]["type"], Counter())[record["verdict"]["diagnosis"]] += 1
    assert len(named) >= 6, named
    for damage, diagnoses in named.items():
        assert diagnoses[damage] >= 0.85 * diagnoses.total(), (damage, diagnoses)


def test_a_pull_request_that_degrades_one_golden_of_twenty(
    run: Run, tmp_path: Path, goldens: list[Record], scored: list[Record]
) -> None:
    """It fails, the workflow, the step and the reason are named, and one line of a file waives it."""
    degraded = next(
        record
        for record in scored
        if record["id"].endswith("/missing_steps/50") and record["scores"]["chain_f1"] < 0.75
    )
    name, lost = degraded["golden"]["id"], degraded["alignment"]["missing"][0]
    candidates = [{**degraded["candidate"], "id": name} if golden["id"] == name else golden for golden in goldens]
    (tmp_path / "goldens.jsonl").write_bytes(lines(goldens))
    pairs = run("wf-score", "-q", "--golden", tmp_path / "goldens.jsonl", stdin=lines(candidates)).stdout
    gate = ("wf-gate", "--expect", tmp_path / "goldens.jsonl")

    done = run(*gate, stdin=pairs)
    assert done.returncode == 1
    row, totals = done.stderr.decode().splitlines()
    assert row.startswith(f"wf-gate: fail  {name}  ")
    assert f"golden step {lost} " in row
    assert totals.startswith("wf-gate: 20 workflows: 19 passed, 1 failed")
    assert records_of(done)[-1]["reasons"] == ["1 of 20 workflows failed"]

    waivers = tmp_path / "waivers.yaml"
    waivers.write_text(f'- {{golden: {name}, rule: "*", reason: "shorter on purpose", expires: 2026-12-31}}\n')
    waived = run(*gate, "--waivers", waivers, "--today", "2026-06-01", stdin=pairs)
    assert waived.returncode == 0
    assert waived.stderr.decode().startswith(f"wf-gate: waived  {name}  waived until 2026-12-31: shorter on purpose")
