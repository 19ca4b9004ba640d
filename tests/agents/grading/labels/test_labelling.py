"""Which episodes are labelled."""

from typing import Any

import pytest

from tests.agents.grading.helpers import pair
from wfkit.agents.grading.labels.labelling import Labelling
from wfkit.agents.grading.labels.trace import Said, Trace
from wfkit.agents.grading.plan import Plan, Request


class Reader:
    """Says the same of every episode, and keeps what it was shown."""

    name = "reader"

    def __init__(self, said: Said) -> None:
        self.said = said
        self.seen: list[Trace] = []

    def label(self, trace: Trace) -> Said:
        self.seen.append(trace)
        return self.said

    def stop(self) -> None:
        """Nothing was started."""


def request() -> Request:
    plan = Plan()
    envelope = {"replacement": "x", "modified_slots": [], "misleading_tokens": ["50"]}
    recovery = {"by": "user", "restores": ["40"], "note": ""}
    plan.add(pair("a", envelope=envelope, recovery=recovery))
    (only,) = [one for one in plan.requests() if isinstance(one, Request)]
    return only


def side(score: float | None) -> dict[str, Any]:
    return {"episode": "run-1", "score": score, "status": "graded", "asked": 2}


@pytest.mark.parametrize(
    ("clean", "perturbed", "recovered_too", "labelled"),
    [
        (1, 0, False, True), (1, 0.5, False, True), (1, 1, False, False), (1, 1, True, True), (0, 0, True, False),
        (0.9, 0, True, False), (None, 0, True, False), (1, None, True, False),
    ],
)  # fmt: skip
def test_failures_whose_clean_side_succeeded_are_labelled(
    clean: float | None, perturbed: float | None, recovered_too: bool, labelled: bool
) -> None:
    reader = Reader(Said("never_flagged", "gave_up"))
    labelling = Labelling(reader, lambda _: {"result": 1, "score": 0}, recovered_too=recovered_too, success=1.0)
    labels = labelling.labels(request(), side(clean), side(perturbed))
    expected = [{"annotator": "reader", "awareness": "never_flagged", "behaviour": "gave_up"}]
    assert labels == (expected if labelled else [])
    assert labelling.labelled == labelled


def test_an_annotator_is_shown_the_edit_and_what_was_done() -> None:
    reader = Reader(Said())
    Labelling(reader, lambda _: {"result": 1, "run": "x"}, recovered_too=False, success=1).labels(
        request(), side(1), side(0)
    )
    (trace,) = reader.seen
    assert (trace.target, trace.type, trace.misleading, trace.restores) == ("user", "missing", ["50"], ["40"])
    assert (trace.episode, trace.asked, trace.score) == ({"result": 1}, 2, 0)
    assert trace.message({"awareness": ["a"], "behaviour": ["b"]})["label_set"] == {
        "awareness": ["a"],
        "behaviour": ["b"],
    }


def test_what_could_not_be_labelled_is_counted() -> None:
    labelling = Labelling(Reader(Said(problem="asleep")), lambda _: {}, recovered_too=False, success=1)
    assert labelling.labels(request(), side(1), side(0)) == []
    assert dict(labelling.problems) == {"asleep": 1}
    lost = Labelling(Reader(Said()), lambda _: None, recovered_too=False, success=1)
    assert lost.labels(request(), side(1), side(0)) == []
    assert list(lost.lines()) == [
        "0 episodes labelled by reader", "1 episodes could not be labelled: the episode was not kept"
    ]  # fmt: skip


def test_without_an_annotator_there_are_no_labels() -> None:
    nobody = Labelling(None, lambda _: {}, recovered_too=True, success=1)
    assert nobody.labels(request(), side(1), side(0)) == []
    assert list(nobody.lines()) == []
    nobody.stop()
