"""Compressed steps (section 3.1, A.4): N times two adjacent steps become one whose text says what both said."""

from wfkit.perturb.base import Inapplicable, Perturbed, Record, Request
from wfkit.perturb.merged_text import merged_text, names_in


class _Groups:
    """Steps merged into groups; a group is known by one of its steps and stands at that step's place in the order."""

    def __init__(self, request: Request) -> None:
        self.place = [0] * len(request.order)
        for place, step in enumerate(request.order):
            self.place[step] = place
        self.members = [[step] for step in range(len(request.order))]
        self.leader = list(range(len(request.order)))
        self.before = request.workflow.predecessors()
        self.after = request.workflow.successors()

    def merge(self, source: int, target: int, limit: int) -> bool:
        """Merge the groups of two steps joined by an edge, if that gives a group of at most ``limit`` steps.

        Nothing is merged where another group would have to change its place. The new group can take the place of the
        first if nothing listed in between leads to the second, and that of the second if nothing in between follows
        the first. Where both fail, another path may lead from the first to the second and merging them would close a
        cycle. The two that are listed closest to each other can always be merged.
        """
        first, second = self.leader[source], self.leader[target]
        if first == second or len(self.members[first]) + len(self.members[second]) > limit:
            return False
        if all(self.place[step] <= self.place[first] for step in self.before[second]):
            self._absorb(first, second)
        elif all(self.place[step] >= self.place[second] for step in self.after[first]):
            self._absorb(second, first)
        else:
            return False
        return True

    def _absorb(self, kept: int, gone: int) -> None:
        self.members[kept] += self.members[gone]
        for step in self.members[gone]:
            self.leader[step] = kept
        for here, there in ((self.before, self.after), (self.after, self.before)):
            for neighbour in here[gone]:
                there[neighbour].discard(gone)
                there[neighbour].add(kept)
            here[kept] |= here[gone]
        for neighbours in (self.before[kept], self.after[kept]):
            neighbours -= {kept, gone}


def apply(request: Request) -> Perturbed | Inapplicable:
    """Merge two steps joined by an edge, ``count`` times; the graph stays acyclic and has ``count`` steps less.

    Pairs are made as long as there are any, as in the example that the paper shows its generators, then larger groups.
    """
    groups = _Groups(request)
    edges = list(request.workflow.edges)
    request.chance.shuffle(edges)
    done, limit = 0, 2
    while done < request.count and limit < 2 * len(request.order):
        done_before = done
        for source, target in edges:
            if done < request.count and groups.merge(source, target, limit):
                done += 1
        if done == done_before:
            limit *= 2
    if done < request.count:
        return Inapplicable(f"only {done} merges of adjacent steps are possible, {request.count} are asked for")
    return _written(request, groups)


def _written(request: Request, groups: _Groups) -> Perturbed:
    nodes: list[Record] = []
    edits: list[Record] = []
    id_of: dict[int, str] = {}
    rank = {step: place for place, step in enumerate(request.order)}
    names = names_in([*request.workflow.texts, request.workflow.task or ""])
    for step, node in enumerate(request.nodes):
        if groups.leader[step] != step:
            continue
        parts = [request.nodes[part] for part in sorted(groups.members[step], key=rank.__getitem__)]
        if len(parts) > 1:
            node = _merged(parts, names)
            edits.append({"op": "merge", "nodes": [part["id"] for part in parts], "into": node["id"]})
        nodes.append(node)
        id_of[step] = node["id"]
    edges: dict[tuple[str, str], None] = {}
    for source, target in request.workflow.edges:
        first, second = groups.leader[source], groups.leader[target]
        if first != second:
            edges[id_of[first], id_of[second]] = None
    return Perturbed(nodes, [list(edge) for edge in edges], edits)


def _merged(parts: list[Record], names: frozenset[str]) -> Record:
    """One step record for several: the id and fields of the first, what only later ones have, and the merged text."""
    merged: Record = {}
    for part in parts:
        for key, value in part.items():
            merged.setdefault(key, value)
    merged["text"] = merged_text([part["text"] for part in parts], names)
    return merged
