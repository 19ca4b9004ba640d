"""The job summary: what failed and why, worst first, each with a diagram; never larger than a server takes.

GitHub drops a summary of more than 1 MiB as a whole. What did not fit is counted at its place.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from wfkit.gate.reports.entries import Entry, Findings, broken_rules
from wfkit.gate.reports.mermaid import flowchart
from wfkit.gate.reports.sentences import (
    Sentence,
    baseline_sentences,
    golden_sentences,
    headline,
    reason_lines,
    set_sentences,
    waiver_lines,
)
from wfkit.gate.wording import counted, printable

BYTE_LIMIT = 1 << 20
"""What GitHub takes as the summary of one step."""

ROW_LIMIT = 200
"""Rows of a table; the sections below it have room for more."""

TITLES = {
    "pass": "passed", "fail": "failed", "unmeasured": "not measured", "bad_input": "not decided: bad input",
    "review": "to review", "waived": "waived",
}  # fmt: skip

MARKS = {"fail": "❌", "unmeasured": "❔", "review": "👀", "waived": "🔕", "pass": "✅"}

OPENED = 5
"""Workflows whose section is unfolded from the start: each has a diagram to draw."""

DIAGRAM_LIMIT = 45_000
"""Characters of a diagram; Mermaid refuses 50,000."""

_CLOSING_ROOM = 400
"""Bytes kept for the line that counts what was left out."""

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~#$@]")


def render(findings: Findings, limit: int = BYTE_LIMIT) -> str:
    """The summary, of at most ``limit`` bytes in UTF-8; empty where not even its head has room."""
    summary = findings.summary
    reasons = [f"- {escaped(line)}" for line in reason_lines(summary)]
    title = f"## Workflow gate: {TITLES[summary['result']]}"
    head = "\n".join([title, "", f"**{escaped(headline(summary))}**", "", *reasons, *([""] if reasons else [])])
    shown = [entry for entry in findings.worst_first() if entry.status != "pass" or entry.verdict.get("notes")]
    footer = _footer(findings)
    room = limit - _CLOSING_ROOM - _size(head) - _size(footer)
    kept, left_out = _fitting([*_tables(findings), *_overview(shown, findings)], room)
    room -= sum(map(_size, kept))
    for number, entry in enumerate(shown):
        details = _details(entry, findings, opened=number < OPENED)
        room -= _size(details)
        if room < 0:
            left_out += len(shown) - number
            break
        kept.append(details)
    if left_out:
        what = counted(left_out, "section")
        kept.append(f"_{what} left out: a summary may hold {limit:,} bytes, and the worst came first._\n")
    text = "\n".join([head, *kept, footer])
    return text if len(text.encode()) <= limit else ""


def escaped(text: str) -> str:
    """A text that Markdown shows as it is: no mark-up, no tag, no link, no mention."""
    marked = _SPECIAL.sub(lambda match: f"\\{match[0]}", text.replace("&", "&amp;"))
    marked = marked.replace("\\<", "&lt;").replace("\\>", "&gt;")
    return marked.replace("://", "\\://").replace("www.", "www\\.")


def _fitting(blocks: Iterable[str], room: int) -> tuple[list[str], int]:
    """The blocks that have room, in order, and how many have none."""
    kept, left_out = [], 0
    for block in filter(None, blocks):
        if _size(block) <= room:
            kept.append(block)
            room -= _size(block)
        else:
            left_out += 1
    return kept, left_out


def _size(block: str) -> int:
    """Bytes of a block and the line end after it."""
    return len(block.encode()) + 1


def _tables(findings: Findings) -> Iterator[str]:
    summary = findings.summary
    yield _sentence_table("Rules on the set", set_sentences(summary, findings.policy))
    yield _sentence_table("Baseline", baseline_sentences(summary))
    yield _sentence_table("Goldens", golden_sentences(summary))
    faults = [Sentence(fault.id, "bad_input", f"{fault.filter}: {fault.message}") for fault in findings.faults]
    unnamed = summary["errors"] - len(faults)
    yield _sentence_table("Records that could not be processed", faults, further=unnamed)
    waivers = waiver_lines(summary)
    if waivers:
        yield "\n".join(["### Waivers to look at", "", *(f"- {escaped(line)}" for line in waivers), ""])


def _sentence_table(title: str, sentences: Sequence[Sentence], further: int = 0) -> str:
    if not sentences:
        return ""
    rows = [[sentence.name, TITLES[sentence.status], sentence.text] for sentence in sentences[:ROW_LIMIT]]
    more = len(sentences) - len(rows) + max(0, further)
    return _table(title, ("what", "result", "why"), rows, more)


def _overview(entries: Sequence[Entry], findings: Findings) -> Iterator[str]:
    if entries:
        rows = [
            [f"{MARKS[entry.status]} {_status_words(entry)}", entry.id, "; ".join(findings.why(entry)[:2])]
            for entry in entries[:ROW_LIMIT]
        ]
        yield _table(
            "Workflows that did not pass or passed changed", ("", "workflow", "why"), rows, len(entries) - len(rows)
        )


def _status_words(entry: Entry) -> str:
    return "passed changed" if entry.status == "pass" else TITLES[entry.status]


def _table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]], more: int) -> str:
    lines = [f"### {title}", "", _row(header), _row(["---"] * len(header))]
    lines += [_row([escaped(cell) for cell in row]) for row in rows]
    if more > 0:
        lines += ["", f"… and {more:,} more."]
    return "\n".join([*lines, ""])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _details(entry: Entry, findings: Findings, *, opened: bool) -> str:
    """One workflow: what it broke, what became of its steps, and the diagram."""
    rules = broken_rules(entry)
    named = f" ({', '.join(rules)})" if rules else ""
    summary = (
        f"<summary>{MARKS[entry.status]} {_status_words(entry)}: <b>{escape(entry.id)}</b>{escape(named)}</summary>"
    )
    lines = [f"<details{' open' if opened else ''}>", summary, ""]
    lines += [f"- {escaped(line)}" for line in findings.why(entry)]
    diagram = "" if entry.drawing is None else flowchart(entry.drawing)
    if len(diagram) > DIAGRAM_LIMIT:
        lines += ["", "The diagram is too large to draw here."]
    elif diagram and entry.drawing is not None:
        lines += ["", "```mermaid", diagram.rstrip("\n"), "```"]
        lines += ["", *(f"- {escaped(note)}" for note in entry.drawing.notes)] if entry.drawing.notes else []
    return "\n".join([*lines, "", "</details>", ""])


def _footer(findings: Findings) -> str:
    """How the scores were measured."""
    signatures = [*dict.fromkeys(findings.summary["signatures"].values())][:20]
    return "".join(f"- measured by {escaped(printable(signature, 300))}\n" for signature in signatures)
