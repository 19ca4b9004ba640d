import numpy as np
import pytest

from wfkit import schema
from wfkit.sensitivity.response import Resampling, sensitivity_records
from wfkit.sensitivity.strata import strata_of


def records_of(columns, *, valid_only=False, replicates=200):
    used = columns.applicable & ~columns.invalid if valid_only else columns.applicable
    strata = list(strata_of(columns))
    resampling = Resampling(replicates, 0)
    records = list(sensitivity_records(columns, strata, columns.metrics, used, {"a": "wfkit=1"}, resampling))
    for record in records:
        schema.checker("sensitivity")({**record, "separation": None})
    return records


@pytest.fixture
def one(columns):
    """The only record on all pairs of one metric and type."""

    def build(pairs, **options):
        [record] = [record for record in records_of(columns(pairs), **options) if record["stratum"] is None]
        return record

    return build


def test_the_paper_s_figures(make_pair, one):
    # Graph F1 on Missing Steps: .90, .76, .61. Δ¹ = .14/.2 = .70, Δ² = .15/.2 = .75, average .725 = 2.5 (.90 - .61).
    means = {10: 0.90, 30: 0.76, 50: 0.61}
    record = one(
        make_pair(f"g{golden}", "missing_steps", severity, {"a": mean + shift})
        for severity, mean in means.items()
        for golden, shift in enumerate((-0.1, 0.0, 0.1))
    )
    assert (record["metric"], record["signature"], record["type"]) == ("a", "wfkit=1", "missing_steps")
    assert (record["pairs"], record["goldens"], record["too_small"]) == (9, 3, True)
    points = record["severities"]
    assert [point["severity"] for point in points] == [10, 30, 50]
    assert [point["mean"] for point in points] == pytest.approx([0.90, 0.76, 0.61])
    assert [point["target"] for point in points] == [0.9, 0.7, 0.5]
    assert [point["residual"] for point in points] == pytest.approx([0.0, 0.06, 0.11])
    assert [point["sd"] for point in points] == pytest.approx([0.1] * 3)
    assert [point["min"] for point in points] == pytest.approx([0.8, 0.66, 0.51])
    assert points[0]["quartiles"] == pytest.approx([0.85, 0.9, 0.95])
    assert [point["below_1"] for point in points] == pytest.approx([2 / 3, 1, 1])  # .9 + .1 is 1
    assert [step["value"] for step in record["delta"]] == pytest.approx([0.70, 0.75])
    assert record["delta_average"] == pytest.approx(2.5 * (0.90 - 0.61))
    assert record["monotone"] is True


def test_other_severities_are_divided_by_their_distance(make_pair, one):
    # 5 % to 25 %: .1/.2 = .5; 25 % to 100 %: .6/.75 = .8; average .65.
    scores = {5: 1.0, 25: 0.9, 100: 0.3}
    record = one(make_pair("g", "missing_steps", severity, {"a": score}) for severity, score in scores.items())
    assert [(step["from"], step["to"]) for step in record["delta"]] == [(5, 25), (25, 100)]
    assert [step["value"] for step in record["delta"]] == pytest.approx([0.5, 0.8])
    assert record["delta_average"] == pytest.approx(0.65)


def test_a_mean_that_rises_is_not_monotone(make_pair, one):
    # The paper's BERTScore on Missing Steps: .81, .68, .72.
    scores = {10: 0.81, 30: 0.68, 50: 0.72}
    record = one(make_pair("g", "missing_steps", severity, {"a": score}) for severity, score in scores.items())
    assert record["monotone"] is False and record["delta"][1]["value"] < 0


def test_a_single_severity_has_no_delta(make_pair, one):
    record = one(make_pair(f"g{number}", "missing_steps", 30, {"a": number / 10}) for number in range(5))
    assert record["delta"] == [] and record["delta_average"] is None and record["monotone"] is None
    assert record["severities"][0]["interval"] is not None


def test_one_golden_has_no_interval(make_pair, one):
    record = one(make_pair("g", "missing_steps", severity, {"a": 0.5}) for severity in (10, 30))
    assert [point["interval"] for point in record["severities"]] == [None, None]
    assert record["delta"][0]["interval"] is None and record["delta_average_interval"] is None
    assert record["severities"][0]["sd"] is None


def test_all_scores_equal(make_pair, one):
    record = one(
        make_pair(f"g{golden}", "missing_steps", severity, {"a": 0.7}) for golden in range(40) for severity in (10, 30)
    )
    point = record["severities"][0]
    assert (point["mean"], point["sd"], point["interval"]) == (pytest.approx(0.7), pytest.approx(0), [0.7, 0.7])
    assert record["delta_average"] == pytest.approx(0) and record["monotone"] is True
    assert record["too_small"] is False


