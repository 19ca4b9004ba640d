"""Pairs worked by hand: every structural and ordering metric on each, with the arithmetic beside it.

g and p are the numbers of golden and predicted steps. F1 is 2k / (p + g); ``precedence`` counts the ordered
pairs of the transitive closures, of which a chain of n steps has n(n-1)/2. Equal letters are equal steps
(similarity 1), other letters have similarity 0 unless a matrix [candidate, golden] is given.
"""

from fractions import Fraction

import pytest

from wfkit.metrics.exact import ChainF1Exact, EdgeF1, GraphF1Exact, NodeF1, PrecedenceF1
from wfkit.metrics.ordering import KendallTau, KendallTauAligned
from wfkit.metrics.structural import ChainF1, GraphF1

METRICS = {
    "chain": ChainF1(),
    "graph": GraphF1(),
    "tau": KendallTau(),
    "tau_aligned": KendallTauAligned(),
    "chain_exact": ChainF1Exact(),
    "graph_exact": GraphF1Exact(),
    "precedence": PrecedenceF1(),
    "node": NodeF1(),
    "edge": EdgeF1(),
}
UNDEFINED = None
PERFECT = dict.fromkeys(METRICS, 1)
NOTHING = dict.fromkeys(METRICS, 0)

PAIRS = {}


def pair(what, golden, candidate, golden_edges=None, candidate_edges=None, similarity=None, **expected):
    """One row: edges None is a chain in listed order."""
    assert what not in PAIRS, what
    assert expected.keys() == METRICS.keys(), what
    PAIRS[what] = (golden, candidate, golden_edges, candidate_edges, similarity), expected


# --- Equal workflows ------------------------------------------------------------------------------------------------

pair("a chain itself", "abc", "abc", **PERFECT)
pair("two steps", "ab", "ab", **PERFECT)
pair("a diamond itself", "abcd", "abcd", "ab ac bd cd", "ab ac bd cd", **PERFECT)
# One step has no order and no edge.
pair(
    "one step",
    "a",
    "a",
    **PERFECT | {"tau": UNDEFINED, "tau_aligned": UNDEFINED, "precedence": UNDEFINED, "edge": UNDEFINED},
)
# Parallel steps without any edge: the edge forms have nothing to compare.
pair("parallel steps", "abc", "abc", "", "", **PERFECT | {"precedence": UNDEFINED, "edge": UNDEFINED})
# Listed a b c, but c comes first: both sides are read as listed, or both in topological order c b a.
pair("listed against its own edges", "abc", "abc", "cb ba", "cb ba", **PERFECT)
pair("repeated texts", "aba", "aba", **PERFECT)
pair("only equal texts", "aaaa", "aaaa", **PERFECT)
# Every text is different but 0.9 similar to its counterpart.
pair("reworded throughout", "abc", "xyz", similarity=[[0.9, 0.1, 0.1], [0.1, 0.9, 0.1], [0.1, 0.1, 0.9]], **PERFECT)
pair("exactly at the threshold", "ab", "xy", similarity=[[0.8, 0], [0, 0.8]], **PERFECT)

# --- Nothing in common ----------------------------------------------------------------------------------------------

pair("just below the threshold", "ab", "xy", similarity=[[0.7999, 0], [0, 0.7999]], **NOTHING)
pair("nothing matches", "abc", "xyz", **NOTHING)
# 0 / (0 + 3) for every F1 over steps; edges 0 / (0 + 2); no step finds a partner, so tau is 0.
pair("empty candidate", "abc", "", **NOTHING)
pair(
    "empty candidate for one step", "a", "",
    **NOTHING | {"tau": UNDEFINED, "tau_aligned": UNDEFINED, "precedence": UNDEFINED, "edge": UNDEFINED},
)  # fmt: skip

# --- Lost steps -----------------------------------------------------------------------------------------------------

# k = 3, p + g = 8: exactly 6/8. tau: 3 concordant pairs of 3, times 3/5. Closures 3 of 3 and 10: 6/13.
# Edges ab bc of 2 and 4: 4/6.
pair("two of five lost, exactly 0.75", "abcde", "abc", chain="3/4", graph="3/4", tau="3/5", tau_aligned=1,
     chain_exact="3/4", graph_exact="3/4", precedence="6/13", node="3/4", edge="2/3")  # fmt: skip
