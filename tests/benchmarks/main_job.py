"""Measurements of the main job: parse, score and gate."""

import json
import os
import random
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks import data, peer
from tests.benchmarks.measure import Row, best, run, wf

STRUCTURE = "chain_f1,graph_f1,kendall_tau,kendall_tau_aligned,precedence_f1,node_f1,edge_f1"


def lines_of(path: Path) -> list[str]:
    """All lines of a file."""
    return path.read_text(encoding="utf-8").splitlines()


def against_peer(folder: Path) -> list[Row]:
    """Pairs per second beside the call pattern of WorFBench's scorer, nothing cached on either side."""
    pairs, count = data.perturbed(folder, 2000), 2000
    run(wf("wf-models"), "export", "-q")  # so that the faster backend is what runs
    cache = folder / "empty"
    shutil.rmtree(cache, ignore_errors=True)
    ours = run(wf("wf-score"), "--cache", str(cache), str(pairs), codes=(0,))
    records = [json.loads(line) for line in lines_of(pairs)]
    texts = {node["text"] for record in records for side in ("golden", "candidate") for node in record[side]["nodes"]}
    sample = random.Random(1).sample(records, 40)
    model = peer.model()
    started = time.perf_counter()
    encoded = sum(peer.score(pair, model)[1] for pair in sample)
    theirs = time.perf_counter() - started
    ratio = (count / ours.seconds) / (len(sample) / theirs)
    detail = (
        f"{count / ours.seconds:.1f} pairs/s, start-up included, on {count:,} perturbed pairs,"
        f" {len(texts) / count:.1f} texts a pair; peer {len(sample) / theirs:.2f} pairs/s on 40 of them,"
        f" {encoded / len(sample):.0f} texts a pair, model loaded"
    )
    return [Row("wf-score against WorFBench's call pattern", f"{ratio:.0f} ×", "≥ 50 ×", ratio >= 50, detail)]


def encoding(folder: Path) -> list[Row]:
    """Texts per second of our batches beside `SentenceTransformer.encode` with its defaults."""
    from wfkit.models.encoder import load_encoder
    from wfkit.models.locate import locate

    texts = sorted({node["text"] for line in lines_of(data.goldens(folder)) for node in json.loads(line)["nodes"]})
    texts = random.Random(2).sample(texts, min(600, len(texts)))
    model, encoder = peer.model(), load_encoder(locate())
    model.encode(texts[:8])
    encoder.encode(texts[:8])
    theirs, ours = [], []
    for _ in range(3):
        for encode, seconds in ((model.encode, theirs), (encoder.encode, ours)):
            started = time.perf_counter()
            encode(texts)
            seconds.append(time.perf_counter() - started)
    ratio = min(theirs) / min(ours)
    rates = f"{len(texts) / min(ours):.0f} against {len(texts) / min(theirs):.0f} texts/s"
    detail = f"{rates}, {len(texts)} step texts, best of 3, alternating"
    return [Row("encoding against `SentenceTransformer.encode`", f"{ratio:.2f} ×", "≥ 1.2 ×", ratio >= 1.2, detail)]


def cached(folder: Path) -> list[Row]:
    """Pairs per second once every embedding is cached, and that no model library is imported."""
    pairs = data.perturbed(folder, 5000)
    cache = folder / "cache"
    run(wf("wf-score"), "--cache", str(cache), "--metrics", "chain_f1", str(pairs))
    rows = []
    few = folder / "few.jsonl"
    few.write_text("\n".join(lines_of(pairs)[:10]))
    for metrics, target, name in (
        (STRUCTURE, 1000, "structure and order"),
        (f"{STRUCTURE},bleu,gleu", 400, "with bleu and gleu"),
    ):
        command = (wf("wf-score"), "--cache", str(cache), "--metrics", metrics)
        start = best(3, lambda command=command: run(*command, str(few)))
        whole = best(2, lambda command=command: run(*command, str(pairs)))
        rate = 4990 / (whole.seconds - start.seconds)
        detail = f"5,000 pairs in {whole.seconds:.1f} s, of which {start.seconds:.1f} s start-up; one process"
        rows.append(
            Row(f"wf-score, embeddings cached, {name}", f"{rate:,.0f} pairs/s", f"≥ {target:,}", rate >= target, detail)
        )
    return rows


