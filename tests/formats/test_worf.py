"""The worf format: every layout that goldens and model answers were seen in, by hand."""

import contextlib
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.errors import DataError
from wfkit.formats import worf
from wfkit.formats.base import ParseOptions, Source
from wfkit.formats.finish import finish

STEPS = "Node:\n1: Open the ticket\n2: Ask the customer\n3: Close the ticket\n"
TEXTS = ["Open the ticket", "Ask the customer", "Close the ticket"]
CHAIN = [["1", "2"], ["2", "3"]]


def read(text: str, **options: Any) -> dict[str, Any]:
    [draft] = worf.parse(Source(text=text, id="t"), ParseOptions(**options))
    return finish(draft, ParseOptions(**options))


def texts(record: dict[str, Any]) -> list[str]:
    return [node["text"] for node in record["nodes"]]


def codes(record: dict[str, Any]) -> list[str]:
    return [warning.split(":")[0] for warning in record["meta"].get("warnings", [])]


@pytest.mark.parametrize(
    "edges",
    [
        "Edge: (START,1) (1,2) (2,3) (3,END)",
        "Edge: \n(START,1) \n(1,2) \n(2,3) \n(3,END)",  # GPT-3.5: trailing blank, one tuple a line
        "Edges:\n- (START, 1)\n- (1, 2)\n- (2, 3)\n- (3, END)",
        "Edge: (START,1), (1,2), (2,3), (3,END)",
        "Edge: (START, 1) -> (1, 2) -> (2, 3) -> (3, END)",  # arrows between tuples are no edges
        "Edge: START -> 1 -> 2 -> 3 -> END",
        "Edge: START → 1\n1 → 2\n2 => 3\n3 --> END",
        "Edge:** \n- (START, 1)\n- (1, 2)\n- (2, 3)\n- (3, END)",
        "**Edge**: (START, 1), (1, 2), (2, 3), (3, END)",
        "### Edges\n(START,1) (1,2) (2,3) (3,END)",
        "Edge: (START,1)\nEdge: (1,2)\nEdge: (2,3)\nEdge: (3,END)",
        "- **Edge:** (START, 1) [Begin here.]\n- **Edge:** (1, 2)\n- **Edge:** (2, 3)\n- **Edge:** (3, END)",
        "- **Edge: (START, 1)**: Begin.\n- **Edge: (1, 2)**: Ask.\n- **Edge: (2, 3)**: x\n- **Edge: (3, END)**: y",
        "- Edge (START, 1)\n- Edge (1, 2)\n- Edge (2, 3)\n- Edge (3, END)",
        "Graph:\nEdge: (START,1) (1,2) (2,3) (3,END)",
        "Graph:\nThe nodes are joined as follows:\n\nEdge: (START,1) (1,2) (2,3) (3,END)",
        "\nGraph:\nEdge: (START,1) (1,2) (2,3) (3,END)",
        "edge：（START，1）（1，2）（2，3）（3，END）",  # full-width punctuation
        "Edge: (Start, 1) (1, 2) (2, 3) (3, End)",
        "Edge: (BEGIN,1) (1,2) (2,3) (3,FINISH)",
        "Edge: (S,1) (1,2) (2,3) (3,E)",
        "Edge: (START,\n1) (1,\n2) (2\n,3) (3,END)",  # tuples split over two lines
        'Edge: ("START", 1) (Node 1, Node 2) (Step 2, Step 3) (**3**, END)',
        "Edge: (START,01) (01,02) (2,3) (3,END)",
        "\nHere the edges follow.\n\n```\nEdge: (START,1) (1,2)\n(2,3) (3,END)\n```\nThat is all.",
        "\n1. **Start**: begin\n   - (START, 1)\n2. **Then**\n   - (1, 2)\n   - (2, 3)\n3. **End**\n   - (3, END)",
        "Edge: (START,1) (1,2) (2,3) (3,END)\n\nThe plan (all of it) runs in order: first 1, then 2 and 3.",
        "Edge: (START,1): begin (1,2): then (2,3): last (3,END)",
    ],
)
def test_every_layout_of_edges_is_read(edges: str) -> None:
    record = read(STEPS + edges)
    assert (texts(record), record["edges"]) == (TEXTS, CHAIN)
    assert (record["meta"]["start"], record["meta"]["end"]) == (["1"], ["3"])
    assert set(codes(record)) <= {"W-TRAILING"}


