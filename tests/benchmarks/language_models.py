"""Measurements of the language model client: calls at the same time, and the cache."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.measure import ROOT, Row

LATENCY = 0.05
JOBS = 16
PAIRS = 667  # three calls each: 2,001


def judging(folder: Path) -> list[Row]:
    """2,000 calls to a server that takes 50 ms for each, 16 at a time; then the same from the cache."""
    shutil.rmtree(folder / "answers", ignore_errors=True)
    server = subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "llm" / "behaviour.py"), str(LATENCY)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    address = server.stdout.readline().strip()
    first = _judge_all(folder, address)
    told = json.loads(server.communicate("")[0])  # the server has ended: what follows can connect to nobody
    calls, span = told["calls"], told["seconds"]
    ideal = calls * LATENCY / JOBS
    second = min(_judge_all(folder, address) for _ in range(3))
    ratio, speed_up = span / ideal, first / second
    beside = f"{calls:,} calls of {LATENCY * 1000:.0f} ms, {JOBS} at a time, in {span:.2f} s (ideal {ideal:.2f} s)"
    cached = (
        f"{calls:,} answers in {second * 1000:.0f} ms, best of 3, with the server gone; the first run {first:.2f} s"
    )
    return [
        Row("judge calls against the ideal", f"{ratio:.2f} ×", "≤ 1.4 ×", ratio <= 1.4 and calls == 3 * PAIRS, beside),
        Row("judge out of the cache against its first run", f"{speed_up:.0f} ×", "≥ 50 ×", speed_up >= 50, cached),
    ]


def _judge_all(folder: Path, address: str) -> float:
    """Judge every pair with a client of its own, and tell the seconds."""
    import openai  # noqa: F401 - its import is start-up

    from wfkit.llm.budget import Budget
    from wfkit.llm.cache import AnswerCache
    from wfkit.llm.client import Client, Settings
    from wfkit.llm.endpoints import Endpoints
    from wfkit.metrics.base import Comparison
    from wfkit.metrics.judge import Judge
    from wfkit.workflow import Step, Workflow

    environment = {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "none"}
    client = Client(
        Endpoints({}, environment),
        settings=Settings(jobs=JOBS, retries=0),
        budget=Budget(),
        prices={},
        cache=AnswerCache(folder / "answers", print),
    )
    judge = Judge(client, "model")
    words = ("look up the order", "check the policy", "refund the payment", "tell the customer", "close the ticket")
    steps = [tuple(Step(str(place), f"{text} {number}") for place, text in enumerate(words)) for number in range(PAIRS)]
    chain = tuple((place, place + 1) for place in range(len(words) - 1))
    comparisons = [
        Comparison(Workflow("golden", one, chain), Workflow("candidate", one[:-1], chain[:-1])) for one in steps
    ]
    started = time.perf_counter()
    pending = [judge.begin(comparison) for comparison in comparisons]
    scores = [judge.finish(one).score for one in pending]
    seconds = time.perf_counter() - started
    client.stop()
    if [score.value for score in scores] != [0.8] * PAIRS:
        raise SystemExit(f"the judge failed: {next(score.reason for score in scores if score.value != 0.8)}")
    return seconds


BENCHMARKS: dict[str, Callable[[Path], list[Row]]] = {"judging": judging}
