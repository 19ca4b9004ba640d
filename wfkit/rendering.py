"""Sections of a report as aligned text or Markdown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


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
