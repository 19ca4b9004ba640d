"""Tables for the five types beyond the paper."""

import itertools
from typing import Any

import pytest

from wfkit.perturb.donors import donors_from
from wfkit.perturb.insertion import insert
from wfkit.perturb.pairs import perturb

Record = dict[str, Any]


def workflow(texts: list[str], edges: list[tuple[int, int]], **fields: list[Any]) -> Record:
    nodes: list[Record] = [{"id": str(n), "text": text} for n, text in enumerate(texts)]
    for name, values in fields.items():
        for node, value in zip(nodes, values, strict=True):
            if value is not None:
                node[name] = value
    return {
        "kind": "workflow",
        "id": "g",
        "nodes": nodes,
        "edges": [[str(a), str(b)] for a, b in edges],
        "meta": {},
    }


CHAIN = [(0, 1), (1, 2), (2, 3)]


@pytest.mark.parametrize(
    ("edges", "place", "expected"),
    [
        (CHAIN, 0, ["x0", "01", "12", "23"]),
        (CHAIN, 1, ["0x", "x1", "12", "23"]),
        (CHAIN, 4, ["01", "12", "23", "3x"]),
        ([(0, 1), (0, 2), (1, 3)], 1, ["0x", "x1", "x2", "13"]),  # all that waited for 0 waits for x
        ([], 2, []),  # parallel steps stay parallel
        ([], 0, []),
        ([(0, 1)], 3, ["01"]),  # step 2 has no edges, so x has none
        ([(0, 1)], 0, ["x0", "01"]),  # steps 2 and 3 have no edges and get none
    ],
)
def test_insert(edges: list[tuple[int, int]], place: int, expected: list[str]) -> None:
    record = workflow(["a", "b", "c", "d"], edges)
    insert(record["nodes"], record["edges"], place, {"id": "x", "text": "new"})
    assert record["nodes"][place]["id"] == "x"
    assert ["".join(edge) for edge in record["edges"]] == expected


def test_duplicated_steps() -> None:
    pair = perturb(workflow(["a", "b"], [(0, 1)], tool=["t", None]), "duplicated_steps", 100)
    assert pair["candidate"]["nodes"] == [
        {"id": "0", "text": "a", "tool": "t"},
        {"id": "0-again", "text": "a", "tool": "t"},
        {"id": "1", "text": "b"},
        {"id": "1-again", "text": "b"},
    ]
    assert pair["candidate"]["edges"] == [["0", "0-again"], ["0-again", "1"], ["1", "1-again"]]
    assert pair["perturbation"]["edits"][0] == {"op": "duplicate", "nodes": ["0"], "into": "0-again"}


def test_added_steps_are_foreign_and_near() -> None:
    donors = donors_from(
        [
            {"id": "cake", "nodes": [{"id": "1", "text": "sift the flour", "tool": "sieve"}], "edges": []},
            {"id": "bike", "nodes": [{"id": "1", "text": f"pump tyre {n}"} for n in range(9)], "edges": []},
            {"id": "mine", "nodes": [{"id": "1", "text": "Weigh a flour."}], "edges": []},
        ]
    )
    golden = workflow(["weigh the flour", "add flour"], [(0, 1)])
    pair = perturb(golden, "added_steps", 50, donors=donors)
    added = [node for node in pair["candidate"]["nodes"] if node["id"] == "added-1"]
    # Of all eleven donors the golden has one itself, in other articles; of the rest one speaks of flour.
    assert added == [{"id": "added-1", "text": "sift the flour", "tool": "sieve"}]


def test_added_steps_come_from_the_golden_s_own_source_first_and_share_rare_words() -> None:
    def donor(source: str, *texts: str) -> Record:
        return {"id": source, "source": source, "nodes": [{"id": "1", "text": text} for text in texts], "edges": []}

    donors = donors_from(
        [donor("a", "take the flour", "take tea", "take salt", "sift the salt"), donor("b", "sift the flour")]
    )
    golden = workflow(["take flour now", "sift it"], [(0, 1)]) | {"source": "a"}
    # Words in the five donors: take 3, flour 2, sift 2, salt 2, tea 1. Shared with the golden, in source a:
    # take the flour 1/3 + 1/2, sift the salt 1/2, the others 1/3. In source b: sift the flour 1/2 + 1/2.
    for severity, expected in [(50, ["take the flour"]), (100, ["take the flour", "sift the salt"])]:
        candidate = perturb(golden, "added_steps", severity, donors=donors)["candidate"]
        assert {n["text"] for n in candidate["nodes"] if n["id"].startswith("added")} == set(expected)
    candidate = perturb(golden | {"source": "b"}, "added_steps", 50, donors=donors)["candidate"]
    assert "sift the flour" in [node["text"] for node in candidate["nodes"]]


