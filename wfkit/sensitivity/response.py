"""How each metric answers to each type of damage as its severity grows: the ``sensitivity`` records (section 5)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wfkit.jsonl import Record
from wfkit.sensitivity.columns import Columns, Floats, Integers, Mask
from wfkit.sensitivity.intervals import LEVEL, percentile_intervals, resampled_means, seed_for
from wfkit.sensitivity.observations import MEASURED, REASONS
from wfkit.sensitivity.strata import FEWEST_GOLDENS, Stratum


@dataclass(frozen=True)
class Resampling:
    """How many times the goldens are drawn again, and with which seed."""

    replicates: int
    seed: int


class _Answers(NamedTuple):
    """The pairs of one type in one stratum, and the bootstrap of every metric's mean at every severity.

    ``rows`` are places in the columns, ``cell`` the place of each one's severity, and ``means`` float64 [replicates,
    metrics, severities]; None with fewer than two goldens.
    """

    rows: Integers
    severities: Floats
    cell: Integers
    means: Floats | None


def sensitivity_records(
    columns: Columns,
    strata: Sequence[Stratum],
    metrics: Sequence[str],
    used: Mask,
    signatures: Mapping[str, str],
    resampling: Resampling,
) -> Iterator[Record]:
    """One ``sensitivity`` record for every stratum, type and metric with at least one score.

    Args:
        columns: the observations.
        strata: parts of the pairs.
        metrics: the metrics asked for, all of which are in the columns.
        used: bool [pairs], the pairs that count; inapplicable ones are counted all the same.
        signatures: how the metrics were measured.
        resampling: of the goldens of a stratum that have the type.
    """
    for stratum in strata:
        for place, type_name in enumerate(columns.types):
            here = stratum.rows & (columns.type == place)
            if not here.any():
                continue
            held = [metric for metric in metrics if stratum.holds(metric)]
            answers = _answers(columns, here, used, held, stratum, type_name, resampling)
            for number, metric in enumerate(held):
                record = _record(columns, here, answers, number, metric)
                if record is None:
                    continue
                yield {
                    "kind": "sensitivity",
                    "metric": metric,
                    "signature": signatures.get(metric),
                    "type": type_name,
                    "stratum": stratum.label,
                    **record,
                    "bootstrap": {"replicates": resampling.replicates, "seed": resampling.seed, "level": LEVEL},
                }


def _answers(
    columns: Columns,
    here: Mask,
    used: Mask,
    metrics: Sequence[str],
    stratum: Stratum,
    type_name: str,
    resampling: Resampling,
) -> _Answers:
    rows = np.flatnonzero(here & used)
    severities = np.unique(columns.severity[here])
    cell = np.searchsorted(severities, columns.severity[rows])
    _, cluster = np.unique(columns.golden[rows], return_inverse=True)
    clusters, cells = int(cluster.max(initial=-1)) + 1, len(severities)
    if clusters < 2:
        return _Answers(rows, severities, cell, None)
    place = cluster * cells + cell
    shape = (clusters, cells)
    sums, counts = [], []
    for metric in metrics:
        values = columns.scores[metric][rows]
        known = ~np.isnan(values)
        sums.append(np.bincount(place[known], values[known], minlength=clusters * cells).reshape(shape))
        counts.append(np.bincount(place[known], minlength=clusters * cells).reshape(shape).astype(np.float64))
    seed = seed_for(resampling.seed, stratum.by, stratum.value, type_name)
    means = resampled_means(np.hstack(sums), np.hstack(counts), resampling.replicates, seed)
    return _Answers(rows, severities, cell, means.reshape(-1, len(metrics), cells))


def _record(columns: Columns, here: Mask, answers: _Answers, number: int, metric: str) -> dict[str, Any] | None:
    """What is to be said of one metric; None if it has no score here."""
    measured = columns.states[metric][answers.rows] == MEASURED
    if not measured.any():
        return None
    scored = answers.rows[measured]
    goldens = len(np.unique(columns.golden[scored]))
    points = []
    for place, severity in enumerate(answers.severities.tolist()):
        rows = answers.rows[answers.cell == place]
        everything = np.flatnonzero(here & (columns.severity == severity))
        points.append(_point(columns, metric, severity, rows, everything))
    present = [place for place, point in enumerate(points) if point["mean"] is not None]
    spans = np.diff(answers.severities[present]) / 100
    means = np.array([points[place]["mean"] for place in present])
    deltas = (means[:-1] - means[1:]) / spans
    intervals: dict[str, Any] = {"means": [None] * len(present), "deltas": [None] * len(spans), "average": None}
    if answers.means is not None and goldens > 1:
        drawn = answers.means[:, number, present]
        drawn_deltas = (drawn[:, :-1] - drawn[:, 1:]) / spans
        intervals["means"] = percentile_intervals(drawn)
        intervals["deltas"] = percentile_intervals(drawn_deltas)
        if len(spans):
            [intervals["average"]] = percentile_intervals(drawn_deltas.mean(axis=1, keepdims=True))
    for place, interval in zip(present, intervals["means"], strict=True):
        points[place]["interval"] = interval
    shifts = [point["shift_without_invalid"] for point in points if point["shift_without_invalid"] is not None]
    return {
        "pairs": len(scored),
        "goldens": goldens,
        "too_small": goldens < FEWEST_GOLDENS,
        "severities": points,
        "delta": [
            {
                "from": points[present[place]]["severity"],
                "to": points[present[place + 1]]["severity"],
                "value": float(value),
                "interval": intervals["deltas"][place],
            }
            for place, value in enumerate(deltas)
        ],
        "delta_average": float(deltas.mean()) if len(deltas) else None,
        "delta_average_interval": intervals["average"],
        "monotone": bool((deltas >= 0).all()) if len(deltas) else None,
        "inapplicable": int(np.count_nonzero(~columns.applicable[here])),
        "invalid": int(np.count_nonzero(columns.invalid & here & columns.applicable)),
        "largest_shift_without_invalid": max(shifts, key=abs, default=None),
    }


def _point(columns: Columns, metric: str, severity: float, rows: Integers, everything: Integers) -> dict[str, Any]:
    """One severity: ``rows`` are the pairs that count, ``everything`` has those that ``--valid-only`` drops too."""
    states = columns.states[metric][rows]
    scored = rows[states == MEASURED]
    values = np.sort(columns.scores[metric][scored])
    point: dict[str, Any] = {
        "severity": int(severity) if severity.is_integer() else severity,
        "n": len(values),
        "goldens": len(np.unique(columns.golden[scored])),
        "mean": None,
        "interval": None,
        "sd": None,
        "min": None,
        "quartiles": None,
        "max": None,
        "below_1": None,
        "target": None,
        "residual": None,
        "steps_compared": None,
    }
    if len(values):
        mean, target = float(values.mean()), _common(columns.target[scored])
        point |= {
            "mean": mean,
            "sd": float(values.std(ddof=1)) if len(values) > 1 else None,
            "min": float(values[0]),
            "quartiles": np.percentile(values, [25, 50, 75]).tolist(),
            "max": float(values[-1]),
            "below_1": float(np.count_nonzero(values < 1) / len(values)),
            "target": target,
            "residual": mean - target,
            "steps_compared": float(columns.compared[scored].mean()),
        }
    counts = {name: int(np.count_nonzero(states == state)) for name, state in REASONS.items()}
    point["null"] = {name: count for name, count in counts.items() if count}
    point["inapplicable"] = int(np.count_nonzero(~columns.applicable[everything]))
    point["invalid"] = int(np.count_nonzero(columns.invalid[everything] & columns.applicable[everything]))
    point["shift_without_invalid"] = _shift(columns, metric, everything)
    return point


def _common(values: Floats) -> float:
    """The mean, which for equal values is that very value."""
    return float(values[0]) if (values == values[0]).all() else float(values.mean())


def _shift(columns: Columns, metric: str, rows: Integers) -> float | None:
    """How far the mean moves when invalid pairs are left out; None if that leaves none or there was none."""
    values = columns.scores[metric][rows]
    known = ~np.isnan(values)
    valid = known & ~columns.invalid[rows]
    if not valid.any():
        return None
    if not (known & columns.invalid[rows]).any():
        return 0.0
    return float(np.sort(values[valid]).mean() - np.sort(values[known]).mean())
