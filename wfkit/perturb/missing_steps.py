"""Missing steps (section 3.1, A.3): N steps are removed, what waited for them waits for what they waited for."""

from wfkit.perturb.base import Inapplicable, Perturbed, Request
from wfkit.perturb.precedence import closure, links_among
from wfkit.workflow import Workflow


def apply(request: Request) -> Perturbed | Inapplicable:
    """Remove ``count`` steps; at most all of them, which leaves an empty workflow."""
    removed = _chosen(request)
    workflow = request.workflow
    kept = {step for step in range(len(workflow.steps)) if step not in removed}
    name = [step.id for step in workflow.steps]
    return Perturbed(
        [node for step, node in enumerate(request.nodes) if step in kept],
        [[name[source], name[target]] for source, target in bridged_edges(workflow, kept)],
        [{"op": "remove", "nodes": [name[step]]} for step in sorted(removed)],
    )


def _chosen(request: Request) -> set[int]:
    size = len(request.order)
    if request.placement == "tail":
        return set(request.order[size - request.count :])
    if request.placement == "block":
        start = request.chance.randrange(size - request.count + 1)
        return set(request.order[start : start + request.count])
    return set(request.chance.sample(range(size), request.count))


def bridged_edges(workflow: Workflow, kept: set[int]) -> list[tuple[int, int]]:
    """The edges among the kept steps, with a new one wherever only removed steps led from one to another.

    No edge is added that a path over kept steps implies. A new edge stands where the first edge towards the removed
    step stood.
    """
    after = closure(workflow)
    links = links_among(kept, workflow.successors())
    written = set(workflow.edges)
    edges: dict[tuple[int, int], None] = {}
    for source, target in workflow.edges:
        if source not in kept:
            continue
        if target in kept:
            edges[source, target] = None
            continue
        implied = 0
        for follower in links[source]:
            implied |= after[follower]
        for follower in sorted(links[source]):
            # An edge of the golden keeps its own place in the list.
            if not implied >> follower & 1 and (source, follower) not in written:
                edges[source, follower] = None
    return list(edges)