@pytest.mark.parametrize(
    "steps",
    [
        STEPS,
        "Nodes:\n1. Open the ticket\n2. Ask the customer\n3. Close the ticket\n",
        "node\n1.Open the ticket\n2.Ask the customer\n3.Close the ticket\n",
        "**Nodes:**\n- 1: Open the ticket\n- 2: Ask the customer\n- 3: Close the ticket\n",
        "## Steps\n\n1) Open the ticket\n\n2) Ask the customer\n\n3) Close the ticket\n\n",
        "Node：\n1：Open the ticket\n2：Ask the customer\n3：Close the ticket\n",
        "Node: 1: Open the ticket\n2: Ask the customer\n3: Close the ticket\n",
        "Node:\n1: **Open the ticket**\n2: `Ask the customer`\n3: “Close the ticket”\n",
        "Node:\n**1: Open the ticket**\n**2.** Ask the customer\n**3**: Close the ticket\n",
        "Node:\nStep 1: Open the ticket\nStep 2: Ask the customer\nStep 3: Close the ticket\n",
        "Node:\n1: Open\nthe ticket\n2: Ask\n   the customer\n3: Close\nthe ticket\n",  # wrapped lines
        "Sure! These are the steps.\n\nNode:\n1: Open the ticket\n2: Ask the customer\n3: Close the ticket\n",
        "Node:\r\n1: Open the ticket\r\n2: Ask the customer\r\n3: Close the ticket\r\n",
        "\ufeffNode:\n1: Open the ticket\n2: Ask the customer\n3: Close the ticket\n",
        "Nodes (3):\n1: Open the ticket\n2: Ask the customer\n3: Close the ticket\n",
        "1: Open the ticket\n2: Ask the customer\n3: Close the ticket\n",  # the header is forgotten
    ],
)
def test_every_layout_of_steps_is_read(steps: str) -> None:
    record = read(steps + "Edge: (START,1) (1,2) (2,3) (3,END)")
    assert (texts(record), record["edges"], codes(record)) == (TEXTS, CHAIN, [])


