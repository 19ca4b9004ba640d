"""Orders of steps that depend on the graph and the wording only, so that shuffled sources give the same record."""

import json
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from wfkit.formats.base import Draft
from wfkit.workflow import transitive_closure

Edge = tuple[int, int]


def canonical(draft: Draft, nodes: Sequence[dict[str, Any]]) -> tuple[Draft, list[dict[str, Any]]]:
    """A draft and its steps as if they had been listed by text and id, so that nothing follows from the order of the
    arrays in its source."""
    nodes = sorted(nodes, key=lambda node: (_normalised(node["text"]), node["id"]))
    place = {node["id"]: position for position, node in enumerate(nodes)}

    def rank(step: str) -> tuple[int, str]:
        return place.get(step, len(place)), step

    sorted_draft = replace(
        draft,
        edges=sorted(draft.edges, key=lambda edge: (rank(edge[0]), rank(edge[1]))),
        start=None if draft.start is None else sorted(draft.start, key=rank),
        end=None if draft.end is None else sorted(draft.end, key=rank),
        edge_attributes=sorted(
            draft.edge_attributes,
            key=lambda edge: (rank(edge[0]), rank(edge[1]), json.dumps(edge[2], sort_keys=True, default=str)),
        ),
    )
    return sorted_draft, nodes


def layered_order(texts: Sequence[str], edges: Sequence[Edge]) -> list[int]:
    """The steps by layer (longest way from a root), then normalised text, then listed place: a topological order.

    Steps that wait for each other in a cycle keep the order that is left when its back edges are taken out.
    """
    forward = set(edges) - back_edges(texts, edges, ())
    layer = [0] * len(texts)
    successors, waiting = _successors(len(texts), forward)
    ready = [step for step, count in enumerate(waiting) if count == 0]
    for step in ready:  # grows while it is read
        for follower in successors[step]:
            layer[follower] = max(layer[follower], layer[step] + 1)
            waiting[follower] -= 1
            if waiting[follower] == 0:
                ready.append(follower)
    return sorted(range(len(texts)), key=lambda step: (layer[step], _normalised(texts[step]), step))


def back_edges(
    texts: Sequence[str], edges: Iterable[Edge], first: Iterable[int], reading_order: Iterable[int] = ()
) -> set[Edge]:
    """The edges that a depth-first walk meets against its own path; without them the graph has no cycle.

    The walk begins at the steps in ``first``, then at the roots, then in reading order, then anywhere; among equals it
    takes the smaller normalised text, then the step that is listed earlier.
    """
    rank = sorted(range(len(texts)), key=lambda step: (_normalised(texts[step]), step))
    place = [0] * len(texts)
    for position, step in enumerate(rank):
        place[step] = position
    successors, waiting = _successors(len(texts), edges)
    for followers in successors:
        followers.sort(key=place.__getitem__)
    roots = [step for step in rank if waiting[step] == 0]
    state = [0] * len(texts)  # 0 unseen, 1 on the current path, 2 finished
    result = set()
    for root in [*sorted(first, key=place.__getitem__), *roots, *reading_order, *rank]:
        if state[root]:
            continue
        state[root] = 1
        path = [(root, iter(successors[root]))]
        while path:
            step, branches = path[-1]
            follower = next(branches, None)
            if follower is None:
                state[step] = 2
                path.pop()
            elif state[follower] == 1:
                result.add((step, follower))
            elif state[follower] == 0:
                state[follower] = 1
                path.append((follower, iter(successors[follower])))
    return result


def reduced(count: int, edges: Sequence[Edge]) -> list[Edge]:
    """The edges without those that a longer path implies; cyclic graphs are returned as they are."""
    successors, waiting = _successors(count, edges)
    order = [step for step, number in enumerate(waiting) if number == 0]
    for step in order:  # grows while it is read
        for follower in successors[step]:
            waiting[follower] -= 1
            if waiting[follower] == 0:
                order.append(follower)
    if len(order) < count:
        return list(edges)
    after = transitive_closure(count, edges, order)
    later = [0] * count
    for source, target in edges:
        later[source] |= after[target]
    return [(source, target) for source, target in edges if not later[source] >> target & 1]


def _successors(count: int, edges: Iterable[Edge]) -> tuple[list[list[int]], list[int]]:
    successors: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for source, target in edges:
        successors[source].append(target)
        waiting[target] += 1
    return successors, waiting


def _normalised(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())
