"""Description changes (section 3.1, A.5): N texts are paraphrased, everything else stays byte for byte."""

from wfkit.perturb.base import Inapplicable, Perturbed, Record, Request
from wfkit.perturb.words import wording


def apply(request: Request) -> Perturbed | Inapplicable:
    """Paraphrase exactly ``count`` step texts with the reviewed rules."""
    from wfkit.perturb.rewording import reword

    nodes = list(request.nodes)
    edits: dict[int, Record] = {}
    for step in request.chance.sample(range(len(nodes)), len(nodes)):
        if len(edits) == request.count:
            break
        text = nodes[step]["text"]
        changed = reword(text, request.chance)
        if changed is not None and wording(changed) != wording(text):
            nodes[step] = nodes[step] | {"text": changed}
            edits[step] = {"op": "reword", "nodes": [nodes[step]["id"]]}
    if len(edits) < request.count:
        return Inapplicable(f"only {len(edits)} of the steps can be reworded, {request.count} are asked for")
    return Perturbed(nodes, request.edges_by_id(), [edits[step] for step in sorted(edits)])
