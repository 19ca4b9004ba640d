"""The alignment: its tie order against brute force, its shortcut against the solver."""

import subprocess
import sys
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wfkit.alignment import (
    LARGEST_EXACT,
    _linear_sum_assignment,
    align,
    cosine_matrix,
    folded_weight,
    leftmost_common_subsequence,
    settled_by_row_maxima,
    solved,
)
from wfkit.workflow import Step, Workflow


def workflow(texts):
    """One step per letter (or per text), no edges."""
    return Workflow("w", tuple(Step(str(number), text) for number, text in enumerate(texts)), ())


def same_letter(candidate, golden):
    """Similarity 1 for equal texts, 0 for others."""
    return [[float(left == right) for right in golden] for left in candidate]


def matched(golden, candidate, similarity=None):
    """The aligned pairs (candidate index, golden index)."""
    similarity = same_letter(candidate, golden) if similarity is None else similarity
    pairs = align(workflow(golden), workflow(candidate), similarity).pairs
    return [(candidate_step, golden_step) for candidate_step, golden_step, _ in pairs]


@pytest.mark.parametrize(
    ("golden", "candidate", "expected"),
    [
        ("abc", "abc", [(0, 0), (1, 1), (2, 2)]),
        ("abc", "cab", [(0, 2), (1, 0), (2, 1)]),
        ("abc", "xyz", []),
        ("abc", "", []),
        ("", "abc", []),
        ("", "", []),
        # Repeated texts: against itself the identity wins, by the common subsequence.
        ("aaa", "aaa", [(0, 0), (1, 1), (2, 2)]),
        ("abab", "abab", [(0, 0), (1, 1), (2, 2), (3, 3)]),
        # Losing the first a: b a is golden 1, 2. The other choice, a on golden 0, has one pair on the subsequence.
        ("aba", "ba", [(0, 1), (1, 2)]),
        # Losing the last a: a b is golden 0, 1.
        ("aba", "ab", [(0, 0), (1, 1)]),
        # One of three equal steps left: the leftmost subsequence takes golden 0.
        ("aaa", "a", [(0, 0)]),
        # An a was added: leftmost is candidate 0.
        ("a", "aa", [(0, 0)]),
        # a b and b a are both of length 1; leftmost in the golden is a. Both letters are matched all the same.
        ("ab", "ba", [(0, 1), (1, 0)]),
        # Common subsequence a b c (golden 0, 1, 3): the first b is taken, not the nearer one.
        ("abbc", "abc", [(0, 0), (1, 1), (2, 3)]),
        # The longest subsequence is x y a (golden 1, 2, 3), so the candidate's a is golden 3 although 0 is as similar.
        ("axya", "xya", [(0, 1), (1, 2), (2, 3)]),
    ],
)
def test_letters(golden, candidate, expected):
    assert matched(golden, candidate) == expected


def test_distance_decides_what_the_texts_leave_open():
    # No text is shared and every sum is 1.8, so the sum of distances decides: 0 for the identity, 2 crossed.
    assert matched("ab", "cd", [[0.9, 0.9], [0.9, 0.9]]) == [(0, 0), (1, 1)]


def test_the_sum_goes_before_the_common_subsequence():
    # Identity: 1 + 0.8 = 1.8 with one pair on the subsequence; crossed: 0.95 + 0.95 = 1.9 with none.
    assert matched("ab", "ac", [[1.0, 0.95], [0.95, 0.8]]) == [(0, 1), (1, 0)]


def test_the_common_subsequence_goes_before_the_distance():
    # Every pair is as similar as the next, so every sum is 2. The subsequence is the single a, candidate 2 with
    # golden 1; with c on golden 0 the distances sum to 0 + 1. Leaving a out, c and d in place, would have sum 0.
    assert matched("ba", "cda", [[1, 1], [1, 1], [1, 1]]) == [(0, 0), (2, 1)]


