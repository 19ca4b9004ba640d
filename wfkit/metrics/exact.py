"""The forms that the paper's structural metrics approximate, computed exactly under the same alignment."""

from collections.abc import Mapping

from wfkit.metrics.base import Comparison, Score, alignment_of, f1_score
from wfkit.metrics.largest_sets import largest_independent_set, maximum_matching
from wfkit.metrics.structural import differing_edges
from wfkit.workflow import Workflow, topological_order, transitive_closure


class ChainF1Exact:
    """Chain F1 of the best of all topological orders of the golden, in polynomial time.

    The prediction is read in its stable topological order. "i comes before j in the prediction, but j must
    precede i in the golden" is a partial order on the matched steps (precedence over all golden steps, the
    unmatched ones included). A set of matched steps is an increasing subsequence under some topological
    order exactly if no two of its steps conflict, so the largest is the largest antichain, and by Dilworth's
    theorem its size is the number of matched steps minus a maximum bipartite matching on the conflicts.

    Range 0 to 1, higher is better; undefined if neither side has a step. Source: the idealized objective of
    Appendix B.1.
    """

    name = "chain_f1_exact"
    summary = "Chain F1 under the best of all topological orders of the golden"
    needs_alignment = True

    def score(self, comparison: Comparison) -> Score:
        """Measure one comparison.

        Raises:
            DataError: ``E-CYCLE`` if a side has a cycle.
        """
        golden, candidate = comparison.golden, comparison.candidate
        golden_of = {candidate_step: step for candidate_step, step, _ in alignment_of(comparison).pairs}
        before = steps_before(golden)
        later, conflicts = 0, []
        for candidate_step in reversed(topological_order(candidate)):
            if candidate_step in golden_of:
                golden_step = golden_of[candidate_step]
                conflicts.append(before[golden_step] & later)
                later |= 1 << golden_step
        matched = len(conflicts) - maximum_matching(conflicts)
        return f1_score(matched, len(candidate.steps), len(golden.steps))

    def signature(self) -> str:
        """The version of this definition."""
        return "wfkit=1"


class GraphF1Exact:
    """F1 over the maximum common induced subgraph under the alignment.

    A set of matched steps induces the same subgraph on both sides exactly if no edge between two of them is
    on one side only. So the largest is a maximum clique of the steps that agree pairwise, found here as a
    largest independent set of the differing edges, which are few.

    Range 0 to 1, higher is better; undefined if neither side has a step. ``cut: true`` in the details says
    that the budget ended the search, and that the score is a lower bound. Source: the idealized objective of
    Appendix B.2, with the alignment fixed.

    Args:
        budget: how many vertices the search may look at, about a million a second. It is not a time, so that
            the same input gives the same score on every machine.
    """

    name = "graph_f1_exact"
    summary = "F1 over the maximum common induced subgraph of the matched steps"
    needs_alignment = True

    def __init__(self, budget: int = 1_000_000) -> None:
        self.budget = budget

    def score(self, comparison: Comparison) -> Score:
        """Measure one comparison; ``matched`` in the details is the size of the subgraph."""
        place = {golden: place for place, (_, golden, _) in enumerate(alignment_of(comparison).pairs)}
        # Sorted, so that a search that is cut does not depend on the order of a set.
        conflicts = sorted((place[source], place[target]) for source, target in differing_edges(comparison))
        matched, cut = largest_independent_set(len(place), conflicts, self.budget)
        score = f1_score(matched, len(comparison.candidate.steps), len(comparison.golden.steps))
        return Score(score.value, {**score.details, "cut": True}, score.reason) if cut else score

    def signature(self) -> str:
        """The version of this definition and the budget of its search."""
        return f"wfkit=1|budget={self.budget}"


class PrecedenceF1:
    """F1 over the ordered pairs "this step before that one" of the transitive closures.

    Re-linking around a deleted step changes edges and keeps precedence, so here it is no error.

    Range 0 to 1, higher is better; undefined if neither side has an edge.
    """

    name = "precedence_f1"
    summary = "F1 over ordered pairs of steps, directly or indirectly linked"
    needs_alignment = True

    def score(self, comparison: Comparison) -> Score:
        """Measure one comparison; ``matched`` in the details counts ordered pairs that both sides have.

        Raises:
            DataError: ``E-CYCLE`` if a side has a cycle.
        """
        golden_of = {candidate: golden for candidate, golden, _ in alignment_of(comparison).pairs}
        golden_after, candidate_after = steps_after(comparison.golden), steps_after(comparison.candidate)
        mapped_after = golden_steps_after(comparison.candidate, golden_of)
        matched = sum((mapped_after[step] & golden_after[golden_of[step]]).bit_count() for step in golden_of)
        predicted = sum(mask.bit_count() for mask in candidate_after)
        total = sum(mask.bit_count() for mask in golden_after)
        return f1_score(matched, predicted, total, "edge")

    def signature(self) -> str:
        """The version of this definition."""
        return "wfkit=1"


class NodeF1:
    """F1 over matched steps, whatever their order and edges.

    Range 0 to 1, higher is better; undefined if neither side has a step.
    """

    name = "node_f1"
    summary = "F1 over matched steps, whatever their order and edges"
    needs_alignment = True

    def score(self, comparison: Comparison) -> Score:
        """Measure one comparison; ``matched`` in the details counts the aligned pairs."""
        matched = len(alignment_of(comparison).pairs)
        return f1_score(matched, len(comparison.candidate.steps), len(comparison.golden.steps))

    def signature(self) -> str:
        """The version of this definition."""
        return "wfkit=1"


class EdgeF1:
    """F1 over edges, each compared through the alignment of its two ends.

    Range 0 to 1, higher is better; undefined if neither side has an edge.
    """

    name = "edge_f1"
    summary = "F1 over edges whose two ends are matched"
    needs_alignment = True

    def score(self, comparison: Comparison) -> Score:
        """Measure one comparison; ``matched`` in the details counts the edges that both sides have."""
        golden_of = {candidate: golden for candidate, golden, _ in alignment_of(comparison).pairs}
        golden_edges, candidate_edges = set(comparison.golden.edges), comparison.candidate.edges
        predicted = ((golden_of.get(source), golden_of.get(target)) for source, target in candidate_edges)
        matched = sum(edge in golden_edges for edge in predicted)
        return f1_score(matched, len(candidate_edges), len(golden_edges), "edge")

    def signature(self) -> str:
        """The version of this definition."""
        return "wfkit=1"


def steps_after(workflow: Workflow) -> list[int]:
    """For each step a bit mask of the steps that come after it, directly or not."""
    return transitive_closure(len(workflow.steps), workflow.edges, topological_order(workflow))


def steps_before(workflow: Workflow) -> list[int]:
    """For each step a bit mask of the steps that come before it, directly or not."""
    backwards = [(target, source) for source, target in workflow.edges]
    return transitive_closure(len(workflow.steps), backwards, topological_order(workflow)[::-1])


def golden_steps_after(candidate: Workflow, golden_of: Mapping[int, int]) -> list[int]:
    """For each candidate step a bit mask of the golden steps whose partners come after it, directly or not."""
    successors = candidate.successors()
    after = [0] * len(candidate.steps)
    for step in reversed(topological_order(candidate)):
        for follower in successors[step]:
            after[step] |= after[follower]
            if follower in golden_of:
                after[step] |= 1 << golden_of[follower]
    return after
