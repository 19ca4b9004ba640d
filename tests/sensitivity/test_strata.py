import pytest

from wfkit.sensitivity.strata import strata_of


def found(columns):
    return {(one.by, one.value): one.rows.sum() for one in strata_of(columns)}


@pytest.mark.parametrize(
    ("steps", "value"),
    [(1, "1-4"), (4, "1-4"), (5, "5-7"), (7, "5-7"), (8, "8-15"), (15, "8-15"), (16, "16+"), (400, "16+")],
)
def test_sizes(make_pair, columns, steps, value):
    strata = found(columns([make_pair("g", "missing_steps", 30, {"bleu": 1}, steps=steps)]))
    assert strata == {(None, None): 1, ("size", value): 1}


@pytest.mark.parametrize(("compared", "value"), [(1, "1-2"), (2, "1-2"), (3, "3-5"), (5, "3-5"), (6, "6+")])
def test_windows_are_of_the_metric_that_has_one(make_pair, columns, compared, value):
    pair = make_pair("g", "missing_steps", 30, {"bertscore": 1, "bleu": 1}, steps=8, candidate_steps=compared)
    windows = [one for one in strata_of(columns([pair])) if one.by == "window"]
    assert [one.value for one in windows] == [value]
    assert windows[0].holds("bertscore") and not windows[0].holds("bleu")


def test_every_value_of_a_field_and_its_absence(make_pair, columns):
    pairs = [
        make_pair("a", "missing_steps", 30, perturbation={"placement": "tail"}),
        make_pair("b", "missing_steps", 30, perturbation={"placement": "uniform"}),
        make_pair("c", "missing_steps", 30),
    ]
    strata = found(columns(pairs, ("placement",)))
    assert {key: rows for key, rows in strata.items() if key[0] == "placement"} == {
        ("placement", ""): 1,
        ("placement", "tail"): 1,
        ("placement", "uniform"): 1,
    }


def test_a_label_is_null_for_all(make_pair, columns):
    whole, size = strata_of(columns([make_pair("g", "missing_steps", 30)]))
    assert whole.label is None and size.label == {"by": "size", "value": "5-7"}