def test_pairs_below_the_threshold_are_dropped_but_take_part_in_the_assignment():
    # The best sum is 0.79 + 0.9 = 1.69 (crossed 0.85 + 0.7 = 1.55): candidate 0 is assigned at 0.79 and dropped,
    # though 0.85 would have reached the threshold.
    pairs = align(workflow("ab"), workflow("cd"), [[0.79, 0.85], [0.7, 0.9]]).pairs
    assert pairs == ((1, 1, 0.9),)


def test_the_threshold_itself_counts():
    assert align(workflow("a"), workflow("b"), [[0.79996]]).pairs == ((0, 0, 0.8),)  # rounds to 0.8000
    assert align(workflow("a"), workflow("b"), [[0.79994]]).pairs == ()
    assert align(workflow("a"), workflow("b"), [[0.5]], threshold=0.5).pairs == ((0, 0, 0.5),)


def test_equal_texts_are_exactly_one_whatever_the_noise():
    alignment = align(workflow("ab"), workflow("ba"), [[0.3, 0.99983], [1.0000001, -0.00001]])
    assert alignment.similarity.tolist() == [[0.3, 1.0], [1.0, 0.0]]
    assert str(alignment.similarity[1, 1]) == "0.0"  # and not -0.0
    assert alignment.similarity.dtype == np.float64


@pytest.mark.parametrize(("golden", "candidate"), [("", "abc"), ("abc", ""), ("", "")])
def test_an_empty_side(golden, candidate):
    alignment = align(workflow(golden), workflow(candidate), np.zeros((len(candidate), len(golden))))
    assert alignment.pairs == ()
    assert alignment.similarity.shape == (len(candidate), len(golden))


