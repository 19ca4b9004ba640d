"""Inputs of the benchmarks: goldens of the corpus where it is there, else made up; pairs by wf-perturb."""

import json
import random
from pathlib import Path

from tests.benchmarks.measure import CORPUS, run, wf

WORDS = ["check", "open", "send", "read", "write", "load", "close", "find", "move", "clean", "order", "file", "table"]


def goldens(folder: Path, least_steps: int = 5) -> Path:
    """Goldens with at least so many steps: those of the corpus, else 400 made-up ones."""
    path = folder / f"goldens_{least_steps}.jsonl"
    if path.exists():
        return path
    everything = folder / "everything.jsonl"
    files = sorted((CORPUS / "worfbench").glob("*.json"))
    if files:
        run(wf("wf-parse"), *map(str, files), stdout=everything)
    else:
        everything.write_text(
            "".join(json.dumps(made_up(number, random.Random(number))) + "\n" for number in range(400))
        )
    with open(everything) as source, open(path, "w") as target:
        for line in source:
            if len(json.loads(line)["nodes"]) >= least_steps:
                target.write(line)
    return path


def made_up(number: int, chance: random.Random) -> dict[str, object]:
    """A chain of steps of random words."""
    size = chance.choice([5, 5, 6, 6, 7, 8, 10, 14])
    nodes = [
        {"id": str(step), "text": " ".join(chance.choices(WORDS, k=chance.randint(4, 14)))}
        for step in range(1, size + 1)
    ]
    edges = [[str(step), str(step + 1)] for step in range(1, size)]
    return {"kind": "workflow", "id": f"made_up_{number}", "nodes": nodes, "edges": edges, "meta": {}}


def perturbed(folder: Path, count: int) -> Path:
    """So many pairs as wf-perturb makes them: the paper's three types at 10, 30 and 50 percent of goldens at random.

    All variants of a golden follow each other, as in the paper's corpus of nine a golden, so that its texts are shared.
    """
    path = folder / f"pairs_{count}.jsonl"
    if path.exists():
        return path
    source = goldens(folder)
    repeats = -(-count // (8 * source.read_bytes().count(b"\n")))  # some of nine variants are inapplicable
    lines = source.read_text(encoding="utf-8").splitlines(keepends=True)
    random.Random(0).shuffle(lines)
    shuffled, everything = folder / "shuffled.jsonl", folder / "perturbed.jsonl"
    shuffled.write_text("".join(lines), encoding="utf-8")
    run(wf("wf-perturb"), "--repeats", str(repeats), str(shuffled), stdout=everything)
    made = everything.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([line for line in made if '"candidate":null' not in line][:count]), encoding="utf-8")
    return path


def small_pairs(path: Path, count: int) -> Path:
    """So many small scored pairs, all different."""
    side = {"kind": "workflow", "nodes": [{"id": "1", "text": "open the door"}], "edges": []}
    scores = {"chain_f1": 1.0, "graph_f1": 1.0, "kendall_tau": None, "bleu": 1.0, "gleu": 1.0}
    with open(path, "w") as target:
        for number in range(count):
            name = f"small_{number}"
            pair = {
                "kind": "pair", "id": name, "golden": {"id": name, **side}, "candidate": {"id": name, **side},
                "scores": scores, "reasons": {"kendall_tau": "undefined: one step"},
            }  # fmt: skip
            target.write(json.dumps(pair, separators=(",", ":")) + "\n")
    return path
