"""The model of a workflow: orders and cycles."""

import pytest

from wfkit.errors import DataError
from wfkit.workflow import Step, Workflow, from_record, topological_order


def workflow(count: int, *edges: tuple[int, int]) -> Workflow:
    return Workflow("w", tuple(Step(f"s{place}", "do it") for place in range(count)), edges)


@pytest.mark.parametrize(
    ("count", "edges", "order"),
    [
        (0, (), ()),
        (3, (), (0, 1, 2)),
        (3, ((0, 1), (1, 2)), (0, 1, 2)),
        (3, ((2, 1), (1, 0)), (2, 1, 0)),
        (4, ((3, 0), (1, 2)), (1, 2, 3, 0)),  # of those ready the one listed first
        (4, ((0, 3), (0, 1), (1, 2), (3, 2)), (0, 1, 3, 2)),
    ],
)
def test_the_order_is_stable(count: int, edges: tuple[tuple[int, int], ...], order: tuple[int, ...]) -> None:
    assert topological_order(workflow(count, *edges)) == order


@pytest.mark.parametrize(
    ("edges", "cycle"),
    [
        (((0, 0),), "s0 -> s0"),
        (((0, 1), (1, 0)), "s0 -> s1 -> s0"),
        (((0, 1), (1, 2), (2, 1)), "s1 -> s2 -> s1"),
    ],
)
def test_a_cycle_is_named_each_time(edges: tuple[tuple[int, int], ...], cycle: str) -> None:
    for _ in range(2):
        with pytest.raises(DataError, match=cycle) as raised:
            topological_order(workflow(3, *edges))
        assert raised.value.code == "E-CYCLE"


def test_a_task_of_an_unchecked_record_may_be_anything() -> None:
    record = {"id": ["x"], "task": {"a": 1}, "nodes": [{"id": "a", "text": "do it"}], "edges": []}
    assert topological_order(from_record(record)) == (0,)
