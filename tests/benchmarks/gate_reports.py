"""Measurements of the gate's reports: time and memory of all of them, and the page in a browser."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.data import perturbed
from tests.benchmarks.measure import Row, best, run, wf
from tests.gate.reports.chromium import Chromium, executable

COUNT = 5_000
FAILING = 500
KINDS = ("junit", "markdown", "html", "sarif")


def _scored(folder: Path) -> Path:
    """Pairs of the corpus, damaged on purpose and scored; their embeddings come out of the cache from then on."""
    path = folder / f"scored_{COUNT}.jsonl"
    if not path.exists():
        run(wf("wf-score"), str(perturbed(folder, COUNT)), stdout=path)
    return path


def all_reports(folder: Path) -> list[Row]:
    """The gate with every report, and what they add to its time."""
    scored = _scored(folder)
    plain = best(3, lambda: run(wf("wf-gate"), "-q", str(scored), codes=(0, 1, 4)))
    options = [word for kind in KINDS for word in (f"--{kind}", str(folder / f"gate.{kind}"))]
    whole = best(3, lambda: run(wf("wf-gate"), "-q", "--annotations", "github", *options, str(scored), codes=(0, 1, 4)))
    sizes = ", ".join(f"{kind} {(folder / f'gate.{kind}').stat().st_size / 1e6:.1f} MB" for kind in KINDS)
    summary = (folder / "gate.markdown").stat().st_size
    detail = f"{COUNT:,} pairs, best of 3; {plain.seconds:.1f} s and {plain.megabytes:.0f} MB without reports; {sizes}"
    return [
        Row("wf-gate with all reports, time", f"{whole.seconds:.1f} s", "≤ 10 s", whole.seconds <= 10, detail),
        Row("… memory", f"{whole.megabytes:.0f} MB", "≤ 300 MB", whole.megabytes <= 300, "peak of the process"),
        Row("… size of the job summary", f"{summary:,} bytes", "< 1 MiB", summary < 1 << 20, "the worst come first"),
    ]


def page(folder: Path) -> list[Row]:
    """The page of workflows that all fail: its size, and the time until a browser has loaded and listed it."""
    failing = folder / "failing.jsonl"
    verdicts = folder / "verdicts.jsonl"
    run(wf("wf-gate"), "-q", str(_scored(folder)), stdout=verdicts, codes=(0, 1, 4))
    with open(verdicts, encoding="utf-8") as source:
        kept = [line for line in source if json.loads(line).get("verdict", {}).get("status") == "fail"][:FAILING]
    failing.write_text("".join(kept), encoding="utf-8")
    target = folder / "failing.html"
    run(wf("wf-gate"), "-q", "--html", str(target), str(failing), codes=(1,))
    size = target.stat().st_size
    rows = [Row(f"page of {len(kept)} failing workflows", f"{size / 1e6:.2f} MB", "< 5 MB", size < 5e6, "one file")]
    program = executable()
    if program is None:
        return [*rows, Row("… opens in Chromium", "not measured", "< 2 s", False, "no Chromium is installed here")]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Chromium(program, Path(profile))
        seconds = min(browser.load(target) for _ in range(3))
        listed = browser.evaluate("document.querySelectorAll('#list li').length")
        browser.close()
    detail = f"best of 3, from the address to the load event; {listed} workflows listed, the others on request"
    return [*rows, Row("… opens in Chromium", f"{seconds:.2f} s", "< 2 s", seconds < 2, detail)]


BENCHMARKS: dict[str, Callable[[Path], list[Row]]] = {"gate_reports": all_reports, "gate_page": page}
