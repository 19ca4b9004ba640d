"""One page of HTML that needs nothing else: no script, no font, no network; light and dark, wide and narrow."""

from collections.abc import Iterator, Sequence
from importlib.resources import files
from math import log2
from typing import Any

import jinja2

from wfkit import __version__
from wfkit.agents.aggregation.gate import GateAnswer
from wfkit.agents.aggregation.sections import MEASURES, benchmark_sections
from wfkit.agents.aggregation.structure_sections import KINDS, correlation_text
from wfkit.agents.aggregation.wording import (
    Ends,
    Figures,
    amount,
    benchmark_name,
    bounded,
    counted,
    dimension,
    ends,
    group_name,
    note_lines,
    number,
    p_value,
    per_benchmark,
)
from wfkit.agents.families import FAMILIES, TARGETS, TYPES
from wfkit.gate.wording import printable

Mark = dict[str, Any]

OCTAVES = 4


def page(records: Sequence[Figures], answers: Sequence[GateAnswer] = ()) -> str:
    """The page on all records; every text of them is escaped.

    Args:
        records: `ap_aggregate` records.
        answers: what the gate said, if there was one.
    """
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string(files(__package__).joinpath("page.html.j2").read_text(encoding="utf-8"))
    return template.render(
        version=__version__,
        answers=[
            {"status": answer.status, "who": " · ".join(map(printable, answer.group.values())), "reason": answer.reason}
            for answer in answers
        ],
        benchmarks=[_benchmark(here) for here in per_benchmark(records)],
    )


def _benchmark(records: Sequence[Figures]) -> dict[str, Any]:
    whole = records[0]
    models = [record for record in records if dimension(record) == "model"]
    marginals = [record for record in records if dimension(record) in ("overall", "target", "type")]
    scale = _Scale([end for record in marginals for end in _degradation_ends(record)])
    return {
        "name": benchmark_name(whole),
        "whole": whole,
        "tiles": list(_tiles(whole)),
        "notes": note_lines(whole),
        "models": [_model_row(record) for record in models],
        "unit_ticks": [{"left": 100 * tick, "label": f"{tick:g}"} for tick in (0, 0.25, 0.5, 0.75, 1)],
        "types": TYPES,
        "cells": list(_cells(records)),
        "level": f"{100 * whole['settings']['level']:g}",
        "marginals": [_marginal_row(record, scale) for record in marginals],
        "marginal_ticks": scale.ticks(),
        "capability": _capability(whole),
        "families": _families(whole),
        "ratios": [_ratio_row(title, whole["cost"]["paired_ratio"][measure]) for measure, title in MEASURES.items()],
        "ratio_ticks": [
            {"left": _octave(2.0**octave), "label": f"1/{2**-octave}" if octave < 0 else f"{2**octave}"}
            for octave in range(-OCTAVES, OCTAVES + 1, 2)
        ],
        "sections": list(benchmark_sections(records)),
    }


def _tiles(whole: Figures) -> Iterator[tuple[str, str, str]]:
    degradation, interval = bounded(whole, "degradation").split(" ", 1), whole["ci"]["degradation"]
    level = f"{100 * whole['settings']['level']:g} %"
    yield "degradation D", degradation[0], f"bounds {degradation[1]}, {level} interval {ends(interval)}"
    scored = f"{whole['scored']:,} of {whole['requested']:,} requests scored on both sides"
    yield "coverage", number(whole["coverage"]), f"{scored}; {whole['constructed']:,} constructed"
    for side, title in (("clean", "clean C"), ("perturbed", "perturbed P")):
        value, bounds = bounded(whole, side).split(" ", 1)
        yield title, value, f"bounds {bounds}"
    mean = number(whole["mean_model_degradation"])
    models = counted(whole["models_averaged"], "model")
    yield "mean of models", mean, f"D of {models}, bounds {ends(whole['mean_model_degradation_bounds'])}"
    test = whole["tests"]["sign_flip"]
    yield "sign-flip p", p_value(test), f"by task: {test['moved_tasks']} of {counted(test['tasks'], 'task')} moved"


def _model_row(record: Figures) -> dict[str, Any]:
    marks = []
    for side in ("clean", "perturbed"):
        marks.append(_span("band", record["bounds"][side], lambda value: 100 * value, side))
        if record[side] is not None:
            marks.append(_dot(100 * record[side], side))
    return {"name": group_name(record), "text": _told(record), "marks": marks}


def _marginal_row(record: Figures, scale: "_Scale") -> dict[str, Any]:
    marks = [_span("line", record["bounds"]["degradation"], scale.place)]
    if record["ci"]["degradation"] is not None:
        marks.append(_span("band", record["ci"]["degradation"], scale.place, "clean"))
    if record["degradation"] is not None:
        marks.append(_dot(scale.place(record["degradation"]), "clean"))
    return {"name": group_name(record), "text": _told(record), "marks": marks}