@pytest.mark.parametrize(
    ("text", "steps", "edges", "warnings"),
    [
        # Prose glued right under the last step is no part of it.
        (STEPS + "For this task, the order is:\n\nEdge: (START,1) (1,2) (2,3) (3,END)", TEXTS, CHAIN, ["W-TRAILING"]),
        # A second numbered list restarts and ends the steps.
        (
            STEPS + "As follows:\n\n1. **Open the ticket** - first.\n2. **Ask**\n3. **Close**\n4. **Rest**\n\n"
            "Edge relations:\n- (START, 1)\n- (1, 2)\n- (2, 3)\n- (3, END)",
            TEXTS,
            CHAIN,
            ["W-TRAILING"],
        ),
        # ... also directly below.
        (STEPS + "1: again\n2: again\nEdge: (START,1)(1,2)(2,3)(3,END)", TEXTS, CHAIN, ["W-TRAILING"]),
        # A tuple inside a step is no edge, an edge-like word no header.
        (
            "Node:\n1: move to (3,4)\n2: Create a new edge device\n3: plot the graph (1, 3)\n"
            "Edge: (START,1) (1,2) (2,3) (3,END)",
            ["move to (3,4)", "Create a new edge device", "plot the graph (1, 3)"],
            CHAIN,
            [],
        ),
        # "Finished" is a real last step.
        ("Node:\n1: Cook\n2: Finished.\nEdge: (START,1) (1,2) (2,END)", ["Cook", "Finished."], [["1", "2"]], []),
        # Numbers out of sequence and sub-numbers belong to the step above.
        (
            "Node:\n1: Heat to\n100. Stir\n1.1 gently\n2: Serve\nEdge: (START,1) (1,2) (2,END)",
            ["Heat to 100. Stir 1.1 gently", "Serve"],
            [["1", "2"]],
            [],
        ),
        # So does an indented list of its own.
        (
            "Node:\n1: Prepare\n   1. wash\n   2. dry\n2: Serve\nEdge: (START,1) (1,2) (2,END)",
            ["Prepare 1. wash 2. dry", "Serve"],
            [["1", "2"]],
            [],
        ),
        # Steps that are names, defined further down.
        (
            "Node:\n1: A\n2: B\nEdge: (START,1) (1,2) (2,END)\n\nWhere:\nA: Open the ticket\n- **B**: Close it",
            ["Open the ticket", "Close it"],
            [["1", "2"]],
            ["W-ALIAS"],
        ),
        (
            "Node:\n1: a\n2: b\nwhere:\na: Open the ticket\nb: Close it\nEdge: (START,1) (1,2) (2,END)",
            ["Open the ticket", "Close it"],
            [["1", "2"]],
            ["W-ALIAS"],
        ),
        # One-word steps without definitions stay.
        ("Node:\n1: Sketch\n2: Paint\nEdge: (START,1) (1,2) (2,END)", ["Sketch", "Paint"], [["1", "2"]], []),
        # The explanation below the edges had been taken for steps (a published golden).
        (
            "Node:\n1: Count\n2: Sum up\n3: You first count.\n4: Then you sum up.\nEdge: (START,1) (1,2) (2,END)\n\n"
            "In this flow:\n1. You first count.\n2. Then you sum up.",
            ["Count", "Sum up"],
            [["1", "2"]],
            ["W-TRAILING"],
        ),
        # A list of edges that is cut off.
        (
            "Node:\n1: a b\n2: c d\nEdge: (START,1) (START,2) (1,END) (2,",
            ["a b", "c d"],
            [],
            ["W-START-MISMATCH"],
        ),
        # Zero-based numbers stay.
        ("Node:\n0: a b\n1: c d\nEdge: (START,0) (0,1) (1,END)", ["a b", "c d"], [["0", "1"]], []),
        # Two workflows in an answer: the first counts.
        (STEPS + "Edge: (1,2) (2,3)\n\nNode:\n1: other\nEdge: (1,2) (1,3)", TEXTS, CHAIN, ["W-SEVERAL"]),
        (STEPS + "Edge: (1,2) (2,3)\n\nBetter:\n\nNode:\n1: other\n2: one", TEXTS, CHAIN, ["W-SEVERAL"]),
        (
            "\n".join(f"```\n{STEPS}Edge: (1,2) (2,3)\n```" for _ in range(3)),
            TEXTS,
            CHAIN,
            ["W-SEVERAL"],
        ),
        # Typographic characters, markup and inner marks stay verbatim.
        (
            'Node:\n1: Heat to 110 °F – don’t **boil** <b>it</b>\n2: "Buy" and "Pay"\nEdge: (START,1)(1,2)(2,END)',
            ["Heat to 110 °F – don’t **boil** <b>it</b>", '"Buy" and "Pay"'],
            [["1", "2"]],
            [],
        ),
    ],
)
def test_odd_texts(text: str, steps: list[str], edges: list[list[str]], warnings: list[str]) -> None:
    record = read(text)
    assert (texts(record), record["edges"], codes(record)) == (steps, edges, warnings)


@pytest.mark.parametrize(
    "wrapped",
    [
        "<answer>\n{}\n</answer>",
        "<thought>I list steps.\nNode:\n1: draft\nEdge: (START,1)\n</thought><answer>{}</answer>",
        "<think>\nNode:\n1: draft\nEdge: (START,1) (1,END)\n</think>\n\n{}",
        "Node:\n1: draft\nEdge: (1,END)\n</think>\n{}",  # the thought began in the prompt
        "<output>{}",  # cut off before its close
        "Here you are:\n```text\n{}\n```\nEnjoy!",
        "~~~\n{}\n~~~",
        "```\n{}",
        "```python\nprint(1)\n```\n{}",
    ],
)
def test_wrapping_is_taken_off(wrapped: str) -> None:
    record = read(wrapped.format(STEPS + "Edge: (START,1) (1,2) (2,3) (3,END)"))
    assert (texts(record), record["edges"]) == (TEXTS, CHAIN)


def test_steps_may_speak_of_tags() -> None:
    record = read("Node:\n1: Open <think> first\n2: Close </think> and <answer>\nEdge: (START,1) (1,2) (2,END)")
    assert texts(record) == ["Open <think> first", "Close </think> and <answer>"]


