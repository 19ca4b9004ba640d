import json
from pathlib import Path

import jsonschema_rs
import pytest

from wfkit.errors import UsageProblem
from wfkit.gate.baseline import Baseline, baseline_record
from wfkit.gate.observation import Observer

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "baseline.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)
OBSERVER = Observer(["m", "k"])


def pair(identifier, score, golden=None, **fields):
    golden = golden or identifier
    return {
        "kind": "pair", "id": identifier, "golden": {"kind": "workflow", "id": golden, "nodes": [], "edges": []},
        "candidate": {"kind": "workflow", "id": identifier, "nodes": [], "edges": []},
        "scores": {} if score is ... else {"m": score}, "signatures": {"m": "wfkit=1"}, **fields,
    }  # fmt: skip


def compared(before, now, max_drop=0.02):
    baseline = Baseline("base.jsonl", ["m"])
    for record in before:
        baseline.learn(record)
    for record in now:
        baseline.check(record)
        baseline.add(OBSERVER.observe(record, "pass"), OBSERVER)
    return baseline.compare(max_drop)


def of_metric(*arguments, **options):
    [result] = compared(*arguments, **options)["metrics"]
    return result


def run_of(*scores):
    return [pair(f"g{number}", score) for number, score in enumerate(scores)]


def test_the_drop_by_hand():
    """Before 0.9, 0.8, 0.7 (mean 0.8), now 0.8, 0.7, 0.6 (mean 0.7): every golden drops by 0.1."""
    result = of_metric(run_of(0.9, 0.8, 0.7), run_of(0.8, 0.7, 0.6))
    assert result["metric"] == "m"
    assert (result["n"], result["goldens"], result["max_drop"], result["status"]) == (3, 3, 0.02, "fail")
    assert [result[key] for key in ("baseline_mean", "mean", "drop")] == pytest.approx([0.8, 0.7, 0.1])
    assert result["ci"] == pytest.approx([0.1, 0.1])


@pytest.mark.parametrize(
    ("before", "now", "max_drop", "status"),
    [
        ([0.9] * 10, [0.9] * 10, 0.02, "pass"),
        ([0.9] * 10, [1.0] * 10, 0.02, "pass"),  # it rose
        ([1.0] * 10, [0.98] * 10, 0.02, "pass"),  # exactly as much as is allowed
        ([1.0] * 10, [0.97] * 10, 0.02, "fail"),
        ([1.0] * 10, [0.97] * 10, 0.05, "pass"),
        ([1.0] * 10, [0.97] * 10, 0.0, "fail"),
        # One golden of twenty drops to 0.2: the mean drops by 0.04, and a third of all draws miss that golden.
        ([1.0] * 20, [0.2] + [1.0] * 19, 0.02, "pass"),
        # Half of them do: nobody could take that for noise.
        ([1.0] * 20, [0.2] * 10 + [1.0] * 10, 0.02, "fail"),
        # As much up as down.
        ([0.5] * 20, [0.4] * 10 + [0.6] * 10, 0.02, "pass"),
        # One golden alone tells nothing about noise.
        ([1.0], [0.5], 0.02, "unmeasured"),
        ([1.0], [0.99], 0.02, "pass"),
    ],
)
def test_only_a_drop_that_is_large_and_outside_noise_fails(before, now, max_drop, status):
    assert of_metric(run_of(*before), run_of(*now), max_drop=max_drop)["status"] == status


def test_repeats_of_one_golden_are_no_evidence_of_their_own():
    """Fifty pairs of two goldens: one golden drops, the other does not."""
    before = [pair(f"{golden}/{number}", 1.0, golden) for golden in "ab" for number in range(25)]
    now = [pair(one["id"], 0.5 if one["golden"]["id"] == "a" else 1.0, one["golden"]["id"]) for one in before]
    result = of_metric(before, now)
    assert (result["n"], result["goldens"], result["drop"], result["status"]) == (50, 2, 0.25, "pass")


def test_equal_ids_are_paired_and_other_candidates_by_the_means_of_their_golden():
    by_id = of_metric([pair("a/1", 0.9, "a"), pair("a/2", 0.5, "a")], [pair("a/2", 0.5, "a"), pair("a/1", 0.9, "a")])
    assert (by_id["n"], by_id["drop"]) == (2, 0)
    by_golden = of_metric(
        [pair("x", 0.9, "a"), pair("y", 0.5, "a"), pair("b", 0.4)], [pair("z", 0.6, "a"), pair("b", 0.4)]
    )
    assert (by_golden["n"], by_golden["drop"]) == (2, pytest.approx(0.05))  # 0.7 - 0.6 and 0.4 - 0.4


