"""Sections of a report as aligned text or Markdown, and records as CSV."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Section:
    """A titled table with notes below it; cells are short texts, the first column names the row."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = field(default_factory=tuple)


def as_text(sections: Iterable[Section]) -> str:
    """Aligned columns, for a terminal."""
    return "\n".join(_text_section(section) for section in sections)


def _text_section(section: Section) -> str:
    table = [section.header, *section.rows] if section.rows else []
    widths = [max(len(cell) for cell in column) for column in zip(*table, strict=True)]
    lines = [section.title, ""]
    for number, row in enumerate(table):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append("  " + "  ".join(cells).rstrip())
        if number == 0:
            lines.append("  " + "  ".join("-" * width for width in widths))
    if table and section.notes:
        lines.append("")
    lines += [f"  {note}" for note in section.notes]
    return "\n".join([*lines, ""])


def as_markdown(sections: Iterable[Section]) -> str:
    """Headings, tables and lists, as job summaries and documents show them."""
    return "\n".join(_markdown_section(section) for section in sections)


def _markdown_section(section: Section) -> str:
    lines = [f"### {_escaped(section.title)}", ""]
    if section.rows:
        lines.append(_markdown_row(section.header))
        lines.append(_markdown_row(["---", *("---:" for _ in section.header[1:])]))
        lines += [_markdown_row(row) for row in section.rows]
        lines.append("")
    if section.notes:
        lines += [*(f"- {_escaped(note)}" for note in section.notes), ""]
    return "\n".join(lines)


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_escaped(cell) for cell in cells)} |"


def _escaped(text: str) -> str:
    for mark in "\\|*_<`":
        text = text.replace(mark, "&lt;" if mark == "<" else f"\\{mark}")
    return text


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
