"""Measurements of the models: the onnx backend beside torch, BERTScore of steps beside the library's own call."""

import json
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks import data
from tests.benchmarks.measure import Row, Timed, run, wf

STRUCTURE = "chain_f1,graph_f1,kendall_tau"
LAYERS = 8


def cold_start(folder: Path) -> list[Row]:
    """Seconds of wf-score on one pair, nothing cached but verified digests, with each backend in turn."""
    run(wf("wf-models"), "export", "-q")
    one = folder / "one.jsonl"
    one.write_text(data.perturbed(folder, 1000).read_text(encoding="utf-8").splitlines()[0])
    taken: dict[str, list[Timed]] = {"onnx": [], "torch": []}
    for _ in range(5):
        for backend, runs in taken.items():
            command = (wf("wf-score"), "-q", "--no-cache", "--metrics", STRUCTURE, "--backend", backend, str(one))
            runs.append(run(*command))
    onnx, torch = (min(runs, key=lambda timed: timed.seconds) for runs in taken.values())
    ratio = onnx.seconds / torch.seconds
    detail = (
        f"{onnx.seconds:.1f} s and {onnx.megabytes:.0f} MB against {torch.seconds:.1f} s and {torch.megabytes:.0f} MB,"
        " one pair, best of 5, alternating"
    )
    return [Row("wf-score, cold, onnx against torch", f"{ratio:.2f} ×", "≤ 0.4 ×", ratio <= 0.4, detail)]


def encoding_backends(folder: Path) -> list[Row]:
    """Texts per second of both backends over the same batches, and how far their cosines are apart."""
    from wfkit.models.backend import find_encoder

    run(wf("wf-models"), "export", "-q")
    texts = _steps(folder, 600)
    backends = {name: find_encoder(None, name, wanted_by="the benchmark")() for name in ("onnx", "torch")}
    vectors = {name: encoder.encode(texts) for name, encoder in backends.items()}
    seconds: dict[str, list[float]] = {name: [] for name in backends}
    for _ in range(3):
        for name, encoder in backends.items():
            started = time.perf_counter()
            encoder.encode(texts)
            seconds[name].append(time.perf_counter() - started)
    onnx, torch = (len(texts) / min(taken) for taken in seconds.values())
    apart = float(abs(vectors["onnx"] @ vectors["onnx"].T - vectors["torch"] @ vectors["torch"].T).max())
    detail = f"{onnx:.0f} against {torch:.0f} texts/s, {len(texts)} step texts, best of 3, alternating"
    pairs = len(texts) * (len(texts) - 1) // 2
    return [
        Row("encoding, onnx against torch", f"{onnx / torch:.2f} ×", "≥ 0.8 ×", onnx / torch >= 0.8, detail),
        Row("largest difference of their cosines", f"{apart:.1e}", "< 1e-5", apart < 1e-5, f"{pairs:,} pairs of steps"),
    ]


def bertscore(folder: Path) -> list[Row]:
    """Pairs of steps per second beside `BERTScorer.score` on the same pairs, with the local encoder for a model."""
    from bert_score import BERTScorer

    from wfkit.models.bertscore import find_setup
    from wfkit.models.bertscore_model import load_bertscore
    from wfkit.models.pair_scorer import PairScorer

    (folder / "baseline.tsv").write_text("LAYER,P,R,F\n" + "".join(f"{n},0.4,0.4,0.4\n" for n in range(13)))
    setup = find_setup("all-mpnet-base-v2", LAYERS, str(folder / "baseline.tsv"))
    load_bertscore(setup)  # so that imports count for neither
    pairs = [pair for line in data.perturbed(folder, 1000).read_text().splitlines()[:150] for pair in _pairs(line)]
    library = BERTScorer(
        model_type=str(setup.model.directory), num_layers=LAYERS, lang="en", rescale_with_baseline=True,
        baseline_path=str(folder / "baseline.tsv"), device="cpu",
    )  # fmt: skip
    started = time.perf_counter()
    theirs = library.score([one for one, _ in pairs], [other for _, other in pairs])[2].tolist()
    their_seconds = time.perf_counter() - started
    started = time.perf_counter()
    ours = PairScorer(setup, None).scores(pairs)
    our_seconds = time.perf_counter() - started
    ratio = their_seconds / our_seconds
    apart = statistics.mean(abs(one - other) for one, other in zip(ours, theirs, strict=True))
    detail = (
        f"{len(pairs) / our_seconds:.0f} against {len(pairs) / their_seconds:.0f} pairs of steps/s, {len(pairs):,} of"
        f" them ({len(set(pairs)):,} distinct), {LAYERS} layers, loading included in ours; mean difference {apart:.0e}"
    )
    return [Row("bertscore against `BERTScorer.score`", f"{ratio:.1f} ×", "≥ 1 ×", ratio >= 1, detail)]


def bertscore_again(folder: Path) -> list[Row]:
    """A second run of wf-score on bertscore, one pair in fifty changed, beside the first."""
    (folder / "baseline.tsv").write_text("LAYER,P,R,F\n" + "".join(f"{n},0.4,0.4,0.4\n" for n in range(13)))
    lines = data.perturbed(folder, 2000).read_text(encoding="utf-8").splitlines()
    few, changed = folder / "first.jsonl", folder / "second.jsonl"
    few.write_text("\n".join(lines[:1000]))
    changed.write_text("\n".join([*lines[:980], *lines[1000:1020]]))
    command = (
        wf("wf-score"), "-q", "--metrics", "bertscore", "--bertscore-model", "all-mpnet-base-v2",
        "--bertscore-layers", str(LAYERS), "--bertscore-baseline", str(folder / "baseline.tsv"),
        "--cache", str(folder / "scores"),
    )  # fmt: skip
    first, same, second = (run(*command, str(path)).seconds for path in (few, few, changed))
    ratio = second / first
    detail = f"1,000 pairs in {first:.1f} s; 2 % changed {second:.1f} s, start-up included; unchanged {same:.1f} s"
    return [Row("bertscore, second run, 2 % changed", f"{ratio:.2f} ×", "≤ 0.25 ×", ratio <= 0.25, detail)]


def _steps(folder: Path, count: int) -> list[str]:
    lines = data.goldens(folder).read_text(encoding="utf-8").splitlines()
    texts = sorted({node["text"] for line in lines for node in json.loads(line)["nodes"]})
    return random.Random(2).sample(texts, min(count, len(texts)))


def _pairs(line: str) -> list[tuple[str, str]]:
    pair = json.loads(line)
    sides = ([node["text"] for node in pair[side]["nodes"]] for side in ("candidate", "golden"))
    return [(one, other) for one, other in zip(*sides, strict=False) if one.strip() and other.strip()]


BENCHMARKS: dict[str, Callable[[Path], list[Row]]] = {
    "cold_start": cold_start,
    "encoding_backends": encoding_backends,
    "bertscore": bertscore,
    "bertscore_again": bertscore_again,
}
