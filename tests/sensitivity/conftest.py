"""Pairs with given scores, and what was observed of them."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from wfkit.sensitivity.columns import Columns, columns_of
from wfkit.sensitivity.observations import Observations

Record = dict[str, Any]


def workflow(identifier: str, steps: int) -> Record:
    nodes = [{"id": str(step), "text": f"step {step}"} for step in range(1, steps + 1)]
    return {"kind": "workflow", "id": identifier, "nodes": nodes, "edges": []}


def build_pair(
    golden: str,
    type_name: str,
    severity: float,
    scores: Record | None = None,
    *,
    steps: int = 6,
    candidate_steps: int | None = None,
    repeat: str = "",
    **fields: Any,
) -> Record:
    """A pair; ``fields`` replace those of the record, those of ``perturbation`` are added."""
    identifier = f"{golden}/{type_name}/{severity}{repeat}"
    candidate = workflow(identifier, steps if candidate_steps is None else candidate_steps)
    perturbation = {"type": type_name, "severity": severity, **fields.pop("perturbation", {})}
    return {
        "kind": "pair",
        "id": identifier,
        "golden": workflow(golden, steps),
        "candidate": candidate,
        "perturbation": perturbation,
        "scores": scores or {},
        **fields,
    }


def observe(pairs: Iterable[Record], fields: tuple[str, ...] = ()) -> Columns:
    observations = Observations(fields)
    for pair in pairs:
        observations.add(pair)
    return columns_of(observations)


@pytest.fixture(scope="session")
def make_pair() -> Callable[..., Record]:
    return build_pair


@pytest.fixture(scope="session")
def columns() -> Callable[..., Columns]:
    return observe
