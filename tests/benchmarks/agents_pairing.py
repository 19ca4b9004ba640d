"""Measurements of ap-pair: edits and decisions by rules, without a native grader."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.measure import ROOT, Row, best_of_each, run, wf

FAMILIES = "user/missing,user/redundant,tools/missing,tools/redundant,tools/incorrect"


def pairing(folder: Path) -> list[Row]:
    """Pairs per second and how memory grows, on BFCL's single-turn tasks where they are installed, else on our own."""
    instances, what = _instances()
    few, some, many = (_repeated(instances, folder / f"{count}.jsonl", count) for count in (300, 1000, 3000))
    command = (wf("ap-pair"), "-q", "--families", FAMILIES)
    # Short runs, and many of them: the fastest is that which nothing else on the machine disturbed.
    small, whole = best_of_each(
        15,
        lambda: run(*command, str(few), stdout=folder / "fewer"),
        lambda: run(*command, str(some), stdout=folder / "out"),
    )
    fewer, constructed = _constructed(folder / "fewer"), _constructed(folder / "out")
    rate = (constructed - fewer) / (whole.seconds - small.seconds)
    detail = f"{constructed:,} edits made and decided on, start-up taken off, {what}; best of 15, alternating"
    large = run(*command, str(many), stdout=folder / "out")
    growth = large.megabytes - small.megabytes
    memory = f"{small.megabytes:.0f} MB for 300 instances, {large.megabytes:.0f} MB for 3,000"
    return [
        Row("ap-pair, rules", f"{rate:,.0f} pairs/s", "≥ 2,000", rate >= 2000, detail),
        Row("ap-pair, growth of memory", f"{growth:.0f} MB", "< 20 MB", growth < 20, memory),
    ]


def _repeated(instances: list[dict[str, object]], path: Path, count: int) -> Path:
    """A file with so many instances, each with an id of its own."""
    with open(path, "w") as target:
        for number in range(count):
            turn, place = divmod(number, len(instances))
            record = {**instances[place], "id": f"{instances[place]['id']}/{turn}"}
            target.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")
    return path


def _constructed(path: Path) -> int:
    with open(path) as pairs:
        return sum(json.loads(line)["status"] != "inapplicable" for line in pairs)


def _instances() -> tuple[list[dict[str, object]], str]:
    examples = ROOT / "examples" / "agents"
    bfcl = Path(os.environ.get("WFKIT_AGENTS", ROOT / ".build" / "agents")) / "bfcl" / "bin" / "python"
    if bfcl.exists():
        command = [str(bfcl.absolute()), str(examples / "bfcl.py"), "instances", "simple_python", "multiple"]
        what = "BFCL simple and multiple"
    else:
        command, what = [sys.executable, "tasks.py", "42", "50"], "the arithmetic benchmark (BFCL is not here)"
    made = subprocess.run(command, cwd=examples / "arithmetic", capture_output=True, check=True)
    return [json.loads(line) for line in made.stdout.splitlines()], what


BENCHMARKS = {"pairing": pairing}