def test_edges_to_unlisted_steps_are_dropped_or_refused() -> None:
    text = STEPS + "Edge: (START,1) (1,2) (2,3) (3,11) (7,12) (3,END)"
    record = read(text)
    assert record["edges"] == CHAIN
    assert record["meta"]["warnings"] == ["W-GHOST: edges to steps that are not listed, dropped: 3 -> 11, 7 -> 12"]
    with pytest.raises(DataError, match="3 -> 11") as caught:
        read(text, strict=True)
    assert caught.value.code == "E-GHOST"


def test_a_declared_count_that_differs_is_told() -> None:
    assert codes(read("Nodes (5):\n1: a b\n2: c d\nEdge: (1,2)")) == ["W-COUNT"]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("", "E-NO-NODES", "the text is empty"),
        ("  \n\n", "E-NO-NODES", "the text is empty"),
        ("Node:\nEdge: (START,1)", "E-NO-NODES", "no numbered step"),
        ("I cannot help with that.", "E-NO-NODES", "no numbered step"),
        ("1. Milk\n2. Eggs", "E-NO-NODES", "no numbered step"),  # a list without edges is no workflow
        ("\x00\x01\x02\xff" * 100, "E-NO-NODES", "no numbered step"),
        ("Node:\n1: a b\n2: c d", "E-NO-EDGES", "2 steps, but nothing says"),
        ("Node:\n1: a b\n2: c d\nEdge:", "E-NO-EDGES", "2 steps, but nothing says"),
        ("Node:\n1: a b\n2: c d\nEdge: (5,6)", "E-NO-EDGES", "no edge joins two listed steps"),
        ("Node:\n1: a b\n2:\nEdge: (1,2)", "E-EMPTY-TEXT", "step '2' has no text"),
        ("Node:\n1: a b\n2: c d\n3: e f\nEdge: (1,2) (2,3) (3,1)", "E-CYCLE", "1 -> 2 -> 3 -> 1"),
        ("Node:\n1: a \ud800 b\nEdge: (START,1) (1,END)", "E-SYNTAX", "surrogate"),
        ("Node:\n" + "".join(f"{n}: x\n" for n in range(1, 10_002)) + "Edge: (1,2)", "E-LIMIT", "10,001 steps"),
        ("x" * (16 * 1024 * 1024 + 1), "E-LIMIT", "16,777,217 characters"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(text: str, code: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read(text)
    assert caught.value.code == code
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        STEPS + "Edge: " + "(" * 300_000,
        STEPS + "Edge: " + "(1, " * 75_000,
        STEPS + "Edge: (" + " " * 300_000 + "1",
        STEPS + "Edge: " + '"' * 300_000,
        STEPS + "Edge: " + "1" * 300_000,
        STEPS + "x\n" * 150_000,
        STEPS + "    1: x\n" * 33_000,
        "Node" + "*" * 300_000 + "x",
        "Node:\n" * 50_000,
        "Node:\n1: a\n" * 27_000,
        "Node:\n" + "- " * 150_000 + "x",
        "<think>" * 43_000,
        "a <answer>" * 30_000,
        "```\n" * 75_000,
    ],
)
def test_hostile_texts_take_linear_time(text: str) -> None:
    """300 KB each: linear reading takes tenths of a second, quadratic reading takes minutes."""
    begin = time.process_time()
    source = Source(text=text)
    worf.detect(source)
    with contextlib.suppress(DataError):
        worf.parse(source, ParseOptions())
    assert time.process_time() - begin < 5


def test_a_text_of_100_000_lines() -> None:
    record = read("Node:\n1: Copy\n" + "and a line\n" * 100_000 + "2: Send\nEdge: (START,1) (1,2) (2,END)")
    assert [len(text) for text in texts(record)] == [len("Copy") + 100_000 * len(" and a line"), len("Send")]


def test_written_form() -> None:
    nodes = [{"id": "a", "text": "Open"}, {"id": "b", "text": "Ask\nagain"}, {"id": "c", "text": '"Close"'}]
    record = {"nodes": nodes, "edges": [["a", "c"], ["b", "c"]]}
    assert worf.write(record) == (
        'Node:\n1: Open\n2: Ask again\n3: **"Close"**\nEdge: (START,1) (START,2) (1,3) (2,3) (3,END)\n'
    )
    with pytest.raises(DataError, match="without steps"):
        worf.write({"nodes": [], "edges": []})


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
AWKWARD = st.sampled_from(
    ["Edge", "Edge: (1,2)", "Node:", "1: x", "2: y", "**a**", '"a"', "`a`", "</think>", "<answer>", "```", "A", "B: A"]
)


