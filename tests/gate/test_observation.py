import pytest

from wfkit.gate.observation import ABSENT, Observer, is_left_out


def record(**fields):
    return {"kind": "pair", "id": "p", "golden": {"id": "g", "source": "n8n"}, "candidate": {"id": "c"}, **fields}


def test_what_is_taken_down():
    pair = record(
        group="tea",
        scores={"a": 1, "b": 0.5, "c": None, "d": None},
        reasons={"c": "unavailable: no model"},
        perturbation={"severity": 30},
    )
    seen = Observer(["a", "b", "c", "d", "e"], ["golden.source", "perturbation.severity", "golden.meta.team"]).observe(
        pair, "review"
    )
    assert (seen.id, seen.golden, seen.group, seen.candidate, seen.status) == ("p", "g", "tea", "c", "review")
    assert seen.scores == (1.0, 0.5, "unavailable: no model", "null, and the record gives no reason", ABSENT)
    assert seen.fields == ("n8n", "30", None)
    assert seen.unit == "tea"


def test_a_pair_without_group_belongs_to_its_golden_and_without_candidate_to_itself():
    seen = Observer([]).observe(record(candidate=None), "unmeasured")
    assert (seen.unit, seen.candidate) == ("g", "p")


@pytest.mark.parametrize("path", ["golden.nodes.text", "id.more", "nothing", "golden"])
def test_what_is_no_field_with_a_text_is_none(path):
    assert Observer([], [path]).observe(record(), "pass").fields == (None,)


def test_an_integer_beyond_a_double_is_no_score():
    [score] = Observer(["m"]).observe(record(scores={"m": 10**400}), "pass").scores
    assert score == "an integer beyond a double"


@pytest.mark.parametrize(
    ("score", "left_out"),
    [
        (0.5, False),
        ("undefined: one step", True),
        ("skipped: dry run", True),
        ("inapplicable: too short", True),
        ("unavailable: no model", False),
        (ABSENT, False),
    ],
)
def test_left_out_on_purpose(score, left_out):
    assert is_left_out(score) is left_out
