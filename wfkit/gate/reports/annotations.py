"""Workflow commands (``::error …``) that GitHub turns into annotations of a run.

GitHub shows ten of each level in a step and drops the rest without a word, so the tenth says how many there are.
"""

from collections.abc import Iterator

from wfkit.gate.reports.entries import Entry, Findings, Level, Place, broken_rules
from wfkit.gate.reports.sentences import baseline_sentences, golden_sentences, headline, set_sentences
from wfkit.gate.wording import printable

SHOWN = 10
"""Annotations of each level that GitHub shows for one step."""

TEXT_LIMIT = 1000


def render(findings: Findings) -> list[str]:
    """The commands, one a line: errors, then warnings, then notices; the worst of each first."""
    by_level: dict[Level, list[str]] = {"error": [], "warning": [], "notice": []}
    for level, title, place, text in _found(findings):
        by_level[level].append(_command(level, title, place, text))
    lines = []
    for level, commands in by_level.items():
        if len(commands) > SHOWN:
            further = len(commands) - SHOWN + 1
            text = f"{further} more; {headline(findings.summary)}"
            commands = [*commands[: SHOWN - 1], _command(level, "wf-gate", None, text)]
        lines += commands
    return lines


def _found(findings: Findings) -> Iterator[tuple[Level, str, Place | None, str]]:
    """Level, title, place and text of each finding that is not a plain pass."""
    summary = findings.summary
    if not summary["verdicts"]:
        yield "error", "wf-gate", None, "no workflow was judged"
    for sentence in (*set_sentences(summary, findings.policy), *baseline_sentences(summary)):
        if sentence.status != "pass":
            yield findings.level(sentence.status), sentence.name, findings.policy_place, sentence.text
    for entry in findings.worst_first():
        if entry.status != "pass":
            yield findings.level_of(entry), _title(entry), entry.place, "; ".join(findings.why(entry))
    for sentence in golden_sentences(summary):
        yield findings.level_of_workflow(sentence.status), sentence.name, None, sentence.text
    for fault in findings.faults:
        yield findings.level("bad_input"), f"{fault.id} ({fault.filter})", fault.place, fault.message


def _title(entry: Entry) -> str:
    rules = broken_rules(entry)
    return f"{entry.id}: {', '.join(rules)}" if rules else entry.id


def _command(level: str, title: str, place: Place | None, text: str) -> str:
    properties = [f"title={_property(printable(title, 200))}"]
    if place is not None and place.file != "-":
        properties += [f"file={_property(printable(place.file, 500))}", f"line={place.line}"]
    return f"::{level} {','.join(properties)}::{_data(printable(text, TEXT_LIMIT))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
