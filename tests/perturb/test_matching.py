import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.perturb.matching import common_subsequence, match_by_text

TEXTS = st.lists(st.sampled_from("abcd"), max_size=9)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("abc", "abc", [(0, 0), (1, 1), (2, 2)]),
        ("abcd", "acd", [(0, 0), (2, 1), (3, 2)]),
        ("aab", "ab", [(0, 0), (2, 1)]),  # the earlier of the two a
        ("abc", "cab", [(0, 1), (1, 2)]),  # c has moved
        ("", "abc", []),
        ("abc", "", []),
        ("abc", "xyz", []),
    ],
)
def test_common_subsequence(one: str, other: str, expected: list[tuple[int, int]]) -> None:
    assert common_subsequence(list(one), list(other)) == expected


def length_by_table(one: list[str], other: list[str]) -> int:
    row = [0] * (len(other) + 1)
    for a in one:
        last = row[:]
        for j, b in enumerate(other):
            row[j + 1] = last[j] + 1 if a == b else max(last[j + 1], row[j])
    return row[-1]


@given(TEXTS, TEXTS)
def test_common_subsequence_is_longest_rising_and_of_equal_texts(one: list[str], other: list[str]) -> None:
    pairs = common_subsequence(one, other)
    assert len(pairs) == length_by_table(one, other)
    assert all(a < c and b < d for (a, b), (c, d) in itertools.pairwise(pairs))
    assert all(one[i] == other[j] for i, j in pairs)


@given(TEXTS, TEXTS, st.booleans())
def test_match_by_text_pairs_as_many_equal_texts_as_there_are(one: list[str], other: list[str], latest: bool) -> None:
    pairs = match_by_text(one, other, latest=latest)
    assert len(pairs) == (Counter(one) & Counter(other)).total()
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    assert all(one[i] == other[j] for i, j in pairs)


def test_earliest_and_latest() -> None:
    assert match_by_text(list("aaa"), ["a"]) == [(0, 0)]
    assert match_by_text(list("aaa"), ["a"], latest=True) == [(2, 0)]


def test_ten_thousand_repeated_steps() -> None:
    assert len(common_subsequence(["a"] * 10_000, ["a"] * 9_999)) == 9_999
