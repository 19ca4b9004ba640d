"""The branches of a workflow that only an error takes, and a workflow without them."""

from collections import Counter, defaultdict
from dataclasses import replace

from wfkit.formats.base import Draft


def without_error_branches(draft: Draft) -> Draft:
    """A draft without its edges of kind ``error`` and without the steps that nothing else leads to."""
    errors = Counter(
        (source, target) for source, target, values in draft.edge_attributes if values.get("kind") == "error"
    )
    if not errors:
        return draft
    others = {edge[:2] for edge in draft.edge_attributes if edge[2].get("kind") != "error"}
    kept = []
    for edge in draft.edges:
        if errors[edge] and edge not in others:
            errors[edge] -= 1
        else:
            kept.append(edge)
    entered = {target for _, target in draft.edges}
    first = [node["id"] for node in draft.nodes if node["id"] not in entered] + (draft.start or [])
    lost = _reached(first, draft.edges) - _reached(first, kept)
    return replace(
        draft,
        nodes=[node for node in draft.nodes if node["id"] not in lost],
        edges=[edge for edge in kept if lost.isdisjoint(edge)],
        edge_attributes=[
            edge for edge in draft.edge_attributes if edge[2].get("kind") != "error" and lost.isdisjoint(edge[:2])
        ],
        start=None if draft.start is None else [step for step in draft.start if step not in lost],
        end=None if draft.end is None else [step for step in draft.end if step not in lost],
    )


def _reached(first: list[str], edges: list[tuple[str, str]]) -> set[str]:
    followers: dict[str, list[str]] = defaultdict(list)
    for source, target in edges:
        followers[source].append(target)
    reached, waiting = set(first), list(first)
    while waiting:
        for step in followers[waiting.pop()]:
            if step not in reached:
                reached.add(step)
                waiting.append(step)
    return reached
