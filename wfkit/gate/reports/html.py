"""One page to browse the workflows in, complete in itself: filters, both graphs side by side, score distributions.

The records' texts reach it in two ways only: escaped in its tables, and as JSON that its script shows as text. Its
Content-Security-Policy lets nothing run or load but what is in it.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from wfkit import jsonl
from wfkit.gate.policy_words import explain
from wfkit.gate.reports import histogram
from wfkit.gate.reports.diagram import Drawing, Side
from wfkit.gate.reports.entries import Entry, Findings, broken_rules
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

DETAIL_BYTES = 4_000_000
"""Room for explanations and graphs; the worst workflows have them first."""

ROW_LIMIT = 20_000
"""Workflows that are listed."""

TABLE_LIMIT = 200
CHART_LIMIT = 12

WORDS = {
    "fail": "failed", "unmeasured": "not measured", "bad_input": "bad input", "review": "to review", "waived": "waived",
    "pass": "passed",
}  # fmt: skip

_STATES = ("same", "lost", "added", "merged", "moved", "reworded")
_FOLDER = Path(__file__).parent
_SLOT = re.compile(r"\{\{(\w+)\}\}")


def render(findings: Findings, version: str) -> str:
    """The page.

    Args:
        version: of the program that judged.
    """
    style, script = _asset("page.css"), _asset("page.js")
    ordered = findings.worst_first()
    result = findings.summary["result"]
    metrics = _metrics(findings)
    slots = {
        "title": f"Workflow gate: {WORDS[result]}",
        "heading": f'Workflow gate <span class="badge {result}">{WORDS[result]}</span>',
        "headline": escape(headline(findings.summary)),
        "reasons": _list(reason_lines(findings.summary)),
        "distributions": _distributions(ordered, metrics),
        "tables": _tables(findings),
        "left_out": _left_out(len(ordered)),
        "footer": _footer(findings, version),
        "style": style,
        "script": script,
        "style_hash": _hash(style),
        "script_hash": _hash(script),
        "data": _embedded(_data(ordered[:ROW_LIMIT], findings, metrics)),
    }
    return _SLOT.sub(lambda match: slots[match[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _embedded(value: Any) -> str:
    """JSON that cannot end the element that it stands in."""
    return jsonl.dumps(value).decode().replace("<", "\\u003c")


def _list(lines: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""


# --- Distributions --------------------------------------------------------------------------------------------------


def _metrics(findings: Findings) -> dict[str, list[histogram.Bar]]:
    """The metrics of the policy with their bars, then the others of the records."""
    found: dict[str, list[histogram.Bar]] = {}
    for rule in findings.policy.rules:
        for clause in rule.clauses:
            for metric in clause.metrics:
                bar = histogram.Bar(clause.below, rule.action)
                bars = found.setdefault(metric, [])
                if bar not in bars:
                    bars.append(bar)
    for entry in findings.entries:
        for metric in entry.scores:
            found.setdefault(metric, [])
    return found


def _distributions(entries: Sequence[Entry], metrics: Mapping[str, Sequence[histogram.Bar]]) -> str:
    figures = []
    for metric, bars in list(metrics.items())[:CHART_LIMIT]:
        scores = [(entry.status == "pass", entry.scores.get(metric)) for entry in entries]
        passed = [value for is_pass, value in scores if is_pass and value is not None]
        others = [value for is_pass, value in scores if not is_pass and value is not None]
        nulls = len(entries) - len(passed) - len(others)
        figures.append(histogram.figure(printable(metric), passed, others, nulls, bars))
    if not entries:
        return ""
    title = '<section aria-labelledby="scores-title"><h2 id="scores-title">Scores</h2>'
    return f'{title}{histogram.captioned(len(entries))}<div class="charts">{"".join(figures)}</div></section>'


# --- Tables ---------------------------------------------------------------------------------------------------------


def _tables(findings: Findings) -> str:
    summary = findings.summary
    faults = [Sentence(fault.id, "bad_input", f"{fault.filter}: {fault.message}") for fault in findings.faults]
    tables = [
        _table("Rules on the set", set_sentences(summary, findings.policy), 0),
        _table("Baseline", baseline_sentences(summary), 0),
        _table("Goldens", golden_sentences(summary), 0),
        _table("Records that could not be processed", faults, summary["errors"] - len(faults)),
    ]
    waivers = _list(waiver_lines(summary))
    if waivers:
        tables.append(f"<h3>Waivers to look at</h3>{waivers}")
    filled = "".join(tables)
    title = '<h2 id="beyond-title">Beyond single workflows</h2>'
    return f'<section aria-labelledby="beyond-title">{title}{filled}</section>' if filled else ""


def _table(title: str, sentences: Sequence[Sentence], unnamed: int) -> str:
    if not sentences:
        return ""
    rows = "".join(
        f"<tr><td>{escape(sentence.name)}</td>"
        f'<td><span class="badge {escape(sentence.status)}">{escape(WORDS[sentence.status])}</span></td>'
        f"<td>{escape(sentence.text)}</td></tr>"
        for sentence in sentences[:TABLE_LIMIT]
    )
    more = max(0, len(sentences) - TABLE_LIMIT) + max(0, unnamed)
    further = f'<p class="soft">… and {more:,} more.</p>' if more else ""
    head = '<thead><tr><th scope="col">what</th><th scope="col">result</th><th scope="col">why</th></tr></thead>'
    return f"<table><caption>{escape(title)}</caption>{head}<tbody>{rows}</tbody></table>{further}"


def _left_out(count: int) -> str:
    if count <= ROW_LIMIT:
        return ""
    return f'<p class="soft">{counted(count - ROW_LIMIT, "workflow")} left out; the worst come first.</p>'


def _footer(findings: Findings, version: str) -> str:
    signatures = (f"{name}: {printable(text, 300)}" for name, text in sorted(findings.summary["signatures"].items()))
    lines = [*explain(findings.policy), *signatures]
    return f"<p>wf-gate {escape(version)}. How it judged:</p>{_list(printable(line, 500) for line in lines)}"


# --- The embedded data ----------------------------------------------------------------------------------------------


def _data(
    entries: Sequence[Entry], findings: Findings, metrics: Mapping[str, Sequence[histogram.Bar]]
) -> dict[str, Any]:
    rows, room = [], DETAIL_BYTES
    for entry in entries:
        reasons = findings.why(entry)
        row = _row(entry, reasons, metrics)
        detail = _detail(entry, reasons)
        if detail is not None:
            size = len(jsonl.dumps(detail))
            if size <= room:
                room -= size
                row["detail"] = detail
            else:
                row["leftOut"] = True
        rows.append(row)
    return {
        "rows": rows,
        "rules": [printable(rule.name) for rule in findings.policy.rules],
        "metrics": [
            {"name": printable(name), "bars": [bar._asdict() for bar in bars]} for name, bars in metrics.items()
        ],
        "words": WORDS,
    }


def _row(entry: Entry, reasons: Sequence[str], metrics: Iterable[str]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": entry.id,
        "golden": entry.golden,
        "source": entry.source,
        "status": entry.status,
        "rules": [printable(rule) for rule in broken_rules(entry)],
        "why": printable("; ".join(reasons[:2]), 300),
        # False: the record does not have this metric at all.
        "scores": [_rounded(entry.scores[name]) if name in entry.scores else False for name in metrics],
    }
    if entry.status == "pass" and entry.verdict.get("notes"):
        row["changed"] = True
    return row


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.10g}")


def _detail(entry: Entry, reasons: Sequence[str]) -> dict[str, Any] | None:
    """What a workflow's section shows; nothing for a plain pass."""
    if not reasons and entry.drawing is None:
        return None
    return {"reasons": reasons, "drawing": None if entry.drawing is None else _drawing(entry.drawing)}


def _drawing(drawing: Drawing) -> dict[str, Any]:
    return {
        "golden": _drawn_side(drawing.golden),
        "candidate": _drawn_side(drawing.candidate),
        "partners": drawing.partners,
        "notes": drawing.notes,
    }


def _drawn_side(side: Side) -> dict[str, Any]:
    return {
        "steps": [[step.id, step.text, _STATES.index(step.state)] for step in side.steps],
        "edges": [[source, target, 1] if changed else [source, target] for source, target, changed in side.edges],
        "hidden": side.hidden,
    }
