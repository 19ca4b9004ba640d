"""Metrics that compare the shape of two workflows through the alignment of their steps (Appendix B.1, B.2)."""

from bisect import bisect_left
from collections.abc import Iterable

from wfkit.metrics.base import Comparison, Score, alignment_of, f1_score


class ChainF1:
    """F1 over the steps that the candidate lists in the golden's order.

    The golden places of the matched steps are read in the order in which the candidate lists them; their
    longest increasing subsequence has length l, and the score is 2l / (candidate steps + golden steps).
    Both sides are read as listed, so a golden whose list runs against its own edges scores 1 against itself.

    Range 0 to 1, higher is better; undefined if neither side has a step. Source: Appendix B.1.
    """

    name = "chain_f1"
    summary = "F1 over the steps in the golden's listed order (longest increasing subsequence)"
    needs_alignment = True

    def score(self, comparison: Comparison) -> Score:
        """Measure one comparison; ``matched`` in the details is l."""
        golden_places = (golden for _, golden, _ in alignment_of(comparison).pairs)
        matched = longest_increasing_length(golden_places)
        return f1_score(matched, len(comparison.candidate.steps), len(comparison.golden.steps))

    def signature(self) -> str:
        """The version of this definition."""
        return "wfkit=1"


class GraphF1:
    """F1 over the matched steps that survive the pruning of Appendix B.2.

    A matched step fails if its predecessors or its successors among the matched steps differ between the
    two graphs; all steps that fail in a round are pruned at once (the only reading that does not depend on
    an order), until none fails. With k steps left the score is 2k / (candidate steps + golden steps).

    Range 0 to 1, higher is better; undefined if neither side has a step.
    """

    name = "graph_f1"
    summary = "F1 over the matched steps whose predecessors and successors agree (pruning)"
    needs_alignment = True

    def score(self, comparison: Comparison) -> Score:
        """Measure one comparison; ``matched`` in the details is k."""
        pairs = alignment_of(comparison).pairs
        # One round is all there is: a step fails exactly if it is an end of a differing edge between matched
        # steps, the other end of that edge fails with it, and no edge between the steps left differs.
        pruned = {step for edge in differing_edges(comparison) for step in edge}
        matched = len(pairs) - len(pruned)
        return f1_score(matched, len(comparison.candidate.steps), len(comparison.golden.steps))

    def signature(self) -> str:
        """The version of this definition."""
        return "wfkit=1"


def longest_increasing_length(numbers: Iterable[int]) -> int:
    """The length of the longest strictly increasing subsequence."""
    smallest_ends: list[int] = []  # at place l the smallest last number of an increasing subsequence of l + 1
    for number in numbers:
        place = bisect_left(smallest_ends, number)
        smallest_ends[place : place + 1] = [number]
    return len(smallest_ends)


def differing_edges(comparison: Comparison) -> set[tuple[int, int]]:
    """The edges between matched steps that only one of the two graphs has, as golden indices (from, to)."""
    golden_of = {candidate: golden for candidate, golden, _ in alignment_of(comparison).pairs}
    matched = set(golden_of.values())
    predicted = {
        (golden_of[source], golden_of[target])
        for source, target in comparison.candidate.edges
        if source in golden_of and target in golden_of
    }
    expected = {
        (source, target) for source, target in comparison.golden.edges if source in matched and target in matched
    }
    return predicted ^ expected