# k = 4, p + g = 11. tau: 1 * 4/7. Closures 6 of 6 and 21: 12/27. Edges 3 of 3 and 6: 6/9.
pair("three of seven lost from the tail", "abcdefg", "abcd", chain="8/11", graph="8/11", tau="4/7", tau_aligned=1,
     chain_exact="8/11", graph_exact="8/11", precedence="4/9", node="8/11", edge="2/3")  # fmt: skip
# k = 7, p + g = 17. Closures 21 of 21 and 45: 42/66. Edges 6 of 6 and 9: 12/15.
pair("three of ten lost from the tail", "abcdefghij", "abcdefg", chain="14/17", graph="14/17", tau="7/10",
     tau_aligned=1, chain_exact="14/17", graph_exact="14/17", precedence="7/11", node="14/17", edge="4/5")  # fmt: skip
# k = 2, p + g = 5. Edge bc stays on both sides. Closures 1 of 1 and 3: 2/4. Edges 1 of 1 and 2: 2/3.
pair("first step lost", "abc", "bc", chain="4/5", graph="4/5", tau="2/3", tau_aligned=1,
     chain_exact="4/5", graph_exact="4/5", precedence="1/2", node="4/5", edge="2/3")  # fmt: skip
# The new edge ac is in no golden: a and c fail together, 0/5; exactly, one of them can stay: 2/5.
# Closures: a before c is in both: 1 of 1 and 3.
pair("middle step lost and re-linked", "abc", "ac", chain="4/5", graph=0, tau="2/3", tau_aligned=1,
     chain_exact="4/5", graph_exact="2/5", precedence="1/2", node="4/5", edge=0)  # fmt: skip
# bd differs: b and d fail, a and e stay: 4/9; exactly, three can stay: 6/9. Closures 6 of 6 and 10: 12/16.
# Edges ab de of 3 and 4: 4/7.
pair("one of five lost and re-linked", "abcde", "abde", chain="8/9", graph="4/9", tau="4/5", tau_aligned=1,
     chain_exact="8/9", graph_exact="2/3", precedence="3/4", node="8/9", edge="4/7")  # fmt: skip
# Between a b d e the golden has ab de, and so has the candidate: 8/9. Closures ab de of 2 and 10: 4/12.
# Edges 2 of 2 and 4: 4/6.
pair("one of five lost and cut", "abcde", "abde", candidate_edges="ab de", chain="8/9", graph="8/9", tau="4/5",
     tau_aligned=1, chain_exact="8/9", graph_exact="8/9", precedence="1/3", node="8/9", edge="2/3")  # fmt: skip
# Diamond without c: edges ab bd on both sides. Closures ab ad bd = 3 of 3 and 5 (ab ac ad bd cd): 6/8.
# Edges 2 of 2 and 4: 4/6.
pair("one branch of a diamond lost", "abcd", "abd", "ab ac bd cd", "ab bd", chain="6/7", graph="6/7", tau="3/4",
     tau_aligned=1, chain_exact="6/7", graph_exact="6/7", precedence="3/4", node="6/7", edge="2/3")  # fmt: skip
# Listed c b a with a -> b -> c. Candidate lists c a with a -> c: places rise, 4/5; ac is new: 0/5, exactly 2/5.
# Topological a c agrees with a before c: 4/5. Closures 1 of 1 and 3.
pair("lost from a golden listed against its edges", "cba", "ca", "ab bc", "ac", chain="4/5", graph=0, tau="2/3",
     tau_aligned=1, chain_exact="4/5", graph_exact="2/5", precedence="1/2", node="4/5", edge=0)  # fmt: skip

# --- Lost steps among repeated texts --------------------------------------------------------------------------------

# b a are golden 1 and 2 (common subsequence). Golden 0 finds the predicted a, which belongs to its twin: missing.
# tau: one pair, concordant, times 2/3. Edge (1, 2) on both sides. Closures 1 of 1 and 3. Edges 1 of 1 and 2.
pair("first twin lost", "aba", "ba", chain="4/5", graph="4/5", tau="2/3", tau_aligned=1,
     chain_exact="4/5", graph_exact="4/5", precedence="1/2", node="4/5", edge="2/3")  # fmt: skip
# a b are golden 0 and 1; otherwise the same.
pair("last twin lost", "aba", "ab", chain="4/5", graph="4/5", tau="2/3", tau_aligned=1,
     chain_exact="4/5", graph_exact="4/5", precedence="1/2", node="4/5", edge="2/3")  # fmt: skip
