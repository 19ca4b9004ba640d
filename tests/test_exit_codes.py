"""The table of exit codes and which of several wins."""

import itertools

import pytest

from wfkit import errors, exit_codes


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        (set(), 0),
        ({0, 4}, 4),
        ({4, 3}, 3),
        ({3, 1, 4}, 1),
        ({1, 2}, 2),
        ({2, 70, 1}, 70),
        ({70, 141}, 141),
        ({141, 130, 70}, 130),
    ],
)
def test_the_gravest_wins(codes: set[int], expected: int) -> None:
    assert exit_codes.first(codes) == expected


def test_every_code_has_a_meaning_and_a_rank() -> None:
    assert set(exit_codes.MEANINGS) == set(exit_codes.PRECEDENCE)
    for one, other in itertools.combinations(exit_codes.PRECEDENCE, 2):
        assert exit_codes.first({one, other}) == one


def test_each_error_names_its_code() -> None:
    assert errors.UsageProblem.exit_code == exit_codes.USAGE
    assert errors.DataError.exit_code == exit_codes.DATA
    assert errors.Unavailable.exit_code == exit_codes.UNAVAILABLE
    assert errors.WfkitError.exit_code == exit_codes.BUG
