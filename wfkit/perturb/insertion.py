"""How a new step takes its place in a workflow without touching the precedence of the others."""

from wfkit.perturb.base import Record


def insert(nodes: list[Record], edges: list[list[str]], place: int, node: Record) -> None:
    """Put a step into the list at ``place`` (0 to ``len(nodes)``) and between the step before it and what follows that.

    At place 0 it comes before all first steps. A step that no edge touches gets none: among parallel steps the new
    one is parallel too. Both lists are changed in place.
    """
    name = node["id"]
    if place == 0:
        targets = {target for _, target in edges}
        first_steps = dict.fromkeys(source for source, _ in edges if source not in targets)
        edges[:0] = [[name, step] for step in first_steps]
    else:
        anchor = nodes[place - 1]["id"]
        leaving = [number for number, (source, _) in enumerate(edges) if source == anchor]
        if leaving or any(target == anchor for _, target in edges):
            for number in leaving:
                edges[number] = [name, edges[number][1]]
            edges.insert(leaving[0] if leaving else len(edges), [anchor, name])
    nodes.insert(place, node)
