from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfkit.perturb.pairs import perturb
from wfkit.perturb.words import lost_words

Record = dict[str, Any]


def workflow(size: int, edges: list[tuple[int, int]]) -> Record:
    nodes = [{"id": f"n{n}", "text": f"Do task{n}.", "tool": f"t{n}"} for n in range(size)]
    named = [[f"n{a}", f"n{b}"] for a, b in edges]
    return {"kind": "workflow", "id": "g", "nodes": nodes, "edges": named, "meta": {}}


def test_the_paper_s_example() -> None:
    texts = ["locate the mug in the kitchen", "pick up the mug", "go to the coffee machine"]
    nodes = [{"id": str(n), "text": text} for n, text in enumerate(texts, start=1)]
    golden = {"kind": "workflow", "id": "g", "nodes": nodes, "edges": [["1", "2"], ["2", "3"]]}
    pair = perturb(golden, "compressed_steps", 60, seed=0)  # ceil(1.8) = 2 merges leave one step
    assert pair["candidate"]["nodes"] == [
        {"id": "1", "text": "locate the mug in the kitchen, then pick up the mug, then go to the coffee machine"}
    ]
    assert pair["candidate"]["edges"] == []
    assert pair["perturbation"]["edits"] == [{"op": "merge", "nodes": ["1", "2", "3"], "into": "1"}]


def test_a_merged_step_has_the_fields_of_the_first_and_what_only_others_have() -> None:
    golden = workflow(2, [(0, 1)])
    golden["nodes"][1]["owner"] = "ann"
    merged = perturb(golden, "compressed_steps", 50)["candidate"]["nodes"]
    assert merged == [{"id": "n0", "text": "Do task0, then do task1.", "tool": "t0", "owner": "ann"}]


@pytest.mark.parametrize(
    ("size", "edges", "severity", "possible"),
    [
        (4, [], 25, 0),  # fully parallel: nothing is adjacent
        (1, [], 1, 0),
        (4, [(0, 1), (2, 3)], 75, 2),  # two parts, so at most two merges
        (3, [(0, 1), (1, 2)], 100, 2),
    ],
)
def test_too_few_merges(size: int, edges: list[tuple[int, int]], severity: int, possible: int) -> None:
    pair = perturb(workflow(size, edges), "compressed_steps", severity)
    assert pair["candidate"] is None
    assert f"only {possible} merges" in pair["perturbation"]["inapplicable"]


@pytest.mark.parametrize("seed", range(20))
def test_a_shortcut_is_never_contracted_first(seed: int) -> None:
    # 0 -> 1 -> 2 and 0 -> 2: merging 0 with 2 would put 1 both after and before them.
    pair = perturb(workflow(3, [(0, 1), (1, 2), (0, 2)]), "compressed_steps", 30, seed=seed)
    assert pair["perturbation"]["edits"][0]["nodes"] in (["n0", "n1"], ["n1", "n2"])


@pytest.mark.parametrize("seed", range(20))
def test_pairs_come_before_larger_groups(seed: int) -> None:
    # Wherever the first pair of six steps in a row lies, there is room for another; three pairs may not fit.
    pair = perturb(workflow(6, [(n, n + 1) for n in range(5)]), "compressed_steps", 30, seed=seed)
    assert [len(edit["nodes"]) for edit in pair["perturbation"]["edits"]] == [2, 2]


@pytest.mark.parametrize("seed", range(20))
def test_no_other_step_has_to_move(seed: int) -> None:
    # Listed 0 1 2 3 with 0 -> 1, 0 -> 3, 2 -> 3: a step {0, 3} would have to come after 2 and before 1.
    pair = perturb(workflow(4, [(0, 1), (0, 3), (2, 3)]), "compressed_steps", 25, seed=seed)
    assert pair["perturbation"]["edits"][0]["nodes"] in (["n0", "n1"], ["n2", "n3"])


PAIRS = [(a, b) for b in range(9) for a in range(b)]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PAIRS), unique=True), st.integers(1, 100), st.integers(0, 9))
def test_contraction(edges: list[tuple[int, int]], severity: int, seed: int) -> None:
    golden = workflow(9, edges)
    count = -(-severity * 9 // 100)
    pair = perturb(golden, "compressed_steps", severity, seed=seed)
    whole = nx.DiGraph(edges)
    whole.add_nodes_from(range(9))
    # Every connected part can be merged into one step, and nothing more.
    assert (pair["candidate"] is None) is (count > 9 - nx.number_weakly_connected_components(whole))
    if pair["candidate"] is None:
        return
    into = {step: edit["into"] for edit in pair["perturbation"]["edits"] for step in edit["nodes"]}
    expected = {(into.get(f"n{a}", f"n{a}"), into.get(f"n{b}", f"n{b}")) for a, b in edges}
    assert {tuple(edge) for edge in pair["candidate"]["edges"]} == {(a, b) for a, b in expected if a != b}
    assert len(pair["candidate"]["nodes"]) == 9 - count
    text = {node["id"]: node["text"] for node in pair["candidate"]["nodes"]}
    for edit in pair["perturbation"]["edits"]:
        inside = whole.subgraph(int(step[1:]) for step in edit["nodes"])
        assert nx.is_weakly_connected(inside)
        assert all(not lost_words(f"Do task{step[1:]}.", text[edit["into"]]) for step in edit["nodes"])
        assert edit["nodes"] == sorted(edit["nodes"]), "parts are said in their order"
