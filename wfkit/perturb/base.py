"""What every perturbation shares: how much to edit, with which chance, under which id, and what comes out.

A perturbation type is one module with a function ``apply(request) -> Perturbed | Inapplicable`` and one line in
`wfkit.registry.PERTURBATIONS`.
"""

import hashlib
import json
import random
from collections.abc import Container, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from wfkit.perturb.donors import Donors
from wfkit.workflow import Workflow

Record = dict[str, Any]

PLACEMENTS = ("uniform", "tail", "block")


@dataclass(frozen=True, slots=True)
class Request:
    """One golden and how it is to be damaged.

    Attributes:
        golden: the canonical `workflow` record; never changed.
        workflow: the same by index, known to be acyclic.
        order: the stable topological order of its steps, which is the listed order where that is consistent.
        count: how many steps to edit, at least 1.
        chance: the only source of chance.
        placement: where missing_steps removes: ``uniform``, ``tail`` or ``block``.
        donors: steps and tools of other workflows, for the types that bring in something new.
    """

    golden: Record
    workflow: Workflow
    order: Sequence[int]
    count: int
    chance: random.Random
    placement: str
    donors: Donors

    @property
    def nodes(self) -> list[Record]:
        """The golden's step records in listed order."""
        nodes: list[Record] = self.golden["nodes"]
        return nodes

    def edges_by_id(self) -> list[list[str]]:
        """The golden's edges, each once, as step ids."""
        steps = self.workflow.steps
        return [[steps[source].id, steps[target].id] for source, target in self.workflow.edges]


class Perturbed(NamedTuple):
    """A damaged workflow: its step records, its edges by step id, and a note of every edit."""

    nodes: list[Record]
    edges: list[list[str]]
    edits: list[Record]


class Inapplicable(NamedTuple):
    """The type cannot be applied as often as asked; a weaker variant is never made instead."""

    reason: str


def edited_count(severity: float, size: int) -> int:
    """N = ceil(severity · size / 100), without rounding errors (section 3.1: the share of steps that is edited).

    Args:
        severity: percentage, 0 to 100; fractions count as the decimal they print as.
        size: number of golden steps.
    """
    if isinstance(severity, int):
        return -(-severity * size // 100)
    return -(-Fraction(str(severity)) * size // 100)


def target_score(type_name: str, severity: int) -> float:
    """What an ideal metric would answer, 0 to 1 (section 3.1): 1 − severity/100, and 1 for a mere paraphrase."""
    return 1.0 if type_name == "description_changes" else (100 - severity) / 100


def random_for(seed: int, golden_id: str, type_name: str, severity: int, repeat: int) -> random.Random:
    """The chance of one perturbation; it depends on nothing but these five, least of all on the place in a stream."""
    key = json.dumps([seed, golden_id, type_name, severity, repeat])
    return random.Random(int.from_bytes(hashlib.sha256(key.encode("ascii")).digest()))


def perturbed_id(golden_id: str, type_name: str, severity: int, placement: str, repeat: int) -> str:
    """``GOLDEN/TYPE/SEVERITY``, then ``/PLACEMENT`` if not uniform and ``/rN`` from the second repeat on."""
    parts = [golden_id, type_name, str(severity)]
    if type_name == "missing_steps" and placement != "uniform":
        parts.append(placement)
    if repeat > 1:
        parts.append(f"r{repeat}")
    return "/".join(parts)


def fresh_id(wish: str, taken: Container[str]) -> str:
    """The wished-for step id, or the first of ``WISH-2``, ``WISH-3`` … that is free."""
    result, number = wish, 1
    while result in taken:
        number += 1
        result = f"{wish}-{number}"
    return result
