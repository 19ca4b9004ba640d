"""Measurements of ap-grade: its own time beside that of actors and graders, its memory, and BFCL at its size."""

import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.benchmarks.measure import ROOT, Row, Timed, run, wf

EPISODES = 10_000
BFCL_EPISODES = 15_000
BFCL = ROOT / ".build" / "agents" / "bfcl" / "bin" / "python"
PROGRAMS = ROOT / "examples" / "agents"

# Programs that take as little time as a program in this language can.
ACTOR = """
import sys
for line in sys.stdin:
    side = line.split('"id":"', 1)[1].split('"', 1)[0]
    sys.stdout.write('{"kind":"episode","id":"' + side + '","status":"done","result":1,"turns":1,"tool_calls":0}\\n')
    sys.stdout.flush()
"""
GRADER = """
import sys
for line in sys.stdin:
    side = line.split('"id":"', 1)[1].split('"', 1)[0]
    sys.stdout.write('{"id":"' + side + '","score":1}\\n')
    sys.stdout.flush()
"""


def own_time(folder: Path) -> list[Row]:
    """What ap-grade adds to an episode, and how its memory grows with their number."""
    actor, grader = _command(folder, "actor", ACTOR), _command(folder, "grader", GRADER)
    few, many = _pairs(folder / "few.jsonl", EPISODES // 10), _pairs(folder / "many.jsonl", EPISODES)
    small = _grade(folder / "few.runs.jsonl", few, actor, grader)
    before = _processor_seconds()
    large = _grade(folder / "many.runs.jsonl", many, actor, grader)
    spent = (_processor_seconds() - before) / EPISODES * 1000
    growth = large.megabytes - small.megabytes
    return [
        Row(
            "ap-grade's own time per episode", f"{spent:.2f} ms", "< 1 ms", spent < 1,
            f"processor time for {EPISODES:,} episodes, with that of an actor and a grader that do nothing; reading, "
            f"checking and writing included; {large.seconds:.1f} s by the clock",
        ),
        Row(
            "memory of ap-grade for 10 × the episodes", f"+{growth:.0f} MB", "≤ +20 MB", growth <= 20,
            f"{small.megabytes:.0f} MB for {EPISODES // 10:,} episodes, {large.megabytes:.0f} MB for {EPISODES:,}",
        ),
    ]  # fmt: skip


def bfcl(folder: Path) -> list[Row]:
    """15,000 BFCL episodes of the lexical actor under the native checker."""
    if not BFCL.exists():
        raise SystemExit("BFCL is not here: make agents")
    instances, pairs = folder / "bfcl.instances.jsonl", folder / "bfcl.pairs.jsonl"
    run(str(BFCL), str(PROGRAMS / "bfcl.py"), "instances", "simple_python", "multiple", stdout=instances)
    families = "user/redundant,tools/redundant,tools/missing,user/missing,tools/incorrect"
    run(wf("ap-pair"), "-q", "--families", families, str(instances), stdout=pairs)
    sides = {
        pair[side]["id"]
        for pair in map(json.loads, pairs.read_bytes().splitlines())
        for side in ("clean", "perturbed")
        if pair[side] is not None and (side == "clean" or pair["status"] == "accepted")
    }
    repeats = -(-BFCL_EPISODES // len(sides))
    out = folder / "bfcl.runs.jsonl"
    actor = f"exec {sys.executable} {PROGRAMS / 'lexical.py'}"
    grader = f"exec {BFCL} {PROGRAMS / 'bfcl.py'} grade"
    timed = _grade(out, pairs, actor, grader, "--repeats", str(repeats), "--jobs", "2")
    done = out.read_bytes().count(b"\n")
    scaled = timed.seconds * BFCL_EPISODES / done
    return [
        Row(
            "15,000 BFCL episodes, lexical actor, native checker", f"{scaled:.0f} s", "< 60 s", scaled < 60,
            f"{done:,} episodes of {len(sides):,} sides in {timed.seconds:.1f} s with --jobs 2, "
            f"{timed.megabytes:.0f} MB, scaled to 15,000",
        )
    ]  # fmt: skip


def _command(folder: Path, name: str, source: str) -> str:
    path = folder / f"{name}.py"
    path.write_text(source)
    return f"exec {sys.executable} {path}"


def _pairs(path: Path, episodes: int) -> Path:
    """Pairs of two episodes each, of a usual size."""
    tools = [{"name": f"tool_{number}", "description": "does something " * 10} for number in range(10)]
    with path.open("w") as file:
        for number in range(episodes // 2):
            public: dict[str, Any] = {"user": f"Request {number}: " + "please " * 40, "tools": tools}
            record = {
                "kind": "ap_pair", "id": f"pair-{number}", "instance": str(number), "benchmark": "b",
                "task": str(number), "scale": "binary", "target": "user", "type": "missing", "status": "accepted",
                "clean": {"id": f"c-{number}", "public": public}, "perturbed": {"id": f"p-{number}", "public": public},
                "checks": {}, "attempts": [], "seed": 0, "generator": "g", "verifier": "v", "private": {"reference": 1},
            }  # fmt: skip
            file.write(json.dumps(record, separators=(",", ":")) + "\n")
    return path


def _grade(out: Path, pairs: Path, actor: str, grader: str, *options: str) -> Timed:
    words = [wf("ap-grade"), "-q", "--actor", actor, "--grader", grader, "--out", str(out), *options, str(pairs)]
    return run(*words)


def _processor_seconds() -> float:
    """Of all processes that have ended so far, and of those that they waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


BENCHMARKS: dict[str, Callable[[Path], list[Row]]] = {"own_time": own_time, "bfcl": bfcl}
