"""The language of --judge-when."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.condition import parse_condition
from wfkit.errors import UsageProblem

SCORES = {"a": 0.5, "b": None, "judge:gpt-4o@x": 1, "kendall_tau": -0.5}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a < 0.5", False),
        ("a <= 0.5", True),
        ("a > 0.5", False),
        ("a >= 0.5", True),
        ("a>=.5", True),
        ("a in 0.5..0.9", True),  # both ends are included
        ("a in 0.1..0.5", True),
        ("a in 0.51 .. 0.9", False),
        ("a in 0..1", True),
        ("kendall_tau in -1..-0.25", True),
        ("kendall_tau < -4e-1", True),
        ("judge:gpt-4o@x >= 1", True),
        ("a < 1 and kendall_tau < 0", True),
        ("a < 1 and kendall_tau > 0", False),
        ("a > 1 or kendall_tau < 0", True),
        ("a < 1 or a > 1 and a > 2", True),  # and binds tighter
        ("(a < 1 or a > 1) and a > 2", False),
        ("((a < 1))", True),
        ("b < 1", None),
        ("c < 1", None),
        ("b < 1 and a < 1", None),
        ("b < 1 and a > 1", False),  # unknown and false is false
        ("b < 1 or a < 1", True),  # unknown or true is true
        ("b < 1 or a > 1", None),
        (" a<1 ", True),
    ],
)
def test_conditions(text: str, expected: bool | None) -> None:
    assert parse_condition(text).holds(SCORES) is expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "expected the name of a metric at character 1, found its end"),
        ("   ", "found its end"),
        ("a", "expected <, <=, >, >= or in at character 2, found its end"),
        ("a = 1", "at character 3, found '='"),
        ("a == 1", "at character 3, found '='"),
        ("a < ", "expected a number at character 5, found its end"),
        ("a < b", "expected a number at character 5, found 'b'"),
        ("1 < a", "expected the name of a metric at character 1, found '1'"),
        ("a in 0.5", "expected .. at character 9, found its end"),
        ("a in 0.5..", "expected a number"),
        ("a in 1..0", "1..0 is empty"),
        ("a < 1 and", "expected the name of a metric"),
        ("a < 1 & b < 1", "found '&'"),
        ("a < 1 b < 1", "expected and, or, or the end at character 7, found 'b'"),
        ("(a < 1", "expected and, or, or ) at character 7, found its end"),
        ("a < 1)", "found ')'"),
        ("or < 1", "expected the name of a metric"),
        ("not a < 1", "found 'a'"),
    ],
)
def test_faults_are_told_with_their_place(text: str, told: str) -> None:
    with pytest.raises(UsageProblem) as caught:
        parse_condition(text)
    assert told in str(caught.value)


def test_the_metrics_it_speaks_of() -> None:
    assert parse_condition("a < 1 and (b > 0 or a > 0.5)").metrics == ("a", "b")


@given(st.text(alphabet="ab01. <>=()ndori", max_size=20))
def test_any_text_is_a_condition_or_a_usage_problem(text: str) -> None:
    try:
        condition = parse_condition(text)
    except UsageProblem:
        return
    assert condition.holds({"a": 0.5, "b": 1.0}) in (True, False, None)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_range_is_two_comparisons(value: float, low: float, high: float) -> None:
    scores: dict[str, Any] = {"a": value}
    low, high = sorted((low, high))
    inside = parse_condition(f"a in {low!r}..{high!r}").holds(scores)
    assert inside == parse_condition(f"a >= {low!r} and a <= {high!r}").holds(scores)