def test_intervals_hold_the_figures_and_respect_goldens(make_pair, columns):
    chance = np.random.default_rng(0)
    levels = chance.normal(0, 0.1, 60).tolist()  # a golden that scores low at 10 % does so at 30 %
    pairs = [
        make_pair(f"g{golden}", "missing_steps", severity, {"a": 0.8 - severity / 100 + level})
        for golden, level in enumerate(levels)
        for severity in (10, 30)
    ]
    record = records_of(columns(pairs), replicates=1000)[0]
    low, high = record["severities"][0]["interval"]
    assert low < record["severities"][0]["mean"] < high and high - low > 0.03
    # The level of a golden drops out of the difference, as only resampling by golden knows.
    assert record["delta_average_interval"] == [1.0, 1.0]


def test_scores_that_are_missing_are_counted_beside(make_pair, one):
    record = one(
        [
            make_pair("a", "missing_steps", 30, {"a": 0.5}),
            make_pair("b", "missing_steps", 30, {"a": None}, reasons={"a": "undefined: one step"}),
            make_pair("c", "missing_steps", 30, {"a": None}, reasons={"a": "unavailable: no model"}),
            make_pair("d", "missing_steps", 30, {}),
            make_pair("e", "missing_steps", 30, {"a": None}, candidate=None),
            make_pair("e", "missing_steps", 50, {"a": None}, candidate=None),
        ]
    )
    first, second = record["severities"]
    assert (first["n"], first["mean"], first["null"]) == (1, 0.5, {"undefined": 1, "unavailable": 1, "absent": 1})
    assert (first["inapplicable"], second["inapplicable"], record["inapplicable"]) == (1, 1, 2)
    assert (second["n"], second["mean"], second["target"]) == (0, None, None)
    assert record["delta"] == []


def test_a_metric_without_a_score_has_no_record(make_pair, columns):
    assert records_of(columns([make_pair("a", "missing_steps", 30, {"a": None})])) == []


def test_invalid_pairs_stay_in_and_their_pull_is_told(make_pair, columns):
    pairs = [
        make_pair("a", "missing_steps", 10, {"a": 0.8}, validation={"valid": True}),
        make_pair("b", "missing_steps", 10, {"a": 0.4}, validation={"valid": False}),
        make_pair("a", "missing_steps", 30, {"a": 0.6}, validation={"valid": True}),
        make_pair("b", "missing_steps", 30, {"a": 0.6}, validation={"valid": False}),
        make_pair("a", "missing_steps", 50, {"a": 0.2}, validation={"valid": False}),
    ]
    kept, dropped = (records_of(columns(pairs), valid_only=valid_only)[0] for valid_only in (False, True))
    # 10 %: (.8 + .4)/2 = .6, without the invalid .8; 30 %: no change; 50 %: nothing would be left.
    assert [point["mean"] for point in kept["severities"]] == pytest.approx([0.6, 0.6, 0.2])
    assert [point["mean"] for point in dropped["severities"]] == [0.8, 0.6, None]
    for record in (kept, dropped):
        assert [point["shift_without_invalid"] for point in record["severities"]] == [pytest.approx(0.2), 0, None]
        assert record["largest_shift_without_invalid"] == pytest.approx(0.2)
        assert record["invalid"] == 3


def test_every_stratum_speaks_of_its_own_pairs(make_pair, columns):
    pairs = [
        make_pair("small", "missing_steps", 30, {"a": 0.5}, steps=6),
        make_pair("large", "missing_steps", 30, {"a": 0.1}, steps=20),
    ]
    found = {record["stratum"] and record["stratum"]["value"]: record for record in records_of(columns(pairs))}
    assert {name: record["severities"][0]["mean"] for name, record in found.items()} == {
        None: pytest.approx(0.3),
        "5-7": 0.5,
        "16+": 0.1,
    }


def test_the_window_is_the_shorter_side(make_pair, columns):
    pairs = [
        make_pair("a", "missing_steps", 50, {"bertscore": 0.78}, steps=6, candidate_steps=2),
        make_pair("b", "missing_steps", 50, {"bertscore": 0.58}, steps=14, candidate_steps=7),
    ]
    records = records_of(columns(pairs))
    assert records[0]["severities"][0]["steps_compared"] == 4.5
    windows = {
        r["stratum"]["value"]: r["severities"][0]["mean"] for r in records if (r["stratum"] or {}).get("by") == "window"
    }
    assert windows == {"1-2": 0.78, "6+": 0.58}
