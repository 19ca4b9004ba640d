"""The groups that figures are given for: a benchmark, its models, targets, types and cells, the user's own fields."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wfkit.agents.aggregation.evidence import Evidence
from wfkit.agents.aggregation.requests import Requests
from wfkit.agents.families import TARGETS, TYPES


@dataclass(frozen=True)
class Group:
    """Some requests of a benchmark.

    Attributes:
        dimension: what the benchmark was divided by; the groups of one dimension are one family of tests.
        key: the `group` of the record.
        chosen: which requests belong to it.
    """

    dimension: str
    key: dict[str, str | None]
    chosen: NDArray[np.bool_]


def groups(evidence: Evidence, requests: Requests) -> Iterator[Group]:
    """All groups of a benchmark in which anything was requested, the whole benchmark first."""
    whole = {"benchmark": evidence.benchmark}
    yield Group("overall", {**whole}, np.ones(len(evidence), dtype=np.bool_))
    for code, model in enumerate(evidence.models):
        yield Group("model", {**whole, "model": model}, evidence.model == code)
    targets = [(target, evidence.target == code) for code, target in enumerate(TARGETS)]
    types = [(type_, evidence.type == code) for code, type_ in enumerate(TYPES)]
    possible = [Group("target", {**whole, "target": target}, chosen) for target, chosen in targets]
    possible += [Group("type", {**whole, "type": type_}, chosen) for type_, chosen in types]
    possible += [
        Group("cell", {**whole, "target": target, "type": type_}, of_target & of_type)
        for target, of_target in targets
        for type_, of_type in types
    ]
    for field, column in requests.by.items():
        names: list[str | None] = [*column.names, None]  # code -1, no value, comes last
        codes = [*range(len(column.names)), -1]
        possible += [
            Group(f"by {field}", {**whole, field: name}, evidence.by[field] == code)
            for code, name in zip(codes, names, strict=True)
        ]
    for group in possible:
        if group.chosen.any():
            yield group
