import numpy as np
import pytest

from wfkit.agents.aggregation.evidence import collect
from wfkit.agents.aggregation.figures import (
    complete,
    complete_case,
    imposed_zeros,
    mean_model_degradation,
    paired_figures,
)


def evidence_of(short, rows, scale="binary", **more):
    """One record for each (pair, task, clean, perturbed)."""
    requests = [short.asked(pair, task, scale=scale) for pair, task, *_ in rows]
    grades = [short.graded(request, *row[2:], **more) for request, row in zip(requests, rows, strict=True)]
    (evidence,) = collect(short.read(requests, grades))
    return evidence


def test_sums_are_rounded_once(short):
    """0.1 ten times is 1: adding up from left to right would give 0.9999999999999999."""
    rows = [(f"p{place}", "t", 0.1, 0.1) for place in range(10)]
    figures = paired_figures(evidence_of(short, rows, "unit"))
    assert (figures["clean"], figures["delta"], figures["degradation"]) == (0.1, 0, 0)


def test_bounds_of_complete_data_are_the_figures(short):
    figures = paired_figures(evidence_of(short, [("p1", "t1", 0.7, 0.4), ("p2", "t2", 0.3, 0.3)], "unit"))
    for name in ("clean", "perturbed", "delta", "degradation"):
        assert figures["bounds"][name] == pytest.approx([figures[name]] * 2, abs=1e-15)


def test_clean_may_be_zero(short):
    """Clean known 0, one unknown: C in [0, 1/2], so D has no lower end; D is at most 1 - (0/2) / (1/2)."""
    figures = paired_figures(evidence_of(short, [("p1", "t1", 0, 0), ("p2", "t2", None, 0)]))
    assert figures["bounds"]["degradation"] == [None, 1]


def test_imposed_zeros_are_scores_for_the_means_and_unknown_for_the_bounds(short):
    failed = short.side(0, status="actor_timeout")
    evidence = evidence_of(short, [("p1", "t1", 1, failed), ("p2", "t2", failed, 1)], actor_failure="zero")
    figures = paired_figures(evidence)
    assert (figures["scored"], figures["clean"], figures["perturbed"]) == (2, 0.5, 0.5)
    assert figures["bounds"]["clean"] == [0.5, 1]
    assert figures["bounds"]["degradation"] == [-1, 0.5]
    assert imposed_zeros(evidence) == {"clean": 1, "perturbed": 1}


def test_a_zero_that_the_grader_gave_is_no_imposed_one(short):
    gave = short.side(0, status="turn_limit")
    assert imposed_zeros(evidence_of(short, [("p1", "t1", 1, gave)]))["perturbed"] == 0


def test_complete_cases(short):
    """Task t1 has both its requests scored, t2 only one of two."""
    rows = [("p1", "t1", 1, 0), ("p2", "t1", 1, 1), ("p3", "t2", 0, 0), ("p4", "t2", 0, None)]
    evidence = evidence_of(short, rows)
    kept = complete(evidence)
    assert kept.tolist() == [True, True, False, False]
    case = complete_case(evidence, kept)
    assert (case["units"], case["units_kept"], case["scored"], case["coverage"]) == (2, 1, 2, 0.5)
    assert (case["clean"], case["perturbed"], case["degradation"]) == (1, 0.5, 0.5)


def test_no_complete_case(short):
    evidence = evidence_of(short, [("p1", "t1", 1, None)])
    case = complete_case(evidence, complete(evidence))
    assert (case["units_kept"], case["clean"], case["degradation"]) == (0, None, None)


def test_the_mean_of_models_skips_models_without_degradation_and_its_bounds_do_not(short):
    requests = [short.asked("p1", "t1"), short.asked("p2", "t2")]
    grades = [short.graded(requests[0], 1, 0, model="a"), short.graded(requests[1], 1, 1, model="a")]
    grades.append(short.graded(requests[0], 0, 0, model="b"))
    (evidence,) = collect(short.read(requests, grades))
    # a: D = 1/2, exactly known; b: C in [0, 1/2], P in [0, 1/2], so D is at most 1 and has no lower end
    assert mean_model_degradation(evidence) == {
        "mean_model_degradation": 0.5,
        "models_averaged": 1,
        "mean_model_degradation_bounds": [None, 0.75],
    }


def test_nothing_requested(short):
    evidence = evidence_of(short, [("p1", "t1", 1, 1)])
    figures = paired_figures(evidence.where(np.zeros(1, dtype=bool)))
    assert figures == {
        "requested": 0,
        "scored": 0,
        "coverage": None,
        "clean": None,
        "perturbed": None,
        "delta": None,
        "degradation": None,
        "bounds": None,
    }
