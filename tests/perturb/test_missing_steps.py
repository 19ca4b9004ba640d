from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.perturb.missing_steps import bridged_edges
from wfkit.perturb.pairs import perturb
from wfkit.workflow import Step, Workflow

Record = dict[str, Any]


def graph(size: int, edges: list[tuple[int, int]]) -> Workflow:
    return Workflow("g", tuple(Step(str(n), str(n)) for n in range(size)), tuple(edges))


@pytest.mark.parametrize(
    ("edges", "removed", "expected"),
    [
        ([(0, 1), (1, 2), (2, 3)], {1}, [(0, 2), (2, 3)]),  # joined where the step was
        ([(0, 1), (1, 2), (2, 3)], {1, 2}, [(0, 3)]),
        ([(0, 1), (1, 2), (2, 3)], {0}, [(1, 2), (2, 3)]),  # a first step: nobody to join
        ([(0, 1), (1, 2), (2, 3)], {3}, [(0, 1), (1, 2)]),
        ([(0, 1), (0, 2), (1, 3), (2, 3)], {1}, [(0, 2), (2, 3)]),  # 0 before 3 is already said over 2
        ([(0, 2), (1, 2), (2, 3), (2, 4)], {2}, [(0, 3), (0, 4), (1, 3), (1, 4)]),  # all with all
        ([(0, 1), (1, 2), (0, 2)], {1}, [(0, 2)]),  # the golden's own redundant edge stays, once
        ([(0, 1), (1, 2), (2, 3), (0, 3)], {2}, [(0, 1), (1, 3), (0, 3)]),
        ([], {1}, []),
        ([(0, 1), (1, 2), (2, 3)], {0, 1, 2, 3}, []),
    ],
)
def test_bridged_edges(edges: list[tuple[int, int]], removed: set[int], expected: list[tuple[int, int]]) -> None:
    size = 5
    assert bridged_edges(graph(size, edges), set(range(size)) - removed) == expected


PAIRS = [(a, b) for b in range(8) for a in range(b)]


@given(st.lists(st.sampled_from(PAIRS), unique=True), st.sets(st.integers(0, 7)))
def test_precedence_among_the_rest_is_the_golden_s(edges: list[tuple[int, int]], removed: set[int]) -> None:
    kept = set(range(8)) - removed
    golden = nx.transitive_closure_dag(nx.DiGraph(edges))
    left = nx.DiGraph(bridged_edges(graph(8, edges), kept))
    expected = {(a, b) for a, b in golden.edges if a in kept and b in kept}
    assert set(nx.transitive_closure_dag(left).edges) == expected


def chain(size: int) -> Record:
    nodes = [{"id": f"n{n}", "text": f"text {n}"} for n in range(size)]
    edges = [[f"n{n}", f"n{n + 1}"] for n in range(size - 1)]
    return {"kind": "workflow", "id": "g", "nodes": nodes, "edges": edges, "meta": {}}


def test_tail_takes_the_last_steps_of_the_order() -> None:
    candidate = perturb(chain(7), "missing_steps", 30, placement="tail")["candidate"]
    assert [node["id"] for node in candidate["nodes"]] == ["n0", "n1", "n2", "n3"]  # ceil(2.1) = 3 are gone
    backwards = chain(4) | {"nodes": chain(4)["nodes"][::-1]}  # listed against its edges
    candidate = perturb(backwards, "missing_steps", 50, placement="tail")["candidate"]
    assert [node["id"] for node in candidate["nodes"]] == ["n1", "n0"]


def test_block_takes_steps_in_a_row_and_every_start_occurs() -> None:
    starts = set()
    for seed in range(60):
        pair = perturb(chain(6), "missing_steps", 50, placement="block", seed=seed)
        removed = [int(edit["nodes"][0][1:]) for edit in pair["perturbation"]["edits"]]
        assert removed == list(range(removed[0], removed[0] + 3))
        starts.add(removed[0])
    assert starts == {0, 1, 2, 3}


def test_uniform_takes_every_step_sometimes() -> None:
    gone = {
        edit["nodes"][0]
        for seed in range(60)
        for edit in perturb(chain(6), "missing_steps", 10, seed=seed)["perturbation"]["edits"]
    }
    assert gone == {f"n{n}" for n in range(6)}


def test_the_whole_record() -> None:
    golden = chain(5)
    assert perturb(golden, "missing_steps", 30, placement="tail", seed=7, repeat=2) == {
        "kind": "pair",
        "id": "g/missing_steps/30/tail/r2",
        "golden": golden,
        "candidate": {
            "kind": "workflow",
            "id": "g/missing_steps/30/tail/r2",
            "nodes": golden["nodes"][:3],
            "edges": golden["edges"][:2],
            "meta": {},
        },
        "perturbation": {
            "type": "missing_steps",
            "severity": 30,
            "count": 2,
            "target_score": 0.7,
            "seed": 7,
            "generator": "rules",
            "placement": "tail",
            "repeat": 2,
            "edits": [{"op": "remove", "nodes": ["n3"]}, {"op": "remove", "nodes": ["n4"]}],
            "attempts": 1,
        },
    }


def test_all_steps_removed_leave_an_empty_workflow() -> None:
    candidate = perturb(chain(1), "missing_steps", 10)["candidate"]
    assert (candidate["nodes"], candidate["edges"]) == ([], [])
