import math

import pytest

from wfkit.errors import DataError
from wfkit.sensitivity.observations import (
    ABSENT,
    INVALID,
    MEASURED,
    SKIPPED,
    UNAVAILABLE,
    UNCHECKED,
    UNDEFINED,
    UNEXPLAINED,
    VALID,
    Observations,
)


def observed(*pairs, fields=()):
    observations = Observations(fields)
    for pair in pairs:
        observations.add(pair)
    return observations


def test_one_row_a_pair(make_pair):
    seen = observed(
        make_pair("g", "missing_steps", 30, {"a": 0.5}, steps=6, candidate_steps=4, validation={"valid": True}),
        make_pair("h", "missing_steps", 12.5, {"a": 1}, steps=8, candidate_steps=9, validation={"valid": False}),
        make_pair("g", "description_changes", 30, {"a": 0.25}),
    )
    assert len(seen) == 3
    assert list(seen.goldens) == ["g", "h"] and list(seen.golden) == [0, 1, 0]
    assert list(seen.types) == ["missing_steps", "description_changes"] and list(seen.type) == [0, 0, 1]
    assert list(seen.severity) == [30, 12.5, 30]
    assert list(seen.steps) == [6, 8, 6]
    assert list(seen.compared) == [4, 8, 6]  # the shorter side
    assert list(seen.validity) == [VALID, INVALID, UNCHECKED]
    assert list(seen.scores["a"]) == [0.5, 1, 0.25]


def test_the_target_is_the_record_s_or_follows_from_type_and_severity(make_pair):
    seen = observed(
        make_pair("a", "missing_steps", 30, perturbation={"target_score": 0.6}),
        make_pair("b", "missing_steps", 30),
        make_pair("c", "description_changes", 30),
        make_pair("d", "a_type_of_ours", 12.5),
    )
    assert list(seen.target) == [0.6, 0.7, 1.0, 0.875]


def test_why_a_score_is_not_there(make_pair):
    nulls = dict.fromkeys(["undefined", "skipped", "unavailable", "bare", "odd"])
    reasons = {
        "undefined": "undefined: one step",
        "skipped": "skipped: not asked",
        "unavailable": "unavailable: no model",
        "odd": "who knows",
    }
    seen = observed(make_pair("g", "missing_steps", 30, {"there": 0, **nulls}, reasons=reasons))
    assert {name: states[0] for name, states in seen.states.items()} == {
        "there": MEASURED,
        "undefined": UNDEFINED,
        "skipped": SKIPPED,
        "unavailable": UNAVAILABLE,
        "bare": UNEXPLAINED,
        "odd": UNEXPLAINED,
    }
    assert seen.scores["there"][0] == 0 and math.isnan(seen.scores["bare"][0])


def test_metrics_in_only_some_pairs_keep_their_rows(make_pair):
    seen = observed(
        make_pair("a", "missing_steps", 30, {"early": 0.1}),
        make_pair("b", "missing_steps", 30, {"late": 0.2}),
        make_pair("c", "missing_steps", 30, {}),
    )
    assert [list(seen.states[name]) for name in ("early", "late")] == [
        [MEASURED, ABSENT, ABSENT],
        [ABSENT, MEASURED, ABSENT],
    ]
    assert seen.scores["late"][1] == 0.2


@pytest.mark.parametrize("missing", [{"candidate": None}, {"perturbation": {"inapplicable": "too few steps"}}])
def test_an_inapplicable_pair_is_counted(make_pair, missing):
    seen = observed(make_pair("g", "missing_steps", 30, {"a": None}, **missing))
    assert list(seen.applicable) == [0]


def test_fields_come_from_perturbation_golden_or_pair(make_pair):
    pair = make_pair("g", "missing_steps", 30, perturbation={"placement": "tail"}, group="x", source="pair")
    pair["golden"]["source"] = "wikihow"
    seen = observed(pair, make_pair("h", "missing_steps", 30), fields=("placement", "source", "group"))
    assert seen.field_values["placement"] == {"tail": 0, "": 1} and list(seen.fields["placement"]) == [0, 1]
    assert (seen.field_values["source"].keys(), seen.field_values["group"].keys()) == ({"wikihow", ""}, {"x", ""})


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"perturbation": None}, "E-UNPERTURBED"),
        ({"perturbation": {"severity": 30}}, "E-UNPERTURBED"),
        ({"perturbation": {"type": "missing_steps"}}, "E-UNPERTURBED"),
        ({"perturbation": {"type": "", "severity": 30}}, "E-UNPERTURBED"),
        ({"perturbation": {"type": "missing_steps", "severity": 0}}, "E-SEVERITY"),
        ({"perturbation": {"type": "missing_steps", "severity": 101}}, "E-SEVERITY"),
        ({"perturbation": {"type": "missing_steps", "severity": "abc"}}, "E-SEVERITY"),
        ({"perturbation": {"type": "missing_steps", "severity": True}}, "E-SEVERITY"),
        ({"perturbation": {"type": "missing_steps", "severity": math.nan}}, "E-SEVERITY"),
        ({"scores": {"a": "0.5"}}, "E-SCORE"),
        ({"scores": {"a": True}}, "E-SCORE"),
        ({"scores": {"a": math.nan}}, "E-SCORE"),
        ({"scores": {"a": math.inf}}, "E-SCORE"),
        ({"scores": {"a": 10**400}}, "E-SCORE"),
        ({"scores": {"a": [1]}}, "E-SCORE"),
    ],
)
def test_bad_pairs_leave_no_trace(make_pair, change, code):
    seen = Observations()
    with pytest.raises(DataError) as caught:
        seen.add({**make_pair("g", "missing_steps", 30, {"a": 0.5}), **change})
    assert caught.value.code == code
    assert len(seen) == 0 and not seen.scores and not seen.goldens and not seen.types


def test_swapped_sides_are_refused(make_pair):
    pair = make_pair("g", "missing_steps", 30, {"a": 0.5})
    swapped = {**pair, "golden": pair["candidate"], "candidate": pair["golden"]}
    with pytest.raises(DataError, match="swapped") as caught:
        Observations().add(swapped)
    assert caught.value.code == "E-SWAPPED"


def test_a_target_that_is_no_number_is_refused(make_pair):
    with pytest.raises(DataError, match="target"):
        Observations().add(make_pair("g", "missing_steps", 30, perturbation={"target_score": "high"}))
