"""Precedence among some steps of a workflow, and how it differs between a golden and its candidate."""

from collections.abc import Collection, Mapping, Sequence

from wfkit.metrics.largest_sets import maximum_matching
from wfkit.perturb.matching import match_by_text
from wfkit.workflow import Workflow, topological_order, transitive_closure


def links_among(kept: Collection[int], successors: Sequence[Collection[int]]) -> dict[int, set[int]]:
    """For each kept step the kept steps that follow it with nothing kept in between.

    Their transitive closure is the workflow's precedence restricted to the kept steps.
    """
    if len(kept) == len(successors):
        return {step: set(successors[step]) for step in kept}
    result: dict[int, set[int]] = {}
    for step in kept:
        found: set[int] = set()
        seen: set[int] = set()
        waiting = list(successors[step])
        while waiting:
            follower = waiting.pop()
            if follower in kept:
                found.add(follower)
            elif follower not in seen:
                seen.add(follower)
                waiting.extend(successors[follower])
        result[step] = found
    return result


def closure(workflow: Workflow) -> list[int]:
    """For each step the bit mask of all steps that come after it."""
    return transitive_closure(len(workflow.steps), workflow.edges, topological_order(workflow))


def precedence_changes(
    golden: Workflow, candidate: Workflow, place: Mapping[int, int]
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The precedences among the placed golden steps that the candidate has lost, and those it has added.

    Args:
        place: golden step to candidate step. Several golden steps may share one, which then stands for all of them;
            steps of either side that are not in it only carry the precedence of others.

    Returns:
        pairs of golden steps, and pairs of candidate steps. Additions are only looked for where nothing is lost.
    """
    order = topological_order(candidate)
    after = transitive_closure(len(candidate.steps), candidate.edges, order)
    joined, lost = set(), []
    for step, followers in links_among(place.keys(), golden.successors()).items():
        for follower in sorted(followers):
            source, target = place[step], place[follower]
            if source == target:
                continue
            joined.add((source, target))
            if not after[source] >> target & 1:
                lost.append((step, follower))
    if lost:
        return lost, []
    expected = transitive_closure(len(candidate.steps), sorted(joined), order)
    used = set(place.values())
    added = [
        (step, follower)
        for step, followers in links_among(used, candidate.successors()).items()
        for follower in sorted(followers)
        if not expected[step] >> follower & 1
    ]
    return [], added


def steps_out_of_order(golden: Workflow, candidate: Workflow) -> int:
    """The fewest steps whose removal leaves no golden precedence reversed in the candidate.

    "a comes before b in the golden and after it in the candidate" is a strict partial order, so what can stay is its
    largest antichain, and what must go is as much as a maximum matching of that relation (Dilworth, König). For two
    chains this is n minus the longest common subsequence. Steps correspond by their texts.
    """
    place = dict(match_by_text(golden.texts, candidate.texts))
    before_in_golden, after_in_candidate = closure(golden), closure(candidate)
    rows = []
    for step, mask in enumerate(before_in_golden):
        row = 0
        if step in place:
            for other, there in place.items():
                if mask >> other & 1 and after_in_candidate[there] >> place[step] & 1:
                    row |= 1 << other
        rows.append(row)
    return maximum_matching(rows)
