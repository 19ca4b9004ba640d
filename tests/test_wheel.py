"""The wheel runs outside the checkout, with its schemas, rule files and prompts inside."""

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = b"Node:\n1: open the door\n2: go inside\nEdge: (START,1) (1,2) (2,END)\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the wheel is unpacked, far from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    site = folder / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return site


def run(site: Path, name: str, *arguments: str, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    module, _, function = scripts()[name].partition(":")
    program = f"import sys; sys.argv[0] = {name!r}; from {module} import {function}; {function}()"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        input=stdin,
        capture_output=True,
        cwd=site.parent,
        env={**os.environ, "PYTHONPATH": str(site)},
        check=False,
    )


def scripts() -> dict[str, str]:
    with open(ROOT / "pyproject.toml", "rb") as file:
        found: dict[str, str] = tomllib.load(file)["project"]["scripts"]
    return found


def test_every_data_file_is_in_the_wheel(installed: Path) -> None:
    in_checkout = {path.name for path in (ROOT / "schemas").iterdir()}
    assert {path.name for path in (installed / "wfkit" / "schemas").iterdir()} == in_checkout
    tracked = subprocess.run(["git", "ls-files", "wfkit"], cwd=ROOT, check=True, capture_output=True, text=True)
    missing = [name for name in tracked.stdout.splitlines() if not (installed / name).exists()]
    assert missing == []


@pytest.mark.parametrize("name", sorted(scripts()))
def test_every_executable_runs_from_the_wheel(installed: Path, name: str) -> None:
    done = run(installed, name, "--version")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(name.encode())


def test_schemas_and_rules_are_read_from_the_wheel(installed: Path) -> None:
    parsed = run(installed, "wf-parse", "-q", stdin=TEXT)
    assert parsed.returncode == 0, parsed.stderr
    perturbed = run(installed, "wf-perturb", "-q", "--min-steps", "1", "--severity", "50", stdin=parsed.stdout)
    assert perturbed.returncode == 0, perturbed.stderr
    assert perturbed.stdout.count(b'"kind":"pair"') == 3
    program = "import wfkit, wfkit.schema; print(wfkit.__file__); print(wfkit.schema.directory())"
    where = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        cwd=installed.parent,
        env={**os.environ, "PYTHONPATH": str(installed)},
        check=True,
        text=True,
    )
    assert all(line.startswith(str(installed)) for line in where.stdout.split())


@pytest.mark.parametrize("name", sorted(scripts()))
def test_bin_runs_the_checkout(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [ROOT / "bin" / name, "--version"], cwd=tmp_path, env=with_own_python(), capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def with_own_python() -> dict[str, str]:
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
