"""The rules that hold for every format, each on a draft made by hand."""

from typing import Any

import pytest

from wfkit.errors import DataError
from wfkit.formats.base import Draft, ParseOptions
from wfkit.formats.finish import failed_candidate, finish


def draft(steps: str, *edges: str, **fields: Any) -> Draft:
    """A draft with one-letter steps, whose text is ``do X``, and edges as two letters."""
    nodes = [{"id": step, "text": f"do {step}"} for step in steps]
    return Draft("w", nodes=nodes, edges=[(edge[0], edge[1]) for edge in edges], **fields)


def edges_of(record: dict[str, Any]) -> list[str]:
    return ["".join(edge) for edge in record["edges"]]


def warnings_of(record: dict[str, Any]) -> list[str]:
    return record["meta"].get("warnings", [])


def test_a_plain_record() -> None:
    given = draft(
        "ab", "ab", start=["a"], end=["b"], task="t", fields={"source": "s", "nodes": 1, "kind": 2}, meta={"x": 1}
    )
    assert list(finish(given, ParseOptions()).items()) == [
        ("kind", "workflow"),
        ("id", "w"),
        ("task", "t"),
        ("source", "s"),
        ("nodes", [{"id": "a", "text": "do a"}, {"id": "b", "text": "do b"}]),
        ("edges", [["a", "b"]]),
        ("meta", {"x": 1, "start": ["a"], "end": ["b"]}),
    ]


@pytest.mark.parametrize(
    ("given", "warnings"),
    [
        (draft("a"), []),
        (draft("abc", "ab", "bc"), []),
        (draft("abc", "ab", "ac", start=["a"], end=["b", "c"]), []),
        (draft("ab", start=["a", "b"], end=["a", "b"]), []),  # parallel steps, joined by START and END
        (draft("abc", "ab", "bc", "ac"), []),  # implied edges stay as written
        (draft("ab", "ab", "ab"), ["W-DUP-EDGE: repeated edges, taken once: a -> b"]),
        (draft("ab", "ab", "ax"), ["W-GHOST: edges to steps that are not listed, dropped: a -> x"]),
        (
            draft("ab", "ab", start=["a", "z"], end=["b"]),
            ["W-GHOST: edges to steps that are not listed, dropped: START -> z"],
        ),
        (draft("ab", "ab", "bb"), ["W-LOOP: self-loops removed from steps b"]),
        (draft("abc", "ab"), ["W-ISOLATED: steps without any edge: c"]),
        (draft("abcd", "ab", "cd"), ["W-COMPONENTS: 2 parts that no edge joins, beginning at steps a, c"]),
        (draft("ab", "ab", start=["a", "b"], end=["b"]), ["W-START-MISMATCH: START joins a, b, the roots are a"]),
        (
            draft("ab", "ab", start=[], end=["a"]),
            ["W-START-MISMATCH: START joins no step, the roots are a; END joins a, the leaves are b"],
        ),
        (draft("ab", "ab", start=[], end=[]), []),  # nothing said that could differ
        (draft("ab", "ab", declared_steps=3), ["W-COUNT: the source declares 3 steps, 2 were read"]),
        (draft("ab", "ab", fields={"num_steps": 4}), ["W-COUNT: the source declares 4 steps, 2 were read"]),
        (draft("ab", "ab", meta={"node_count": 2}), []),
        (draft("ab", "ab", warnings=["W-ALIAS: x"]), ["W-ALIAS: x"]),
        (draft("ab", "ab", meta={"warnings": ["W-OLD"]}, warnings=["W-NEW", "W-OLD"]), ["W-OLD", "W-NEW"]),
        (draft("ab", unordered=True), ["W-ISOLATED: steps without any edge: a, b"]),
    ],
)
def test_warnings(given: Draft, warnings: list[str]) -> None:
    assert warnings_of(finish(given, ParseOptions())) == warnings


