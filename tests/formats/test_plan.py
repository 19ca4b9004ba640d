"""Plans: the ways in which steps name what they wait for."""

# ruff: noqa: E501 - tables

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from wfkit.errors import DataError
from wfkit.formats.plan_shapes import numbered_steps

Parse = Callable[..., list[dict[str, Any]]]


def shown(record: dict[str, Any]) -> str:
    nodes = " ".join(node["id"] for node in record["nodes"])
    return f"{nodes} | {' '.join(sorted('>'.join(edge) for edge in record['edges']))}"


def codes(record: dict[str, Any]) -> list[str]:
    return [warning.partition(":")[0] for warning in record["meta"].get("warnings", [])]


def steps(*waits: Any, field: str = "depends_on") -> dict[str, Any]:
    """Steps with ids a, b, c … that wait for what is given; None stands for a step without the field."""
    listed = [{"id": chr(97 + n), "task": f"do {chr(97 + n)}", field: wait} for n, wait in enumerate(waits)]
    return {"steps": [{key: value for key, value in one.items() if value != "absent"} for one in listed]}


@pytest.mark.parametrize(
    ("value", "expected", "warnings"),
    [
        (steps([], ["a"], ["a", "b"]), "a b c | a>b a>c b>c", []),
        (steps("absent", "a", "a, b", field="needs"), "a b c | a>b a>c b>c", []),
        (steps(None, "None", [-1], field="dep"), "a b c | ", ["W-ISOLATED"]),
        (steps("absent", "absent", "a"), "a b c | a>c", ["W-ISOLATED"]),
        (steps("absent", "absent", "absent"), "a b c | a>b b>c", ["W-ASSUMED-CHAIN"]),
        (steps("absent", "do a", "DO B"), "a b c | a>b b>c", []),
        (steps("b", "c", "absent", field="next"), "a b c | a>b b>c", []),
        (steps([], [{"id": "a"}], [{"task": "b"}]), "a b c | a>b b>c", []),
        (steps([], ["a"], ["z"]), "a b c | a>b", ["W-GHOST", "W-ISOLATED"]),
        ({"tasks": [{"task": "x", "dep": []}, {"task": "y", "dep": [0]}]}, "0 1 | 0>1", []),
        ({"tasks": [{"task": "x"}, {"task": "y", "after": [1]}]}, "1 2 | 1>2", []),
        ({"plan": ["Open", "Close"]}, "1 2 | 1>2", ["W-ASSUMED-CHAIN"]),
        (["Open", "Close"], "1 2 | 1>2", ["W-ASSUMED-CHAIN"]),
        ([{"step": 1, "description": "Open"}, {"step": 2, "description": "Close"}], "1 2 | 1>2", ["W-ASSUMED-CHAIN"]),
        ({"steps": {"one": {"description": "x"}, "two": {"description": "y", "after": "one"}}}, "one two | one>two", []),
        ({"nodes": [{"id": "a", "text": "x"}, {"id": "b", "text": "y", "parents": ["a"]}]}, "a b | a>b", []),
        ({"subtasks": [{"id": 1, "name": "x"}, {"id": 2, "name": "y", "requires": "Step 1"}]}, "1 2 | 1>2", []),
        (
            {"steps": [{"id": 1, "name": "x", "substeps": [{"name": "p"}, {"name": "q"}]}, {"id": 2, "name": "y"}]},
            "1 1/1 1/2 2 | 1/1>1/2 1/2>2 1>1/1", ["W-ASSUMED-CHAIN"],
        ),
        (
            [{"task": "image-to-text", "id": 0, "args": {"image": "a.png"}}, {"task": "tts", "id": 1, "args": {"text": "<GENERATED>-0"}}],
            "0 1 | 0>1", [],
        ),
        (
            {"steps": [{"id": 1, "name": "x"}, {"id": 2, "name": "x"}, {"id": 3, "name": "y", "after": ["x"]}]},
            "1 2 3 | 2>3", ["W-AMBIGUOUS-REF", "W-ISOLATED"],
        ),
    ],
)  # fmt: skip
def test_dependencies(value: Any, expected: str, warnings: list[str], parse: Parse) -> None:
    (record,) = parse(value)
    assert (shown(record), codes(record)) == (expected, warnings)


