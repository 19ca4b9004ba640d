"""The exact forms against brute force."""

from itertools import combinations, permutations

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfkit.errors import DataError
from wfkit.metrics.exact import ChainF1Exact, GraphF1Exact, PrecedenceF1
from wfkit.metrics.largest_sets import largest_independent_set, maximum_matching, members
from wfkit.metrics.structural import ChainF1, GraphF1, longest_increasing_length
from wfkit.workflow import topological_order


def sizes(comparison):
    return len(comparison.golden.steps) + len(comparison.candidate.steps)


def topological_orders(count, edges, placed=()):
    """Every topological order of the steps 0 to count - 1."""
    if len(placed) == count:
        yield placed
    for step in set(range(count)).difference(placed):
        if all(source in placed for source, target in edges if target == step):
            yield from topological_orders(count, edges, (*placed, step))


def best_chain(comparison):
    """The longest increasing subsequence under the best of all topological orders of the golden."""
    golden_of = {candidate: golden for candidate, golden, _ in comparison.alignment.pairs}
    predicted = [golden_of[step] for step in topological_order(comparison.candidate) if step in golden_of]
    return max(
        longest_increasing_length(order.index(step) for step in predicted)
        for order in topological_orders(len(comparison.golden.steps), comparison.golden.edges)
    )


def best_subgraph(comparison):
    """The most matched pairs that induce the same edges on both sides, over all subsets."""
    pairs = [(candidate, golden) for candidate, golden, _ in comparison.alignment.pairs]
    golden_edges, candidate_edges = set(comparison.golden.edges), set(comparison.candidate.edges)
    for size in range(len(pairs), -1, -1):
        for subset in combinations(pairs, size):
            if all(
                ((one[1], other[1]) in golden_edges) == ((one[0], other[0]) in candidate_edges)
                for one, other in permutations(subset, 2)
            ):
                return size
    raise AssertionError("the empty set always agrees")


def test_chain_f1_exact_is_the_best_over_all_topological_orders(draw):
    for seed in range(2000):
        comparison = draw(seed)
        assert ChainF1Exact().score(comparison).value == 2 * best_chain(comparison) / sizes(comparison), seed


def test_graph_f1_exact_is_the_best_over_all_subsets(draw):
    for seed in range(2000):
        comparison = draw(seed, longest=7)
        score = GraphF1Exact().score(comparison)
        assert score.value == 2 * best_subgraph(comparison) / sizes(comparison), seed
        assert "cut" not in score.details


def test_the_random_pairs_tell_the_forms_apart(draw):
    # Otherwise the two tests above would show little.
    pairs = [draw(seed) for seed in range(300)]
    assert sum(ChainF1().score(pair).value != ChainF1Exact().score(pair).value for pair in pairs) > 30
    assert sum(GraphF1().score(pair).value != GraphF1Exact().score(pair).value for pair in pairs) > 30
    assert sum(len(pair.alignment.pairs) >= 4 for pair in pairs) > 60


def test_the_approximations_never_exceed_the_exact_forms(draw):
    for seed in range(300):
        comparison = draw(seed)
        assert GraphF1().score(comparison).value <= GraphF1Exact().score(comparison).value
        # Chain F1 reads the golden as listed, which need not be one of its topological orders; here it is.
        if all(source < target for side in (comparison.golden, comparison.candidate) for source, target in side.edges):
            assert ChainF1().score(comparison).value <= ChainF1Exact().score(comparison).value


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 24), st.data())
def test_largest_independent_set_equals_the_largest_clique_of_the_complement(count, data):
    pairs = list(combinations(range(count), 2))
    edges = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    graph = networkx.Graph(edges)
    graph.add_nodes_from(range(count))
    clique, _ = networkx.max_weight_clique(networkx.complement(graph), weight=None)
    assert largest_independent_set(count, edges, 1_000_000) == (len(clique), False)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 2**8 - 1), max_size=8))
def test_maximum_matching_equals_an_independent_algorithm(rows):
    graph = networkx.Graph()
    graph.add_nodes_from(("row", row) for row in range(len(rows)))
    graph.add_edges_from(
        (("row", row), ("column", column)) for row, mask in enumerate(rows) for column in members(mask)
    )
    top = [node for node in graph if node[0] == "row"]
    expected = len(networkx.bipartite.hopcroft_karp_matching(graph, top)) // 2
    assert maximum_matching(rows) == expected


def test_matching_and_independent_set_do_not_recurse():
    # A relation that forces one augmenting path through every row: row r may take columns r and r + 1, then 0 alone.
    rows = [(1 << row) | (1 << (row + 1)) for row in range(2000)]
    assert maximum_matching([*rows, 1]) == 2001
    path = [(vertex, vertex + 1) for vertex in range(1999)]
    assert largest_independent_set(2000, path, 10_000_000) == (1000, False)


def test_a_vertex_with_a_loop_is_in_no_independent_set():
    assert largest_independent_set(3, [(0, 0), (1, 2)], 1000) == (1, False)


def hard_graph():
    """80 vertices, about one edge in ten: far beyond a small budget."""
    return [(one, other) for one, other in combinations(range(80), 2) if (one * 7919 + other * 104729) % 31 < 3]


def test_a_small_budget_cuts_and_gives_a_lower_bound():
    exact, cut = largest_independent_set(80, hard_graph(), 100_000_000)
    assert not cut
    for budget in (0, 1, 100, 2000):
        size, cut = largest_independent_set(80, hard_graph(), budget)
        assert cut
        assert 0 < size <= exact


def test_a_cut_score_says_so_and_repeats(compare):
    golden = "".join(chr(0x4E00 + place) for place in range(80))
    edges = " ".join(golden[one] + golden[other] for one, other in hard_graph())
    comparison = compare(golden, golden, edges, "")
    score = GraphF1Exact(budget=100).score(comparison)
    assert score.details["cut"] is True
    assert score == GraphF1Exact(budget=100).score(comparison)
    assert GraphF1().score(comparison).value <= score.value <= 1.0
    assert GraphF1Exact(budget=100).signature() != GraphF1Exact().signature()


@pytest.mark.parametrize("metric", [ChainF1Exact(), PrecedenceF1()])
@pytest.mark.parametrize("edges", ["ab bc ca", "aa"])
def test_a_cyclic_golden_is_a_data_error(compare, metric, edges):
    with pytest.raises(DataError, match="cycle") as caught:
        metric.score(compare("abc", "abc", edges))
    assert caught.value.code == "E-CYCLE"


def test_precedence_compares_the_transitive_closures(draw):
    for seed in range(300):
        pair = draw(seed)
        golden_of = {candidate: golden for candidate, golden, _ in pair.alignment.pairs}
        golden, candidate = (
            set(networkx.transitive_closure(networkx.DiGraph(side.edges)).edges)
            for side in (pair.golden, pair.candidate)
        )
        if not golden and not candidate:
            assert PrecedenceF1().score(pair).value is None
            continue
        mapped = {(golden_of.get(early), golden_of.get(late)) for early, late in candidate}
        expected = 2 * len(mapped & golden) / (len(candidate) + len(golden))
        assert PrecedenceF1().score(pair).value == expected, seed


def test_details_count_edges(compare):
    # a before c is the one predicted pair, of three in the golden.
    assert PrecedenceF1().score(compare("abc", "ac")).details == {"matched": 1, "precision": 1.0, "recall": 1 / 3}
