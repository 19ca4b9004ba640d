import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.perturb.base import edited_count, fresh_id, perturbed_id, random_for, target_score


@pytest.mark.parametrize(
    ("severity", "size", "expected"),
    [
        (10, 10, 1),  # 1.0
        (10, 5, 1),  # 0.5 up
        (30, 10, 3),  # 3.0 and not 4: 0.3 * 10 is 3.0000000000000004 with some floats
        (30, 5, 2),  # 1.5 up
        (50, 5, 3),  # 2.5 up
        (30, 7, 3),  # 2.1 up
        (1, 1, 1),
        (100, 41, 41),
        (100, 0, 0),
        (29, 100, 29),  # 0.29 * 100 is 28.999999999999996
        (7, 10**20, 7 * 10**18),  # beyond floats
        (12.5, 8, 1),  # 1.0 exactly
        (0.1, 1000, 1),  # the decimal 0.1, not the float just above it, which would give 2
    ],
)
def test_edited_count(severity: float, size: int, expected: int) -> None:
    assert edited_count(severity, size) == expected


@given(st.integers(1, 100), st.integers(0, 10_000))
def test_edited_count_is_the_least_whole_number_that_reaches_the_share(severity: int, size: int) -> None:
    count = edited_count(severity, size)
    assert count * 100 >= severity * size > (count - 1) * 100


@pytest.mark.parametrize(
    ("type_name", "severity", "expected"),
    [("missing_steps", 30, 0.7), ("compressed_steps", 50, 0.5), ("missing_steps", 100, 0.0), ("wrong_tool", 1, 0.99)]
    + [("description_changes", severity, 1.0) for severity in (10, 30, 50, 100)],
)
def test_target_score(type_name: str, severity: int, expected: float) -> None:
    assert target_score(type_name, severity) == expected


@pytest.mark.parametrize(
    ("type_name", "placement", "repeat", "expected"),
    [
        ("missing_steps", "uniform", 1, "g/1/missing_steps/30"),
        ("missing_steps", "tail", 1, "g/1/missing_steps/30/tail"),
        ("missing_steps", "block", 3, "g/1/missing_steps/30/block/r3"),
        ("missing_steps", "uniform", 2, "g/1/missing_steps/30/r2"),
        ("compressed_steps", "tail", 1, "g/1/compressed_steps/30"),  # has no placement
    ],
)
def test_perturbed_id(type_name: str, placement: str, repeat: int, expected: str) -> None:
    assert perturbed_id("g/1", type_name, 30, placement, repeat) == expected


def test_chance_depends_on_each_of_its_five_keys_and_on_nothing_else() -> None:
    keys = [(0, "g", "t", 10, 1), (1, "g", "t", 10, 1), (0, "h", "t", 10, 1), (0, "g", "u", 10, 1)]
    keys += [(0, "g", "t", 11, 1), (0, "g", "t", 10, 2), (0, "g\x00", "t", 10, 1), (0, "ü", "t", 10, 1)]
    drawn = [random_for(*key).random() for key in keys]
    assert len(set(drawn)) == len(keys)
    assert drawn == [random_for(*key).random() for key in keys]


def test_fresh_id() -> None:
    assert fresh_id("5-again", {"5"}) == "5-again"
    assert fresh_id("5-again", {"5-again", "5-again-2"}) == "5-again-3"