@pytest.mark.parametrize(
    ("given", "options", "code", "message"),
    [
        (draft(""), {}, "E-NO-NODES", "no steps"),
        (draft("S", terminals={"S": "start"}), {}, "E-NO-NODES", "besides START and END"),
        (draft("aba", "ab"), {}, "E-DUP-ID", "'a' occurs twice"),
        (draft("ab"), {}, "E-NO-EDGES", "--assume-chain"),
        (draft("ab", "xy"), {}, "E-NO-EDGES", "no edge joins two listed steps"),
        (draft("abc", "ab", "bc", "ca"), {}, "E-CYCLE", "a -> b -> c -> a"),
        (draft("abc", "ab", "bc", "cb"), {"cycles": "error"}, "E-CYCLE", "b -> c -> b"),
        (draft("ab", "ab", "ax"), {"strict": True}, "E-GHOST", "a -> x"),
        (draft("ab", "ab", "bb"), {"strict": True}, "E-CYCLE", "waits for itself: b"),
        (Draft("w", nodes=[{"id": "a", "text": " "}]), {}, "E-EMPTY-TEXT", "'a' has no text"),
        (Draft("w", nodes=[{"id": "a", "text": "\udc80"}]), {}, "E-SYNTAX", "surrogate"),
        (Draft("w", nodes=[{"id": "\udc80", "text": "x"}]), {}, "E-SYNTAX", "surrogate"),
        (Draft("w", nodes=[{"id": str(n), "text": "x"} for n in range(10_001)]), {}, "E-LIMIT", "10,001 steps"),
        (Draft("w", problem=DataError("told before", code="E-X")), {}, "E-X", "told before"),
    ],
)
def test_errors(given: Draft, options: dict[str, Any], code: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        finish(given, ParseOptions(**options))
    assert caught.value.code == code


def test_a_long_cycle_is_named_in_short() -> None:
    nodes = [{"id": str(n), "text": "x"} for n in range(5_000)]
    edges = [(str(n), str((n + 1) % 5_000)) for n in range(5_000)]
    with pytest.raises(DataError) as caught:
        finish(Draft("w", nodes=nodes, edges=edges), ParseOptions())
    assert "0 -> 1 -> 2" in str(caught.value)
    assert len(str(caught.value)) < 200


def test_ten_thousand_steps_are_allowed() -> None:
    nodes = [{"id": str(n), "text": "x"} for n in range(10_000)]
    edges = [(str(n), str(n + 1)) for n in range(9_999)]
    assert len(finish(Draft("w", nodes=nodes, edges=edges), ParseOptions(order="topo", reduce=True))["edges"]) == 9_999


def test_options_that_change_edges() -> None:
    chain = finish(draft("abc"), ParseOptions(assume_chain=True))
    assert edges_of(chain) == ["ab", "bc"]
    assert warnings_of(chain)[0].startswith("W-ASSUMED-CHAIN")
    assert edges_of(finish(draft("abc", "ab", "bc", "ac"), ParseOptions(reduce=True))) == ["ab", "bc"]
    given = Draft("w", nodes=[{"id": "a", "text": ""}])
    assert finish(given, ParseOptions(empty_text="id"))["nodes"] == [{"id": "a", "text": "a"}]


def test_cycles_are_broken_or_kept() -> None:
    loop = draft("abc", "ab", "bc", "cb", edge_attributes=[("c", "b", {"label": "again"}), ("b", "c", {"label": "on"})])
    broken = finish(loop, ParseOptions(cycles="break"))
    assert edges_of(broken) == ["ab", "bc"]
    assert broken["meta"]["back_edges"] == [["c", "b"]]
    assert broken["meta"]["edge_attrs"] == [["b", "c", {"label": "on"}]]
    assert warnings_of(broken) == ["W-LOOP: back edges removed to break cycles: c -> b"]
    kept = finish(loop, ParseOptions(cycles="keep"))
    assert edges_of(kept) == ["ab", "bc", "cb"]
    assert warnings_of(kept) == ["W-LOOP: the steps form a cycle, kept: b -> c -> b"]
    # The walk begins where START leads, although that step has a predecessor.
    started = finish(draft("ab", "ab", "ba", start=["b"], cycles="break"), ParseOptions())
    assert started["meta"]["back_edges"] == [["a", "b"]]


def test_the_order_of_steps() -> None:
    against = draft("cba", "ab", "bc")
    assert [node["id"] for node in finish(against, ParseOptions())["nodes"]] == ["c", "b", "a"]
    for record in (
        finish(against, ParseOptions(order="topo")),
        finish(draft("bca", "bc", "ab", order="topo"), ParseOptions()),
    ):
        assert [node["id"] for node in record["nodes"]] == ["a", "b", "c"]
        assert edges_of(record) == ["ab", "bc"]
    listed = finish(draft("cba", "ab", "bc", order="topo"), ParseOptions(order="listed"))
    assert [node["id"] for node in listed["nodes"]] == ["c", "b", "a"]


def test_terminals_leave_the_steps() -> None:
    given = draft("SabE", "Sa", "ab", "bE", "SE", terminals={"S": "start", "E": "end"})
    record = finish(given, ParseOptions())
    assert ([node["id"] for node in record["nodes"]], edges_of(record)) == (["a", "b"], ["ab"])
    assert record["meta"] == {"start": ["a"], "end": ["b"]}
    # Edges against the sense of START and END cannot be.
    wrong = finish(draft("SabE", "Sa", "ab", "bE", "Ea", "bS", terminals={"S": "start", "E": "end"}), ParseOptions())
    assert warnings_of(wrong) == ["W-GHOST: edges to steps that are not listed, dropped: E -> a, b -> S"]


def test_terminals_are_kept_on_request() -> None:
    record = finish(draft("ab", "ab", start=["a"], end=["b"]), ParseOptions(keep_terminals=True))
    assert [node["id"] for node in record["nodes"]] == ["START", "a", "b", "END"]
    assert record["edges"] == [["START", "a"], ["a", "b"], ["b", "END"]]
    taken = Draft("w", nodes=[{"id": "END", "text": "x"}], start=["END"])
    with pytest.raises(DataError, match="'END'"):
        finish(taken, ParseOptions(keep_terminals=True))


def test_a_failed_candidate_is_an_empty_workflow() -> None:
    assert failed_candidate("w", DataError("a -> a", code="E-CYCLE"), "t") == {
        "kind": "workflow",
        "id": "w",
        "task": "t",
        "nodes": [],
        "edges": [],
        "meta": {"error": "E-CYCLE: a -> a"},
    }
