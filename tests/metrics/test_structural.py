"""Chain F1 and Graph F1 against the words of Appendix B, on random pairs; see test_hand_checked for worked ones."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.metrics.base import Comparison, f1_score
from wfkit.metrics.structural import ChainF1, GraphF1, longest_increasing_length


def pruned_round_by_round(comparison):
    """Appendix B.2, step 3, word for word: golden steps left when no neighbour set differs any more."""
    golden_of = {candidate: golden for candidate, golden, _ in comparison.alignment.pairs}
    mapped = [(golden_of.get(source), golden_of.get(target)) for source, target in comparison.candidate.edges]
    left = set(golden_of.values())

    def neighbours(edges, step):
        before = {source for source, target in edges if target == step and source in left}
        after = {target for source, target in edges if source == step and target in left}
        return before, after

    while True:
        failing = {step for step in left if neighbours(mapped, step) != neighbours(comparison.golden.edges, step)}
        if not failing:
            return left
        left -= failing


def test_graph_f1_prunes_as_the_appendix_says(draw):
    for seed in range(1000):
        comparison = draw(seed)
        left = pruned_round_by_round(comparison)
        score = GraphF1().score(comparison)
        assert score.details["matched"] == len(left), seed
        assert score.value == 2 * len(left) / (len(comparison.golden.steps) + len(comparison.candidate.steps)), seed


@given(st.lists(st.integers(0, 8), max_size=8))
def test_longest_increasing_length_equals_brute_force(numbers):
    increasing = [
        size
        for size in range(len(numbers) + 1)
        for chosen in combinations(numbers, size)
        if all(left < right for left, right in pairwise(chosen))
    ]
    assert longest_increasing_length(numbers) == max(increasing)


@pytest.mark.parametrize("golden", range(1, 30))
def test_one_division_gives_the_exact_value_on_every_threshold(golden):
    # matched * 2 / (predicted + golden) is the double nearest to the true ratio; 3 of 3 and 5 is the paper's trap.
    for matched in range(golden + 1):
        assert f1_score(matched, matched, golden).value == (2 * matched) / (matched + golden)
    assert f1_score(3, 3, 5).value == 0.75
    precision, recall = 3 / 3, 3 / 5
    assert 2 * precision * recall / (precision + recall) < 0.75


def test_details(compare):
    # The chain of seven that lost three: 4 of 4 predicted steps, 4 of 7 golden ones.
    score = ChainF1().score(compare("abcdefg", "abcd"))
    assert score.details == {"matched": 4, "precision": 1.0, "recall": 4 / 7}
    # Pruned steps do not count as matched: a and e are left of four.
    score = GraphF1().score(compare("abcde", "abde"))
    assert score.details == {"matched": 2, "precision": 2 / 4, "recall": 2 / 5}


def test_precision_is_left_out_where_it_does_not_exist(compare):
    assert ChainF1().score(compare("ab", "")).details == {"matched": 0, "recall": 0.0}
    assert ChainF1().score(compare("", "ab")).details == {"matched": 0, "precision": 0.0}


@pytest.mark.parametrize("metric", [ChainF1(), GraphF1()])
def test_two_empty_workflows_are_undefined(compare, metric):
    score = metric.score(compare("", ""))
    assert score.value is None
    assert score.reason == "undefined: neither golden nor candidate has a step"


@pytest.mark.parametrize("metric", [ChainF1(), GraphF1()])
def test_an_alignment_is_needed(compare, metric):
    comparison = compare("ab", "ab")
    with pytest.raises(ValueError, match="alignment"):
        metric.score(Comparison(comparison.golden, comparison.candidate))
