"""Mermaid: against an independent reader, by hand, and there and back."""

# ruff: noqa: E501 - tables

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfkit.errors import DataError
from wfkit.formats import mermaid
from wfkit.formats.mermaid_flowchart import read_flowchart
from wfkit.formats.mermaid_labels import plain_id, plain_label, written_id, written_label
from wfkit.formats.wording import one_line

merman = pytest.importorskip("merman")


def by_merman(text: str) -> tuple[dict[str, str], Counter[tuple[str, str, str]]]:
    """Nodes with their labels and edges, by the reader we compare with; groups are left out."""
    read = json.loads(merman.MermanEngine(None, None).parse_json(text, None))
    groups = {group["id"] for group in read.get("subgraphs", [])}
    nodes = {node["id"]: node["label"] for node in read["nodes"] if node["id"] not in groups}
    edges = Counter(
        (edge["from"], edge["to"], edge["label"] or "") for edge in read["edges"] if edge["stroke"] != "invisible"
    )
    return nodes, edges


def by_us(text: str) -> tuple[dict[str, str], Counter[tuple[str, str, str]]]:
    chart = read_flowchart(text)
    nodes = {node.id: node.id if node.label is None else node.label for node in chart.nodes.values()}
    return nodes, Counter((link.source, link.target, link.label) for link in chart.links if not link.hidden)


def same(text: str) -> None:
    (our_nodes, our_edges), (their_nodes, their_edges) = by_us(text), by_merman(text)
    assert {name: plain_label(label) for name, label in our_nodes.items()} == {
        name: plain_label(label) for name, label in their_nodes.items()
    }
    assert our_edges == Counter(
        {(source, target, plain_label(label)): count for (source, target, label), count in their_edges.items()}
    )


@pytest.mark.parametrize("folder", ["mermaid", "langgraph"])
def test_real_files_as_the_other_reader_sees_them(folder: str, corpus: Path) -> None:
    for path in sorted((corpus / folder).glob("*.mmd")):
        same(mermaid._body(path.read_text(encoding="utf-8"))[0])


@pytest.mark.parametrize(
    "body",
    [
        "A-->B",
        "A --> B --> C & D --> E",
        "A & B --> C & D",
        "A -->|yes| B",
        'A -->|"yes, (please)"| B',
        "A -- yes --> B",
        "A --yes--> B",
        "A -. maybe .-> B",
        "A == surely ==> B",
        "A -.-> B",
        "A ==> B",
        "A --- B",
        "A ---|x| B",
        "A --o B",
        "A --x B",
        "A <--> B",
        "A x--x B",
        "A ~~~ B\nB --> C",
        "A ----> B\nC ====> D\nE -..-> F",
        "A[a] --> B(b) --> C([c]) --> D[[d]] --> E[(e)] --> F((f)) --> G>g]",
        "A{a} --> B{{b}} --> C[/c/] --> D[\\d\\] --> E[/e\\] --> F[\\f/] --> G(((g)))",
        'A["a (with) [all] {brackets}; and #quot;quotes#quot;"] --> B',
        "A[one\ntwo] --> B",
        "A:::big --> B[x]:::small",
        "A@{ shape: diam, label: \"Is it?\" } --> B",
        "A e1@--> B",
        "my-node --> other_node2 --> a.b",
        "A-->B;B-->C;C-->D",
        "A -->\nB",
        "subgraph one [First]\nA --> B\nend\nsubgraph two\nC --> D\nend\nB --> C",
        "subgraph outer\nsubgraph inner\nA\nend\nB\nend\nA --> B",
        "style A fill:#fff\nclassDef x fill:#000\nclass A x\nlinkStyle default stroke:red\nclick A \"https://x\"\nA --> B",
        "%% a comment\nA --> B",
        "A[“typographic” 🚀 שלום] --> Ü",
        "A[x] --> B\nA[y] --> C",
        "direction LR\nA --> B",
    ],
)  # fmt: skip
def test_notations_as_the_other_reader_sees_them(body: str) -> None:
    same(f"flowchart TD\n{body}\n")
    same(f"graph LR;\n{body}\n")


