from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.perturb.precedence import closure, links_among, precedence_changes, steps_out_of_order
from wfkit.workflow import Step, Workflow

Edges = list[tuple[int, int]]


def graph(texts: str, edges: Edges) -> Workflow:
    return Workflow("g", tuple(Step(str(n), text) for n, text in enumerate(texts)), tuple(edges))


def test_links_among() -> None:
    # 0 -> 1 -> 2 -> 4 and 0 -> 3 -> 4, with 1 and 2 left out
    successors = [{1, 3}, {2}, {4}, {4}, set()]
    assert links_among({0, 3, 4}, successors) == {0: {3, 4}, 3: {4}, 4: set()}
    assert links_among(range(5), successors) == dict(enumerate(successors))
    assert links_among(set(), successors) == {}


@pytest.mark.parametrize(
    ("golden", "candidate", "place", "lost", "added"),
    [
        ([(0, 1), (1, 2)], [(0, 1), (1, 2)], {0: 0, 1: 1, 2: 2}, [], []),
        ([(0, 1), (1, 2)], [(0, 1)], {0: 0, 1: 1, 2: 2}, [(1, 2)], []),
        ([(0, 1)], [(0, 1), (1, 2)], {0: 0, 1: 1, 2: 2}, [], [(1, 2)]),
        ([(0, 1), (1, 2)], [(0, 1), (1, 2), (0, 2)], {0: 0, 1: 1, 2: 2}, [], []),  # says nothing new
        ([(0, 1), (1, 2)], [(0, 1)], {0: 0, 2: 1}, [], []),  # 1 is gone, 0 still before 2
        ([(0, 1), (1, 2)], [], {0: 0, 2: 1}, [(0, 2)], []),
        ([(0, 1)], [(0, 2), (2, 1)], {0: 0, 1: 1}, [], []),  # a step in between
        ([(0, 1), (1, 2)], [(0, 1)], {0: 0, 1: 0, 2: 1}, [], []),  # 0 and 1 are one
        ([(0, 1), (2, 1)], [(0, 1)], {0: 0, 1: 1, 2: 0}, [], []),
        ([(0, 1), (2, 1)], [(0, 1)], {0: 0, 1: 1, 2: 1}, [], []),
        ([(0, 1), (1, 2)], [(1, 0)], {0: 0, 1: 0, 2: 1}, [(1, 2)], []),
    ],
)
def test_precedence_changes(golden: Edges, candidate: Edges, place: dict[int, int], lost: Edges, added: Edges) -> None:
    assert precedence_changes(graph("abc", golden), graph("xyz", candidate), place) == (lost, added)


@pytest.mark.parametrize(
    ("golden", "candidate", "expected"),
    [
        ("abcd", "abcd", 0),
        ("abcd", "bcda", 1),  # one step moved far
        ("abcd", "badc", 2),
        ("abcd", "dcba", 3),
        ("abab", "baba", 1),  # by text: b a b a holds a b a
        ("aaaa", "aaaa", 0),
    ],
)
def test_steps_out_of_order_in_chains(golden: str, candidate: str, expected: int) -> None:
    chain = [(n, n + 1) for n in range(3)]
    assert steps_out_of_order(graph(golden, chain), graph(candidate, chain)) == expected


def test_parallel_steps_have_no_order() -> None:
    fork = [(0, 1), (0, 2)]
    assert steps_out_of_order(graph("abc", fork), graph("acb", fork)) == 0
    assert steps_out_of_order(graph("abc", fork), graph("bac", fork)) == 1
    assert steps_out_of_order(graph("abc", []), graph("cba", [(0, 1), (1, 2)])) == 0


def fewest_by_trying(golden: Workflow, candidate: Workflow) -> int:
    place = {candidate.texts[there]: there for there in range(len(candidate.texts))}
    after, after_now = closure(golden), closure(candidate)
    size = len(golden.texts)
    there = [place[text] for text in golden.texts]
    reversed_pairs = [
        (a, b) for a, b in permutations(range(size), 2) if after[a] >> b & 1 and after_now[there[b]] >> there[a] & 1
    ]
    return next(
        count
        for count in range(size + 1)
        for gone in combinations(range(size), count)
        if all(a in gone or b in gone for a, b in reversed_pairs)
    )


PAIRS = [(a, b) for b in range(6) for a in range(b)]


@given(
    st.lists(st.sampled_from(PAIRS), unique=True),
    st.lists(st.sampled_from(PAIRS), unique=True),
    st.permutations("abcdef"),
)
def test_steps_out_of_order_are_the_fewest_to_take_out(golden: Edges, candidate: Edges, texts: list[str]) -> None:
    one, other = graph("abcdef", golden), graph("".join(texts), candidate)
    assert steps_out_of_order(one, other) == fewest_by_trying(one, other)
