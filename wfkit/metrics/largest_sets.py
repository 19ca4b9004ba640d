"""Exact sizes of largest sets in small graphs, on whole numbers as bit masks."""

from collections.abc import Iterable, Iterator, Sequence

from wfkit.workflow import components


def maximum_matching(rows: Sequence[int]) -> int:
    """The most pairs (row, column) with each row and column used once; bit c of ``rows[r]`` allows (r, c).

    One breadth-first search for an augmenting path per row.
    """
    column_of: dict[int, int] = {}
    row_of: dict[int, int] = {}
    for root in range(len(rows)):
        reached_from: dict[int, int] = {}
        free = _free_column(rows, root, row_of, reached_from)
        while free is not None:
            row = reached_from[free]
            previous = column_of.get(row)
            column_of[row], row_of[free] = free, row
            free = previous
    return len(column_of)


def _free_column(rows: Sequence[int], root: int, row_of: dict[int, int], reached_from: dict[int, int]) -> int | None:
    """A column without a row at the end of an alternating path from ``root``; the path is in ``reached_from``."""
    reached = 0
    queue = [root]
    for row in queue:
        fresh = rows[row] & ~reached
        reached |= fresh
        for column in members(fresh):
            reached_from[column] = row
            if column not in row_of:
                return column
            queue.append(row_of[column])
    return None


def largest_independent_set(count: int, edges: Iterable[tuple[int, int]], budget: int) -> tuple[int, bool]:
    """The size of a largest set of vertices 0 to ``count - 1`` no two of which share an edge.

    The budget is counted in vertices looked at and not in seconds, so the answer never depends on the clock.

    Args:
        count: the number of vertices.
        edges: pairs of different vertices, or a vertex twice, which then is in no such set.
        budget: how many vertices may be looked at, over all searches.

    Returns:
        the size, and whether the budget cut the search; a size that was cut is the best found until then.
    """
    edges = list(edges)
    neighbours = [0] * count
    for one, other in edges:
        neighbours[one] |= 1 << other
        neighbours[other] |= 1 << one
    looped = sum(1 << one for one in {one for one, other in edges if one == other})
    total, cut = 0, False
    for component in components(count, edges):
        remaining = sum(1 << vertex for vertex in component) & ~looped
        size, budget = _search(neighbours, remaining, budget)
        total += size
        cut = cut or budget < 0
    return total, cut


def _search(neighbours: Sequence[int], vertices: int, budget: int) -> tuple[int, int]:
    """Branch and bound within ``vertices``: the best size and what is left of the budget, negative if cut."""
    best = _greedy(neighbours, vertices)
    open_branches = [(vertices, 0)]
    while open_branches and budget >= 0:
        remaining, taken = open_branches.pop()
        best = max(best, taken)
        budget -= remaining.bit_count()
        # Each pair of a matching holds at most one vertex of the set.
        if taken + remaining.bit_count() - _greedy_matching(neighbours, remaining) <= best:
            continue
        degrees = {vertex: (neighbours[vertex] & remaining).bit_count() for vertex in members(remaining)}
        lowest, highest = min(degrees, key=degrees.__getitem__), max(degrees, key=degrees.__getitem__)
        # Some largest set holds a vertex with at most one neighbour and, where all that is left are cycles,
        # any vertex. Otherwise both cases are open for the vertex that settles most others.
        certain = degrees[lowest] <= 1 or degrees[highest] == 2
        chosen = lowest if certain else highest
        if not certain:
            open_branches.append((remaining & ~(1 << chosen), taken))
        open_branches.append((remaining & ~(1 << chosen) & ~neighbours[chosen], taken + 1))
    return best, budget


def _greedy(neighbours: Sequence[int], vertices: int) -> int:
    """The size of the independent set that takes vertices by rising degree."""
    size, free = 0, vertices
    for vertex in sorted(members(vertices), key=lambda vertex: (neighbours[vertex] & vertices).bit_count()):
        if free >> vertex & 1:
            size += 1
            free &= ~(1 << vertex) & ~neighbours[vertex]
    return size


def _greedy_matching(neighbours: Sequence[int], vertices: int) -> int:
    """The number of disjoint edges found by taking for each vertex its first free neighbour."""
    pairs, free = 0, vertices
    for vertex in members(vertices):
        if free >> vertex & 1:
            free &= ~(1 << vertex)
            partners = neighbours[vertex] & free
            if partners:
                pairs += 1
                free &= ~(partners & -partners)
    return pairs


def members(mask: int) -> Iterator[int]:
    """The places of the set bits, rising."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