LINKS = st.sampled_from(
    [
        "-->",
        "---",
        "-.->",
        "==>",
        "--o",
        "--x",
        "<-->",
        "---->",
        "-->|a b|",
        "-- a b -->",
        "-. t .->",
        "== t ==>",
        " --> ",
    ]
)
SHAPES = st.sampled_from(
    ["", "[x]", "(x y)", "{x?}", "((x))", "([x])", "[[x]]", '["x (y)"]', "{{x}}", ">x]", "[/x/]", "[(x)]"]
)
NODES = st.builds(lambda name, shape: name + shape, st.sampled_from(["a", "bb", "c1", "d_e", "f-g"]), SHAPES)
CHAINS = st.lists(NODES, min_size=1, max_size=3).flatmap(
    lambda nodes: st.lists(LINKS, min_size=len(nodes) - 1, max_size=len(nodes) - 1).map(
        lambda links: "".join(f"{node} {link} " for node, link in zip(nodes, [*links, ""], strict=True)).strip()
    )
)


@settings(max_examples=150, deadline=None)
@given(st.lists(CHAINS, min_size=1, max_size=4), st.sampled_from(["\n", ";", "\r\n", "\n\n"]))
def test_any_chains_as_the_other_reader_sees_them(chains: list[str], between: str) -> None:
    text = f"flowchart TD\n{between.join(chains)}\n"
    same(text.replace("\r\n", "\n"))


def edges_of(record: dict[str, Any]) -> list[str]:
    return sorted("".join(edge) for edge in record["edges"])


@pytest.mark.parametrize(
    ("text", "nodes", "edges", "warnings"),
    [
        ("graph TD\nA[Call f(x)] --> B", {"A": "Call f(x)", "B": "B"}, ["AB"], ["W-REPAIRED"]),
        ('graph TD\nA[Say "hi" twice] --> B', {"A": 'Say "hi" twice', "B": "B"}, ["AB"], ["W-REPAIRED"]),
        ("graph TD\nA → B", {"A": "A", "B": "B"}, ["AB"], ["W-REPAIRED"]),
        ("graph TD\nA -> B", {"A": "A", "B": "B"}, ["AB"], ["W-REPAIRED"]),
        ("graph TD\nA <--> B", {"A": "A", "B": "B"}, ["AB"], ["W-BIDIR"]),
        ("graph TD\nA[x] --> B\nA[y]", {"A": "y", "B": "B"}, ["AB"], ["W-REDEFINED"]),
        ("graph TD\nA --> B\n\nThis shows how the work goes.", {"A": "A", "B": "B"}, ["AB"], ["W-REPAIRED"]),
        ("Here it is:\n\ngraph TD\nA --> B", {"A": "A", "B": "B"}, ["AB"], ["W-REPAIRED"]),
        ("```mermaid\nA --> B\n```", {"A": "A", "B": "B"}, ["AB"], ["W-REPAIRED"]),
        ("```mermaid\nflowchart TD\nA --> B\n", {"A": "A", "B": "B"}, ["AB"], []),
        ("---\ntitle: x\n---\n%%{init: {}}%%\ngraph TD\nA --> B", {"A": "A", "B": "B"}, ["AB"], []),
        ("graph TD\nA --> A\nA --> B", {"A": "A", "B": "B"}, ["AB"], ["W-LOOP"]),
        ("graph TD\nA --> B\nB --> A", {"A": "A", "B": "B"}, ["AB"], ["W-LOOP"]),
        ("graph TD\nA --> B\nA --> B", {"A": "A", "B": "B"}, ["AB"], ["W-DUP-EDGE"]),
        ("graph TD\nA -->|x| B\nA -->|y| B", {"A": "A", "B": "B"}, ["AB"], []),
        ("graph TD\nA --> J(( )) --> B\nC --> J", {"A": "A", "B": "B", "C": "C"}, ["AB", "CB"], []),
        ("graph TD\nS([Start]) --> A --> E([End])", {"A": "A"}, [], []),
        ("graph TD\nsubgraph g\nA --> B\nend\nX --> g --> Y", {"X": "X", "A": "A", "B": "B", "Y": "Y"}, ["AB", "BY", "XA"], []),
        ("graph TD\nsubgraph g\nA\nend\ng --> h\nsubgraph h\nB\nend", {"A": "A", "B": "B"}, ["AB"], []),
        ("graph TD\nsub\\3as1 --> B", {"sub:s1": "sub:s1", "B": "B"}, ["sub:s1B"], []),
        ("graph TD\nA[Do <b>it</b><br/>now &amp; then] --> B", {"A": "Do it now & then", "B": "B"}, ["AB"], []),
        ("stateDiagram-v2\n[*] --> A\nA --> B : go\nB --> [*]", {"A": "A", "B": "B"}, ["AB"], []),
        ('stateDiagram\nstate "Wait for it" as W\nA --> W', {"A": "A", "W": "Wait for it"}, ["AW"], []),
        ("stateDiagram-v2\nA : Do it\nA --> B\nnote right of A\nB --> C\nend note", {"A": "Do it", "B": "B"}, ["AB"], []),
        (
            "stateDiagram-v2\nstate if <<choice>>\nA --> if\nif --> B : yes\nif --> C : no",
            {"A": "A", "B": "B", "C": "C"}, ["AB", "AC"], [],
        ),
        (
            "stateDiagram-v2\nA --> G\nstate G {\n[*] --> B\nB --> C\nC --> [*]\n}\nG --> D",
            {"A": "A", "B": "B", "C": "C", "D": "D"}, ["AB", "BC", "CD"], [],
        ),
    ],
)  # fmt: skip
def test_what_is_read(
    text: str, nodes: dict[str, str], edges: list[str], warnings: list[str], parse: Callable[..., Any]
) -> None:
    (record,) = parse(text)
    assert {node["id"]: node["text"] for node in record["nodes"]} == nodes
    assert edges_of(record) == edges
    assert [warning.partition(":")[0] for warning in record["meta"].get("warnings", [])] == warnings