def against_jq(folder: Path) -> list[Row]:
    """Canonical records per second of wf-parse and wf-gate, schema checks on, beside `jq -c .`."""
    workflows = copies(data.goldens(folder), folder / "many.jsonl", 300)
    scored, damaged = folder / "scored.jsonl", folder / "damaged.jsonl"
    goldens = data.goldens(folder)
    cache = ("--cache", str(folder / "cache"))
    run(wf("wf-score"), *cache, str(data.perturbed(folder, 5000)), stdout=folder / "scored")
    run(wf("wf-score"), *cache, "--golden", str(goldens), str(goldens), stdout=folder / "equal")
    copies(folder / "scored", damaged, 3)
    # What a CI run looks like: one candidate of twenty is damaged.
    mixture = lines_of(folder / "scored")[: len(lines_of(folder / "equal")) // 19] + lines_of(folder / "equal")
    random.Random(4).shuffle(mixture)
    (folder / "mixture").write_text("\n".join(mixture), encoding="utf-8")
    copies(folder / "mixture", scored, 40)
    rows = []
    for name, path, what in (
        ("wf-parse", workflows, ""),
        ("wf-gate", scored, ", one candidate of twenty damaged"),
        ("wf-gate", damaged, ", every candidate damaged"),
    ):
        theirs, ours = [], []
        for _ in range(7):  # in turn, since the machine is not as fast at all times
            theirs.append(run("jq", "-c", ".", str(path), stdout=folder / "out").seconds)
            ours.append(run(wf(name), "-q", str(path), stdout=folder / "out", codes=(0, 1)).seconds)
        ratio, count, size = min(theirs) / min(ours), path.read_bytes().count(b"\n"), path.stat().st_size
        detail = (
            f"{count:,} records of {size / count:,.0f} bytes, {count / min(ours):,.0f} records/s,"
            f" {size / min(ours) / 1e6:.0f} MB/s, best of 7, alternating"
        )
        rows.append(Row(f"{name} against `jq -c .`{what}", f"{ratio:.1f} ×", "≥ 1.5 ×", ratio >= 1.5, detail))
    return rows


def copies(source: Path, target: Path, count: int) -> Path:
    """A file with so many copies of every record, each with an id of its own."""
    with open(target, "w", encoding="utf-8") as file:
        for number in range(count):
            for line in lines_of(source):
                record = json.loads(line)
                record["id"] = f"{record['id']}_{number}"
                file.write(json.dumps(record, separators=(",", ":"), ensure_ascii=False) + "\n")
    return target


def gate_memory(folder: Path) -> list[Row]:
    """Peak memory of wf-gate over a million records."""
    pairs = data.small_pairs(folder / "million.jsonl", 1_000_000)
    gate = run(wf("wf-gate"), "-q", str(pairs), codes=(0,))
    pairs.unlink()
    detail = f"1,000,000 small records in {gate.seconds:.0f} s"
    return [Row("wf-gate, peak memory", f"{gate.megabytes:.0f} MB", "< 200 MB", gate.megabytes < 200, detail)]


def start_up(_folder: Path) -> list[Row]:
    """Milliseconds of `--help` over a bare interpreter, the slowest executable, and how much of it is click."""
    names = sorted(name for name in os.listdir(Path(sys.executable).parent) if name.startswith(("wf-", "ap-")))
    commands = {name: (wf(name), "--help") for name in names}
    commands |= {"bare": (sys.executable, "-c", "pass"), "click": (sys.executable, "-c", "import click")}
    seconds = dict.fromkeys(commands, float("inf"))
    for _ in range(20):  # in turn, since the machine is not as fast at all times
        for name, command in commands.items():
            seconds[name] = min(seconds[name], run(*command).seconds)
    over = {name: (value - seconds["bare"]) * 1000 for name, value in seconds.items()}
    slowest = max(names, key=over.__getitem__)
    detail = (
        f"slowest of {len(names)} is {slowest}; importing click alone takes {over['click']:.0f} ms; best of 20 each"
    )
    return [Row("`--help` over `python -c pass`", f"{over[slowest]:.0f} ms", "≤ 60 ms", over[slowest] <= 60, detail)]


BENCHMARKS: dict[str, Callable[[Path], list[Row]]] = {
    "against_peer": against_peer,
    "encoding": encoding,
    "cached": cached,
    "against_jq": against_jq,
    "gate_memory": gate_memory,
    "start_up": start_up,
}
