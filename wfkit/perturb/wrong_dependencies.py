"""Wrong dependencies: N steps wait for the wrong steps; the steps themselves stay as they are."""

import random
from collections.abc import Sequence

from wfkit.perturb.base import Inapplicable, Perturbed, Request
from wfkit.perturb.precedence import closure


def apply(request: Request) -> Perturbed | Inapplicable:
    """Change what ``count`` steps directly wait for, so that each comes after other steps than in the golden.

    Every new edge goes forward in the topological order, so no cycle can arise and no change can undo another.
    """
    order = request.order
    if request.count > len(order) - 1:
        return Inapplicable(f"only {len(order) - 1} steps can wait for another, {request.count} are asked for")
    before = request.workflow.predecessors()
    after = closure(request.workflow)
    changed = sorted(request.chance.sample(range(1, len(order)), request.count))
    waits_for = {order[place]: _wrong(before[order[place]], order, place, after, request.chance) for place in changed}
    return _written(request, before, waits_for)


def _wrong(direct: set[int], order: Sequence[int], place: int, after: list[int], chance: random.Random) -> set[int]:
    """What the step at ``place`` is to wait for instead: either a step too many, or one of its own lost for another."""
    step, earlier = order[place], order[:place]
    unrelated = [other for other in earlier if not after[other] >> step & 1]
    rank = {other: number for number, other in enumerate(earlier)}
    # Losing the latest can not be made good by any path: all that is left comes earlier than it.
    latest = max(direct, key=rank.__getitem__, default=None)
    if unrelated and (latest is None or chance.random() < 0.5):
        kept = direct - {chance.choice(sorted(direct))} if direct else set()
        return kept | {chance.choice(unrelated)}
    assert latest is not None, "a step that waits for nothing is unrelated to all earlier ones"
    others = [other for other in earlier[: rank[latest]] if other not in direct]
    return direct - {latest} | ({chance.choice(others)} if others else set())


def _written(request: Request, before: list[set[int]], waits_for: dict[int, set[int]]) -> Perturbed:
    name = [step.id for step in request.workflow.steps]
    edges = []
    written: set[int] = set()
    for source, target in request.workflow.edges:
        if target not in waits_for:
            edges.append([name[source], name[target]])
            continue
        if source in waits_for[target]:
            edges.append([name[source], name[target]])
        if target not in written:
            written.add(target)
            edges += [[name[new], name[target]] for new in sorted(waits_for[target] - before[target])]
    for target in sorted(waits_for.keys() - written):
        edges += [[name[new], name[target]] for new in sorted(waits_for[target])]
    edits = [
        {
            "op": "rewire",
            "nodes": [name[step]],
            "from": [name[other] for other in sorted(before[step])],
            "to": [name[other] for other in sorted(waits_for[step])],
        }
        for step in sorted(waits_for)
    ]
    return Perturbed(list(request.nodes), edges, edits)
