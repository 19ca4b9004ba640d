"""The worked examples of the paired-robustness aggregates, from records to records; all can be checked by hand."""

import pytest

from wfkit.agents.aggregation.capability import read_capabilities
from wfkit.agents.aggregation.report import aggregate
from wfkit.agents.aggregation.settings import Settings

FEW = Settings(replicates=50)

# pair, task, clean, perturbed; None: the grader stopped
FIVE = [("p1", "t1", 1, 1), ("p2", "t2", 1, 0), ("p3", "t3", 0, 0), ("p4", "t4", 1, None), ("p5", "t5", None, 1)]


def five_records(short):
    requests = [short.asked(pair, task) for pair, task, _, _ in FIVE]
    return requests, [short.graded(request, *row[2:]) for request, row in zip(requests, FIVE, strict=True)]


def by_group(records):
    return {tuple(record["group"].values()): record for record in records}


def test_five_requests_five_records(short):
    requests, grades = five_records(short)
    overall = aggregate(short.read(requests, grades), FEW)[0]
    assert (overall["requested"], overall["scored"], overall["coverage"]) == (5, 3, 3 / 5)
    assert overall["clean"] == 2 / 3
    assert overall["perturbed"] == 1 / 3
    assert overall["delta"] == 1 / 3
    assert overall["degradation"] == 0.5  # (2 - 1) / 2
    assert overall["bounds"] == {
        "clean": [3 / 5, 4 / 5],  # 1 + 1 + 0 + 1 known, one unknown
        "perturbed": [2 / 5, 3 / 5],  # 1 + 0 + 0 + 1 known, one unknown
        "delta": [0.0, 0.4],
        "degradation": [0.0, 0.5],
    }
    assert overall["one_sided"] == {"clean_only": 1, "perturbed_only": 1, "neither": 0}
    assert overall["status_counts"]["clean"] == {"graded": 4, "grader_error": 1}


def test_a_sixth_request_without_any_record(short):
    requests, grades = five_records(short)
    overall = aggregate(short.read([*requests, short.asked("p6", "t6")], grades), FEW)[0]
    assert (overall["requested"], overall["scored"], overall["coverage"]) == (6, 3, 3 / 6)
    assert (overall["clean"], overall["perturbed"]) == (2 / 3, 1 / 3)
    assert (overall["delta"], overall["degradation"]) == (1 / 3, 0.5)
    assert overall["bounds"] == {
        "clean": [3 / 6, 5 / 6],
        "perturbed": [2 / 6, 4 / 6],
        "delta": [-1 / 6, 1 / 2],
        "degradation": [-1 / 3, 3 / 5],
    }
    assert overall["one_sided"]["neither"] == 1
    assert overall["status_counts"]["perturbed"] == {"graded": 4, "grader_error": 1, "no_record": 1}


def test_no_clean_success(short):
    requests = [short.asked("p1", "t1"), short.asked("p2", "t2")]
    grades = [short.graded(requests[0], 0, 0), short.graded(requests[1], 0, 1)]
    overall = aggregate(short.read(requests, grades), FEW)[0]
    assert overall["delta"] == -0.5
    assert overall["degradation"] is None
    assert overall["bounds"]["clean"] == [0, 0]
    assert overall["bounds"]["degradation"] == [None, None]
    assert "the clean mean is 0: the degradation is undefined" in overall["notes"]


