"""All topological orders of a small graph, one after the other."""

from collections.abc import Iterator, Sequence


def topological_orders(steps: Sequence[str], edges: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Yield every order in which each edge leads forward."""
    waiting = {step: {source for source, target in edges if target == step} for step in steps}

    def extend(order: list[str], left: frozenset[str]) -> Iterator[list[str]]:
        if not left:
            yield order
        for step in steps:
            if step in left and not waiting[step] & left:
                yield from extend([*order, step], left - {step})

    yield from extend([], frozenset(steps))
