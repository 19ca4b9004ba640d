"""What is kept of a stream of scored pairs: numbers in columns, never a whole record."""

import hashlib
from array import array
from collections.abc import Mapping, Sequence
from math import nan
from sys import float_info
from typing import Any

from wfkit.errors import DataError
from wfkit.gate.wording import printable
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
            DataError: ``E-UNPERTURBED`` for a pair that was not damaged on purpose, ``E-SEVERITY`` for a severity that
                is no percentage, ``E-TARGET`` and ``E-SCORE`` for a target or score that is no finite number,
                ``E-SWAPPED`` for golden and candidate in each other's place. Nothing is kept of such a pair.
        """
        # Everything is read before anything is kept, lest a bad pair leave columns of different lengths.
        perturbation = pair.get("perturbation") or {}
        type_name, severity, target = _damage(perturbation)
        _refuse_swapped(pair)
        states = _states(_checked_scores(pair), pair.get("reasons") or {})
        golden, candidate = pair["golden"], pair["candidate"]
        golden_id, steps = golden["id"], len(golden["nodes"])
        compared = 0 if candidate is None else min(steps, len(candidate["nodes"]))
        values = {name: field_of(pair, name) for name in self.fields}
        digest = int.from_bytes(hashlib.blake2b(pair["id"].encode(), digest_size=8).digest())
        valid = (pair.get("validation") or {}).get("valid")

        self._add_scores(states)
        self.golden.append(self.goldens.setdefault(golden_id, len(self.goldens)))
        self.type.append(self.types.setdefault(type_name, len(self.types)))
        for name, value in values.items():
            known = self.field_values[name]
            self.fields[name].append(known.setdefault(value, len(known)))
        self.digest.append(digest)
        self.severity.append(severity)
        self.target.append(target)
        self.steps.append(steps)
        self.compared.append(compared)
        self.applicable.append(candidate is not None and "inapplicable" not in perturbation)
        self.validity.append(VALID if valid is True else INVALID if valid is False else UNCHECKED)

    def _add_scores(self, states: Mapping[str, tuple[float, int]]) -> None:
        for metric in states:
            if metric not in self.scores:
                self.scores[metric] = array("d", [nan]) * len(self)
                self.states[metric] = array("b", [ABSENT]) * len(self)
        for metric, column in self.scores.items():
            value, state = states.get(metric, (nan, ABSENT))
            column.append(value)
            self.states[metric].append(state)


def _states(scores: Mapping[str, float | None], reasons: Mapping[str, Any]) -> dict[str, tuple[float, int]]:
    """For each metric of a record its score and whether it is there, or why not."""
    states: dict[str, tuple[float, int]] = {}
    for metric, value in scores.items():
        if value is None:
            reason = str(reasons.get(metric, "")).partition(":")[0]
            states[metric] = (nan, REASONS.get(reason, UNEXPLAINED))
        else:
            states[metric] = (value, MEASURED)
    return states


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
