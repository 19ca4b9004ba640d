"""DOT: against Graphviz itself, by hand, and there and back."""

# ruff: noqa: E501 - tables

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wfkit.errors import DataError
from wfkit.formats import dot
from wfkit.formats.base import ParseOptions, Source
from wfkit.formats.dot_text import read_dot
from wfkit.formats.finish import finish
from wfkit.formats.wording import one_line

needs_graphviz = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


def by_graphviz(text: str) -> tuple[dict[str, str], Counter[tuple[str, str, str]]]:
    """Nodes with their labels and edges, as Graphviz reads them."""
    done = subprocess.run(["dot", "-Tdot_json"], input=text.encode(), capture_output=True, check=True)
    read = json.loads(done.stdout)
    objects = {one["_gvid"]: one for one in read.get("objects", [])}
    nodes = {
        one["name"]: one.get("label", "\\N")
        for one in objects.values()
        if "nodes" not in one and "subgraphs" not in one
    }
    nodes = {name: label for name, label in nodes.items() if not name.startswith(("cluster", "%"))}
    edges = Counter(
        (objects[edge["tail"]]["name"], objects[edge["head"]]["name"], edge.get("label", ""))
        for edge in read.get("edges", [])
    )
    return nodes, edges


def by_us(text: str) -> tuple[dict[str, str], Counter[tuple[str, str, str]]]:
    (graph,) = read_dot(text)
    nodes = {name: values.get("label", "\\N") for name, values in graph.nodes.items()}
    return nodes, Counter((source, target, values.get("label", "")) for source, target, values in graph.edges)


@needs_graphviz
def test_real_files_as_graphviz_sees_them(corpus: Path) -> None:
    for path in sorted((corpus / "dot").iterdir()):
        text = path.read_text(encoding="utf-8")
        assert by_us(text) == by_graphviz(text)


BODIES = [
    "a -> b -> c;",
    "a -> {b c} -> d",
    "{a b} -> {c; d}",
    'a [label="x y"]; a -> b [label="yes"]',
    "a:f0 -> b:f1:n; c:s -> a",
    "node [shape=box, label=same]; a; b -> c; node [label=other]; d",
    "edge [label=e]; a -> b; b -> c [label=own]",
    'subgraph cluster_x { label="X"; a -> b } b -> c',
    "subgraph { node [label=inner]; a } a -> b",
    "a -> subgraph s { b; c }",
    '"a b" -> "c\\"d"',
    '"x" + "y" -> z',
    "// comment\n# line\n/* block\n of lines */ a -> b // end",
    "a -> b; a [label=one]; a [label=two]",
    "rankdir=LR; a -> b; { rank=same; a; b }",
    "1 -> 2.5 -> -.3",
    "a [label=<<b>bold</b> text>]; a -> b",
    'a [label="line\\\nbroken"]; a -> b',
    "é -> ü; \"🚀\" -> é",
    "a [style=filled fillcolor=red][shape=box]; a -> b",
    "a -> b a -> c",
    'a [label="\\N!"]; a -> a -> b',
    'a [label="{<f0> one|<f1> two}", shape=record]; a -> b',
]  # fmt: skip


@needs_graphviz
@pytest.mark.parametrize("body", BODIES)
def test_notations_as_graphviz_sees_them(body: str) -> None:
    for text in (f"digraph g {{\n{body}\n}}", f"digraph {{ {body}\n}}\n"):
        our_nodes, our_edges = by_us(text)
        nodes, edges = by_graphviz(text)
        # Graphviz leaves the brackets of an HTML label to the kind of its value.
        assert {
            name: label.removeprefix("<").removesuffix(">") if "<b>" in label else label
            for name, label in our_nodes.items()
        } == nodes
        assert our_edges == edges


def edges_of(record: dict[str, Any]) -> list[str]:
    return sorted("".join(edge) for edge in record["edges"])


@pytest.mark.parametrize(
    ("body", "nodes", "edges"),
    [
        ("a_first -> doIt2", {"a_first": "a first", "doIt2": "do It2"}, ["a_firstdoIt2"]),
        ('a [label="x\\ny\\lz"]; a -> b', {"a": "x y z", "b": "b"}, ["ab"]),
        ('a [label=<Do <b>it</b><br/>&amp; go>]; a -> b', {"a": "Do it & go", "b": "b"}, ["ab"]),
        ('a [label="R&amp;D \\"now\\""]; a -> b', {"a": 'R&D "now"', "b": "b"}, ["ab"]),
        ('a [shape=record, label="{<f0> one|two}"]; a -> b', {"a": "one two", "b": "b"}, ["ab"]),
        ('a [label="step \\N"]; a -> b', {"a": "step a", "b": "b"}, ["ab"]),
        ('Start -> a -> b -> "END"', {"a": "a", "b": "b"}, ["ab"]),
        ('s [label="Begin"]; s -> a; a -> b', {"a": "a", "b": "b"}, ["ab"]),
        ('j [shape=point]; a -> j; j -> b; j -> c', {"a": "a", "b": "b", "c": "c"}, ["ab", "ac"]),
        ('j [label=""]; a -> j -> b', {"a": "a", "b": "b"}, ["ab"]),
        ("a -> b; b -> c [style=invis]; a -> c", {"a": "a", "b": "b", "c": "c"}, ["ab", "ac"]),
        ("a -> b; b -> a", {"a": "a", "b": "b"}, ["ab"]),
        ("z -> m -> a -> z; a -> b", {"z": "z", "m": "m", "a": "a", "b": "b"}, ["ab", "ma", "zm"]),  # as one reads it
    ],
)  # fmt: skip
def test_what_is_read(body: str, nodes: dict[str, str], edges: list[str], parse: Callable[..., Any]) -> None:
    (record,) = parse(f"digraph g {{ {body} }}")
    assert {node["id"]: node["text"] for node in record["nodes"]} == nodes
    assert edges_of(record) == edges