# The leftmost common subsequence takes golden 0 and 1; golden 2 is a lost twin.
pair("one of three equal steps lost", "aaa", "aa", chain="4/5", graph="4/5", tau="2/3", tau_aligned=1,
     chain_exact="4/5", graph_exact="4/5", precedence="1/2", node="4/5", edge="2/3")  # fmt: skip
# b a c are golden 1 2 3: 6/7. tau: 1 * 3/4. Closures 3 of 3 and 6: 6/9. Edges 2 of 2 and 3: 4/5.
pair("first twin lost from four", "abac", "bac", chain="6/7", graph="6/7", tau="3/4", tau_aligned=1,
     chain_exact="6/7", graph_exact="6/7", precedence="2/3", node="6/7", edge="4/5")  # fmt: skip

# --- Merged steps ---------------------------------------------------------------------------------------------------

# m holds b and c but is like b alone: c is lost. k = 3, p + g = 7. Predicted ab bd, golden ab: b and d fail: 2/7;
# exactly, two can stay: 4/7. tau: a b d in order, 1 * 3/4. Closures 3 of 3 and 6: 6/9. Edge ab of 2 and 3: 2/5.
pair("merged, like one of the two", "abcd", "amd", similarity=[[1, 0, 0, 0], [0, 0.85, 0.7, 0], [0, 0, 0, 1]],
     chain="6/7", graph="2/7", tau="3/4", tau_aligned=1, chain_exact="6/7", graph_exact="4/7", precedence="2/3",
     node="6/7", edge="2/5")  # fmt: skip
# m is like both: c finds it too. Places 0 1 1 2: the tie of b and c is discordant, C = 5, D = 1: 4/6 * 3/4 = 1/2.
pair("merged, like both", "abcd", "amd", similarity=[[1, 0, 0, 0], [0, 0.9, 0.85, 0], [0, 0, 0, 1]],
     chain="6/7", graph="2/7", tau="1/2", tau_aligned=1, chain_exact="6/7", graph_exact="4/7", precedence="2/3",
     node="6/7", edge="2/5")  # fmt: skip
# m is like neither: a and d are left, with no edge between them on either side: 4/7. tau: 1 * 3/4.
# Closures: a before d, 1 of 3 and 6: 2/9. Edges: none of am md: 0.
pair("merged, like neither", "abcd", "amd", similarity=[[1, 0, 0, 0], [0, 0.75, 0.7, 0], [0, 0, 0, 1]],
     chain="4/7", graph="4/7", tau="3/4", tau_aligned=1, chain_exact="4/7", graph_exact="4/7", precedence="2/9",
     node="4/7", edge=0)  # fmt: skip
# All three in one: k = 1 of 1 and 3. Places 0 0 0: C = 0, D = 3, so tau is -1 and not scaled.
pair("all merged into one", "abc", "m", similarity=[[0.9, 0.85, 0.8]], chain="1/2", graph="1/2", tau=-1, tau_aligned=0,
     chain_exact="1/2", graph_exact="1/2", precedence=0, node="1/2", edge=0)  # fmt: skip

# --- Other order ----------------------------------------------------------------------------------------------------

# Places 2 1 0: l = 1, 2/6. Every edge differs; a and c share none: exactly 4/6. No ordered pair agrees.
pair("reversed", "abc", "cba", chain="1/3", graph=0, tau=-1, tau_aligned=-1,
     chain_exact="1/3", graph_exact="2/3", precedence=0, node=1, edge=0)  # fmt: skip
# 0 2 1 3: l = 3, 6/8. All of ab bc cd / ac cb bd differ; a and d can stay: 4/8. tau: C = 5, D = 1: 4/6.
# Closures 5 of 6 and 6: 10/12.
pair("two neighbours swapped", "abcd", "acbd", chain="3/4", graph=0, tau="2/3", tau_aligned="2/3",
     chain_exact="3/4", graph_exact="1/2", precedence="5/6", node=1, edge=0)  # fmt: skip
# 3 0 1 2: l = 3. da and cd differ: a c d fail, b stays: 2/8; exactly only d must go: 6/8. tau: C = 3, D = 3.
# Closures: ab ac bc of 6 and 6. Edges ab bc of 3 and 3.
pair("last step moved to the front", "abcd", "dabc", chain="3/4", graph="1/4", tau=0, tau_aligned=0,
     chain_exact="3/4", graph_exact="3/4", precedence="1/2", node=1, edge="2/3")  # fmt: skip