def _cells(records: Sequence[Figures]) -> Iterator[dict[str, Any]]:
    found = {group_name(record): record for record in records if dimension(record) == "cell"}
    for target in TARGETS:
        cells = []
        for type_ in TYPES:
            record = found.get(f"{target}/{type_}")
            if record is None:
                cells.append({"value": "not requested", "bounds": "", "coverage": "", "shade": 0, "sign": "loss"})
                continue
            value = record["degradation"]
            cells.append(
                {
                    "value": number(value, 2),
                    "bounds": ends(record["bounds"]["degradation"], 2),
                    "coverage": _share(record["coverage"]),
                    **_shade(value),
                }
            )
        yield {"target": target, "cells": cells}


def _capability(whole: Figures) -> dict[str, Any] | None:
    capability = whole.get("capability")
    if capability is None:
        return None
    rows = []
    for each in capability["models"]:
        low, high = each["bounds"]
        robust = [None if high is None else 1 - high, None if low is None else 1 - low]
        marks = [_span("line", robust, lambda value: 100 * value), _dot(100 * (1 - each["degradation"]), "clean")]
        text = f"capability {amount(each['score'])}, D {number(each['degradation'])} {ends(each['bounds'], 2)}"
        rows.append({"name": printable(each["model"]), "text": f"{text}, {_share(each['coverage'])}", "marks": marks})
    return {"rows": rows, "text": correlation_text(capability)}


def _families(whole: Figures) -> dict[str, Any] | None:
    cross = whole["cross_family"]
    if not cross["pairs"]:
        return None
    pairs = {(pair["a"], pair["b"]): pair for pair in cross["pairs"]}
    present = [family for family in FAMILIES if any(family in pair for pair in pairs)]
    rows = []
    for place, family in enumerate(present[1:], start=1):
        cells = []
        for other in present[:place]:
            pair = pairs[other, family]
            sure = pair["ci"] is not None and (pair["ci"][0] > 0 or pair["ci"][1] < 0)
            cells.append({"value": number(pair["rho"], 2), "sure": sure, **_shade(pair["rho"])})
        rows.append({"name": family, "cells": cells, "empty": len(present) - 1 - place})
    kinds = [
        {"name": KINDS[kind], "rho": number(group["rho"], 2), "ci": ends(group["ci"], 2)}
        for kind, group in cross["groups"].items()
    ]
    counts = {"rows_used": cross["rows"], "possible_rows": cross["possible_rows"], "intervals": cross["intervals"]}
    return {"columns": present[:-1], "rows": rows, "kinds": kinds, **counts}


def _ratio_row(title: str, ratio: Figures) -> dict[str, Any]:
    if ratio["median"] is None:
        return {"name": title, "text": "no pair has both amounts", "marks": []}
    marks = [_span("band", [ratio["q1"], ratio["q3"]], _octave, "clean"), _dot(_octave(ratio["median"]), "clean")]
    text = f"median {number(ratio['median'], 2)} {ends([ratio['q1'], ratio['q3']], 2)}, mean {number(ratio['mean'], 2)}"
    tail = ratio["heavy_tail"]
    heavy = f", heavy tail of {tail['beyond']}" if tail else ""
    return {"name": title, "text": f"{text}, {counted(ratio['pairs'], 'pair')}{heavy}", "marks": marks}


class _Scale:
    """Places on an axis of degradations that holds 0 and all given values, from -1 to 1 at most."""

    def __init__(self, values: Sequence[float]) -> None:
        self.low = max(-1.0, min([0.0, *values]))
        self.high = min(1.0, max([0.1, *values]))

    def place(self, value: float) -> float:
        return 100 * (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)

    def ticks(self) -> list[Mark]:
        step = next(step for step in (0.05, 0.1, 0.2, 0.25, 0.5, 1.0) if (self.high - self.low) / step <= 6)
        first, last = round(self.low / step + 0.499), round(self.high / step - 0.499)
        return [{"left": self.place(step * tick), "label": f"{step * tick:g}"} for tick in range(first, last + 1)]


def _degradation_ends(record: Figures) -> list[float]:
    return [end for end in (*record["bounds"]["degradation"], *(record["ci"]["degradation"] or ())) if end is not None]


def _told(record: Figures) -> str:
    return f"D {number(record['degradation'])} {ends(record['bounds']['degradation'], 2)}, {_share(record['coverage'])}"


def _share(value: float) -> str:
    return f"{100 * value:.0f} % scored"


def _dot(left: float, side: str) -> Mark:
    return {"kind": "dot", "side": side, "left": round(left, 3), "width": 0}


def _span(kind: str, interval: Ends, place: Any, side: str = "") -> Mark:
    """A mark from end to end; an end that is not known is that of the axis."""
    low, high = interval if interval is not None else (None, None)
    left, right = 0.0 if low is None else place(low), 100.0 if high is None else place(high)
    left, right = (min(max(end, 0.0), 100.0) for end in (left, right))
    return {"kind": kind, "side": side, "left": round(left, 3), "width": round(right - left, 3)}


def _octave(ratio: float) -> float:
    octave = log2(ratio) if ratio > 0 else -OCTAVES
    return 100 * (min(max(octave, -OCTAVES), OCTAVES) + OCTAVES) / (2 * OCTAVES)


def _shade(value: float | None) -> dict[str, Any]:
    strength = 0.0 if value is None else min(1.0, abs(value))
    return {"shade": round(75 * strength), "sign": "gain" if value is not None and value < 0 else "loss"}
