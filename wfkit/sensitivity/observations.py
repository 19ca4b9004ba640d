"""What is kept of a stream of scored pairs: numbers in columns, never a whole record."""

import hashlib
from array import array
from collections.abc import Mapping, Sequence
from math import nan
from sys import float_info
from typing import Any

from wfkit.errors import DataError
from wfkit.gate.wording import printable
from wfkit.jsonl import Record
from wfkit.perturb.base import target_score
from wfkit.strata import field_of

MEASURED, UNDEFINED, INAPPLICABLE, SKIPPED, UNAVAILABLE, UNEXPLAINED, ABSENT = range(7)
"""Why a score is there or not: a number, null with the reason of that name, null without any, not in the record."""

REASONS = {
    "undefined": UNDEFINED,
    "inapplicable": INAPPLICABLE,
    "skipped": SKIPPED,
    "unavailable": UNAVAILABLE,
    "unexplained": UNEXPLAINED,
    "absent": ABSENT,
}
VALID, INVALID, UNCHECKED = range(3)

VERSION = 1
"""Of ``observation`` records and of the states that are made of them."""


class Observations:
    """One row for every pair and one column for every metric, in the order of the stream.

    Takes about 60 bytes a pair and 9 bytes a score. Attributes are columns of equal length; ``golden``, ``type`` and
    the fields are places in the lists of the same name.
    """

    def __init__(self, fields: Sequence[str] = ()) -> None:
        """Start empty.

        Args:
            fields: names of fields by whose values the pairs are to be told apart.
        """
        self.goldens: dict[str, int] = {}
        self.types: dict[str, int] = {}
        self.field_values: dict[str, dict[str, int]] = {name: {} for name in fields}
        self.golden, self.type = array("q"), array("q")
        self.fields = {name: array("q") for name in fields}
        self.digest = array("Q")
        self.severity, self.target = array("d"), array("d")
        self.steps, self.compared = array("q"), array("q")
        self.applicable, self.validity = array("b"), array("b")
        self.scores: dict[str, array[float]] = {}
        self.states: dict[str, array[int]] = {}

    def __len__(self) -> int:
        """Number of pairs, inapplicable ones included."""
        return len(self.golden)

    def add(self, pair: Mapping[str, Any]) -> None:
        """Keep the numbers of one ``pair`` record.

        Raises:
            DataError: what `observation_of` refuses. Nothing is kept of such a pair.
        """
        self.keep(observation_of(pair, list(self.fields)))

    def keep(self, observation: Mapping[str, Any]) -> None:
        """Keep one ``observation`` record, whose fields are those that were named at the start."""
        # What may break on an unchecked record comes first, lest it leave columns of different lengths.
        digest = int.from_bytes(hashlib.blake2b(observation["id"].encode(), digest_size=8).digest())
        golden = self.goldens.setdefault(observation["golden"], len(self.goldens))
        reasons = observation["reasons"]
        self._add_scores(
            {metric: _state(value, reasons.get(metric)) for metric, value in observation["scores"].items()}
        )
        self.golden.append(golden)
        self.type.append(self.types.setdefault(observation["type"], len(self.types)))
        for name, value in observation["fields"].items():
            known = self.field_values[name]
            self.fields[name].append(known.setdefault(value, len(known)))
        self.digest.append(digest)
        self.severity.append(observation["severity"])
        self.target.append(observation["target"])
        self.steps.append(observation["steps"])
        self.compared.append(observation["compared"])
        self.applicable.append(observation["applicable"])
        valid = observation["valid"]
        self.validity.append(UNCHECKED if valid is None else VALID if valid else INVALID)

    def _add_scores(self, states: Mapping[str, tuple[float, int]]) -> None:
        for metric in states:
            if metric not in self.scores:
                self.scores[metric] = array("d", [nan]) * len(self)
                self.states[metric] = array("b", [ABSENT]) * len(self)
        for metric, column in self.scores.items():
            value, state = states.get(metric, (nan, ABSENT))
            column.append(value)
            self.states[metric].append(state)


