"""Figures of the aggregates as SVG and PNG. What a mark means stands in the figure; the same input, the same bytes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from wfkit.agents.aggregation.structure_sections import KINDS, correlation_text
from wfkit.agents.aggregation.wording import (
    UNKNOWN,
    Ends,
    Figures,
    benchmark_name,
    dimension,
    ends,
    group_name,
    number,
    per_benchmark,
)
from wfkit.agents.families import FAMILIES, TARGETS, TYPES
from wfkit.drawing import STYLE, files_of
from wfkit.gate.wording import printable

Samples = Mapping[str, NDArray[np.float64]]

CLEAN, PERTURBED, BOUND = "#1f5a94", "#c8442c", "#5c5c5c"
TITLES = {
    "tokens": "tokens", "input_tokens": "input tokens", "output_tokens": "output tokens", "tool_calls": "tool calls",
    "turns": "turns",
}  # fmt: skip
BESIDE: dict[str, Any] = {"xycoords": "axes fraction", "va": "center", "fontsize": 9, "annotation_clip": False}
BINS = 64
# Ratios beyond this are drawn at the edge.
LARGEST_OCTAVE = 4


def figures(records: Sequence[Figures], ratios: Mapping[str, Samples]) -> Iterator[tuple[str, bytes]]:
    """All figures of all benchmarks.

    Args:
        records: `ap_aggregate` records.
        ratios: for each benchmark and measure the ratios of matched runs.

    Yields:
        file names and contents.
    """
    names: set[str] = set()
    with mpl.rc_context(STYLE):
        for here in per_benchmark(records):
            whole = here[0]
            stem = whole["group"]["benchmark"]
            models = [record for record in here if dimension(record) == "model"]
            yield from files_of(clean_against_perturbed(whole, models), f"{stem}-models", names)
            yield from files_of(effect_map(whole, here), f"{stem}-cells", names)
            marginals = [record for record in here if dimension(record) in ("overall", "target", "type")]
            yield from files_of(effect_intervals(whole, marginals), f"{stem}-marginals", names)
            if whole.get("capability", {}).get("models"):
                yield from files_of(capability_scatter(whole), f"{stem}-capability", names)
            if whole["cross_family"]["pairs"]:
                yield from files_of(family_matrix(whole), f"{stem}-families", names)
            samples = ratios[stem]
            if any(len(values) for values in samples.values()):
                yield from files_of(ratio_distributions(whole, samples), f"{stem}-cost-ratios", names)


def clean_against_perturbed(whole: Figures, models: Sequence[Figures]) -> Figure:
    """The mean score of every model on both sides, with bounds and coverage."""
    figure, axes = _rows(models)
    named = False
    for row, record in enumerate(models):
        for side, colour, offset in (("clean", CLEAN, -0.13), ("perturbed", PERTURBED, 0.13)):
            axes.hlines(row + offset, *record["bounds"][side], color=colour, alpha=0.35, linewidth=5)
            if record[side] is not None:
                axes.plot(record[side], row + offset, "o", color=colour, markersize=7)
                if not named:
                    axes.annotate(
                        side, (record[side], row + offset), xytext=(0, 6 if side == "clean" else -6), ha="center",
                        va="bottom" if side == "clean" else "top", textcoords="offset points", color=colour, fontsize=9,
                    )  # fmt: skip
        named = named or bool(record["scored"])
        if not record["scored"]:
            axes.text(0.5, row, "no pair is scored", ha="center", va="center", fontsize=8)
        _tell(axes, row, record)
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel("score; dot: mean of the scored pairs, band: bounds over all requests")
    figure.suptitle(f"{benchmark_name(whole)}: clean against perturbed")
    return figure


def effect_map(whole: Figures, records: Sequence[Figures]) -> Figure:
    """The degradation of the twelve cells, each with its bounds and coverage."""
    cells = {group_name(record): record for record in records if dimension(record) == "cell"}
    values = np.full((len(TARGETS), len(TYPES)), np.nan)
    texts = [["not requested"] * len(TYPES) for _ in TARGETS]
    for row, target in enumerate(TARGETS):
        for column, type_ in enumerate(TYPES):
            if (record := cells.get(f"{target}/{type_}")) is not None:
                values[row, column] = np.nan if record["degradation"] is None else record["degradation"]
                bounds = ends(record["bounds"]["degradation"], 2)
                texts[row][column] = (
                    f"{number(record['degradation'], 2)}\n{bounds}\n{_share(record['coverage'])} scored"
                )
    figure = Figure(figsize=(7.5, 5.6), layout="constrained")
    axes = figure.add_subplot()
    _shaded(axes, values, texts, [*TARGETS], [*TYPES], sizes=(10, 10))
    figure.suptitle(f"{benchmark_name(whole)}: degradation by target and type")
    axes.set_xlabel("share of the clean score that is lost; in brackets the bounds over all requests")
    return figure


def effect_intervals(whole: Figures, records: Sequence[Figures]) -> Figure:
    """The degradation of the whole benchmark, every target and every type, with interval and bounds."""
    figure, axes = _rows(records)
    axes.axvline(0, color="black", linewidth=0.8)
    for row, record in enumerate(records):
        axes.plot(_drawn_ends(record["bounds"]["degradation"]), [row, row], "|-", color=BOUND, linewidth=1.2, zorder=3)
        if (interval := record["ci"]["degradation"]) is not None:
            axes.hlines(row, *interval, color=CLEAN, linewidth=6, alpha=0.45)
        if record["degradation"] is not None:
            axes.plot(record["degradation"], row, "o", color=CLEAN, markersize=7)
        _tell(axes, row, record)
    level = f"{100 * whole['settings']['level']:g} %"
    axes.set_xlabel(f"degradation: dot, with {level} interval over tasks (band) and bounds over all requests (line)")
    axes.set_xlim(max(-1.05, axes.get_xlim()[0]), min(1.05, axes.get_xlim()[1]))
    figure.suptitle(f"{benchmark_name(whole)}: degradation by target and by type")
    return figure


def capability_scatter(whole: Figures) -> Figure:
    """Capability against robustness, a model a point, with bounds."""
    capability = whole["capability"]
    figure = Figure(figsize=(7.5, 5.2), layout="constrained")
    axes = figure.add_subplot()
    for place, each in enumerate(capability["models"]):
        low, high = _drawn_ends(each["bounds"])
        axes.vlines(each["score"], 1 - high, 1 - low, color=BOUND, linewidth=1.2)
        axes.plot(each["score"], 1 - each["degradation"], "o", color=CLEAN, markersize=7)
        axes.annotate(
            f"{printable(each['model'], 24)}\n{_share(each['coverage'])} scored",
            (each["score"], 1 - each["degradation"]), xytext=(7, 7 if place % 2 else -7), textcoords="offset points",
            va="bottom" if place % 2 else "top", fontsize=8, bbox={"color": "white", "alpha": 0.7, "pad": 0.5},
        )  # fmt: skip
    axes.margins(x=0.14, y=0.1)
    axes.set_xlabel("capability")
    axes.set_ylabel("robustness 1 − D; line: bounds over all requests")
    figure.suptitle(f"{benchmark_name(whole)}: are more capable models more robust?")
    axes.set_title(correlation_text(capability), fontsize=9)
    return figure


def family_matrix(whole: Figures) -> Figure:
    """Partial rank correlations of all pairs of families; those whose interval excludes 0 are bold."""
    cross = whole["cross_family"]
    present = {family for pair in cross["pairs"] for family in (pair["a"], pair["b"])}
    families = [family for family in FAMILIES if family in present]
    size = len(families) - 1
    values = np.full((size, size), np.nan)
    texts = [[""] * size for _ in range(size)]
    bold = set()
    for pair in cross["pairs"]:
        row, column = families.index(pair["b"]) - 1, families.index(pair["a"])
        texts[row][column] = number(pair["rho"], 2)
        if pair["rho"] is not None:
            values[row, column] = pair["rho"]
        if pair["ci"] is not None and (pair["ci"][0] > 0 or pair["ci"][1] < 0):
            bold.add((row, column))
    figure = Figure(figsize=(max(8, 3 + 0.66 * size), 2.8 + 0.5 * size), layout="constrained")
    axes = figure.add_subplot()
    _shaded(axes, values, texts, families[1:], families[:-1], sizes=(8, 8), bold=bold)
    axes.tick_params(axis="x", rotation=45)
    for label in axes.get_xticklabels():
        label.set_horizontalalignment("left")
        label.set_rotation_mode("anchor")
    of, groups = cross["intervals"], cross["groups"]
    means = ", ".join(
        f"{KINDS[kind]} {number(groups[kind]['rho'], 2)}" for kind in ("same_target", "same_type", "neither")
    )
    axes.set_xlabel(
        "partial rank correlation of the changes;"
        f" bold: the interval excludes 0 ({of['excluding_zero']} of {of['defined']})\nmeans of the pairs: {means};"
        f" {cross['rows']:,} of {cross['possible_rows']:,} (task, model) have every family scored"
    )
    figure.suptitle(f"{benchmark_name(whole)}: which families disturb the same tasks?")
    return figure


def ratio_distributions(whole: Figures, samples: Samples) -> Figure:
    """How many times more or less matched runs spend under perturbation, on a scale of doublings."""
    shown = [measure for measure in TITLES if len(samples[measure])]
    figure = Figure(figsize=(9, 1 + 1.5 * len(shown)), layout="constrained")
    panels = figure.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0]
    edges = np.linspace(-LARGEST_OCTAVE, LARGEST_OCTAVE, BINS + 1)
    for axes, measure in zip(panels, shown, strict=True):
        values, ratio = samples[measure], whole["cost"]["paired_ratio"][measure]
        with np.errstate(divide="ignore"):
            octaves = np.clip(np.log2(values), -LARGEST_OCTAVE, LARGEST_OCTAVE)
        axes.hist(octaves, edges, color=CLEAN, alpha=0.55)
        middle = float(np.clip(np.log2(ratio["median"]), *edges[[0, -1]])) if ratio["median"] > 0 else edges[0]
        axes.axvline(0, color="black", linewidth=0.8)
        axes.axvline(middle, color=PERTURBED, linewidth=1.6)
        text = f"median {number(ratio['median'], 2)}, quartiles {ends([ratio['q1'], ratio['q3']], 2)}"
        text += f", mean {number(ratio['mean'], 2)}"
        if ratio["heavy_tail"]:
            text += f"; heavy tail: {ratio['heavy_tail']['beyond']} above {number(ratio['heavy_tail']['fence'], 2)}"
        axes.set_title(f"{TITLES[measure]}: {text}", loc="left", fontsize=9)
        axes.set_ylabel("pairs")
    ticks = range(-LARGEST_OCTAVE, LARGEST_OCTAVE + 1)
    labels = [f"1/{2**-octave}" if octave < 0 else f"{2**octave}" for octave in ticks]
    labels[0], labels[-1] = f"≤ {labels[0]}", f"≥ {labels[-1]}"
    panels[-1].set_xticks([*ticks], labels)
    panels[-1].set_xlabel("perturbed over clean, pair by pair; red: median; black: the same cost")
    figure.suptitle(f"{benchmark_name(whole)}: cost of perturbed runs against their clean twins")
    return figure


def _rows(records: Sequence[Figures]) -> tuple[Figure, Axes]:
    """A figure with one named row a record, the first on top, and room for what is told of it on the right."""
    figure = Figure(figsize=(9.5, 1.9 + 0.44 * len(records)), layout="constrained")
    axes = figure.add_subplot()
    axes.set_yticks(range(len(records)), [group_name(record) for record in records])
    axes.set_ylim(len(records) - 0.4, -0.7)
    axes.tick_params(axis="y", length=0)
    axes.annotate("degradation [bounds], coverage", (1.02, 1.02), **BESIDE, color=BOUND)
    return figure, axes


def _tell(axes: Axes, row: int, record: Figures) -> None:
    """The degradation beside its row, with bounds and coverage."""
    figures = f"{number(record['degradation'])} {ends(record['bounds']['degradation'], 2)}"
    text = f"{figures}, {_share(record['coverage'])} scored"
    axes.annotate(text, (1.02, row), **BESIDE | {"xycoords": ("axes fraction", "data")})


def _shaded(
    axes: Axes,
    values: NDArray[np.float64],
    texts: Sequence[Sequence[str]],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    sizes: tuple[int, int],
    bold: "set[tuple[int, int]] | None" = None,
) -> None:
    """A matrix of numbers from -1 to 1, red where positive and blue where negative, with a text in each cell."""
    axes.imshow(np.ma.masked_invalid(values), cmap="RdBu_r", vmin=-1.2, vmax=1.2, aspect="auto")
    for row, cells in enumerate(texts):
        for column, text in enumerate(cells):
            dark = abs(values[row, column]) > 0.75
            axes.text(
                column, row, text, ha="center", va="center", fontsize=sizes[0], color="white" if dark else "black",
                fontweight="bold" if bold and (row, column) in bold else "normal",
            )  # fmt: skip
    axes.set_xticks(range(len(columns)), columns, fontsize=sizes[1])
    axes.set_yticks(range(len(rows)), rows, fontsize=sizes[1])
    axes.xaxis.tick_top()
    axes.tick_params(which="both", length=0)
    axes.grid(visible=False)
    axes.set_xticks(np.arange(len(columns) - 1) + 0.5, minor=True)
    axes.set_yticks(np.arange(len(rows) - 1) + 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=2)
    axes.set_axisbelow(False)
    axes.spines[:].set_visible(False)


def _drawn_ends(bounds: Ends) -> tuple[float, float]:
    """The ends of a line for bounds of the degradation; an end without a value goes to the edge."""
    low, high = bounds if bounds is not None else (None, None)
    return -1.05 if low is None else max(low, -1.05), 1.05 if high is None else high


def _share(value: Any) -> str:
    return UNKNOWN if value is None else f"{100 * value:.0f} %"