def test_cosines_are_rounded_and_do_not_depend_on_the_rest_of_the_batch():
    random = np.random.default_rng(0)
    rows = random.standard_normal((40, 768)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    together = cosine_matrix(rows[:30], rows[30:])
    assert together.shape == (30, 10)
    assert together.dtype == np.float64
    assert np.array_equal(together, np.round(together, 4))
    assert np.allclose(together, rows[:30] @ rows[30:].T, atol=6e-5)
    for row in range(30):
        assert np.array_equal(cosine_matrix(rows[row : row + 1], rows[30:])[0], together[row])
    assert cosine_matrix(rows[:0], rows).shape == (0, 40)
    assert cosine_matrix(rows, rows[:0]).shape == (40, 0)


cases = st.integers(0, 2**32 - 1)


def random_case(seed, longest=5):
    """Few texts and few similarities, so that nearly every assignment ties with others."""
    random = np.random.default_rng(seed)
    texts = "abcdefghij"[: random.integers(1, 7)]
    golden = "".join(random.choice(list(texts), random.integers(1, longest + 1)))
    candidate = "".join(random.choice(list(texts), random.integers(1, longest + 1)))
    values = np.array([-0.1, 0.5, 0.8, 0.9, 1.0])[: random.integers(1, 6)]
    similarity = random.choice(values, (len(candidate), len(golden)))
    for row, left in enumerate(candidate):
        for column, right in enumerate(golden):
            if left == right:
                similarity[row, column] = 1.0
    return golden, candidate, similarity


def all_assignments(candidates, goldens):
    """Every assignment of as many pairs as the shorter side has, as pairs (candidate, golden)."""
    if candidates <= goldens:
        for columns in permutations(range(goldens), candidates):
            yield list(enumerate(columns))
    else:
        for rows in permutations(range(candidates), goldens):
            yield [(row, column) for column, row in enumerate(rows)]


def criteria(assignment, similarity, common):
    """The three criteria of the design, larger is better, with no folding."""
    total = sum(round(float(similarity[pair]) * 10_000) for pair in assignment)
    return total, sum(pair in common for pair in assignment), -sum(abs(row - column) for row, column in assignment)


@settings(max_examples=600, deadline=None)
@given(cases)
def test_the_alignment_is_optimal_under_the_whole_tie_order(seed):
    golden, candidate, similarity = random_case(seed)
    common = set(leftmost_common_subsequence(candidate, golden))
    # With threshold -1 every assigned pair is kept.
    pairs = align(workflow(golden), workflow(candidate), similarity, threshold=-1.0).pairs
    chosen = [(candidate_step, golden_step) for candidate_step, golden_step, _ in pairs]
    best = max(criteria(other, similarity, common) for other in all_assignments(*similarity.shape))
    assert criteria(chosen, similarity, common) == best


@settings(max_examples=600, deadline=None)
@given(cases)
def test_the_shortcut_equals_the_solver(seed):
    golden, candidate, similarity = random_case(seed, longest=8)
    scaled = np.rint(similarity * 10_000)
    weight = folded_weight(scaled, candidate, golden)
    by_similarity, by_weight = settled_by_row_maxima(scaled), settled_by_row_maxima(weight)
    assume(by_similarity is not None or by_weight is not None)
    for settled in (by_similarity, by_weight):
        assert settled is None or settled == solved(weight)


def common_subsequences(candidate, golden):
    """Every common subsequence as pairs (candidate place, golden place)."""
    if not candidate or not golden:
        return [[]]
    result = [[]]
    for row, left in enumerate(candidate):
        for column, right in enumerate(golden):
            if left == right:
                for rest in common_subsequences(candidate[row + 1 :], golden[column + 1 :]):
                    result.append([(row, column), *((row + 1 + r, column + 1 + c) for r, c in rest)])
    return result


@settings(max_examples=300, deadline=None)
@given(st.text("abc", max_size=5), st.text("abc", max_size=5))
def test_the_common_subsequence_is_the_leftmost_of_the_longest(candidate, golden):
    every = common_subsequences(candidate, golden)
    longest = [pairs for pairs in every if len(pairs) == max(map(len, every))]
    leftmost = min(longest, key=lambda pairs: ([column for _, column in pairs], [row for row, _ in pairs]))
    assert leftmost_common_subsequence(candidate, golden) == leftmost


@given(st.text("abc", min_size=1, max_size=12))
def test_a_workflow_is_aligned_to_itself_step_by_step(texts):
    assert matched(texts, texts) == [(step, step) for step in range(len(texts))]


@given(st.text("abcd", min_size=2, max_size=9), st.data())
def test_a_candidate_that_lost_steps_keeps_the_order_of_the_others(texts, data):
    # The whole candidate is a common subsequence, so no repeated text may cross.
    lost = data.draw(st.sets(st.integers(0, len(texts) - 1), max_size=len(texts) - 1))
    rest = "".join(text for place, text in enumerate(texts) if place not in lost)
    golden_places = [golden for _, golden in matched(texts, rest)]
    assert len(golden_places) == len(rest)
    assert golden_places == sorted(golden_places)


def test_weights_of_hundreds_of_steps_are_exact():
    texts = [0] * 500
    scaled = np.full((500, 500), 10_000.0)
    weight = folded_weight(scaled, texts, texts)
    assert np.array_equal(weight, np.rint(weight))
    assert sum(int(weight[step, step]) for step in range(500)) < LARGEST_EXACT
    assert weight[0, 0] > weight[0, 1] > weight[0, 2]


def test_beyond_the_exact_range_the_similarity_alone_counts():
    texts = [0] * 600
    scaled = np.full((600, 600), 10_000.0)
    assert folded_weight(scaled, texts, texts) is scaled


def test_hundreds_of_equal_steps_align_in_place():
    texts = ["x"] * 300
    assert matched(texts, texts, np.ones((300, 300))) == [(step, step) for step in range(300)]


def test_the_solver_taken_alone_is_the_one_of_scipy() -> None:
    from scipy.optimize import linear_sum_assignment

    alone = _linear_sum_assignment()
    weights = np.random.default_rng(3).integers(-50, 50, size=(200, 6, 9)).astype(float)
    for weight in weights:
        expected = [places.tolist() for places in linear_sum_assignment(weight, maximize=True)]
        assert [places.tolist() for places in alone(weight, maximize=True)] == expected


def test_the_solver_does_not_bring_all_of_scipy_optimize() -> None:
    script = (
        "import sys, numpy; from wfkit.alignment import solved; "
        "print(solved(numpy.array([[1.0, 1.0], [1.0, 0.0]])), 'scipy.optimize' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[(0, 1), (1, 0)] False\n"
