import pytest

from wfkit.agents.aggregation.cost import paired_ratios, rollout_tests, side_costs
from wfkit.agents.aggregation.evidence import collect


def evidence_of(short, rows):
    """One record for each (task, clean side, perturbed side)."""
    requests = [short.asked(f"p{place}", task) for place, (task, *_) in enumerate(rows)]
    grades = [short.graded(request, *row[1:]) for request, row in zip(requests, rows, strict=True)]
    (evidence,) = collect(short.read(requests, grades))
    return evidence


def test_a_shared_clean_run_counts_once_however_many_families_have_it(short):
    side = short.side
    rows = [("t1", side(1, "c1", 100), side(1, "p1", 50))] * 3 + [("t2", side(1, "c2", 700), side(0, "p2", 10))]
    cost = side_costs(evidence_of(short, rows), 1.0)
    assert cost["pairs"] == 4
    assert (cost["clean"]["episodes"], cost["clean"]["tokens"]) == (2, 800)
    # the three perturbed sides of t1 carry one name, so they are one episode
    assert (cost["perturbed"]["episodes"], cost["perturbed"]["tokens"]) == (2, 60)


def test_episodes_without_a_name_are_all_different(short):
    rows = [("t1", short.side(1, None, 100), short.side(1, None, 50))] * 2
    cost = side_costs(evidence_of(short, rows), 1.0)
    assert (cost["clean"]["tokens"], cost["perturbed"]["tokens"]) == (200, 100)


def test_what_was_spent_outside_the_common_set_is_shown(short):
    side = short.side
    rows = [
        ("t1", side(1, "c1", 100), side(1, "p1", 50)),
        ("t1", side(1, "c1", 100), side(None, "p2", 4000)),  # its clean episode is in the set already
        ("t2", side(1, "c2", 30), side(None, "p3", 500)),
        ("t2", side(1, "c2", 30), side(None, "p4", 7)),
        ("t3", side(1, "c3", 9), side(1, "p5")),  # tokens unknown
    ]
    cost = side_costs(evidence_of(short, rows), 1.0)
    assert (cost["pairs"], cost["clean"]["tokens"], cost["perturbed"]["tokens"]) == (1, 100, 50)
    assert (cost["clean"]["unscored_tokens"], cost["perturbed"]["unscored_tokens"]) == (39, 4507)


def test_without_success_or_tokens_there_is_no_ratio(short):
    cost = side_costs(evidence_of(short, [("t1", short.side(0, "c", 0), short.side(0, "p", 0))]), 1.0)
    assert cost["clean"]["tokens_per_success"] is None
    assert cost["clean"]["successes_per_million"] is None
    assert cost["ratio"]["successful_trajectory"] == {"mean": None, "median": None}


def test_success_on_a_unit_scale_is_a_threshold(short):
    request = short.asked("p1", scale="unit")
    record = short.graded(request, short.side(0.8, "c", 10), short.side(0.5, "p", 10))
    (evidence,) = collect(short.read([request], [record]))
    assert [side_costs(evidence, least)["clean"]["successes"] for least in (1.0, 0.8, 0.3)] == [0, 1, 1]


def test_ratios_whatever_became_of_the_score_and_clean_zero_apart(short):
    side = short.side
    rows = [
        ("t1", side(1, "a", 10, turns=2), side(0, "b", 30, turns=3)),
        ("t2", side(1, "c", 10, turns=0), side(None, "d", 10, turns=3)),
        ("t3", side(1, "e", 10), side(None, "f", 5, turns=3)),
    ]
    ratios = paired_ratios(evidence_of(short, rows))
    assert (ratios["tokens"]["pairs"], ratios["tokens"]["median"], ratios["tokens"]["mean"]) == (3, 1, 1.5)
    assert ratios["tokens"]["sd"] == pytest.approx((((3 - 1.5) ** 2 + 0.5**2 + 1**2) / 2) ** 0.5)
    assert (ratios["turns"]["pairs"], ratios["turns"]["clean_zero"], ratios["turns"]["median"]) == (1, 1, 1.5)
    assert ratios["turns"]["sd"] is None
    assert ratios["tool_calls"] == {
        "pairs": 0,
        "median": None,
        "q1": None,
        "q3": None,
        "mean": None,
        "sd": None,
        "clean_zero": 0,
        "heavy_tail": None,
    }


def test_a_loop_like_run_is_named(short):
    """Nine ratios of 1 and one of 91: median 1, quartiles 1, mean 10, without it 1."""
    rows = [(f"t{place}", short.side(1, "c", 10), short.side(1, "p", 10)) for place in range(9)]
    rows.append(("t9", short.side(1, "c", 10), short.side(1, "p", 910)))
    ratios = paired_ratios(evidence_of(short, rows))["tokens"]
    assert (ratios["median"], ratios["mean"]) == (1, 10)
    assert ratios["heavy_tail"] == {
        "fence": 1,
        "beyond": 1,
        "mean_without": 1,
        "largest": [{"pair": "p9", "model": "m", "repeat": 0, "ratio": 91}],
    }


def test_rollout_test_counts_directions_by_task(short):
    """Six tasks in which every perturbed run is longer: 2 of 64 patterns; one huge run changes nothing."""
    for longest in (30, 10**6):
        rows = [(f"t{place}", short.side(1, "c", turns=5), short.side(1, "p", turns=6)) for place in range(5)]
        rows.append(("t5", short.side(1, "c", turns=5), short.side(1, "p", turns=longest)))
        tests = rollout_tests(evidence_of(short, rows), 0)
        assert (tests["turns"]["p"], tests["turns"]["tasks"]) == (2 / 64, 6)
    assert tests["input_tokens"]["p"] is None
