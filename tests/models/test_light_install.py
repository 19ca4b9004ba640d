"""A machine with wfkit[onnx] alone: it gates with no torch on it, and says what torch alone could do."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, Run
from wfkit.models.exported import Export

GOLDEN = (
    "Node:\n1: boil the water\n2: put the tea into a cup\n3: pour the water into the cup\nEdge: (START,1) (1,2) (2,3)"
)
CANDIDATE = GOLDEN.replace("boil the water", "boil some water").replace("(2,3)", "(2,3) (3,END)")


@pytest.fixture(scope="module")
def light(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The executables of a fresh virtual environment; skipped where the package index is out of reach."""
    folder = tmp_path_factory.mktemp("light")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    pip = [sys.executable, "-m", "pip", "--python", folder / "venv" / "bin" / "python"]
    command = [*pip, "install", "--quiet", "--no-compile", f"{wheel}[onnx]"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 and ("No matching distribution" in done.stderr or "onnection" in done.stderr):
        pytest.skip(f"the package index is out of reach: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return folder / "venv" / "bin"


@pytest.fixture
def machine(light: Path, real_export: Export, tmp_path: Path) -> Any:
    """Runs an executable there, where the cache holds nothing but the export."""
    models = tmp_path / "cache" / "wfkit" / "models"
    models.mkdir(parents=True)
    (models / real_export.directory.name).symlink_to(real_export.directory)
    hidden = ("WFKIT_", "HF_", "PYTHON")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    environment["XDG_CACHE_HOME"] = str(tmp_path / "cache")

    def run_there(name: str, *arguments: str | Path, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
        command = [light / name, *map(str, arguments)]
        return subprocess.run(command, input=stdin, capture_output=True, cwd=tmp_path, env=environment)

    return run_there


def test_it_gates_without_torch_and_gives_the_bytes_of_the_torch_backend(
    machine: Any, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "tea.txt").write_text(GOLDEN)
    goldens = machine("wf-parse", "-q", "tea.txt").stdout
    (tmp_path / "goldens.jsonl").write_bytes(goldens)
    (tmp_path / "tea.txt").write_text(CANDIDATE)
    candidates = machine("wf-parse", "-q", "--candidates", "tea.txt").stdout
    scored = machine("wf-score", "-q", "--golden", "goldens.jsonl", stdin=candidates)
    assert (scored.returncode, scored.stderr) == (0, b"")
    record = json.loads(scored.stdout)
    assert record["scores"]["chain_f1"] == record["scores"]["graph_f1"] == 1  # the first step is a paraphrase
    assert record["alignment"]["matched"][0][2] < 1
    options = ("-q", "--backend", "torch", "--no-cache", "--golden", tmp_path / "goldens.jsonl")
    assert run("wf-score", *options, stdin=candidates).stdout == scored.stdout
    assert machine("wf-gate", "-q", stdin=scored.stdout).returncode == 0
    assert machine("wf-models", "verify").stdout.startswith(b"enc=all-mpnet-base-v2@78c0197b\t")
    listing = "from importlib.metadata import distributions as d; print(*(one.name.lower() for one in d()))"
    installed = set(machine("python", "-c", listing).stdout.decode().split())
    assert "onnxruntime" in installed
    assert not {"torch", "transformers", "sentence-transformers"} & installed


def test_what_torch_alone_can_do_is_unavailable_and_the_remedy_named(machine: Any) -> None:
    torch = machine("wf-score", "--metrics", "chain_f1", "--backend", "torch")
    assert torch.returncode == 4
    assert b"chain_f1 needs an encoder: pip install 'wfkit[models]' && wf-models fetch" in torch.stderr
    score = machine("wf-score", "--metrics", "bertscore")
    assert (score.returncode, score.stderr) == (
        4, b"wf-score: bertscore needs bert-score: pip install 'wfkit[models]'\n",
    )  # fmt: skip
    assert machine("wf-models", "export").returncode == 4
