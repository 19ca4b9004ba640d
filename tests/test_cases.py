"""Runs every folder of ``cases/EXECUTABLE/NAME``: a command line, its input, and what must come of it.

A folder holds ``cmd`` (a bash line, run with the executables on PATH in a copy of the folder), any input files, and
the expected ``out``, ``err`` and ``code`` (absent: empty, not looked at, 0). Output that is JSON lines is compared
with a tolerance for floats and without clock values; a line of ``err`` may hold ``...`` for anything.

    WFKIT_UPDATE_CASES=1 pytest tests/test_cases.py     writes out, err and code anew: read the difference
"""

import json
import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
CASES = sorted(path.parent for path in (HERE / "cases").glob("*/*/cmd"))
EXPECTED = {"cmd", "out", "err", "code"}
UPDATE = bool(os.environ.get("WFKIT_UPDATE_CASES"))
VARIES = {r"\(\d+\.\d s\)": "(... s)", r"nltk=\d[\d.]*": "nltk=...", r'"version":"[\d.]+"': '"version":"..."'}


@pytest.fixture(scope="session")
def executables(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH on which the checkout's executables run with this Python."""
    folder = tmp_path_factory.mktemp("bin")
    for path in (HERE.parent / "bin").iterdir():
        (folder / path.name).write_text(f'#!/bin/sh\nexec "{sys.executable}" "{path}" "$@"\n')
        (folder / path.name).chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_case(case: Path, executables: str, tmp_path: Path) -> None:
    for path in case.iterdir():
        if path.name not in EXPECTED:
            shutil.copy(path, tmp_path)
    if "needs-encoder" in case.name and not encoder_is_here():
        pytest.skip("the encoder is not here: wf-models fetch all-mpnet-base-v2")
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", (case / "cmd").read_text()],
        cwd=tmp_path, capture_output=True, timeout=120, check=False, stdin=subprocess.DEVNULL,
        env={**os.environ, "PATH": executables, "XDG_CACHE_HOME": cache_home(tmp_path, case)},
    )  # fmt: skip
    out, err = done.stdout.decode(), done.stderr.decode()
    for pattern, text in VARIES.items():
        out, err = re.sub(pattern, text, out), re.sub(pattern, text, err)
    if UPDATE:
        write(case / "out", out)
        write(case / "err", err)
        write(case / "code", f"{done.returncode}\n" if done.returncode else "")
    assert f"{done.returncode}\n" == (read(case / "code") or "0\n"), err
    if (case / "err").exists():
        pattern = ".*".join(map(re.escape, (case / "err").read_text().split("...")))
        assert re.fullmatch(pattern, err), f"expected on stderr:\n{(case / 'err').read_text()}\ngot:\n{err}"
    else:
        assert err == ""
    tolerance = 2e-4 if "needs-encoder" in case.name else 1e-9  # similarities are rounded to 4 decimals
    assert_same(out.split("\n"), read(case / "out").split("\n"), tolerance)


def encoder_is_here() -> bool:
    from wfkit.errors import Unavailable
    from wfkit.models.locate import locate

    try:
        locate("all-mpnet-base-v2")
    except Unavailable:
        return False
    return True


def cache_home(scratch: Path, case: Path) -> str:
    """An empty cache, but for the cases that need the encoder, which lives there."""
    if "needs-encoder" in case.name:
        return os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    return str(scratch / "cache")


def read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def write(path: Path, text: str) -> None:
    if text:
        path.write_text(text)
    else:
        path.unlink(missing_ok=True)


def assert_same(got: list[str], expected: list[str], tolerance: float) -> None:
    for here, there in zip(got, expected, strict=False):
        if there.startswith("{"):
            assert differences(json.loads(here), json.loads(there), "$", tolerance) == [], here
        else:
            assert here == there
    assert len(got) == len(expected), got[len(expected) :] or expected[len(got) :]


def differences(got: Any, expected: Any, path: str, tolerance: float = 1e-9) -> list[str]:
    if isinstance(expected, dict) and isinstance(got, dict):
        here, there = ([key for key in value if key != "timing"] for value in (got, expected))
        if here != there:  # the order of keys is part of the promise
            return [f"{path}: {here} instead of {there}"]
        return [one for key in here for one in differences(got[key], expected[key], f"{path}.{key}", tolerance)]
    if isinstance(expected, list) and isinstance(got, list) and len(got) == len(expected):
        pairs = zip(got, expected, strict=True)
        return [one for place, (a, b) in enumerate(pairs) for one in differences(a, b, f"{path}[{place}]", tolerance)]
    if isinstance(expected, float) and isinstance(got, float) and math.isclose(got, expected, abs_tol=tolerance):
        return []
    same = type(got) is type(expected) and got == expected
    return [] if same else [f"{path}: {got!r} instead of {expected!r}"]


@pytest.mark.parametrize(
    ("got", "expected", "count"),
    [
        ({"a": 0.1 + 0.2}, {"a": 0.3}, 0),
        ({"a": 1}, {"a": 1.0}, 1),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, 1),
        ({"timing": 1}, {"timing": 2}, 0),
        ([1, 2], [1], 1),
        ({"a": [1, {"b": "x"}]}, {"a": [1, {"b": "y"}]}, 1),
        (True, 1, 1),
    ],
)
def test_how_records_are_compared(got: Any, expected: Any, count: int) -> None:
    assert len(differences(got, expected, "$")) == count


def test_every_case_says_what_it_is_about() -> None:
    assert CASES
    assert [case.name for case in CASES if not (case / "cmd").read_text().startswith("# ")] == []