# b a are golden 1 0: l = 1, 2/5. The negative tau is not scaled by 2/3. One of the two can stay: 2/5.
pair("one lost, the others swapped", "abc", "ba", chain="2/5", graph=0, tau=-1, tau_aligned=-1,
     chain_exact="2/5", graph_exact="2/5", precedence=0, node="4/5", edge=0)  # fmt: skip
# b has gone, and a before c held only through b: the two conflict all the same, chain_exact 2/6.
# a and c share no edge on either side: 4/6. tau over a c: -1.
pair("swapped around a lost step", "abc", "cxa", chain="1/3", graph="2/3", tau=-1, tau_aligned=-1,
     chain_exact="1/3", graph_exact="2/3", precedence=0, node="2/3", edge=0)  # fmt: skip
# Only the list is reversed, the edges are the golden's.
pair("same graph, listed backwards", "abc", "cba", candidate_edges="ab bc", chain="1/3", graph=1, tau=-1,
     tau_aligned=-1, chain_exact=1, graph_exact=1, precedence=1, node=1, edge=1)  # fmt: skip
# Only the edge is reversed: read in topological order b a, one of the two can stay: 2/4.
pair("same list, edge reversed", "ab", "ab", candidate_edges="ba", chain=1, graph=0, tau=1, tau_aligned=1,
     chain_exact="1/2", graph_exact="1/2", precedence=0, node=1, edge=0)  # fmt: skip
# Crossed is better: 0.9 + 0.9 = 1.8 against 0.95 + 0.8 = 1.75. So x is b and y is a.
pair("reworded so that the best match crosses", "ab", "xy", similarity=[[0.95, 0.9], [0.9, 0.8]], chain="1/2", graph=0,
     tau=-1, tau_aligned=-1, chain_exact="1/2", graph_exact="1/2", precedence=0, node=1, edge=0)  # fmt: skip

# --- Parallel steps -------------------------------------------------------------------------------------------------

# 0 2 1 3: l = 3 under the listed order, but a c b d is a topological order of the diamond: 1.
pair("branches of a diamond swapped", "abcd", "acbd", "ab ac bd cd", "ac ab cd bd", chain="3/4", graph=1, tau="2/3",
     tau_aligned="2/3", chain_exact=1, graph_exact=1, precedence=1, node=1, edge=1)  # fmt: skip
# 0 3 2 1: l = 2, 4/8. tau: the three pairs with a are concordant, the other three are not.
pair("branches of a fork reversed", "abcd", "adcb", "ab ac ad", "ad ac ab", chain="1/2", graph=1, tau=0,
     tau_aligned=0, chain_exact=1, graph_exact=1, precedence=1, node=1, edge=1)  # fmt: skip
# 2 3 0 1: l = 2. tau: ab and cd concordant, C = 2, D = 4: -2/6.
pair("two independent chains swapped", "abcd", "cdab", "ab cd", "cd ab", chain="1/2", graph=1, tau="-1/3",
     tau_aligned="-1/3", chain_exact=1, graph_exact=1, precedence=1, node=1, edge=1)  # fmt: skip
# 1 0 2 3: l = 3. cd is lost: c and d fail, 4/8; exactly one of them, 6/8. tau: C = 5, D = 1.
# Topological b a c d contradicts nothing. Closures and edges 2 of 2 and 3: 4/5.
pair("a join reordered and one edge lost", "abcd", "bacd", "ad bd cd", "bd ad", chain="3/4", graph="1/2", tau="2/3",
     tau_aligned="2/3", chain_exact=1, graph_exact="3/4", precedence="4/5", node=1, edge="4/5")  # fmt: skip
# bc is new, ac and bd are lost: all four fail. The conflicts are the path a-c-b-d, so two can stay: 4/8.
# Closures 5 of 6 and 5: 10/11. Edges ab cd of 3 and 4: 4/7.
pair("a diamond made a chain", "abcd", "abcd", "ab ac bd cd", "ab bc cd", chain=1, graph=0, tau=1, tau_aligned=1,
     chain_exact=1, graph_exact="1/2", precedence="10/11", node=1, edge="4/7")  # fmt: skip
