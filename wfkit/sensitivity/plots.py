"""Figures of a study, each as SVG and PNG; the same records give the same bytes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wfkit.drawing import STYLE, files_of
from wfkit.gate.policy import Rule
from wfkit.gate.wording import printable
from wfkit.jsonl import Record
from wfkit.sensitivity.columns import Columns, Floats, Mask

INK, TARGET, ALARM = "#1f5a94", "#767676", "#c8442c"
PANELS_IN_A_ROW = 4
BINS = 24


def figures(
    records: Sequence[Record], columns: Columns, used: Mask, rules: Sequence[Rule]
) -> Iterator[tuple[str, bytes]]:
    """All figures.

    Args:
        records: ``sensitivity`` and ``firing`` records; only those on all pairs are drawn.
        columns: the observations behind them.
        used: bool [pairs], the pairs that count.
        rules: those whose bars are drawn.

    Yields:
        file names and contents.
    """
    whole = [record for record in records if record["stratum"] is None]
    sensitivities = [record for record in whole if record["kind"] == "sensitivity"]
    firings = [record for record in whole if record["kind"] == "firing"]
    names: set[str] = set()
    with mpl.rc_context(STYLE):
        for metric in dict.fromkeys(record["metric"] for record in sensitivities):
            here = [record for record in sensitivities if record["metric"] == metric]
            yield from files_of(trajectory(metric, here), f"trajectory-{metric}", names)
            yield from files_of(distribution(metric, here, columns, used, rules), f"distribution-{metric}", names)
        if any(record["delta_average"] is not None for record in sensitivities):
            yield from files_of(delta_matrix(sensitivities), "delta-matrix", names)
        if firings:
            yield from files_of(firing_matrix(firings), "firing-matrix", names)


def trajectory(metric: str, records: Sequence[Record]) -> Figure:
    """Mean score by severity with its interval, beside the target, one panel a type."""
    figure, panels = _panels(len(records))
    lowest = min(0.0, *(end for record in records for point in record["severities"] for end in _ends(point)))
    for axes, record in zip(panels, records, strict=True):
        points = [point for point in record["severities"] if point["mean"] is not None]
        severities = [point["severity"] for point in points]
        axes.plot(severities, [point["target"] for point in points], color=TARGET, linestyle="--", label="target")
        bands = np.array([point["interval"] or [point["mean"]] * 2 for point in points])
        axes.fill_between(severities, bands[:, 0], bands[:, 1], color=INK, alpha=0.25, linewidth=0)
        axes.plot(severities, [point["mean"] for point in points], color=INK, marker="o", label="mean, 95 % interval")
        axes.set_title(_title(record))
        axes.set_xticks(severities)
        axes.set_xlabel("severity, % of steps")
        axes.set_ylim(lowest - 0.03, 1.05)
    panels[0].set_ylabel("score")
    return _finished(figure, panels[0], printable(metric))


def distribution(metric: str, records: Sequence[Record], columns: Columns, used: Mask, rules: Sequence[Rule]) -> Figure:
    """Scores of single pairs by severity, one panel a type, with the bars of the rules that are for the type."""
    figure, panels = _panels(len(records))
    scores = columns.scores[metric]
    known = used & ~np.isnan(scores)
    edges = np.linspace(min(0.0, float(scores[known].min())), max(1.0, float(scores[known].max())), BINS + 1)
    severities = np.unique(columns.severity[known]).tolist()
    shades = mpl.colormaps["viridis_r"](np.linspace(0.15, 0.95, len(severities)))
    for axes, record in zip(panels, records, strict=True):
        own = known & (columns.type == columns.types.index(record["type"]))
        for severity, shade in zip(severities, shades, strict=True):
            _histogram(axes, scores[own & (columns.severity == severity)], edges, shade, f"{severity:g} %")
        for rule, bar in _bars_for(rules, record["type"], metric):
            axes.axvline(bar, color=ALARM, linewidth=1.6)
            axes.annotate(
                f"{printable(rule)} < {bar:g}", (bar, 1), xycoords=("data", "axes fraction"), xytext=(-3, -3),
                textcoords="offset points", rotation=90, ha="right", va="top", color=ALARM, fontsize=8,
            )  # fmt: skip
        axes.set_title(_title(record))
        axes.set_xlabel("score")
        axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f} %")
    panels[0].set_ylabel("share of pairs")
    return _finished(figure, panels[0], f"{printable(metric)}: single pairs")


def delta_matrix(records: Sequence[Record]) -> Figure:
    """Average fall of every metric under every type of damage."""
    metrics = list(dict.fromkeys(record["metric"] for record in records))
    types = list(dict.fromkeys(record["type"] for record in records))
    values = np.full((len(metrics), len(types)), np.nan)
    for record in records:
        if record["delta_average"] is not None:
            values[metrics.index(record["metric"]), types.index(record["type"])] = record["delta_average"]
    texts = [["–" if np.isnan(value) else f"{value:.2f}" for value in row] for row in values]
    figure, _ = _matrix(values, texts, metrics, types, top=max(1.0, float(np.nanmax(values))))
    figure.suptitle("Mean fall of the score per unit of severity (Δ average)")
    return figure


def firing_matrix(records: Sequence[Record]) -> Figure:
    """Share of pairs on which each rule fires, with marks where it should and where it should not."""
    rules = list(dict.fromkeys(record["rule"] for record in records))
    damages = list(dict.fromkeys((record["type"], record["severity"]) for record in records))
    values = np.full((len(damages), len(rules)), np.nan)
    texts = [["–"] * len(rules) for _ in damages]
    for record in records:
        row, column = damages.index((record["type"], record["severity"])), rules.index(record["rule"])
        if record["rate"] is not None:
            values[row, column] = record["rate"]
            mark = {"yes": "✓ ", "no": "✗ ", None: ""}[record["expected"]]
            texts[row][column] = f"{mark}{100 * record['rate']:.1f} %"
    names = [f"{type_name} {severity:g} %" for type_name, severity in damages]
    figure, axes = _matrix(values, texts, names, rules, top=1.0)
    axes.set_xlabel("✓ should fire   ✗ should not")
    figure.suptitle("Share of pairs on which each rule fires")
    return figure


def _matrix(
    values: Floats, texts: Sequence[Sequence[str]], rows: Sequence[str], columns: Sequence[str], top: float
) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(2.6 + 1.75 * len(columns), 1.5 + 0.42 * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    axes.imshow(np.clip(values, 0, top), cmap="Blues", vmin=0, vmax=1.15 * top, aspect="auto")
    for row, cells in enumerate(texts):
        for column, text in enumerate(cells):
            dark = values[row, column] > 0.6 * top
            axes.text(column, row, text, ha="center", va="center", color="white" if dark else "black")
    axes.set_xticks(range(len(columns)), [printable(name, 30) for name in columns])
    axes.set_yticks(range(len(rows)), [printable(name, 40) for name in rows])
    axes.xaxis.tick_top()
    axes.tick_params(which="both", length=0)
    axes.grid(visible=False)
    axes.set_xticks(np.arange(len(columns) - 1) + 0.5, minor=True)
    axes.set_yticks(np.arange(len(rows) - 1) + 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=3)
    axes.set_axisbelow(False)
    axes.spines[:].set_visible(False)
    return figure, axes


def _histogram(axes: Axes, values: Floats, edges: Floats, shade: Any, label: str) -> None:
    shares = np.histogram(values, edges)[0] / max(1, len(values))
    axes.stairs(shares, edges, fill=True, color=shade, alpha=0.3)
    axes.stairs(shares, edges, color=shade, linewidth=1.4, label=label)


def _bars_for(rules: Sequence[Rule], type_name: str, metric: str) -> Iterator[tuple[str, float]]:
    for rule in rules:
        if rule.name == type_name:
            for clause in rule.clauses:
                if metric in clause.metrics:
                    yield rule.name, clause.below


def _panels(count: int) -> tuple[Figure, list[Axes]]:
    """A figure of so many panels with common axes; the first has the y label."""
    columns = min(count, PANELS_IN_A_ROW)
    rows = -(-count // columns)
    figure = Figure(figsize=(1 + 3.1 * columns, 0.9 + 2.9 * rows), layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    panels = list(grid.flat)
    for unused in panels[count:]:
        unused.set_axis_off()
    return figure, panels[:count]


def _finished(figure: Figure, first: Axes, title: str) -> Figure:
    figure.suptitle(title)
    handles, labels = first.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(6, len(labels)), frameon=False)
    return figure


def _title(record: Mapping[str, Any]) -> str:
    goldens = f"{record['goldens']:,} goldens{', too few' if record['too_small'] else ''}"
    return f"{printable(record['type'], 30)}\n{goldens}"


def _ends(point: Mapping[str, Any]) -> list[float]:
    return [] if point["mean"] is None else [point["mean"], *(point["interval"] or ())]
