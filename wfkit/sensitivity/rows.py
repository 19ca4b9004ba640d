"""The records of wf-sensitivity as rows of CSV."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def as_csv(records: Iterable[Mapping[str, Any]]) -> str:
    """One line for each severity of a ``sensitivity`` record and for each ``firing`` record; null is empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, CSV_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for record in records:
        stratum = record["stratum"] or {}
        common = {"kind": record["kind"], "type": record["type"], "align": record.get("align")}
        common |= {"by": stratum.get("by"), "stratum": stratum.get("value")}
        if record["kind"] == "firing":
            writer.writerow(_with_interval({**common, **_known(record)}, record["interval"]))
            continue
        shared = {**common, "metric": record["metric"], "delta_average": record["delta_average"]}
        shared |= {"monotone": record["monotone"]}
        for point in record["severities"]:
            row = {**shared, **_known(point), "too_small": record["too_small"]}
            row |= dict(zip(("q1", "median", "q3"), point["quartiles"] or (), strict=False))
            row["null"] = sum(point["null"].values())
            following = [step["value"] for step in record["delta"] if step["from"] == point["severity"]]
            row["delta_to_next"] = following[0] if following else None
            writer.writerow(_with_interval(row, point["interval"]))
    return text.getvalue()


CSV_COLUMNS = (
    "kind", "metric", "rule", "type", "by", "stratum", "align", "severity", "n", "goldens", "too_small",
    "mean", "low", "high", "sd", "min", "q1", "median", "q3", "max", "below_1", "target", "residual",
    "steps_compared", "delta_to_next", "delta_average", "monotone", "null", "inapplicable", "invalid",
    "shift_without_invalid", "expected", "fired", "rate", "unmeasured", "not_applicable",
)  # fmt: skip


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in CSV_COLUMNS if name in values and name not in ("kind", "stratum", "null")}


def _with_interval(row: dict[str, Any], interval: Sequence[float] | None) -> dict[str, Any]:
    low, high = interval or (None, None)
    words = {True: "true", False: "false"}  # as in JSON
    shown = {name: words[value] if isinstance(value, bool) else value for name, value in row.items()}
    return {**shown, "low": low, "high": high}
