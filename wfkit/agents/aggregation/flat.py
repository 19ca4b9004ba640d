"""Records as CSV: one line for each group."""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

from wfkit.agents.aggregation.wording import Figures, dimension

FIGURES = ("clean", "perturbed", "delta", "degradation")
RATIOS = ("tokens", "input_tokens", "output_tokens", "tool_calls", "turns")


def as_csv(records: Iterable[Figures]) -> str:
    """A header and one line for each record; null is empty. Lists, such as pairs of families, only the records have."""
    rows = [dict(_cells(record)) for record in records]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _cells(record: Figures) -> Iterator[tuple[str, Any]]:
    of = dimension(record)
    group = record["group"]
    yield "benchmark", group["benchmark"]
    for name in ("model", "target", "type"):
        yield name, group.get(name)
    field = of.removeprefix("by ") if of.startswith("by ") else None
    yield "by", field
    yield "value", None if field is None else group[field]
    yield "scale", record["scale"]
    for name in ("requested", "constructed", "scored", "coverage", "constructed_coverage"):
        yield name, record[name]
    yield from record["one_sided"].items()
    for name in FIGURES:
        yield name, record[name]
        yield from _pair(f"{name}_bound", record["bounds"][name])
    yield "mean_model_degradation", record["mean_model_degradation"]
    yield from _pair("mean_model_degradation_bound", record["mean_model_degradation_bounds"])
    for case in ("constructed_only", "complete_case", "sensitive_only"):
        figures = record[case] or {}
        for name in ("scored", "coverage", "degradation"):
            yield f"{case}_{name}", figures.get(name)
        yield from _pair(f"{case}_degradation_bound", (figures.get("bounds") or {}).get("degradation"))
    yield from _pair("delta_interval", record["ci"]["delta"])
    yield from _pair("degradation_interval", record["ci"]["degradation"])
    yield "tasks", record["ci"]["tasks"]
    for test in ("sign_flip", "mcnemar", "wilcoxon"):
        for name in ("p", "holm"):
            yield f"{test}_{name}", record["tests"].get(test, {}).get(name)
    yield from _costs(record["cost"])
    yield "notes", "; ".join(record["notes"])


def _costs(cost: Figures) -> Iterator[tuple[str, Any]]:
    for side in ("clean", "perturbed"):
        for name in ("tokens_per_success", "successes_per_million"):
            yield f"{side}_{name}", cost[side][name]
        for name in ("median", "mean"):
            yield f"{side}_successful_trajectory_{name}", cost[side]["successful_trajectory"][name]
    for measure in RATIOS:
        for name in ("pairs", "median", "q1", "q3", "mean"):
            yield f"{measure}_ratio_{name}", cost["paired_ratio"][measure][name]


def _pair(name: str, ends: Any) -> Iterator[tuple[str, Any]]:
    low, high = ends or (None, None)
    yield f"{name}_low", low
    yield f"{name}_high", high
