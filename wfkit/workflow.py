"""The one model of a workflow: a directed acyclic graph of steps described in natural language.

Records stay dictionaries in the filters; below them every metric, perturbation and check works on a
`Workflow`, whose steps are numbered by their place in the list.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from wfkit.errors import DataError


class Step(NamedTuple):
    """One step: its id, unique in the workflow, and its text."""

    id: str
    text: str


class Workflow(NamedTuple):
    """An immutable workflow.

    Attributes:
        id: the record's id.
        steps: the steps in listed order.
        edges: pairs of step indices (from, to), 0 to ``len(steps) - 1``, in listed order, each once.
        task: what the workflow is for, where the record says so.
    """

    id: str
    steps: tuple[Step, ...]
    edges: tuple[tuple[int, int], ...]
    task: str | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """The step texts in listed order."""
        return tuple([step.text for step in self.steps])

    def predecessors(self) -> list[set[int]]:
        """For each step the set of steps it directly waits for."""
        result: list[set[int]] = [set() for _ in self.steps]
        for source, target in self.edges:
            result[target].add(source)
        return result

    def successors(self) -> list[set[int]]:
        """For each step the set of steps that directly wait for it."""
        result: list[set[int]] = [set() for _ in self.steps]
        for source, target in self.edges:
            result[source].add(target)
        return result


def from_record(record: Mapping[str, Any], *, path: str = "$") -> Workflow:
    """Build a `Workflow` from a canonical `workflow` record.

    Raises:
        DataError: ``E-DUP-ID`` for a repeated step id, ``E-GHOST`` for an edge to a step that is not listed.
    """
    index: dict[str, int] = {}
    steps: list[Step] = []
    for node in record["nodes"]:
        step = Step(node["id"], node["text"])
        if step.id in index:
            raise DataError(f"step id {step.id!r} occurs twice", code="E-DUP-ID", path=f"{path}.nodes[{len(steps)}]")
        index[step.id] = len(steps)
        steps.append(step)
    edges: dict[tuple[int, int], None] = {}
    for number, (source, target) in enumerate(record["edges"]):
        for end in (source, target):
            if end not in index:
                raise DataError(f"edge to unknown step {end!r}", code="E-GHOST", path=f"{path}.edges[{number}]")
        edges[index[source], index[target]] = None
    return Workflow(record["id"], tuple(steps), tuple(edges), record.get("task"))


def topological_order(workflow: Workflow) -> tuple[int, ...]:
    """The stable topological order: of the steps that are ready, the one listed first.

    Raises:
        DataError: ``E-CYCLE``, naming the steps of one cycle.
    """
    order = _stable_order(len(workflow.steps), workflow.edges)
    if len(order) < len(workflow.steps):
        cycle = find_cycle(len(workflow.steps), workflow.edges)
        names = " -> ".join(workflow.steps[step].id for step in [*cycle, cycle[0]])
        raise DataError(f"the steps form a cycle: {names}", code="E-CYCLE")
    return order


@lru_cache(maxsize=8)  # each metric asks for that of the same golden and candidate
def _stable_order(count: int, edges: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """The order of all steps that are in no cycle and behind none."""
    import heapq

    successors: list[set[int]] = [set() for _ in range(count)]
    waiting = [0] * count
    for source, target in edges:
        successors[source].add(target)
        waiting[target] += 1
    ready = [step for step, others in enumerate(waiting) if others == 0]
    order = []
    while ready:
        step = heapq.heappop(ready)
        order.append(step)
        for follower in successors[step]:
            waiting[follower] -= 1
            if waiting[follower] == 0:
                heapq.heappush(ready, follower)
    return tuple(order)


def find_cycle(count: int, edges: Iterable[tuple[int, int]]) -> list[int]:
    """The steps of one cycle in order, or an empty list where there is none. Self-loops count."""
    successors: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        successors[source].append(target)
    state = [0] * count  # 0 unseen, 1 on the current path, 2 finished
    for root in range(count):
        if state[root]:
            continue
        state[root] = 1
        path = [root]
        branches = [iter(successors[root])]
        while path:
            step = next(branches[-1], None)
            if step is None:
                state[path.pop()] = 2
                branches.pop()
            elif state[step] == 1:
                return path[path.index(step) :]
            elif state[step] == 0:
                state[step] = 1
                path.append(step)
                branches.append(iter(successors[step]))
    return []


def transitive_closure(count: int, edges: Sequence[tuple[int, int]], order: Sequence[int]) -> list[int]:
    """For each step a bit mask of all steps that come after it; ``order`` is a topological order."""
    direct: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        direct[source].append(target)
    after = [0] * count
    for step in reversed(order):
        for follower in direct[step]:
            after[step] |= after[follower] | (1 << follower)
    return after


def components(count: int, edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The weakly connected components, each a sorted list of steps, ordered by their first step."""
    neighbours: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        neighbours[source].append(target)
        neighbours[target].append(source)
    seen = [False] * count
    result = []
    for root in range(count):
        if seen[root]:
            continue
        seen[root] = True
        member, queue = [], deque([root])
        while queue:
            step = queue.popleft()
            member.append(step)
            for neighbour in neighbours[step]:
                if not seen[neighbour]:
                    seen[neighbour] = True
                    queue.append(neighbour)
        result.append(sorted(member))
    return result
