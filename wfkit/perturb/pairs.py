"""Damages a golden on purpose, at known severity, and writes the pair that every later filter reads (section 3.1)."""

from typing import Any

from wfkit import registry, workflow
from wfkit.errors import UsageProblem
from wfkit.perturb.base import (
    PLACEMENTS,
    Inapplicable,
    Perturbed,
    Record,
    Request,
    edited_count,
    perturbed_id,
    random_for,
    target_score,
)
from wfkit.perturb.donors import NO_DONORS, Donors


def perturb(
    golden: Record,
    type_name: str,
    severity: int,
    *,
    seed: int = 0,
    repeat: int = 1,
    placement: str = "uniform",
    donors: Donors = NO_DONORS,
) -> Record:
    """Damage one golden with the rules, without a language model.

    Args:
        golden: a canonical `workflow` record; it is not changed.
        type_name: a name of `wfkit.registry.PERTURBATIONS`.
        severity: percentage of the golden steps to edit, 1 to 100.
        seed: the user's seed.
        repeat: number of this variant among those of the same golden, type and severity, from 1 on.
        placement: where missing_steps removes: anywhere (``uniform``), the last steps (``tail``) or steps in a row
            (``block``). Other types ignore it.
        donors: what added_steps and, where the workflow has no second tool, wrong_tool take from.

    Returns:
        a `pair` record. Where the type cannot be applied as often as asked, ``candidate`` is None and
        ``perturbation.inapplicable`` says why.

    Raises:
        UsageProblem: unknown type or placement, or a severity outside 1 to 100.
        DataError: the golden has a cycle (``E-CYCLE``), a repeated step id or an edge to an unknown step.
    """
    _check(severity, placement)
    apply = registry.find(registry.PERTURBATIONS, type_name, "perturbation type")
    model = workflow.from_record(golden)
    count = edited_count(severity, len(model.steps))
    request = Request(
        golden=golden,
        workflow=model,
        order=workflow.topological_order(model),
        count=count,
        chance=random_for(seed, model.id, type_name, severity, repeat),
        placement=placement,
        donors=donors,
    )
    outcome: Perturbed | Inapplicable = apply(request) if model.steps else Inapplicable("the workflow has no steps")
    if isinstance(outcome, Inapplicable):
        return inapplicable_pair(
            golden, type_name, severity, outcome.reason, seed=seed, repeat=repeat, placement=placement
        )
    pair = _pair(golden, type_name, severity, seed=seed, repeat=repeat, placement=placement)
    pair["perturbation"] |= {"edits": outcome.edits, "attempts": 1}
    pair["candidate"] = candidate_record(golden, pair["id"], outcome.nodes, outcome.edges)
    return pair


def inapplicable_pair(
    golden: Record, type_name: str, severity: int, reason: str, *, seed: int, repeat: int, placement: str
) -> Record:
    """The `pair` record, without a candidate, of a perturbation that cannot be applied; arguments as for `perturb`."""
    pair = _pair(golden, type_name, severity, seed=seed, repeat=repeat, placement=placement)
    pair["perturbation"] |= {"edits": [], "attempts": 1, "inapplicable": reason}
    return pair


def _pair(golden: Record, type_name: str, severity: int, *, seed: int, repeat: int, placement: str) -> Record:
    """What every pair of a request has, whatever became of it."""
    pair_id = perturbed_id(golden["id"], type_name, severity, placement, repeat)
    perturbation: dict[str, Any] = {
        "type": type_name,
        "severity": severity,
        "count": edited_count(severity, len(golden["nodes"])),
        "target_score": target_score(type_name, severity),
        "seed": seed,
        "generator": "rules",
    }
    if type_name == "missing_steps":
        perturbation["placement"] = placement
    if repeat > 1:
        perturbation["repeat"] = repeat
    return {"kind": "pair", "id": pair_id, "golden": golden, "candidate": None, "perturbation": perturbation}


def candidate_record(golden: Record, candidate_id: str, nodes: list[Record], edges: list[list[str]]) -> Record:
    """The golden's record with other steps and edges; ``meta`` told how the golden was read and is left empty."""
    return {**golden, "kind": "workflow", "id": candidate_id, "nodes": nodes, "edges": edges, "meta": {}}


def _check(severity: int, placement: str) -> None:
    if isinstance(severity, bool) or not isinstance(severity, int) or not 1 <= severity <= 100:
        raise UsageProblem(f"severity {severity!r} is not a whole number from 1 to 100")
    if placement not in PLACEMENTS:
        raise UsageProblem(f"unknown placement {placement!r}: choose from {', '.join(PLACEMENTS)}")
