import pytest

from wfkit.agents.aggregation.capability import (
    across_benchmarks,
    capability_figures,
    differing_outcomes,
    read_capabilities,
)
from wfkit.agents.aggregation.evidence import collect
from wfkit.errors import UsageProblem


def row(model, score, **more):
    return {"model": model, "score": score, "source": "index", "date": "2026-09-29"} | more


def figures(**degradations):
    return {
        model: {"degradation": value, "coverage": 0.5, "bounds": {"degradation": [0, 1]}}
        for model, value in degradations.items()
    }


def test_scores_may_be_numbers_or_csv_texts():
    capabilities = read_capabilities([row("a", 3), row("b", " 4.5")], "abc")
    assert {model: each.score for model, each in capabilities.items()} == {"a": 3, "b": 4.5}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "the capability file is empty"),
        ([row("z", 1)], "capability of the unknown model z; the records have a, b"),
        ([row("a", 1), row("a", 1)], "two capabilities of the model a"),
        ([row("a", "high")], "the capability of a should be a number, not 'high'"),
        ([row("a", True)], "should be a number, not True"),
        ([row("a", "nan")], "should be a number, not 'nan'"),
        ([row("a", [1])], "should be a number"),
        ([row("a", 1, source="")], "without source"),
        ([{"model": "a", "score": 1}], "without source, date"),
    ],
)
def test_a_bad_capability_file(rows, message):
    with pytest.raises(UsageProblem, match=message):
        read_capabilities(rows, ["b", "a"])


def test_models_are_listed_with_coverage_and_bounds_and_the_left_out_are_named():
    capabilities = read_capabilities([row("a", 1), row("b", 2), row("d", 3)], "abcd")
    answer = capability_figures(figures(a=0.3, b=0.1, c=0.2, d=None), capabilities, most_capable=1, seed=0)
    assert [(each["model"], each["degradation"]) for each in answer["models"]] == [("b", 0.1), ("a", 0.3)]
    assert (answer["models"][0]["coverage"], answer["models"][0]["bounds"]) == (0.5, [0, 1])
    assert (answer["without_capability"], answer["without_degradation"]) == (["c"], ["d"])
    assert (answer["rho"], answer["p"], answer["too_few"]) == (1, 1, True)
    assert answer["most_capable"] == {"count": 1, "degradation": 0.1, "rest": 0.3, "tied": False}


def test_most_capable_against_the_rest():
    capabilities = read_capabilities(
        [row(model, score) for model, score in zip("abcd", (4, 3, 3, 1), strict=True)], "abcd"
    )
    degradations = figures(a=0.1, b=0.2, c=0.3, d=0.5)
    answer = capability_figures(degradations, capabilities, most_capable=2, seed=0)["most_capable"]
    assert answer["degradation"] == pytest.approx(0.15)  # a and, by name, b
    assert answer["rest"] == 0.4
    assert answer["tied"]
    everyone = capability_figures(degradations, capabilities, most_capable=9, seed=0)["most_capable"]
    assert everyone == {"count": 4, "degradation": None, "rest": None, "tied": False}


def test_no_model_in_common_with_the_capability_file():
    answer = capability_figures(figures(a=None), read_capabilities([row("a", 1)], "a"), most_capable=3, seed=0)
    assert (answer["rho"], answer["models"], answer["without_degradation"]) == (None, [], ["a"])
    assert answer["most_capable"] == {"count": 0, "degradation": None, "rest": None, "tied": False}


def test_benchmarks_are_compared_by_rank_only():
    answer = across_benchmarks(
        {"y": {"a": 0.9, "b": 0.5, "c": 0.1, "d": None}, "x": {"a": 0.01, "b": 0.02, "c": 0.03, "d": 0.5}, "z": {}}, 0
    )
    assert [(each["benchmarks"], each["models"], each["rho"]) for each in answer] == [
        (["x", "y"], ["a", "b", "c"], -1),
        (["x", "z"], [], None),
        (["y", "z"], [], None),
    ]
    assert answer[0]["p"] == 2 / 6


def test_differing_outcomes(short):
    """Of three requests a and b have two in common; they differ in the perturbed score of one."""
    requests = [short.asked(f"p{place}", f"t{place}") for place in range(3)]
    outcomes = {"a": [(1, 1), (1, 0), (1, 1)], "b": [(1, 1), (1, 1), (1, None)]}
    grades = [
        short.graded(request, *outcome, model=model)
        for model, each in outcomes.items()
        for request, outcome in zip(requests, each, strict=True)
    ]
    (evidence,) = collect(short.read(requests, grades, models=["c"]))
    assert differing_outcomes(evidence) == [
        {"models": ["a", "b"], "pairs": 2, "differing": 1, "share": 0.5},
        {"models": ["a", "c"], "pairs": 0, "differing": 0, "share": None},
        {"models": ["b", "c"], "pairs": 0, "differing": 0, "share": None},
    ]