def test_labels_of_branches(parse: Callable[..., Any]) -> None:
    (record,) = parse("graph TD\nA{ok?} -->|yes| J(( ))\nJ -->|late| B\nA -- no --> C")
    assert record["meta"]["edge_attrs"] == [["A", "B", {"label": "yes, late"}], ["A", "C", {"label": "no"}]]


def test_one_record_a_fence_and_a_header(parse: Callable[..., Any]) -> None:
    text = "# Doc\n```mermaid\ngraph TD\nA-->B\n```\ntext\n```mermaid\nsequenceDiagram\nA->>B: x\n```\n```mermaid\ngraph TD\nC-->D\n```"
    first, second, third = parse(text)
    assert (first["id"], edges_of(first), third["id"], edges_of(third)) == ("t/1", ["AB"], "t/3", ["CD"])
    assert (second["id"], second["problem"].code) == ("t/2", "E-UNSUPPORTED")
    assert [edges_of(one) for one in parse("graph TD\nA-->B\n\nflowchart LR\nA-->C\n")] == [["AB"], ["AC"]]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("graph TD\nA --> B\nA[never closed --> C", "E-SYNTAX", "line 3, column 2: the label is never closed"),
        ("graph TD\nA -->", "E-SYNTAX", "no node after the arrow"),
        ("graph TD\nNote that A --> B", "E-SYNTAX", "line 2, column 1: not understood"),
        ("graph TD\nA --> B C", "E-SYNTAX", "line 2, column 9: not understood"),
        ("graph TD\nA -- never ends", "E-SYNTAX", "an arrow that does not end"),
        ("sequenceDiagram\nA->>B: hi", "E-UNSUPPORTED", "a sequenceDiagram is no flow of steps"),
        ("gantt\ntitle x", "E-UNSUPPORTED", "gantt"),
        ("graph TD\n", "E-NO-NODES", "no steps"),
        ("graph TD\n" + "subgraph a\n" * 200, "E-LIMIT", "nested deeper"),
        ("graph TD\nA\nB", "E-NO-EDGES", "2 steps"),
        ("stateDiagram-v2\nA --> B --> C {", "E-SYNTAX", "line 2"),
    ],
)
def test_what_is_refused(text: str, code: str, message: str, parse: Callable[..., Any]) -> None:
    try:
        (record,) = parse(text)
        error = record["problem"]
    except DataError as caught:
        error = caught
    assert error.code == code
    assert message in str(error)