def test_cost(short):
    """One clean run for each task, shared by two families."""
    clean = {"t1": (1, 1000), "t2": (1, 3000), "t3": (0, 2000)}
    perturbed = {
        "user/missing": {"t1": (1, 1500), "t2": (0, 9000), "t3": (0, 2500)},
        "user/redundant": {"t1": (1, 1000), "t2": (1, 4000), "t3": (0, 2000)},
    }
    calls = {"t1": 4, "t2": 10, "t3": 2}
    requests, grades = [], []
    for family, outcomes in perturbed.items():
        for task, outcome in outcomes.items():
            request = short.asked(f"{family}/{task}", task, family)
            before = short.side(clean[task][0], f"clean-{task}", clean[task][1], tool_calls=4)
            after = short.side(outcome[0], f"{family}-{task}", outcome[1], tool_calls=calls[task])
            requests.append(request)
            grades.append(short.graded(request, before, after))
    overall = aggregate(short.read(requests, grades), FEW)[0]
    assert (overall["clean"], overall["perturbed"], overall["degradation"]) == (4 / 6, 3 / 6, 0.25)
    cost = overall["cost"]
    assert (cost["clean"]["episodes"], cost["clean"]["tokens"], cost["clean"]["successes"]) == (3, 6000, 2)
    assert cost["clean"]["tokens_per_success"] == 3000
    assert cost["clean"]["successes_per_million"] == pytest.approx(333.33, abs=0.005)
    assert (cost["perturbed"]["episodes"], cost["perturbed"]["tokens"], cost["perturbed"]["successes"]) == (6, 20000, 3)
    assert cost["perturbed"]["tokens_per_success"] == pytest.approx(6666.67, abs=0.005)
    assert cost["perturbed"]["successes_per_million"] == 150
    assert cost["ratio"]["tokens_per_success"] == pytest.approx(20 / 9, rel=1e-15)
    assert cost["ratio"]["successes_per_million"] == pytest.approx(0.45, rel=1e-15)
    assert cost["clean"]["successful_trajectory"]["mean"] == 2000
    assert cost["clean"]["successful_trajectory"]["median"] == 2000
    trajectory = cost["perturbed"]["successful_trajectory"]
    assert trajectory["mean"] == pytest.approx(6500 / 3, rel=1e-15)
    assert (trajectory["median"], trajectory["q1"], trajectory["q3"]) == (1500, 1250, 2750)
    assert cost["ratio"]["successful_trajectory"]["mean"] == pytest.approx(13 / 12, rel=1e-15)
    assert cost["ratio"]["successful_trajectory"]["median"] == 0.75
    ratios = cost["paired_ratio"]["tool_calls"]  # 1, 2.5, 0.5, twice
    assert (ratios["median"], ratios["q1"], ratios["q3"]) == (1, 0.625, 2.125)
    assert ratios["mean"] == pytest.approx(4 / 3, rel=1e-15)


def test_capability_against_robustness(short):
    """Robustness 0.1, 0.3, 0.2, 0.4 of ten pairs with clean 1: the perturbed side keeps 1, 3, 2, 4 of ten."""
    kept = {"m1": 1, "m2": 3, "m3": 2, "m4": 4}
    requests = [short.asked(f"p{number}", f"t{number}") for number in range(10)]
    grades = [
        short.graded(request, 1, int(place < successes), model=model)
        for model, successes in kept.items()
        for place, request in enumerate(requests)
    ]
    rows = [{"model": f"m{rank}", "score": rank, "source": "index", "date": "2026-09-29"} for rank in (1, 2, 3, 4)]
    overall = aggregate(short.read(requests, grades), FEW, read_capabilities(rows, kept))[0]
    assert overall["capability"]["rho"] == 0.8  # 1 - 6 * 2 / (4 * 15)
    assert overall["capability"]["p"] == 8 / 24
    assert overall["capability"]["p_greater"] == 4 / 24
    assert overall["capability"]["method"] == "exact"
    assert overall["capability"]["too_few"]


def test_two_scales_are_never_pooled(short):
    rows = [("x", "unit", 0.6, 0.3), ("x", "unit", 0.4, 0.2), ("y", "binary", 1, 1), ("y", "binary", 1, 0)]
    requests = [
        short.asked(f"{benchmark}{place}", f"t{place}", benchmark=benchmark, scale=scale)
        for place, (benchmark, scale, _, _) in enumerate(rows)
    ]
    grades = [short.graded(request, *row[2:]) for request, row in zip(requests, rows, strict=True)]
    records = aggregate(short.read(requests, grades), FEW)
    groups = by_group(records)
    assert all("benchmark" in record["group"] for record in records)
    assert (groups["x",]["degradation"], groups["x",]["delta"]) == (0.5, 0.25)
    assert (groups["y",]["degradation"], groups["y",]["delta"]) == (0.5, 0.5)
    assert groups["x",]["pooled_across_benchmarks"] is None


def test_simpsons_trap(short):
    """Model A has one pair that broke; model B has nine that held, and A's other eight requests are unknown."""
    requests = [short.asked(f"p{number}", f"t{number}") for number in range(9)]
    grades = [short.graded(requests[0], 1, 0, model="A")]
    grades += [short.graded(request, 1, 1, model="B") for request in requests]
    overall = aggregate(short.read(requests, grades), FEW)[0]
    assert overall["degradation"] == pytest.approx(0.1, rel=1e-15)  # (10 - 9) / 10
    assert overall["mean_model_degradation"] == 0.5
    assert overall["coverage"] == 10 / 18
