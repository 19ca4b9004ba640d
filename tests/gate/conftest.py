"""Builders of small pair records for the tests of the gate."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

Edges = Sequence[tuple[int, int]]


def build_workflow(
    identifier: str, texts: Sequence[str], edges: Edges | None = None, prefix: str = ""
) -> dict[str, Any]:
    """A workflow record with steps ``1``, ``2``, … (after ``prefix``), a chain unless ``edges`` says otherwise."""
    names = [f"{prefix}{number}" for number in range(1, len(texts) + 1)]
    links = [(place, place + 1) for place in range(len(texts) - 1)] if edges is None else edges
    return {
        "kind": "workflow",
        "id": identifier,
        "nodes": [{"id": name, "text": text} for name, text in zip(names, texts, strict=True)],
        "edges": [[names[source], names[target]] for source, target in links],
    }


def build_pair(
    golden: Sequence[str],
    candidate: Sequence[str],
    *,
    matched: Sequence[tuple[int, int, float]] | None = None,
    golden_edges: Edges | None = None,
    candidate_edges: Edges | None = None,
    scores: dict[str, Any] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """A pair record; ``matched`` holds places from 0 (golden, candidate, similarity), by default of the equal texts."""
    left = build_workflow("golden", golden, golden_edges)
    right = build_workflow("candidate", candidate, candidate_edges, "c")
    if matched is None:
        matched = [(golden.index(text), place, 1.0) for place, text in enumerate(candidate) if text in golden]
    alignment = {
        "matched": [[left["nodes"][here]["id"], right["nodes"][there]["id"], value] for here, there, value in matched],
    }
    return {
        "kind": "pair",
        "id": "candidate",
        "golden": left,
        "candidate": right,
        "scores": scores or {},
        "alignment": alignment,
        **fields,
    }


@pytest.fixture(scope="session")
def make_pair() -> Callable[..., dict[str, Any]]:
    return build_pair
