"""Reordered steps: N steps are done at another time; the shape of the workflow stays, its steps change places."""

import random
from collections.abc import Iterator
from itertools import pairwise

from wfkit.metrics.largest_sets import maximum_matching
from wfkit.perturb.base import Inapplicable, Perturbed, Request
from wfkit.perturb.precedence import closure, steps_out_of_order
from wfkit.workflow import Workflow

_TRIES = 20


def apply(request: Request) -> Perturbed | Inapplicable:
    """Let steps change places until exactly ``count`` are out of order.

    What counts is `steps_out_of_order`: the fewest steps without which no golden precedence is reversed, so that
    swapping two parallel steps, or two with the same text, is no reordering.
    """
    at_most = maximum_matching(closure(request.workflow))
    if request.count > at_most:
        return Inapplicable(f"at most {at_most} steps can be out of order, {request.count} are asked for")
    for arrangement in _arrangements(len(request.order), request.count, request.chance):
        at_place = [request.order[place] for place in arrangement]
        moved_to = dict(zip(request.order, at_place, strict=True))
        candidate = _relabelled(request.workflow, moved_to)
        if steps_out_of_order(request.workflow, candidate) == request.count:
            return _written(request, moved_to)
    return Inapplicable(f"no arrangement was found in which exactly {request.count} steps are out of order")


def _arrangements(size: int, count: int, chance: random.Random) -> Iterator[list[int]]:
    """Arrangements of the places 0 to ``size - 1`` that may have ``count`` out of order.

    First some in which steps moved far, then some made of reversed runs: ``size - count`` runs have exactly that many
    in order.
    """
    for _ in range(_TRIES):
        moved = chance.sample(range(size), count)
        arrangement = [place for place in range(size) if place not in moved]
        for place in moved:
            arrangement.insert(chance.randint(0, len(arrangement)), place)
        yield arrangement
    for _ in range(_TRIES):
        cuts = sorted(chance.sample(range(1, size), size - count - 1))
        bounds = [0, *cuts, size]
        yield [place for start, end in pairwise(bounds) for place in range(end - 1, start - 1, -1)]


def _relabelled(workflow: Workflow, moved_to: dict[int, int]) -> Workflow:
    return workflow._replace(steps=tuple(workflow.steps[moved_to[step]] for step in range(len(workflow.steps))))


def _written(request: Request, moved_to: dict[int, int]) -> Perturbed:
    name = [step.id for step in request.workflow.steps]
    nodes = [request.nodes[moved_to[step]] for step in range(len(name))]
    edges = [[name[moved_to[source]], name[moved_to[target]]] for source, target in request.workflow.edges]
    moved = [step for step in range(len(name)) if moved_to[step] != step]
    edits = [{"op": "move", "nodes": [name[moved_to[step]]], "to_place_of": name[step]} for step in moved]
    return Perturbed(nodes, edges, edits)