# bc is lost, ac is new: all fail; a and b can stay: 4/6. Closures ab ac, 2 of 2 and 3: 4/5. Edge ab of 2 and 2.
pair("a chain made parallel", "abc", "abc", "ab bc", "ab ac", chain=1, graph=0, tau=1, tau_aligned=1,
     chain_exact=1, graph_exact="2/3", precedence="4/5", node=1, edge="1/2")  # fmt: skip
# ac adds nothing to the precedence ab bc. a and c fail, b stays: 2/6; exactly two: 4/6. Edges 2 of 2 and 3: 4/5.
pair("a redundant edge lost", "abc", "abc", "ab bc ac", "ab bc", chain=1, graph="1/3", tau=1, tau_aligned=1,
     chain_exact=1, graph_exact="2/3", precedence=1, node=1, edge="4/5")  # fmt: skip
# The golden has no edge, the candidate has one: 0 / (1 + 0) is defined.
pair("parallel steps linked", "ab", "ab", "", "ab", chain=1, graph=0, tau=1, tau_aligned=1,
     chain_exact=1, graph_exact="1/2", precedence=0, node=1, edge=0)  # fmt: skip

# --- Added steps ----------------------------------------------------------------------------------------------------

# k = 3, p + g = 7. tau: 1 * 3/4. Closures 3 of 6 and 3: 6/9. Edges 2 of 3 and 2: 4/5.
pair("a step added at the end", "abc", "abcx", chain="6/7", graph="6/7", tau="3/4", tau_aligned=1,
     chain_exact="6/7", graph_exact="6/7", precedence="2/3", node="6/7", edge="4/5")  # fmt: skip
# ab is cut by x: a and b fail, c stays: 2/7; exactly two stay: 4/7. Precedence is kept. Edge bc of 3 and 2: 2/5.
pair("a step added in the middle", "abc", "axbc", chain="6/7", graph="2/7", tau="3/4", tau_aligned=1,
     chain_exact="6/7", graph_exact="4/7", precedence="2/3", node="6/7", edge="2/5")  # fmt: skip
# The first b is the partner, so bc is lost (the candidate's edges are ab, bb, bc from the other b): 2/7, exactly 4/7.
pair("a step duplicated", "abc", "abbc", chain="6/7", graph="2/7", tau="3/4", tau_aligned=1,
     chain_exact="6/7", graph_exact="4/7", precedence="2/3", node="6/7", edge="2/5")  # fmt: skip
# k = 1, p + g = 3. The golden has no edge, the candidate has one.
pair("one step and one added", "a", "ab", chain="2/3", graph="2/3", tau=UNDEFINED, tau_aligned=UNDEFINED,
     chain_exact="2/3", graph_exact="2/3", precedence=0, node="2/3", edge=0)  # fmt: skip

# --- Other wording --------------------------------------------------------------------------------------------------

# c is not recognised. k = 4, p + g = 10; between a b d e both sides have ab de. Same sizes, so tau is not scaled.
# Closures: 6 pairs among a b d e of 10 and 10. Edges ab de of 4 and 4.
pair("one of five reworded beyond recognition", "abcde", "abxde", chain="4/5", graph="4/5", tau=1, tau_aligned=1,
     chain_exact="4/5", graph_exact="4/5", precedence="3/5", node="4/5", edge="1/2")  # fmt: skip
# y is like a (0.9) and like b (0.95): y is b's partner. x is like neither. a, of another text, finds y as well:
# places 1 1, a tie: C = 0, D = 1, tau -1. Aligned k = 1: 0. k = 1, p + g = 4.
pair("one step now says both", "ab", "xy", similarity=[[0.3, 0.2], [0.9, 0.95]], chain="1/2", graph="1/2", tau=-1,
     tau_aligned=0, chain_exact="1/2", graph_exact="1/2", precedence=0, node="1/2", edge=0)  # fmt: skip


def test_there_are_enough_pairs():
    assert len(PAIRS) >= 40


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("what", PAIRS)
def test_hand_checked(compare, what, metric):
    arguments, expected = PAIRS[what]
    score = METRICS[metric].score(compare(*arguments))
    if expected[metric] is UNDEFINED:
        assert score.value is None
        assert score.reason.startswith("undefined: ")
    else:
        # Exact, not approximate: a score on a threshold must not move by a rounding.
        assert score.value == float(Fraction(expected[metric]))
