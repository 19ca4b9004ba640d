"""Orders that depend on graph and wording only."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from wfkit.formats.order import back_edges, layered_order, reduced
from wfkit.workflow import find_cycle


def test_layers_then_wording_then_place() -> None:
    # 0 -> 1, 0 -> 2, 2 -> 3; step 4 is a root. Layers: {0, 4}, {1, 2}, {3}; "alpha" < "Beta" without case.
    assert layered_order(["Zeta", "Beta", "alpha", "x", "mu"], [(0, 1), (0, 2), (2, 3)]) == [4, 0, 2, 1, 3]
    assert layered_order(["same", "same"], []) == [0, 1]
    # The longest way counts: 2 waits for 1 although it also follows 0 directly.
    assert layered_order(["c", "b", "a"], [(0, 1), (1, 2), (0, 2)]) == [0, 1, 2]


def test_back_edges_are_found_from_the_declared_start() -> None:
    loop = [(0, 1), (1, 2), (2, 0)]
    assert back_edges(["b", "a", "c"], loop, [0]) == {(2, 0)}
    assert back_edges(["b", "a", "c"], loop, []) == {(0, 1)}  # no root: the walk begins at "a"
    assert back_edges(["b", "a", "c"], loop, [], [2, 0, 1]) == {(1, 2)}  # no root: the walk begins where one reads
    assert back_edges(["a", "b"], [(0, 1)], []) == set()
    assert back_edges(["a", "b", "c"], [(0, 1), (1, 2), (2, 1)], []) == {(2, 1)}


def test_reduction_removes_implied_edges_only() -> None:
    # 0 -> 2 is implied by 0 -> 1 -> 2; 0 -> 3 by 0 -> 1 -> 2 -> 3.
    assert reduced(4, [(0, 1), (0, 2), (1, 2), (2, 3), (0, 3)]) == [(0, 1), (1, 2), (2, 3)]
    assert reduced(2, [(0, 1), (1, 0)]) == [(0, 1), (1, 0)]


GRAPHS = st.integers(2, 7).flatmap(
    lambda count: st.tuples(
        st.lists(st.sampled_from("abc"), min_size=count, max_size=count),
        st.sets(st.sampled_from(list(permutations(range(count), 2)))),
    )
)


@given(GRAPHS)
def test_without_back_edges_there_is_no_cycle_and_the_order_is_topological(graph: tuple[list[str], set]) -> None:
    texts, edges = graph
    forward = edges - back_edges(texts, sorted(edges), ())
    assert not find_cycle(len(texts), sorted(forward))
    order = layered_order(texts, sorted(edges))
    place = {step: position for position, step in enumerate(order)}
    assert sorted(order) == list(range(len(texts)))
    assert all(place[source] < place[target] for source, target in forward)


@given(GRAPHS, st.randoms())
def test_shuffled_sources_give_the_same_order(graph: tuple[list[str], set], random) -> None:
    texts, edges = graph
    texts = [f"{text}{place}" for place, text in enumerate(texts)]  # all different
    moved = list(range(len(texts)))
    random.shuffle(moved)
    shuffled = [""] * len(texts)
    for place, target in enumerate(moved):
        shuffled[target] = texts[place]
    renamed = sorted((moved[source], moved[target]) for source, target in edges)
    assert [texts[step] for step in layered_order(texts, sorted(edges))] == [
        shuffled[step] for step in layered_order(shuffled, renamed)
    ]
