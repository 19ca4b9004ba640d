"""The flowchart of a pair, word for word and as an independent reader sees it."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from wfkit.gate.reports.diagram import draw
from wfkit.gate.reports.mermaid import flowchart

Pair = Callable[..., dict[str, Any]]


def chart(record: dict[str, Any]) -> str:
    drawing = draw(record)
    assert drawing is not None
    return flowchart(drawing)


def by_merman(text: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Labels by node, and edges, as a Mermaid parser of its own reads them."""
    merman = pytest.importorskip("merman")
    read = json.loads(merman.MermanEngine(None, None).parse_json(text, None))
    labels = {node["id"]: node["label"] for node in read["nodes"]}
    return labels, [(edge["from"], edge["to"]) for edge in read["edges"]]


def test_a_lost_step(make_pair: Pair) -> None:
    assert chart(make_pair(["boil", "pour", "drink"], ["boil", "drink"])) == (
        "flowchart TD\n"
        '    c0["1: boil"]\n'
        '    g1{{"lost 2: pour"}}:::lost\n'
        '    c1["3: drink"]\n'
        "    c0 --> c1\n"
        "    c0 -.-> g1\n"
        "    g1 -.-> c1\n"
        "    linkStyle 1,2 stroke:#b42318\n"
        "    classDef lost fill:#fde8e8,stroke:#b42318,color:#5f1712,stroke-dasharray:5 3\n"
    )


def test_changed_dependencies_and_a_new_wording(make_pair: Pair) -> None:
    record = make_pair(
        ["a", "b", "c"], ["a", "b", "cc"], matched=[(0, 0, 1.0), (1, 1, 1.0), (2, 2, 0.9)],
        golden_edges=[(0, 1), (0, 2)], candidate_edges=[(0, 1), (1, 2)],
    )  # fmt: skip
    lines = chart(record).splitlines()
    assert '    c2("reworded (similarity 0.90)<br/>3: c<br/>→ c3: cc"):::reworded' in lines
    assert "    c0 -. lost .-> c2" in lines
    assert "    c1 == new ==> c2" in lines


def test_merged_steps_are_one_box(make_pair: Pair) -> None:
    record = make_pair(
        ["boil water", "pour milk", "drink"], ["boil water then pour milk", "drink"],
        matched=[(0, 0, 0.9), (2, 1, 1.0)],
    )  # fmt: skip
    text = chart(record)
    assert '    c0[["merged<br/>1: boil water<br/>2: pour milk<br/>→ c1: boil water then pour milk"]]:::merged' in text
    labels, edges = by_merman(text)
    assert (sorted(labels), edges) == (["c0", "c1"], [("c0", "c1")])


def test_added_and_moved_steps(make_pair: Pair) -> None:
    text = chart(make_pair(["a", "b", "c"], ["c", "a", "x", "b"]))
    assert '    c0[/"moved 3: c"/]:::moved' in text
    assert '    c2(["added c3: x"]):::added' in text


def test_unaligned_sides_are_two_groups(make_pair: Pair) -> None:
    record = make_pair(["a", "b"], ["a"])
    del record["alignment"]
    text = chart(record)
    assert text.count("subgraph") == 2
    labels, edges = by_merman(text)
    assert {"g0", "g1", "c0"} <= set(labels)
    assert edges == [("g0", "g1")]


def test_without_steps_there_is_no_chart(make_pair: Pair) -> None:
    assert chart(make_pair([], [])) == ""


HARMFUL = [
    'end"] --> x', "%%{init: {'theme':'dark'}}%%", "click c0 callback", "a --> b", "```", "</details>", "1. one",
    "- one", "#quot;", "`code`", "$$x$$", "a;b",
    "subgraph", "\\", '"', "|", "{{}}", ":::lost", "fa:fa-car", "a\nb", "&lt;b&gt;",
    "<script>alert(1)</script>", "\u202eright to left", "\x1b[31mred", "\x00", "🙂 日本語", "end", "default",
]  # fmt: skip


@pytest.mark.parametrize("text", HARMFUL)
def test_a_text_is_only_ever_a_label(make_pair: Pair, text: str) -> None:
    written = chart(make_pair([text, "b", text + " too"], ["b", text + " new"]))
    assert not [mark for mark in ("```", "%%", "$$") if mark in written]
    labels, edges = by_merman(written)
    assert sorted(labels) == ["c0", "c1", "g0", "g2"]
    assert edges == [("c0", "c1"), ("g0", "c0"), ("c0", "g2")]
