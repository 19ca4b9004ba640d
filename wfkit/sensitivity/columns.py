"""All observations as arrays, in an order that does not depend on the order of the stream."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wfkit import registry
from wfkit.sensitivity.observations import INVALID, UNCHECKED, Observations

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Columns:
    """One row for every pair, sorted by golden id, type, severity and a digest of the pair's id.

    Attributes:
        golden_ids: the ids of the goldens, sorted.
        types: the perturbation types, in the registry's order, foreign ones behind.
        metrics: the metrics, in the registry's order, foreign ones behind.
        golden: int64 [pairs], place in ``golden_ids``.
        type: int64 [pairs], place in ``types``.
        severity: float64 [pairs], percentage, above 0 to 100.
        target: float64 [pairs], what an ideal metric would answer.
        steps: int64 [pairs], number of golden steps.
        compared: int64 [pairs], steps of the shorter side.
        applicable: bool [pairs], False where the damage could not be done.
        invalid: bool [pairs], True where a check said so.
        checked: bool [pairs], True where there was a check.
        fields: for each field the value of every pair.
        scores: for each metric float64 [pairs], NaN where there is no number.
        states: for each metric int8 [pairs], why there is none (`observations.REASONS`).
    """

    golden_ids: Sequence[str]
    types: Sequence[str]
    metrics: Sequence[str]
    golden: Integers
    type: Integers
    severity: Floats
    target: Floats
    steps: Integers
    compared: Integers
    applicable: Mask
    invalid: Mask
    checked: Mask
    fields: Mapping[str, NDArray[np.str_]]
    scores: Mapping[str, Floats]
    states: Mapping[str, NDArray[np.int8]]

    def __len__(self) -> int:
        """Number of pairs, inapplicable ones included."""
        return len(self.golden)


def columns_of(observations: Observations) -> Columns:
    """Sort what was observed."""
    golden_ids = sorted(observations.goldens)
    golden = _recoded(observations.golden, observations.goldens, golden_ids)
    types = in_registry_order(observations.types, registry.PERTURBATIONS)
    type_ = _recoded(observations.type, observations.types, types)
    severity = np.asarray(observations.severity, dtype=np.float64)
    order = np.lexsort((np.asarray(observations.digest, dtype=np.uint64), severity, type_, golden))
    metrics = in_registry_order(observations.scores, registry.METRICS)

    def sorted_integers(column: Iterable[int]) -> Integers:
        return np.asarray(column, dtype=np.int64)[order]

    fields = {}
    for name, column in observations.fields.items():
        values = np.asarray(list(observations.field_values[name]) or [""], dtype=np.str_)
        fields[name] = values[sorted_integers(column)]
    return Columns(
        golden_ids=golden_ids,
        types=types,
        metrics=metrics,
        golden=golden[order],
        type=type_[order],
        severity=severity[order],
        target=np.asarray(observations.target, dtype=np.float64)[order],
        steps=sorted_integers(observations.steps),
        compared=sorted_integers(observations.compared),
        applicable=sorted_integers(observations.applicable) == 1,
        invalid=sorted_integers(observations.validity) == INVALID,
        checked=sorted_integers(observations.validity) != UNCHECKED,
        fields=fields,
        scores={name: np.asarray(observations.scores[name], dtype=np.float64)[order] for name in metrics},
        states={name: np.asarray(observations.states[name], dtype=np.int8)[order] for name in metrics},
    )


def in_registry_order(names: Iterable[str], known: Iterable[str]) -> list[str]:
    """The names that a registry knows in its order, then the others by name."""
    places = {name: place for place, name in enumerate(known)}
    return sorted(names, key=lambda name: (places.get(name, len(places)), name))


def _recoded(column: Iterable[int], old: Mapping[str, int], new: Sequence[str]) -> Integers:
    """The places in the new list of values that were numbered in order of appearance."""
    place_of = np.zeros(len(old), dtype=np.int64)
    for place, name in enumerate(new):
        place_of[old[name]] = place
    return place_of[np.asarray(column, dtype=np.int64)]
