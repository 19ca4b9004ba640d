import pytest

from wfkit.agents.aggregation import wording

RECORD = {"clean": 2 / 3, "degradation": None, "bounds": {"clean": [0.5, 5 / 6], "degradation": [None, 0.6]}}


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (0.5, "0.500"), (-0.0, "0.000"), (-0.0001, "0.000"), (-0.25, "-0.250")]
)
def test_number(value, text):
    assert wording.number(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (1500, "1,500"), (20 / 9, "2.222"), (6666.67, "6,667"), (150.0, "150")]
)
def test_amount(value, text):
    assert wording.amount(value) == text


def test_a_figure_never_stands_without_its_bounds():
    assert wording.bounded(RECORD, "clean") == "0.667 [0.500, 0.833]"
    assert wording.bounded(RECORD, "degradation") == "– [–, 0.600]"
    assert wording.bounded({"clean": None, "bounds": None}, "clean") == "– –"


@pytest.mark.parametrize(
    ("test", "text"),
    [
        (None, "–"),
        ({"p": None}, "–"),
        ({"p": 0.25, "too_few": True}, "0.25*"),
        ({"p": 1e-5, "too_few": False}, "1e-05"),
    ],
)
def test_p_value(test, text):
    assert wording.p_value(test) == text


@pytest.mark.parametrize(
    ("group", "dimension", "name"),
    [
        ({}, "overall", "all"),
        ({"model": "m"}, "model", "m"),
        ({"target": "user"}, "target", "user"),
        ({"type": "missing"}, "type", "missing"),
        ({"target": "user", "type": "missing"}, "cell", "user/missing"),
        ({"edit.slot": "date"}, "by edit.slot", "edit.slot = date"),
        ({"edit.slot": None}, "by edit.slot", "edit.slot = –"),
        ({"model": "a\x1b[31m"}, "model", "a\\x1b[31m"),
    ],
)
def test_groups(group, dimension, name):
    record = {"group": {"benchmark": "b", **group}}
    assert (wording.dimension(record), wording.group_name(record)) == (dimension, name)