def test_texts_of_plans(parse: Parse) -> None:
    value = [
        {"task": "object-detection", "id": 0, "dep": [-1], "args": {"image": "a.png", "text": "<GENERATED>-1"}},
        {"name": "fetchPage", "id": 1, "dep": [0], "description": "Fetch  the\npage"},
        {"tool": "Search", "id": 2, "dep": [1], "args": ["cats"], "why": "x"},
    ]
    (record,) = parse(value)
    assert [node["text"] for node in record["nodes"]] == [
        "object detection (image: a.png)", "Fetch the page", "Search (cats)",
    ]  # fmt: skip
    assert record["nodes"][1]["name"] == "fetchPage"
    assert record["nodes"][2]["why"] == "x"  # further fields stay
    assert [node["text"] for node in parse(value, text="name")[0]["nodes"]][1] == "fetch Page"


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (steps(["b"], ["a"]), "E-CYCLE"),
        ({"steps": [{"id": 1, "name": "x"}, {"id": "1", "name": "y"}]}, "E-DUP-ID"),
        ({"steps": [{"id": 1, "name": " "}]}, "E-SYNTAX"),
        ({"steps": []}, "E-SYNTAX"),
        ({"steps": [5]}, "E-SYNTAX"),
        ({"x": 1}, "E-SYNTAX"),
        ({"task_nodes": "[", "task_steps": []}, "E-SYNTAX"),
        ({"task_nodes": [5]}, "E-SYNTAX"),
    ],
)
def test_what_is_refused(value: Any, code: str, parse: Parse) -> None:
    try:
        (record,) = parse(value, "plan")
        error = record["problem"]
    except DataError as caught:
        error = caught
    assert error.code == code or (code == "E-SYNTAX" and error.code == "E-EMPTY-TEXT")


@pytest.mark.parametrize(
    ("nodes", "links", "edges", "warnings"),
    [
        (["A", "B", "C"], [("A", "B"), ("B", "C")], ["01", "12"], []),
        # The tool B is called twice: the first link means the first call, the second the second, which follows A too.
        (["A", "B", "B"], [("A", "B"), ("A", "B")], ["01", "02"], ["W-AMBIGUOUS-REF"]),
        # Its first call is the last before C.
        (["B", "C", "B"], [("B", "C")], ["01"], ["W-AMBIGUOUS-REF", "W-ISOLATED"]),
        (["A", "B"], [("A", "Z"), ("A", "B")], ["01"], ["W-GHOST"]),
    ],
)
def test_taskbench_links_go_by_tool(
    nodes: list[str], links: list[tuple[str, str]], edges: list[str], warnings: list[str], parse: Parse
) -> None:
    import json

    value = {
        "id": 7,
        "instruction": "Do it",
        "tool_steps": [f"Step {n + 1}: step {n}" for n in range(len(nodes))],
        "tool_nodes": json.dumps([{"task": name, "arguments": ["x"]} for name in nodes]),
        "tool_links": json.dumps([{"source": source, "target": target} for source, target in links]),
    }
    (record,) = parse(value)
    assert (record["id"], record["task"]) == ("7", "Do it")
    assert sorted("".join(edge) for edge in record["edges"]) == edges
    assert sorted(set(codes(record))) == warnings
    assert [node["text"] for node in record["nodes"]] == [f"step {n}" for n in range(len(nodes))]
    value["tool_steps"] = ["only one"]
    assert parse(value)[0]["nodes"][0]["text"] == "A (x)" if nodes[0] == "A" else "B (x)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. Open\n2. Close\n", {"1": "Open", "2": "Close"}),
        (
            "Here is the plan:\n\n1) **Open** the door\n2) Close it\n\nGood luck!\n",
            {"1": "**Open** the door", "2": "Close it"},
        ),
        ("Step 1: Open\nStep 2: Close", {"1": "Open", "2": "Close"}),
        ("## 1. Open\n- the front\n- the back\n\n## 2. Close", {"1": "Open the front the back", "2": "Close"}),
        ("1. Open\n1.1 Unlock\n1.2 Push\n2. Close\n", {"1": "Open", "1.1": "Unlock", "1.2": "Push", "2": "Close"}),
        ("0. Open\n1. Close\n", {"0": "Open", "1": "Close"}),
        ("1. Open\n\n   more of it\n2. Close", {"1": "Open more of it", "2": "Close"}),
        ("1. Only one", {}),
        ("2. Open\n3. Close", {}),
        ("In 1999. We\n2000. did", {}),
    ],
)
def test_numbered_lists(text: str, expected: dict[str, str], parse: Parse) -> None:
    assert dict(numbered_steps(text)) == expected
    if expected:
        (record,) = parse(text)
        ids = list(expected)
        assert [node["id"] for node in record["nodes"]] == ids
        assert record["edges"] == [[a, b] for a, b in pairwise(ids)]


def test_nested_lists_can_be_closed(parse: Parse) -> None:
    text = "1. Open\n1.1 Unlock\n1.2 Push\n2. Close\n"
    assert shown(parse(text, collapse=True)[0]) == "1 2 | 1>2"
    value = {"steps": [{"id": 1, "name": "x", "substeps": ["p", "q"]}, {"id": 2, "name": "y"}]}
    assert shown(parse(value, collapse=True)[0]) == "1 2 | 1>2"
