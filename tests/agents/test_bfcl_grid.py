"""ap-pair, ap-grade and ap-aggregate on a real grid: BFCL tasks, two lexical actors, the native grader, 12 families."""

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from wfkit.agents.families import FAMILIES

ROOT = Path(__file__).resolve().parents[2]
AGENTS = Path(os.environ.get("WFKIT_AGENTS", ROOT / ".build" / "agents")).resolve()
PROGRAMS = ROOT / "examples" / "agents"
# Chooses a tool by its name alone.
SECOND_ACTOR = f"""
import sys
sys.path.insert(0, {str(PROGRAMS)!r})
import lexical
lexical.choose = lambda tools, request: max(
    tools, key=lambda tool: len(lexical.words(request) & lexical.words(tool["name"]))
)
lexical.main()
"""


def filtered(name, *arguments, cwd):
    command = [sys.executable, str(ROOT / "bin" / name), *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    """The pairs and the grades of both actors: every second task of two categories, 300 x 12 x 2 requests."""
    python = AGENTS / "bfcl" / "bin" / "python"
    if not python.exists():
        pytest.skip("bfcl is not here: make agents")
    folder = tmp_path_factory.mktemp("grid")
    bfcl = [str(python), str(PROGRAMS / "bfcl.py")]
    categories = ("simple_python", "multiple")
    rows = subprocess.run([*bfcl, "instances", *categories], capture_output=True, check=True).stdout.splitlines(True)
    (folder / "instances.jsonl").write_bytes(b"".join(rows[::2]))
    (folder / "second.py").write_text(SECOND_ACTOR)
    (folder / "pairs.jsonl").write_bytes(filtered("ap-pair", "instances.jsonl", cwd=folder))
    for model, program in (("lexical", PROGRAMS / "lexical.py"), ("by_name", folder / "second.py")):
        options = ("--actor", f"exec {sys.executable} {program}", "--grader", f"exec {' '.join(bfcl)} grade")
        kept = ("--model", model, "--out", f"{model}.jsonl", "--episodes-out", f"{model}.episodes.jsonl")
        filtered("ap-grade", "-q", *options, *kept, "pairs.jsonl", cwd=folder)
    return folder


def aggregated(folder, *files):
    options = ("--requested", "pairs.jsonl", "--models", "lexical,by_name", "--replicates", "50")
    return [json.loads(line) for line in filtered("ap-aggregate", "-q", *options, *files, cwd=folder).splitlines()]


def counted_by_hand(requests, grades, chosen):
    """C, P, D and the bounds of D from the records, in fractions."""
    found = {(grade["pair"], grade["model"]): grade for grade in grades}
    asked = [(pair["id"], model) for pair in requests if chosen(pair) for model in ("lexical", "by_name")]
    sides = [tuple(found[each][side]["score"] for side in ("clean", "perturbed")) for each in asked]
    scored = [both for both in sides if None not in both]
    clean, perturbed = (Fraction(sum(both[side] for both in scored)) for side in (0, 1))
    lows, highs = [], []
    for side in (0, 1):
        known = [both[side] for both in sides if both[side] is not None]
        lows.append(Fraction(sum(known)))
        highs.append(sum(known) + Fraction(len(sides) - len(known)))
    return {
        "requested": len(sides), "scored": len(scored),
        "degradation": (clean - perturbed) / clean if clean else None,
        "bounds": [1 - highs[1] / lows[0] if lows[0] else None, 1 - lows[1] / highs[0] if highs[0] else None],
    }  # fmt: skip


def test_every_cell_equals_a_count_by_hand(grid):
    requests = read(grid / "pairs.jsonl")
    grades = [*read(grid / "lexical.grades.jsonl"), *read(grid / "by_name.grades.jsonl")]
    records = aggregated(grid, "lexical.grades.jsonl", "by_name.grades.jsonl")
    assert sum(record["requested"] for record in records if len(record["group"]) == 1) == len(grades) >= 5000
    cells = [record for record in records if {"target", "type"} <= set(record["group"])]
    assert len(cells) == 2 * len(FAMILIES)
    for cell in cells:
        group = cell["group"]
        expected = counted_by_hand(requests, grades, lambda pair, group=group: group.items() <= pair.items())
        assert (cell["requested"], cell["scored"]) == (expected["requested"], expected["scored"])
        assert cell["degradation"] == (
            None if expected["degradation"] is None else pytest.approx(expected["degradation"])
        )
        assert cell["bounds"]["degradation"] == pytest.approx(list(map(float, expected["bounds"])), abs=1e-12)
    built = {pair["status"] for pair in requests}
    assert built == {"accepted", "rejected", "inapplicable"}
    assert sum(cell["scored"] == 0 for cell in cells) > 0  # families that no task of BFCL has room for


def test_recorded_episodes_give_the_same_figures(grid):
    """Graded again from what was recorded, with no actor."""
    python = AGENTS / "bfcl" / "bin" / "python"
    grader = f"exec {python} {PROGRAMS / 'bfcl.py'} grade"
    options = ("--episodes", "lexical.episodes.jsonl", "--grader", grader, "--model", "lexical", "--out", "again.jsonl")
    filtered("ap-grade", "-q", *options, "pairs.jsonl", cwd=grid)
    assert aggregated(grid, "again.grades.jsonl") == aggregated(grid, "lexical.grades.jsonl")
