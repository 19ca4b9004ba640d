"""Whether the candidate of a pair is what its perturbation says: the static checks of section 3.1 and more.

Everything is derived again from golden, candidate, type and severity. What the pair says about its own edits is not
read, and step ids prove nothing, since a program may number its steps anew: steps are the same where their texts are.
"""

from collections.abc import Mapping
from typing import Any

from wfkit.perturb.base import edited_count
from wfkit.validation.check import Check, check, quoted
from wfkit.validation.type_checks import TYPE_CHECKS, Sides
from wfkit.validation.workflow_checks import structure_checks
from wfkit.workflow import from_record

_SIZE_CHANGE = {"missing_steps": -1, "compressed_steps": -1, "added_steps": 1, "duplicated_steps": 1}


def pair_checks(record: Mapping[str, Any]) -> list[Check]:
    """All checks of a pair: its golden, its candidate's structure and, for a perturbed pair, those of its type.

    A pair that was not perturbed on purpose gets the structural checks alone. Checks that need what an earlier one
    found missing are left out.
    """
    if record["candidate"] is None:
        return [check("candidate_present", 1, 0, "no candidate and no reason why the perturbation is inapplicable")]
    golden = _golden_sound(record["golden"])
    structure = structure_checks(record["candidate"])
    checks = [golden, *structure]
    if "perturbation" not in record:
        return checks
    checks.append(_not_swapped(record))
    perturbation = record["perturbation"]
    type_name, severity = perturbation.get("type"), perturbation.get("severity")
    known = [_known_type(type_name), _known_severity(severity)]
    if not all(found["ok"] for found in known):
        return checks + known
    size = len(record["golden"]["nodes"])
    count = edited_count(severity, size)
    node_count = _node_count(size + count * _SIZE_CHANGE.get(type_name, 0), len(record["candidate"]["nodes"]))
    checks.append(node_count)
    fixed_size = type_name not in _SIZE_CHANGE
    if all(found["ok"] for found in (golden, *structure)) and (node_count["ok"] or not fixed_size):
        checks += TYPE_CHECKS[type_name](_sides(record, count))
    return checks


def _sides(record: Mapping[str, Any], count: int) -> Sides:
    golden, candidate = record["golden"], record["candidate"]
    return Sides(
        from_record(golden, path="$.golden"),
        from_record(candidate, path="$.candidate"),
        golden["nodes"],
        candidate["nodes"],
        count,
    )


def _golden_sound(golden: Mapping[str, Any]) -> Check:
    failures = [found["message"] for found in structure_checks(golden) if not found["ok"]]
    if not golden["nodes"]:
        failures.append("no steps")
    return check("golden_sound", 0, len(failures), f"the golden itself is broken: {'; '.join(failures)}")


def _not_swapped(record: Mapping[str, Any]) -> Check:
    """A perturbed workflow's id is its golden's with the type after it, and never the other way round.

    Nothing else tells a paraphrase from what it was made of.
    """
    golden, candidate = record["golden"]["id"], record["candidate"]["id"]
    swapped = golden.startswith(f"{candidate}/{record['perturbation'].get('type')}/")
    return check("not_swapped", 0, int(swapped), f"golden {golden!r} was made from {candidate!r}: they are swapped")


def _known_type(type_name: object) -> Check:
    known = isinstance(type_name, str) and type_name in TYPE_CHECKS
    return check("known_type", 1, int(known), f"no checks for type {type_name!r}; known: {', '.join(TYPE_CHECKS)}")


def _known_severity(severity: object) -> Check:
    known = isinstance(severity, int | float) and not isinstance(severity, bool) and 0 < severity <= 100
    return check("known_severity", 1, int(known), f"severity {quoted([repr(severity)])} is no percentage above 0")


def _node_count(expected: int, actual: int) -> Check:
    difference = actual - expected
    return check("node_count", expected, actual, f"{abs(difference)} {'too many' if difference > 0 else 'too few'}")
