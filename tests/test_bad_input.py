"""Whatever comes in, the filters answer with an error record or an exit code, never with a bug or a silent pass."""

import copy
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfkit import engine, jsonl
from wfkit.filters import wf_gate, wf_parse, wf_score
from wfkit.streams import Line

Run = Callable[..., Any]
Record = dict[str, Any]


def workflow(record_id: str, *texts: str, **fields: Any) -> Record:
    nodes = [{"id": f"{number}", "text": text} for number, text in enumerate(texts, start=1)]
    edges = [[f"{number}", f"{number + 1}"] for number in range(1, len(texts))]
    return {"kind": "workflow", "id": record_id, "nodes": nodes, "edges": edges, **fields}


TEA = workflow("tea", "boil the water", "pour it over the tea", "drink", task="make tea", meta={"start": ["1"]})
SCORES = {"chain_f1": 1.0, "graph_f1": 0.5, "kendall_tau": None, "bleu": 0.9, "gleu": 0.9}
PAIR = {
    "kind": "pair", "id": "tea", "golden": TEA, "candidate": workflow("tea", "boil the water", "drink"),
    "scores": SCORES, "reasons": {"kendall_tau": "undefined: one step"}, "signatures": {"bleu": "wfkit=1"},
    "alignment": {
        "matched": [["1", "1", 1.0], ["3", "2", 1.0]], "missing": ["2"], "extra": [],
        "closest": {"2": ["1", 0.5]}, "closest_extra": {},
    },
    "details": {"bleu": {"matched": 2}}, "perturbation": {"type": "missing_steps", "severity": 30},
}  # fmt: skip
ROWS = [
    TEA,
    {"id": 7, "nodes": ["boil", "pour"], "edges": [["START", 1], [1, 2], [2, "END"]]},
    {"nodes": [{"id": "a", "text": "boil"}, {"id": "b", "text": "pour"}], "edges": [{"from": "a", "to": "b"}]},
    {"id": "x", "output": "Node:\n1: boil\n2: pour\nEdge: (START,1) (1,2) (2,END)", "task": {"id": 1}},
    {"source": "s", "conversations": [{"role": "assistant", "content": "Node:\n1: a\nEdges:\n(START,1)\n(1,END)"}]},
    [{"id": "one", "nodes": ["boil"], "edges": []}],
    {"kind": "error", "id": "e"},
]
CHANGES = st.sampled_from(
    [..., None, True, 0, -1, 1.5, 10**30, "", "1", "2", "START", "END", "Node:", [], {}, [[]], ["1", "2"], {"id": "1"}]
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        found += places(child, (*path, key))
    return found


@st.composite
def damaged(draw: st.DrawFn, originals: list[Any]) -> Any:
    """An original in which one to three parts are replaced or taken out."""
    value = copy.deepcopy(draw(st.sampled_from(originals)))
    for _ in range(draw(st.integers(1, 3))):
        path, change = draw(st.sampled_from(places(value))), draw(CHANGES)
        if not path:
            continue
        parent = value
        for key in path[:-1]:
            parent = parent[key]
        if change is ...:
            del parent[path[-1]]
        else:
            parent[path[-1]] = copy.deepcopy(change)
    return value


def outcome(stage: engine.Stage, value: Any, name: str, check: bool = True) -> list[Record]:
    """The records that become of one value; an exception other than a fault of the record would be a bug."""
    raw = jsonl.dumps(value)
    process = engine.processor(stage, name, check=check, admit=None)
    (result,) = process([Line(raw, len(raw), "f", 1)])
    assert len(result.complaints) == sum(one.is_error for one in result.outputs) - (value_is_error(value))
    return [jsonl.loads(one.data) for one in result.outputs]


def value_is_error(value: Any) -> bool:
    return isinstance(value, dict) and value.get("kind") == "error"


COMMON = {"files", "output", "on_error", "check", "jobs", "summary", "progress", "quiet"}


def stage_of(module: Any, *arguments: str) -> engine.Stage:
    """The stage that a command line of a filter makes."""
    given = module.main.make_context(module.main.name, list(arguments)).params
    stage = module.build(**{name: value for name, value in given.items() if name not in COMMON})
    assert isinstance(stage, engine.Stage)
    return stage


@pytest.mark.parametrize(
    "arguments",
    [
        "", "--strict", "--candidates", "--order topo --cycles break --reduce", "--from json", "--from worf",
        "--to worf",
        "--cycles keep --keep-terminals --assume-chain --empty-text id", "--text-field output --id-field id",
    ],
)  # fmt: skip
def test_wf_parse_reads_or_refuses_any_json(arguments: str) -> None:
    stage = stage_of(wf_parse, *arguments.split())
    as_records = dataclasses.replace(stage, encode=None)

    @settings(max_examples=120, deadline=None)
    @given(damaged(ROWS))
    def reads_or_refuses(value: Any) -> None:
        for record in outcome(as_records, value, "wf-parse"):
            assert record["kind"] in {"workflow", "error"}
            if stage.encode is not None and record["kind"] == "workflow" and record["nodes"]:
                assert stage.encode(record).startswith(b"Node:\n")

    reads_or_refuses()


@pytest.mark.parametrize("check", [True, False])
def test_wf_gate_judges_or_refuses_any_pair(check: bool) -> None:
    @settings(max_examples=200, deadline=None)
    @given(damaged([PAIR]))
    def judges_or_refuses(value: Any) -> None:
        stage = stage_of(wf_gate)
        (record,) = outcome(stage, value, "wf-gate", check)
        assert record["kind"] == "error" or record["verdict"]["status"] in {"pass", "fail", "review", "unmeasured"}
        assert stage.finish
        assert next(iter(stage.finish().records))["kind"] == "summary"

    judges_or_refuses()


@pytest.mark.parametrize("check", [True, False])
def test_wf_score_measures_or_refuses_any_pair(check: bool) -> None:
    stage = stage_of(wf_score, "--metrics", "bleu,gleu", "--max-steps", "50")

    @settings(max_examples=150, deadline=None)
    @given(damaged([PAIR]))
    def measures_or_refuses(value: Any) -> None:
        (record,) = outcome(stage, value, "wf-score", check)
        if record["kind"] != "error":
            for metric in ("bleu", "gleu"):
                score = record["scores"][metric]
                assert score is None or 0 <= score <= 1
                assert (score is None) == (metric in record["reasons"])

    measures_or_refuses()


def lines(*records: Record) -> bytes:
    return b"".join(jsonl.dumps(record) + b"\n" for record in records)


def test_a_line_of_100_mb_is_an_error_with_its_size_and_the_stream_goes_on(run: Run) -> None:
    head = jsonl.dumps({**PAIR, "id": "long"})[:-1] + b',"padding":"'
    line = head + b"x" * (100_000_000 - len(head) - 2) + b'"}'
    done = run("wf-gate", "-q", stdin=lines(PAIR) + line + b"\n" + lines({**PAIR, "id": "after"}))
    first, error, after, _summary = map(json.loads, done.stdout.splitlines())
    assert (first["id"], after["id"]) == ("tea", "after")
    assert (error["code"], error["input_bytes"], len(error["input"])) == ("E-LIMIT", 100_000_000, 1024)
    assert done.stderr == b"wf-gate: -:2: long: 100,000,000 bytes are over the limit of 16,777,216\n"
    assert done.returncode == 3


@pytest.mark.parametrize("arguments", [("wf-parse", "-q"), ("wf-parse", "-q", "--text-field", "output")])
def test_one_line_of_100_mb_and_nothing_else(arguments: tuple[str, ...], run: Run) -> None:
    done = run(*arguments, stdin=b'{"id":"long","output":"' + b"x" * 99_999_975 + b'"}')
    (error,) = map(json.loads, done.stdout.splitlines())
    assert (error["id"], error["code"], error["input_bytes"]) == ("long", "E-LIMIT", 100_000_000)
    assert done.returncode == 3


def test_a_workflow_of_10_000_steps_is_refused_at_once(run: Run, tmp_path: Path) -> None:
    large = workflow("large", *(f"step {number}" for number in range(10_000)))
    goldens = tmp_path / "goldens.jsonl"
    goldens.write_bytes(lines(TEA))
    scored = run("wf-score", "-q", "--metrics", "bleu", "--golden", goldens, stdin=lines({**large, "id": "tea"}))
    (error,) = map(json.loads, scored.stdout.splitlines())
    assert (error["id"], error["code"], error["where"]["path"]) == ("tea", "E-LIMIT", "$.candidate.nodes")
    assert error["message"] == "10,000 steps are over the limit of 2,000 (--max-steps)"
    assert scored.returncode == 3
    parsed = run("wf-parse", "-q", stdin=lines({**large, "nodes": large["nodes"] + [{"id": "x", "text": "one more"}]}))
    (error,) = map(json.loads, parsed.stdout.splitlines())
    assert (error["id"], error["code"], parsed.returncode) == ("large", "E-LIMIT", 3)


def test_bytes_that_are_no_text_and_names_that_are_none(run: Run, tmp_path: Path) -> None:
    strange = tmp_path / "a\udcff.txt"
    strange.write_bytes(b"Node:\n1: caf\xe9\n")
    done = run("wf-parse", "-q", strange)
    (error,) = map(json.loads, done.stdout.splitlines())
    assert (error["code"], done.returncode) == ("E-SYNTAX", 3)
    assert error["where"]["file"].endswith("a\ufffd.txt")
    assert error["input"] == "Node:\n1: caf\ufffd\n"