def test_added_steps_without_enough_donors() -> None:
    donors = donors_from([{"id": "d", "nodes": [{"id": "1", "text": "b"}, {"id": "2", "text": "c"}], "edges": []}])
    pair = perturb(workflow(["b", "x"], [(0, 1)]), "added_steps", 100, donors=donors)
    assert pair["candidate"] is None
    assert pair["perturbation"]["inapplicable"].startswith("the donors have 1 steps that the workflow lacks")


def test_donors_do_not_depend_on_the_order_of_records() -> None:
    records = [
        {"id": "a", "nodes": [{"id": "1", "text": "Open the box", "tool": "x"}], "edges": []},
        {"id": "b", "nodes": [{"id": "1", "text": "open a box!"}, {"id": "2", "text": "!!!"}], "edges": []},
        {"id": "c", "nodes": [{"id": "1", "text": "open a box!", "tool": "y"}], "edges": []},
    ]
    donors = donors_from(records)
    assert donors == donors_from(records[::-1])
    assert [(step.text, step.tool) for step in donors.steps] == [("Open the box", "x")]
    assert donors.tools == ("x", "y")


@pytest.mark.parametrize(
    ("texts", "edges", "severity", "reason"),
    [
        ("abcd", [], 25, "at most 0 steps"),  # nothing waits for anything
        ("abcd", CHAIN, 100, "at most 3 steps"),
        ("abcd", [(0, 1), (0, 2), (0, 3)], 50, "at most 1 steps"),  # only 0 can go anywhere
        ("aaaa", CHAIN, 25, "no arrangement"),  # all the same
        ("a", [], 1, "at most 0 steps"),
    ],
)
def test_steps_that_cannot_be_reordered(texts: str, edges: list[tuple[int, int]], severity: int, reason: str) -> None:
    pair = perturb(workflow(list(texts), edges), "reordered_steps", severity)
    assert pair["candidate"] is None
    assert pair["perturbation"]["inapplicable"].startswith(reason)


def longest_increasing(values: list[int]) -> int:
    best: list[int] = []
    for place, value in enumerate(values):
        best.append(1 + max((best[other] for other in range(place) if values[other] < value), default=0))
    return max(best)


@pytest.mark.parametrize("severity", range(10, 100, 10))
def test_a_reordered_chain_is_a_chain_with_n_steps_out_of_order(severity: int) -> None:
    golden = workflow(list("abcdefghij"), [(n, n + 1) for n in range(9)])
    candidate = perturb(golden, "reordered_steps", severity)["candidate"]
    order = [node["id"] for node in candidate["nodes"]]
    assert candidate["edges"] == [list(edge) for edge in itertools.pairwise(order)]
    assert 10 - longest_increasing([int(step) for step in order]) == severity // 10


def test_wrong_dependencies_of_a_chain() -> None:
    golden = workflow(list("abcd"), CHAIN)
    pair = perturb(golden, "wrong_dependencies", 75)
    candidate = pair["candidate"]
    assert candidate["nodes"] == golden["nodes"]
    # 1 can only lose what it waits for; 2 can wait for 0 instead; 3 for 0 or 1.
    assert candidate["edges"] in ([["0", "2"], ["0", "3"]], [["0", "2"], ["1", "3"]])
    assert [edit["nodes"] for edit in pair["perturbation"]["edits"]] == [["1"], ["2"], ["3"]]
    assert pair["perturbation"]["edits"][0] == {"op": "rewire", "nodes": ["1"], "from": ["0"], "to": []}


def test_wrong_dependencies_of_parallel_steps() -> None:
    pair = perturb(workflow(list("ab"), []), "wrong_dependencies", 50)
    assert pair["candidate"]["edges"] == [["0", "1"]]
    pair = perturb(workflow(list("ab"), []), "wrong_dependencies", 51)
    assert pair["perturbation"]["inapplicable"] == "only 1 steps can wait for another, 2 are asked for"


def test_wrong_tool_takes_one_of_the_same_workflow_first() -> None:
    donors = donors_from([{"id": "d", "nodes": [{"id": "1", "text": "x", "tool": "foreign"}], "edges": []}])
    golden = workflow(["call get_user", "ask", "rest"], [], tool=["get_user", "ask_user", None])
    pair = perturb(golden, "wrong_tool", 60, donors=donors)
    assert pair["candidate"]["nodes"] == [
        {"id": "0", "text": "call ask_user", "tool": "ask_user"},
        {"id": "1", "text": "ask", "tool": "get_user"},
        {"id": "2", "text": "rest"},
    ]
    alone = workflow(["Use the getUser tool."], [])
    pair = perturb(alone, "wrong_tool", 100, donors=donors)
    assert pair["candidate"]["nodes"] == [{"id": "0", "text": "Use the foreign tool."}]
    assert pair["perturbation"]["edits"] == [{"op": "swap_tool", "nodes": ["0"], "from": "getUser", "to": "foreign"}]
    pair = perturb(alone, "wrong_tool", 100)
    assert pair["perturbation"]["inapplicable"] == "only 0 steps have a tool that can be swapped, 1 are asked for"