def test_what_is_missing_from_the_run_is_told():
    comparison = compared(run_of(0.9, 0.8, 0.7), [pair("g0", 0.9), pair("new", 0.1)])
    assert (comparison["missing_count"], comparison["missing"], comparison["new"]) == (2, ["g1", "g2"], 1)


def test_one_of_several_pairs_of_a_golden_may_be_missing():
    before = [pair("a/1", 0.9, "a"), pair("a/2", 0.9, "a")]
    assert compared(before, before[:1])["missing"] == ["a/2"]


@pytest.mark.parametrize(
    ("before", "now", "status"),
    [
        (run_of(0.9, 0.9), run_of(0.9, None), "unmeasured"),
        (run_of(0.9, 0.9), run_of(0.9, ...), "unmeasured"),
        (run_of(0.9, None), run_of(0.9, 0.1), "pass"),  # there is nothing to compare with
        (run_of(0.9, None), run_of(0.9, None), "pass"),
        (run_of(*[0.9] * 5), run_of(*[0.5] * 4, None), "fail"),  # whatever the last one is
        ([pair("x", 0.9, "a")], [pair("y", 0.9, "a"), pair("z", None, "a")], "unmeasured"),
    ],
)
def test_a_number_then_and_none_now_is_unmeasured(before, now, status):
    assert of_metric(before, now)["status"] == status


def test_what_was_lost_is_named():
    reason = of_metric(run_of(0.9, 0.9), run_of(None, 0.9))["reason"]
    assert reason == "1 score of the baseline cannot be measured now: g0"


def test_a_metric_that_the_baseline_has_not_is_left_out():
    assert compared([pair("a", ...)], [pair("a", 0.9)])["metrics"] == []


def test_another_way_of_measuring_is_refused_and_both_are_named():
    other = {"signatures": {"m": "wfkit=2"}}
    with pytest.raises(
        UsageProblem, match=r"m of the baseline base.jsonl was measured as wfkit=1, and in this run as"
    ) as caught:
        compared([pair("a", 0.9)], [pair("a", 0.9, **other)])
    assert "wfkit=2 (record 'a'); they differ in wfkit" in str(caught.value)
    with pytest.raises(UsageProblem, match="in this run as none"):
        compared([pair("a", 0.9)], [pair("a", 0.9, signatures={})])
    with pytest.raises(UsageProblem, match=r"base.jsonl: m was measured in two ways"):
        compared([pair("a", 0.9), pair("b", 0.9, **other)], [])


def test_the_signature_of_a_score_that_is_not_there_or_not_looked_at_does_not_matter():
    result = compared(
        [pair("a", 0.9), pair("b", None, signatures={"m": "wfkit=0"})],
        [pair("a", 0.9, scores={"m": 0.9, "k": 1}, signatures={"m": "wfkit=1", "k": "wfkit=7"})],
    )
    assert result["metrics"][0]["status"] == "pass"


def several_goldens(score_of_first, score_of_second):
    return [
        pair(f"c@{golden}", score, golden, group="tea", candidate={"kind": "workflow", "id": "c", "nodes": []})
        for golden, score in (("g1", score_of_first), ("g2", score_of_second))
    ]


def test_of_several_goldens_the_best_is_compared():
    """The candidate was like the first golden and is now like the second: that is no drop."""
    before, now = several_goldens(1.0, 0.4), several_goldens(0.4, 1.0)
    result = of_metric([*before, pair("other", 1.0)], [now[1], pair("other", 1.0)])
    assert (result["n"], result["drop"], result["status"]) == (2, 0, "pass")


def test_candidates_that_are_called_alike_are_all_compared():
    records = [
        pair(f"run{number}", 0.9, "tea", group="tea", candidate={"kind": "workflow", "id": "tea", "nodes": []})
        for number in range(3)
    ]
    assert compared([*records, pair("b", 0.9)], [*records, pair("b", 0.9)])["metrics"][0]["n"] == 4


@pytest.mark.parametrize("record", [pair("a", 0.9), pair("a", None), several_goldens(0.1, 0.2)[0]])
def test_a_blessed_record_says_what_its_pair_says(record):
    blessed = baseline_record(record)
    VALIDATOR.validate(blessed)
    assert "candidate" not in blessed or isinstance(blessed["candidate"], str)
    assert compared([blessed], [record]) == compared([record], [record])


def test_a_pair_without_candidate_keeps_its_place():
    record = {**pair("a", ...), "candidate": None, "group": "tea"}
    assert baseline_record(record) == {
        "kind": "baseline", "id": "a", "golden": "a", "scores": {}, "signatures": {"m": "wfkit=1"},
    }  # fmt: skip


def test_names_of_many_lost_ids_are_cut():
    comparison = compared(run_of(*[0.9] * 150), [])
    assert (comparison["missing_count"], len(comparison["missing"]), comparison["metrics"]) == (150, 100, [])