def observation_of(pair: Mapping[str, Any], fields: Sequence[str]) -> Record:
    """All that the statistics need of one ``pair`` record: an ``observation`` record.

    Args:
        pair: a scored pair.
        fields: names of fields by whose values the pairs are to be told apart.

    Raises:
        DataError: ``E-UNPERTURBED`` for a pair that was not damaged on purpose, ``E-SEVERITY`` for a severity that
            is no percentage, ``E-TARGET`` and ``E-SCORE`` for a target or score that is no finite number,
            ``E-SWAPPED`` for golden and candidate in each other's place.
    """
    perturbation = pair.get("perturbation") or {}
    type_name, severity, target = _damage(perturbation)
    _refuse_swapped(pair)
    scores, reasons = _checked_scores(pair), pair.get("reasons") or {}
    golden, candidate = pair["golden"], pair["candidate"]
    steps = len(golden["nodes"])
    valid = (pair.get("validation") or {}).get("valid")
    return {
        "kind": "observation",
        "version": VERSION,
        "id": pair["id"],
        "golden": golden["id"],
        "type": type_name,
        "severity": float(severity),
        "target": float(target),
        "steps": steps,
        "compared": 0 if candidate is None else min(steps, len(candidate["nodes"])),
        "applicable": candidate is not None and "inapplicable" not in perturbation,
        "valid": valid if isinstance(valid, bool) else None,
        "fields": {name: field_of(pair, name) for name in fields},
        "scores": {metric: value if value is None else float(value) for metric, value in scores.items()},
        "reasons": {
            metric: str(reasons.get(metric, "")).partition(":")[0] for metric, value in scores.items() if value is None
        },
    }


def _state(value: float | None, reason: str | None) -> tuple[float, int]:
    """A score and whether it is there, or why not."""
    return (nan, REASONS.get(reason or "", UNEXPLAINED)) if value is None else (value, MEASURED)


def _damage(perturbation: Mapping[str, Any]) -> tuple[str, float, float]:
    """Type, severity and target score of a perturbation."""
    type_name, severity = perturbation.get("type"), perturbation.get("severity")
    if not isinstance(type_name, str) or not type_name or severity is None:
        raise DataError(
            "the pair has no perturbation.type and perturbation.severity, so its scores tell nothing of a metric",
            code="E-UNPERTURBED",
            path="$.perturbation",
        )
    if not _is_number(severity) or not 0 < severity <= 100:
        raise DataError(f"severity {severity!r} is no percentage", code="E-SEVERITY", path="$.perturbation.severity")
    target = perturbation.get("target_score")
    if target is None:
        target = target_score(type_name, severity)
    elif not _is_number(target):
        raise DataError(f"target {target!r} is no number", code="E-TARGET", path="$.perturbation.target_score")
    return type_name, severity, target


def _refuse_swapped(pair: Mapping[str, Any]) -> None:
    """A perturbed workflow's id is its golden's with something after it, never the other way round."""
    if pair["candidate"] is None:
        return
    golden, candidate = pair["golden"]["id"], pair["candidate"]["id"]
    if golden.startswith(f"{candidate}/") or (golden != candidate and golden == pair["id"]):
        raise DataError(f"golden {golden!r} was made from {candidate!r}: they are swapped", code="E-SWAPPED")


def _checked_scores(pair: Mapping[str, Any]) -> Mapping[str, float | None]:
    scores: Mapping[str, float | None] = pair.get("scores") or {}
    for metric, value in scores.items():
        if value is not None and not _is_number(value):
            raise DataError(
                f"score {printable(metric)} is {printable(repr(value))}, expected a finite number or null",
                code="E-SCORE",
                path=f"$.scores.{metric}",
            )
    return scores


def _is_number(value: Any) -> bool:
    """Whether a value is a number that a double can hold, and so not NaN."""
    return type(value) in (int, float) and abs(value) <= float_info.max
