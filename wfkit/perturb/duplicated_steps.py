"""Duplicated steps: N steps are done twice in a row."""

from wfkit.perturb.base import Inapplicable, Perturbed, Request, fresh_id
from wfkit.perturb.insertion import insert


def apply(request: Request) -> Perturbed | Inapplicable:
    """Repeat ``count`` different steps word for word, each right after itself."""
    nodes, edges = list(request.nodes), request.edges_by_id()
    taken = {node["id"] for node in nodes}
    repeated = sorted(request.chance.sample(range(len(nodes)), request.count))
    edits = []
    for done, step in enumerate(repeated):
        original = request.nodes[step]
        copy = original | {"id": fresh_id(f"{original['id']}-again", taken)}
        taken.add(copy["id"])
        insert(nodes, edges, step + done + 1, copy)
        edits.append({"op": "duplicate", "nodes": [original["id"]], "into": copy["id"]})
    return Perturbed(nodes, edges, edits)
