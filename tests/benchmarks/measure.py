"""Tools of the benchmarks: timed processes, their peak memory, and one table of ratios."""

import multiprocessing
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"


class Row(NamedTuple):
    """One measurement: what, the ratio or figure, its target, and how it came about."""

    what: str
    figure: str
    target: str
    met: bool
    detail: str


class Timed(NamedTuple):
    """A finished process: seconds of wall clock and peak memory in MB."""

    seconds: float
    megabytes: float


def run(
    *command: str,
    stdin: Path | None = None,
    stdout: Path | None = None,
    codes: Sequence[int] = (0,),
    env: dict[str, str] | None = None,
) -> Timed:
    """Run a command, with files as its standard streams, and measure it."""
    with (
        open(stdin or os.devnull, "rb") as source,
        open(stdout or os.devnull, "wb") as target,
    ):
        started = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=source, stdout=target, stderr=subprocess.DEVNULL, env={**os.environ, **(env or {})}
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
    code = process.returncode = os.waitstatus_to_exitcode(status)
    if code not in codes:
        raise SystemExit(f"{' '.join(command)}: exit code {code}")
    return Timed(seconds, usage.ru_maxrss / 1024)


def in_a_process(benchmark: Callable[[Path], list[Row]], folder: Path) -> list[Row]:
    """Run one of them in a process of its own: what a process is told of its peak memory begins with its parent's."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(benchmark, folder, sender))
    process.start()
    sender.close()
    try:
        rows: list[Row] = receiver.recv()
    except EOFError:
        process.join()
        raise SystemExit(process.exitcode) from None
    process.join()
    return rows


def _send(benchmark: Callable[[Path], list[Row]], folder: Path, sender: Connection) -> None:
    sender.send(benchmark(folder))


def wf(name: str) -> str:
    """The path of an installed executable."""
    return str(Path(sys.executable).parent / name)


def best(count: int, measure: Callable[[], Timed]) -> Timed:
    """The fastest of several runs."""
    return min((measure() for _ in range(count)), key=lambda timed: timed.seconds)


def best_of_each(count: int, *measures: Callable[[], Timed]) -> list[Timed]:
    """The fastest of several runs of each, taken in turn: a machine that slows down slows all of them."""
    rounds = [[measure() for measure in measures] for _ in range(count)]
    return [min(runs, key=lambda timed: timed.seconds) for runs in zip(*rounds, strict=True)]


def machine() -> str:
    """The machine in one line."""
    described = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    names = (line.split(":")[1].strip() for line in described.splitlines() if line.startswith("model name"))
    model = next(names, platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores ({model}), {memory:.0f} GB, Python {platform.python_version()}, {platform.system()}"


def table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table."""
    lines = ["| what | measured | target | | how |", "|---|---|---|---|---|"]
    lines += [
        f"| {row.what} | {row.figure} | {row.target} | {'met' if row.met else '**missed**'} | {row.detail} |"
        for row in rows
    ]
    return "\n".join(lines)


def own_peak_megabytes() -> float:
    """Peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
