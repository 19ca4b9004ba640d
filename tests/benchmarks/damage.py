"""Measurements of calibrated damage: perturb, validate, sensitivity, at the size of the paper's benchmark."""

import json
import random
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks import data
from tests.benchmarks.measure import Row, Timed, best, run, wf

GOLDENS = 4973
PAIRS = 9 * GOLDENS
METRICS = ("chain_f1", "graph_f1", "kendall_tau", "bleu", "gleu", "chain_f1_exact", "precedence_f1", "node_f1")


def many_goldens(folder: Path, count: int) -> Path:
    """So many goldens in the size mix of the corpus: its own, repeated under other ids."""
    path = folder / f"goldens_{count}.jsonl"
    lines = data.goldens(folder).read_text(encoding="utf-8").splitlines()
    with open(path, "w", encoding="utf-8") as target:
        for number in range(count):
            record = json.loads(lines[number % len(lines)])
            record["id"] = f"{record['id']}_{number // len(lines)}"
            target.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")
    return path


def damaged(goldens: Path, target: Path) -> Timed:
    """Run ``wf-perturb | wf-validate`` from a file into a file."""
    pipe = f"{wf('wf-perturb')} -q {goldens} | {wf('wf-validate')} -q > {target}"
    return run("bash", "-c", f"set -o pipefail; {pipe}")


def perturb_and_validate(folder: Path) -> list[Row]:
    """The paper's 44,757 variants, made and checked, one process each; a tenth of it shows that time grows in line."""
    tenth = damaged(many_goldens(folder, GOLDENS // 10), folder / "tenth.jsonl")
    pairs = folder / "damaged.jsonl"
    whole = damaged(many_goldens(folder, GOLDENS), pairs)
    jq = run("jq", "-c", ".", str(pairs), stdout=folder / "out")
    growth = whole.seconds / tenth.seconds
    detail = f"{PAIRS / whole.seconds:,.0f} pairs/s; `jq -c .` on the result {PAIRS / jq.seconds:,.0f} records/s"
    return [
        Row("wf-perturb \\| wf-validate, 44,757 pairs", f"{whole.seconds:.0f} s", "< 60 s", whole.seconds < 60, detail),
        Row("the same, 10 × the goldens", f"{growth:.1f} × the time", "≤ 11 ×", growth <= 11, "start-up included"),
    ]


def sensitivity(folder: Path) -> list[Row]:
    """Sensitivity and firing records of 44,757 scored pairs with 2,000 bootstrap replicates."""
    pairs = folder / "damaged.jsonl"
    if not pairs.exists():
        damaged(many_goldens(folder, GOLDENS), pairs)
    scored = folder / "scored_damage.jsonl"
    chance = random.Random(0)
    with open(pairs, encoding="utf-8") as source, open(scored, "w", encoding="utf-8") as target:
        for line in source:
            pair = json.loads(line)
            pair["scores"] = {metric: round(chance.betavariate(8, 3), 4) for metric in METRICS}
            target.write(json.dumps(pair, ensure_ascii=False, separators=(",", ":")) + "\n")
    ours = run(wf("wf-sensitivity"), "-q", "--replicates", "2000", str(scored), stdout=folder / "out")
    jq = best(1, lambda: run("jq", "-c", ".", str(scored), stdout=folder / "out"))
    detail = (
        f"{len(METRICS)} metrics, 2,000 replicates, {PAIRS / ours.seconds:,.0f} pairs/s;"
        f" `jq -c .` {PAIRS / jq.seconds:,.0f} records/s"
    )
    return [
        Row("wf-sensitivity, 44,757 pairs", f"{ours.seconds:.0f} s", "< 60 s", ours.seconds < 60, detail),
        Row("wf-sensitivity, peak memory", f"{ours.megabytes:.0f} MB", "< 500 MB", ours.megabytes < 500, ""),
    ]


BENCHMARKS: dict[str, Callable[[Path], list[Row]]] = {
    "perturb_and_validate": perturb_and_validate,
    "sensitivity": sensitivity,
}
