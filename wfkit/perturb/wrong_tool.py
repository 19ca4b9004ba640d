"""Wrong tool: N steps use another tool of the same workflow, or of the donors."""

from wfkit.perturb.base import Inapplicable, Perturbed, Record, Request
from wfkit.perturb.tools import tools_of, with_other_tool


def apply(request: Request) -> Perturbed | Inapplicable:
    """Swap the tool of ``count`` steps: the ``tool`` field and its name in the text, or a tool that the text names."""
    tools = [tools_of(node) for node in request.nodes]
    own = sorted({tool for names in tools for tool in names})
    nodes = list(request.nodes)
    edits: dict[int, Record] = {}
    for step in request.chance.sample(range(len(nodes)), len(nodes)):
        if len(edits) == request.count or not tools[step]:
            continue
        old = request.chance.choice(tools[step])
        others = [tool for tool in own if tool not in tools[step]]
        others = others or [tool for tool in request.donors.tools if tool not in tools[step]]
        if others:
            new = request.chance.choice(others)
            nodes[step] = _swapped(nodes[step], old, new)
            edits[step] = {"op": "swap_tool", "nodes": [nodes[step]["id"]], "from": old, "to": new}
    if len(edits) < request.count:
        return Inapplicable(f"only {len(edits)} steps have a tool that can be swapped, {request.count} are asked for")
    return Perturbed(nodes, request.edges_by_id(), [edits[step] for step in sorted(edits)])


def _swapped(node: Record, old: str, new: str) -> Record:
    swapped = node | {"text": with_other_tool(node["text"], old, new)}
    return swapped | {"tool": new} if node.get("tool") == old else swapped