def test_terminals_labels_and_redefinitions(parse: Callable[..., Any]) -> None:
    (record,) = parse('digraph { start -> a; a -> b [label="yes"]; b -> end; b [label="x"]; b [label="y"] }')
    assert (record["meta"]["start"], record["meta"]["end"]) == (["a"], ["b"])
    assert record["meta"]["edge_attrs"] == [["a", "b", {"label": "yes"}]]
    assert record["meta"]["warnings"] == ["W-REDEFINED: nodes with several labels, of which the last is taken: b"]


def test_several_graphs_and_fences(parse: Callable[..., Any]) -> None:
    first, second, third = parse("digraph x { a -> b }\nstrict digraph { c -> d }\ngraph { e -- f }")
    assert [first["id"], second["id"], third["id"]] == ["t/1", "t/2", "t/3"]
    assert (edges_of(first), edges_of(second), third["problem"].code) == (["ab"], ["cd"], "E-UNDIRECTED")
    (only,) = parse("# A skill\n\n```dot\ndigraph { a -> b }\n```\n\nMore.\n")
    assert (only["id"], edges_of(only)) == ("t", ["ab"])
    one, other = parse("```dot\ndigraph { a -> }\n```\n```graphviz\ndigraph { a -> b }\n```")
    assert (one["problem"].code, edges_of(other)) == ("E-SYNTAX", ["ab"])


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("digraph {\n  a -> ;\n}", "E-SYNTAX", "line 2, column 8: not expected here at ';'"),
        ("digraph { a -> b", "E-SYNTAX", "got the end"),
        ("digraph { a -- b }", "E-SYNTAX", "-- in a digraph"),
        ('digraph { a [label="x }', "E-SYNTAX", "line 1, column 20: not understood"),
        ("digraph { a [label=<x }", "E-SYNTAX", "never closed"),
        ("digraph { a -> b } trailing", "E-SYNTAX", "line 1, column 20"),
        ("graph { a -- b }", "E-UNDIRECTED", "undirected"),
        ("digraph { }", "E-NO-NODES", "no steps"),
        ("digraph { a; b }", "E-NO-EDGES", "2 steps"),
        ("digraph " + "{ subgraph" * 200 + " { a", "E-LIMIT", "nested"),
    ],
)
def test_what_is_refused(
    text: str, code: str, message: str, parse: Callable[..., Any], capfd: pytest.CaptureFixture[str]
) -> None:
    try:
        (record,) = parse(text, "dot")
        error = record["problem"]
    except DataError as caught:
        error = caught
    assert error.code == code
    assert message in str(error)
    assert capfd.readouterr() == ("", "")


def test_products_of_groups_are_bounded(parse: Callable[..., Any]) -> None:
    many = " ".join(f"n{number}" for number in range(2_000))
    with pytest.raises(DataError, match="edges") as caught:
        parse(f"digraph {{ {{ {many} }} -> {{ {many.replace('n', 'm')} }} }}")
    assert caught.value.code == "E-LIMIT"
    with pytest.raises(DataError, match="steps"):
        parse("digraph {" + "\n".join(f"n{number} -> n{number + 1};" for number in range(100_000)) + "}")


TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20).filter(
        lambda text: one_line(text) != ""
    ),
    st.sampled_from(
        ["end", "Start", "a\nb", "\\N", "\\", "a\\", '"', "<b>x</b>", "&amp;", "a -> b", "שלום 🚀", "\\n", "<"]
    ),
)
RECORDS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6, unique_by=lambda node: node[0]).flatmap(
    lambda nodes: st.tuples(
        st.just([{"id": own, "text": text} for own, text in nodes]),
        st.lists(st.sampled_from([[a[0], b[0]] for n, a in enumerate(nodes) for b in nodes[n + 1 :]] or [[]]), unique_by=tuple, min_size=1, max_size=8),
    )
)  # fmt: skip


@settings(deadline=None)
@given(RECORDS)
def test_there_and_back(given_record: tuple[list[dict[str, str]], list[list[str]]]) -> None:
    nodes, edges = given_record
    record = {"nodes": nodes, "edges": edges if len(nodes) > 1 else []}
    options = ParseOptions(order="listed")
    (draft,) = dot.parse(Source(text=dot.write(record)), options)
    back = finish(draft, options)
    assert [(node["id"], node["text"]) for node in back["nodes"]] == [
        (one["id"], one_line(one["text"])) for one in nodes
    ]
    assert sorted(back["edges"]) == sorted(record["edges"])


@needs_graphviz
@settings(deadline=None, max_examples=20)
@given(RECORDS)
def test_graphviz_reads_what_is_written(given_record: tuple[list[dict[str, str]], list[list[str]]]) -> None:
    nodes, edges = given_record
    assume(not any(node["id"].startswith("%") for node in nodes))  # which Graphviz takes for nodes without a name
    names, drawn = by_graphviz(dot.write({"nodes": nodes, "edges": edges if len(nodes) > 1 else []}))
    assert len(names) == len(nodes)
    assert sum(drawn.values()) == (len(edges) if len(nodes) > 1 else 0)
