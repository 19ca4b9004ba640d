"""Measurements of wf-score: how far it is from encoding alone, cold starts, growth, workers, and the second run."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks import data
from tests.benchmarks.main_job import STRUCTURE, copies, lines_of
from tests.benchmarks.measure import Row, best, best_of_each, run, wf

EVERYTHING = f"{STRUCTURE},bleu,gleu"

ENCODE = """
import json, sys
from wfkit.models.backend import find_encoder
texts = {node["text"] for line in open(sys.argv[1]) for side in ("golden", "candidate")
         for node in json.loads(line)[side]["nodes"]}
find_encoder(None, "onnx", wanted_by="the benchmark")().encode(sorted(texts))
print(len(texts))
"""


def floor(folder: Path) -> list[Row]:
    """Everything measured from an empty cache beside the encoding of its texts; then with 2 % of the pairs new."""
    pairs, cache = data.perturbed(folder, 2000), folder / "floor"
    shutil.rmtree(cache, ignore_errors=True)
    run(wf("wf-models"), "export", "-q")
    alone = best(1, lambda: run(sys.executable, "-c", ENCODE, str(pairs), stdout=folder / "count"))
    command = (wf("wf-score"), "-q", "--backend", "onnx", "--cache", str(cache), "--metrics", EVERYTHING)
    whole = run(*command, str(pairs))
    changed = folder / "changed.jsonl"
    with open(changed, "w", encoding="utf-8") as file:
        for number, line in enumerate(lines_of(pairs)):
            record = json.loads(line)
            if number % 50 == 0 and record["candidate"]["nodes"]:
                record["candidate"]["nodes"][0]["text"] += f", as in case {number}"
            file.write(json.dumps(record, separators=(",", ":"), ensure_ascii=False) + "\n")
    again = run(*command, str(changed))
    texts = (folder / "count").read_text().strip()
    ratio, second = whole.seconds / alone.seconds, again.seconds / whole.seconds
    return [
        Row(
            "wf-score, nothing cached, against encoding its texts alone", f"{ratio:.2f} ×", "≤ 1.15 ×", ratio <= 1.15,
            f"2,000 pairs, {texts} texts, {whole.seconds:.0f} s and {alone.seconds:.0f} s, start-up in both, onnx",
        ),
        Row(
            "second run of wf-score, 2 % of the pairs changed", f"{second:.2f} ×", "≤ 0.1 ×", second <= 0.1,
            f"{again.seconds:.1f} s after {whole.seconds:.0f} s",
        ),
    ]  # fmt: skip


def cold(folder: Path) -> list[Row]:
    """Seconds over a bare interpreter for 50 pairs whose embeddings are cached."""
    few, cache = folder / "fifty.jsonl", folder / "cold"
    few.write_text("\n".join(lines_of(data.perturbed(folder, 1000))[:50]), encoding="utf-8")
    run(wf("wf-score"), "--cache", str(cache), "--metrics", "chain_f1", str(few))
    bare = best(10, lambda: run(sys.executable, "-c", "pass"))
    rows = []
    for metrics, most, what in ((STRUCTURE, 1.0, "structure and order"), (EVERYTHING, 2.5, "with bleu and gleu")):
        command = (wf("wf-score"), "-q", "--cache", str(cache), "--metrics", metrics, str(few))
        over = best(5, lambda command=command: run(*command)).seconds - bare.seconds
        what = f"wf-score of 50 pairs over `python -c pass`, {what}"
        rows.append(Row(what, f"{over:.2f} s", f"≤ {most} s", over <= most, "embeddings cached; best of 5"))
    return rows


def growth(folder: Path) -> list[Row]:
    """Ten times the pairs, and two workers, with cached embeddings."""
    pairs, cache = data.perturbed(folder, 5000), folder / "cache"
    few, many = folder / "tenth.jsonl", copies(pairs, folder / "twenty_thousand.jsonl", 4)
    few.write_text("\n".join(lines_of(pairs)[:2000]), encoding="utf-8")
    command = (wf("wf-score"), "-q", "--cache", str(cache), "--metrics")
    run(*command, "chain_f1", str(pairs))
    small, large = best_of_each(
        3, lambda: run(*command, EVERYTHING, str(few)), lambda: run(*command, EVERYTHING, str(many))
    )
    time, memory = large.seconds / small.seconds, large.megabytes / small.megabytes
    one, two = best_of_each(
        2,
        lambda: run(*command, "bleu,gleu", str(many)),
        lambda: run(*command, "bleu,gleu", "--jobs", "2", str(many)),
    )
    gain = one.seconds / two.seconds
    return [
        Row(
            "wf-score, 10 × the pairs", f"{time:.1f} × the time, {memory:.2f} × the memory", "≤ 10.5 ×, ≤ 1.2 ×",
            time <= 10.5 and memory <= 1.2,
            f"20,000 pairs in {large.seconds:.1f} s and {large.megabytes:.0f} MB, best of 3, alternating",
        ),
        Row(
            "wf-score --jobs 2, bleu and gleu", f"{gain:.2f} ×", "≥ 1.6 ×", gain >= 1.6,
            f"20,000 pairs in {two.seconds:.1f} s instead of {one.seconds:.1f} s, best of 2, alternating",
        ),
    ]  # fmt: skip


BENCHMARKS: dict[str, Callable[[Path], list[Row]]] = {"floor": floor, "cold": cold, "growth": growth}