@st.composite
def workflows(draw: st.DrawFn) -> dict[str, Any]:
    """A workflow of up to six steps whose edges go in any direction of the list, but in no cycle."""
    step_texts = draw(st.lists(TEXT | AWKWARD, min_size=1, max_size=6))
    rank = draw(st.permutations(range(len(step_texts))))
    pairs = [(a, b) for place, a in enumerate(rank) for b in rank[place + 1 :]]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    nodes = [{"id": f"s{place}", "text": text} for place, text in enumerate(step_texts)]
    return {"kind": "workflow", "id": "w", "nodes": nodes, "edges": [[f"s{a}", f"s{b}"] for a, b in edges], "meta": {}}


@given(workflows())
def test_what_is_written_reads_back_the_same(record: dict[str, Any]) -> None:
    back = read(worf.write(record))
    number = {node["id"]: str(place) for place, node in enumerate(record["nodes"], start=1)}
    assert back["edges"] == [[number[source], number[target]] for source, target in record["edges"]]
    assert texts(back) == [node["text"].replace("\r", " ").replace("\n", " ").strip() for node in record["nodes"]]
    assert codes(back) == []


@given(st.text('Nodestp:Eg(1,2)->STARTEND \n*`3.-<>/think"', max_size=200))
def test_any_text_gives_a_record_or_a_data_error(text: str) -> None:
    source = Source(text=text)
    worf.detect(source)
    try:
        record = read(text)
    except DataError as error:
        assert error.code.startswith("E-")
    else:
        ids = {node["id"] for node in record["nodes"]}
        assert all(end in ids for edge in record["edges"] for end in edge)


ONE = "Node:\n1: a b\n2: c d\nEdge: (START,1) (1,2) (2,END)\n"
TWO = "**Nodes**:\n1. e f\n   and g\n\nEdges:\n(START,1)\n(1,END)\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ONE + TWO, [["a b", "c d"], ["e f and g"]]),
        (f"\n{ONE}\n\n{TWO}\n---\n{ONE}", [["a b", "c d"], ["e f and g"], ["a b", "c d"]]),
        (f"```\n{ONE}```\n\n```\n{TWO}```\n", [["a b", "c d"], ["e f and g"]]),
        (f"{ONE}Better:\n{TWO}", [["a b", "c d"]]),  # words between them: one answer
        (f"{ONE}{TWO}Done.", [["a b", "c d"]]),
        (f"Sure.\n{ONE}{TWO}", [["a b", "c d"]]),
    ],
)
def test_workflows_that_follow_each_other_in_an_input(text: str, expected: list[list[str]]) -> None:
    drafts = worf.parse(Source(text=text, id="t", whole=True), ParseOptions())
    assert [[node["text"] for node in draft.nodes] for draft in drafts] == expected
    assert [draft.id for draft in drafts] == (
        ["t"] if len(expected) == 1 else [f"t/{place}" for place in range(1, len(expected) + 1)]
    )
    assert all(draft.warnings == [] for draft in drafts) == (len(expected) > 1)
    if len(expected) == 1:
        with pytest.raises(DataError, match="further workflows in the same text left out: 1") as caught:
            finish(drafts[0], ParseOptions(strict=True))
        assert caught.value.code == "E-SEVERAL"


def test_written_workflows_are_read_back_from_one_text() -> None:
    records = [{"id": str(count), "nodes": [{"id": "x" * at, "text": f"step ({at}, 1)"} for at in range(1, count)],
                "edges": [["x", "x" * at] for at in range(2, count)]} for count in range(2, 6)]  # fmt: skip
    text = "".join(worf.write(record) for record in records)
    drafts = worf.parse(Source(text=text, id="t", whole=True), ParseOptions())
    assert [[node["text"] for node in draft.nodes] for draft in drafts] == [
        [node["text"] for node in record["nodes"]] for record in records
    ]