def test_a_hostile_text_is_read_in_linear_time(parse: Callable[..., Any]) -> None:
    for body in (
        "A[" * 20_000,
        "A" * 200_000,
        "-" * 100_000,
        "A --" + "x" * 100_000,
        '"' * 50_000,
        "<" * 50_000,
        "#" * 50_000,
    ):
        try:
            parse(f"graph TD\n{body}", cycles="keep")
        except DataError:
            continue
    chain = "graph TD\n" + "\n".join(f"n{n} --> n{n + 1}" for n in range(9_000))
    assert len(parse(chain)[0]["edges"]) == 9_000
    over = "graph TD\n" + "\n".join(f"n{n} --> n{n + 1}" for n in range(100_000))
    with pytest.raises(DataError, match="steps") as caught:
        parse(over)
    assert caught.value.code == "E-LIMIT"


TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20).filter(
        lambda text: one_line(text) != ""
    ),
    st.sampled_from(
        [
            "end",
            "Start",
            "END",
            "a\nb",
            "[x]",
            '"q"',
            "`x`",
            "fa:fa-car",
            "#quot;",
            "&amp;",
            "<b>x</b>",
            "שלום 🚀",
            "%% c",
            "A --> B",
        ]
    ),
)
IDS = st.one_of(
    st.integers(0, 99).map(str),
    st.sampled_from(["end", "a b", "é", "🚀", "a/b", "x-->y", "subgraph", '"', "a:b"]),
    TEXTS,
)
RECORDS = st.lists(st.tuples(IDS, TEXTS), min_size=1, max_size=6, unique_by=lambda node: node[0]).flatmap(
    lambda nodes: st.fixed_dictionaries(
        {
            "nodes": st.just([{"id": own, "text": text} for own, text in nodes]),
            "edges": st.lists(
                st.sampled_from([[a[0], b[0]] for n, a in enumerate(nodes) for b in nodes[n + 1 :]] or [["", ""]]),
                unique_by=tuple, max_size=8,
            ) if len(nodes) > 1 else st.just([]),
        }
    )
)  # fmt: skip


@settings(deadline=None)
@given(RECORDS)
def test_there_and_back(record: dict[str, Any]) -> None:
    from wfkit.formats.base import ParseOptions, Source
    from wfkit.formats.finish import finish

    if len(record["nodes"]) > 1 and not record["edges"]:
        return
    options = ParseOptions(order="listed")
    (draft,) = mermaid.parse(Source(text=mermaid.write(record)), options)
    back = finish(draft, options)
    assert [(node["id"], node["text"]) for node in back["nodes"]] == [
        (node["id"], one_line(node["text"])) for node in record["nodes"]
    ]
    assert sorted(back["edges"]) == sorted(record["edges"])


@given(TEXTS)
def test_labels_and_ids_there_and_back(text: str) -> None:
    assert plain_label(written_label(text)[1:-1]) == one_line(text)
    assert plain_id(written_id(text)) == text


def test_what_is_written_is_mermaid() -> None:
    record = {
        "nodes": [{"id": "a", "text": 'Say "hi" (now) & go'}, {"id": "b", "text": "end"}],
        "edges": [["a", "b"]],
        "meta": {"edge_attrs": [["a", "b", {"label": "if |x|"}]]},
    }
    text = mermaid.write(record)
    nodes, edges = by_merman(text)
    assert sorted(nodes.values()) == ['Say "hi" (now) & go', "end"]
    assert [plain_label(label) for _, _, label in edges] == ["if |x|"]
    with pytest.raises(DataError, match="without steps"):
        mermaid.write({"nodes": [], "edges": []})
