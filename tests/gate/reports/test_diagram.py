"""Which steps and edges of a pair are drawn as lost, added, merged, moved or reworded."""

from collections.abc import Callable
from typing import Any

import pytest

from wfkit.gate.reports.diagram import EDGE_LIMIT, STEP_LIMIT, Drawing, DrawnEdge, draw

Pair = Callable[..., dict[str, Any]]


def states(drawing: Drawing | None) -> tuple[list[str], list[str]]:
    assert drawing is not None
    return [step.state for step in drawing.golden.steps], [step.state for step in drawing.candidate.steps]


@pytest.mark.parametrize(
    ("golden", "candidate", "matched", "expected"),
    [
        (["a", "b", "c"], ["a", "c"], None, (["same", "lost", "same"], ["same", "same"])),
        (["a", "c"], ["a", "b", "c"], None, (["same", "same"], ["same", "added", "same"])),
        (["a", "b"], ["a", "bb"], [(0, 0, 1.0), (1, 1, 0.9)], (["same", "reworded"], ["same", "reworded"])),
        (["a", "b", "c"], ["c", "a", "b"], None, (["same", "same", "moved"], ["moved", "same", "same"])),
        (
            ["boil water", "pour milk", "drink tea"],
            ["boil water then pour milk", "drink tea"],
            [(0, 0, 0.9), (2, 1, 1.0)],
            (["merged", "merged", "same"], ["merged", "same"]),
        ),
    ],
    ids=["lost", "added", "reworded", "moved", "merged"],
)
def test_what_became_of_each_step(make_pair: Pair, golden: Any, candidate: Any, matched: Any, expected: Any) -> None:
    assert states(draw(make_pair(golden, candidate, matched=matched))) == expected


def test_merged_steps_stand_for_one_candidate_step(make_pair: Pair) -> None:
    texts = ["boil water", "pour milk", "drink tea"], ["boil water then pour milk", "drink tea"]
    drawing = draw(make_pair(*texts, matched=[(0, 0, 0.9), (2, 1, 1.0)]))
    assert drawing is not None
    assert drawing.partners == ((0, 0, None), (1, 0, None), (2, 1, 1.0))


def test_only_real_changes_of_dependencies_are_marked(make_pair: Pair) -> None:
    # b lost: a > c is how the candidate closes the gap, and no change.
    drawing = draw(make_pair(["a", "b", "c"], ["a", "c"]))
    assert drawing is not None
    assert not any(edge.changed for side in (drawing.golden, drawing.candidate) for edge in side.edges)
    # a > b, a > c became a > b > c: c waits for b now instead of for a.
    edges = {"golden_edges": [(0, 1), (0, 2)], "candidate_edges": [(0, 1), (1, 2)]}
    drawing = draw(make_pair(["a", "b", "c"], ["a", "b", "c"], **edges))
    assert drawing is not None
    assert drawing.golden.edges == (DrawnEdge(0, 1, False), DrawnEdge(0, 2, True))
    assert drawing.candidate.edges == (DrawnEdge(0, 1, False), DrawnEdge(1, 2, True))


def test_without_an_alignment_both_sides_are_drawn_as_they_are(make_pair: Pair) -> None:
    record = make_pair(["a", "b"], ["a"])
    del record["alignment"]
    drawing = draw(record)
    assert states(drawing) == (["same", "same"], ["same"])
    assert drawing is not None and drawing.partners == ()
    assert "no alignment" in drawing.notes[0]


def test_without_candidate_steps_every_golden_step_is_lost(make_pair: Pair) -> None:
    record = make_pair(["a", "b"], [])
    assert states(draw(record)) == (["lost", "lost"], [])
    del record["alignment"]
    assert states(draw(record)) == (["lost", "lost"], [])


def test_without_candidate_the_golden_is_drawn(make_pair: Pair) -> None:
    record = {**make_pair(["a", "b"], []), "candidate": None}
    drawing = draw(record)
    assert states(drawing) == (["same", "same"], [])
    assert drawing is not None and drawing.notes == ("There is no candidate.",)


def test_what_is_too_broken_to_draw_is_not_drawn(make_pair: Pair) -> None:
    record = make_pair(["a", "b"], ["a"])
    record["golden"]["edges"].append(["1", "ghost"])
    assert draw(record) is None
    del record["alignment"]
    assert draw(record) is None


def test_of_long_workflows_the_changed_steps_and_their_neighbours_are_drawn(make_pair: Pair) -> None:
    golden = [f"step {number}" for number in range(1, 501)]  # as their ids
    candidate = golden[:400] + golden[401:]
    drawing = draw(make_pair(golden, candidate))
    assert drawing is not None
    assert [(step.id, step.state) for step in drawing.golden.steps] == [
        ("400", "same"),
        ("401", "lost"),
        ("402", "same"),
    ]
    assert [step.text for step in drawing.candidate.steps] == ["step 400", "step 402"]
    assert drawing.partners == ((0, 0, 1.0), (2, 1, 1.0))
    assert (drawing.golden.edges, drawing.golden.hidden) == ((DrawnEdge(0, 1, False), DrawnEdge(1, 2, False)), 497)
    assert drawing.notes[0].startswith("497 steps of the golden not drawn")


def test_a_long_workflow_that_changed_all_over_is_cut(make_pair: Pair) -> None:
    drawing = draw(make_pair([f"step {number}" for number in range(500)], ["something else"]))
    assert drawing is not None
    assert (len(drawing.golden.steps), drawing.golden.hidden) == (STEP_LIMIT, 500 - STEP_LIMIT)


def test_too_many_edges_are_no_picture(make_pair: Pair) -> None:
    texts = [f"step {number}" for number in range(30)]
    edges = [(here, there) for here in range(30) for there in range(here + 1, 30)]
    assert len(edges) > EDGE_LIMIT
    drawing = draw(make_pair(texts, texts, golden_edges=edges))
    assert drawing is not None
    assert drawing.golden.edges == () and len(drawing.candidate.edges) == 29
    assert drawing.notes == (f"The edges of the golden are not drawn: there are {len(edges)}.",)


def test_texts_are_cut_and_made_safe(make_pair: Pair) -> None:
    drawing = draw(make_pair(["x" * 100_000, "a\x1b[31m\u202eb"], ["c"]))
    assert drawing is not None
    assert [len(step.text) < 400 for step in drawing.golden.steps] == [True, True]
    assert drawing.golden.steps[1].text == "a\\x1b[31m\\u202eb"
