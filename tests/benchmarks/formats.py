"""Measurements of reading formats: a directory of many small files in one call."""

import json
import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from tests.benchmarks.measure import Row, best, run, wf

COUNT = 10_000
VERBS = ("Collect", "Check", "Sort", "Send", "Store", "Read", "Compare", "Approve")
NOUNS = ("the order", "all invoices", "the report", "each address", "the payment", "open tickets", "the stock")


def _steps(chance: random.Random) -> list[str]:
    return [f"{chance.choice(VERBS)} {chance.choice(NOUNS)} {number}" for number in range(chance.randint(4, 9))]


def _n8n(steps: list[str]) -> str:
    node = {"type": "n8n-nodes-base.code", "parameters": {"jsCode": "return items"}}
    nodes = [{"name": step, "id": step, **node} for step in steps]
    links = {a: {"main": [[{"node": b, "type": "main", "index": 0}]]} for a, b in pairwise(steps)}
    return json.dumps({"name": "flow", "nodes": nodes, "connections": links}, indent=1)


def _asl(steps: list[str]) -> str:
    states = {a: {"Type": "Task", "Resource": "arn", "Next": b} for a, b in pairwise(steps)}
    return json.dumps({"StartAt": steps[0], "States": {**states, steps[-1]: {"Type": "Succeed"}}}, indent=1)


def _react_flow(steps: list[str]) -> str:
    nodes = [{"id": str(n), "position": {"x": n, "y": 0}, "data": {"label": step}} for n, step in enumerate(steps)]
    edges = [{"source": str(n), "target": str(n + 1)} for n in range(len(steps) - 1)]
    return json.dumps({"nodes": nodes, "edges": edges}, indent=1)


def _plan(steps: list[str]) -> str:
    return json.dumps({"steps": [{"id": n, "task": step, "dep": [n - 1]} for n, step in enumerate(steps)]}, indent=1)


def _gha(steps: list[str]) -> str:
    jobs = "".join(
        f"  job{n}:\n    name: {step}\n    runs-on: ubuntu-latest\n" + (f"    needs: job{n - 1}\n" if n else "")
        for n, step in enumerate(steps)
    )
    return f"name: CI\non:\n  push:\n    branches: [main]\njobs:\n{jobs}"


def _crew(steps: list[str]) -> str:
    return "".join(f"task{n}:\n  description: >\n    {step}\n  expected_output: done\n" for n, step in enumerate(steps))


def _mermaid(steps: list[str]) -> str:
    nodes = "".join(f"  n{n}[{step}]\n" for n, step in enumerate(steps))
    return f"flowchart TD\n{nodes}" + "".join(f"  n{n} -->|next| n{n + 1}\n" for n in range(len(steps) - 1))


def _dot(steps: list[str]) -> str:
    nodes = "".join(f'  n{n} [label="{step}", shape=box];\n' for n, step in enumerate(steps))
    return f"digraph flow {{\n{nodes}" + "".join(f"  n{n} -> n{n + 1};\n" for n in range(len(steps) - 1)) + "}\n"


KINDS: dict[str, tuple[str, int, tuple[Callable[[list[str]], str], ...]]] = {
    "JSON": (".json", 500, (_n8n, _asl, _react_flow, _plan)),
    "YAML": (".yml", 100, (_gha, _crew)),
    "Mermaid": (".mmd", 100, (_mermaid,)),
    "DOT": (".dot", 100, (_dot,)),
}


def _write(folder: Path, kind: str, count: int) -> list[str]:
    suffix, _, makers = KINDS[kind]
    target = folder / kind
    target.mkdir(exist_ok=True)
    chance = random.Random(kind)
    names = []
    for number in range(count):
        path = target / f"{kind}{number:05}{suffix}"
        path.write_text(makers[number % len(makers)](_steps(chance)))
        names.append(str(path))
    return names


def each_kind(folder: Path) -> list[Row]:
    """Files per second of each kind, one process, start-up taken off."""
    rows = []
    for kind, (_, target, makers) in KINDS.items():
        names = _write(folder, kind, 1000)
        few = names[: len(makers)]
        start = best(3, lambda few=few: run(wf("wf-parse"), "-q", *few))
        whole = best(3, lambda names=names: run(wf("wf-parse"), "-q", *names))
        rate = (len(names) - len(few)) / (whole.seconds - start.seconds)
        size = sum(Path(name).stat().st_size for name in names) / len(names)
        detail = f"1,000 files of {size:,.0f} bytes on average, best of 3, start-up of {start.seconds:.2f} s taken off"
        rows.append(Row(f"wf-parse, small {kind} files", f"{rate:,.0f} files/s", f"≥ {target}", rate >= target, detail))
    return rows


def directory(folder: Path) -> list[Row]:
    """A directory of ten thousand mixed files in one call: memory, and two workers beside one process."""
    names = [name for kind in KINDS for name in _write(folder, kind, COUNT // len(KINDS))]
    random.Random(1).shuffle(names)
    few = run(wf("wf-parse"), "-q", *names[:500])
    outputs = [folder / "one.jsonl", folder / "two.jsonl"]
    one = best(2, lambda: run(wf("wf-parse"), "-q", *names, stdout=outputs[0]))
    two = best(2, lambda: run(wf("wf-parse"), "-q", "--jobs", "2", *names, stdout=outputs[1]))
    same = outputs[0].read_bytes() == outputs[1].read_bytes()
    growth = 1024 * (one.megabytes - few.megabytes) / (len(names) - 500)
    ratio = one.seconds / two.seconds
    return [
        Row(
            "wf-parse, memory of 10,000 files over 500", f"{growth:.1f} KB a file", "≤ 1.5 KB", growth <= 1.5,
            f"names and ids; {one.megabytes:.0f} MB at most; {COUNT / one.seconds:,.0f} mixed files/s",
        ),
        Row(
            "wf-parse --jobs 2 on 10,000 files", f"{ratio:.2f} ×", "≥ 1.6 ×, same bytes", ratio >= 1.6 and same,
            f"{one.seconds:.1f} s and {two.seconds:.1f} s, best of 2; output {'identical' if same else 'DIFFERENT'}",
        ),
    ]  # fmt: skip


BENCHMARKS: dict[str, Callable[[Path], list[Row]]] = {"format_kinds": each_kind, "format_directory": directory}
