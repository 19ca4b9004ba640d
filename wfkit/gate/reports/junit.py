"""The verdicts as JUnit XML, as CI servers render it: one test case for each workflow, and one for each other finding.

A failed workflow is a ``failure``; an unmeasured one, a missing candidate and an error record are an ``error``; what
goes to review, is waived, or is outweighed by other pairs of its golden is ``skipped`` with its reason, so that it
stays visible and stops nobody. Rules on the set, the coverage, the baseline and the outcome as a whole are test cases
of their own, so the report is red exactly when the exit code is not 0.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from wfkit.gate.reports.entries import Entry, Findings, Level, broken_rules
from wfkit.gate.reports.sentences import Sentence, baseline_sentences, golden_sentences, reason_lines, set_sentences
from wfkit.gate.wording import printable

MESSAGE_LIMIT = 300

Outcome = Literal["passed", "failure", "error", "skipped"]


class _Case(NamedTuple):
    """One test case; ``text`` is all there is to say, ``message`` its beginning on one line."""

    group: str
    name: str
    outcome: Outcome
    kind: str
    message: str
    text: str


def render(findings: Findings) -> str:
    """The whole document."""
    summary = findings.summary
    of_the_run = {"set": set_sentences(summary, findings.policy), "baseline": baseline_sentences(summary)}
    suites = {
        "workflows": [_workflow(entry, findings) for entry in findings.entries],
        **{
            name: [_sentence(name, sentence, findings.level(sentence.status)) for sentence in sentences]
            for name, sentences in of_the_run.items()
        },
        "goldens": [
            _sentence("goldens", sentence, findings.level_of_workflow(sentence.status))
            for sentence in golden_sentences(summary)
        ],
        "input": _faults(findings),
        "gate": _gate(findings),
    }
    filled = [(name, cases) for name, cases in suites.items() if cases]
    everything = [case for _, cases in filled for case in cases]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites name={_quoted('wf-gate')}{_counts(everything)}>"]
    for name, cases in filled:
        lines.append(f"  <testsuite name={_quoted(name)}{_counts(cases)}>")
        if name == "workflows":
            lines += _properties(findings.summary)
        for case in cases:
            lines += _case_lines(case)
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _outcome(status: str, level: Level) -> Outcome:
    if level == "error":
        return "error" if status in ("unmeasured", "bad_input") else "failure"
    return "passed" if status == "pass" else "skipped"


def _workflow(entry: Entry, findings: Findings) -> _Case:
    reasons = findings.why(entry)
    measured = ", ".join(f"{printable(name)} {_score(value)}" for name, value in entry.scores.items())
    text = "\n".join([*reasons, f"scores: {measured}"] if measured else reasons)
    rules = broken_rules(entry)
    outcome, kind = _outcome(entry.status, findings.level_of(entry)), rules[0] if rules else entry.status
    return _Case(entry.source, entry.id, outcome, kind, "; ".join(reasons[:2]), text)


def _score(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.4g}"


def _sentence(group: str, sentence: Sentence, level: Level) -> _Case:
    outcome = _outcome(sentence.status, level)
    return _Case(group, sentence.name, outcome, sentence.status, sentence.text, sentence.text)


def _faults(findings: Findings) -> list[_Case]:
    cases = [
        _Case(fault.filter, fault.id, "error", "bad_input", fault.message, _located(fault.place, fault.message))
        for fault in findings.faults
    ]
    unnamed = findings.summary["errors"] - len(findings.faults)
    if unnamed > 0:
        text = f"{unnamed} more error records, each in the output of wf-gate"
        cases.append(_Case("input", "further error records", "error", "bad_input", text, text))
    return cases


def _located(place: tuple[str, int], message: str) -> str:
    return f"{printable(place[0], 200)}:{place[1]}: {message}"


def _gate(findings: Findings) -> list[_Case]:
    """The outcome as a whole, so that a report is red whenever the gate is."""
    summary = findings.summary
    reasons, result = reason_lines(summary), summary["result"]
    outcome = _outcome(result, findings.level(result))
    return [_Case("gate", "outcome", outcome, result, "; ".join(reasons), "\n".join(reasons))]


def _counts(cases: Iterable[_Case]) -> str:
    outcomes = [case.outcome for case in cases]
    counted = (("tests", len(outcomes)), ("failures", outcomes.count("failure")), ("errors", outcomes.count("error")))
    named = "".join(f' {name}="{count}"' for name, count in counted)
    return f'{named} skipped="{outcomes.count("skipped")}"'


def _properties(summary: Mapping[str, Any]) -> list[str]:
    """The signatures of the metrics: no number without how it was measured."""
    signatures = summary["signatures"].items()
    if not signatures:
        return []
    lines = [
        f"      <property name={_quoted('signature.' + name)} value={_quoted(printable(value, 500))}/>"
        for name, value in signatures
    ]
    return ["    <properties>", *lines, "    </properties>"]


def _case_lines(case: _Case) -> list[str]:
    opening = f"    <testcase classname={_quoted(case.group)} name={_quoted(case.name)}"
    if case.outcome == "passed" and not case.text:
        return [f"{opening}/>"]
    if case.outcome == "passed":
        return [f"{opening}>", f"      <system-out>{_text(case.text)}</system-out>", "    </testcase>"]
    described = f"message={_quoted(printable(case.message, MESSAGE_LIMIT))} type={_quoted(case.kind)}"
    return [
        f"{opening}>",
        f"      <{case.outcome} {described}>{_text(case.text)}</{case.outcome}>",
        "    </testcase>",
    ]


def _quoted(text: str) -> str:
    return quoteattr(_line(text))


def _text(text: str) -> str:
    return escape("\n".join(_line(line) for line in text.split("\n")))


def _line(text: str) -> str:
    """One line of text; what XML 1.0 forbids is shown as an escape such as ``\\x1b``."""
    return printable(text, max(1, len(text)))
