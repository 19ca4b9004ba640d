"""The verdicts as JUnit XML, as CI servers render it: one test case for each workflow, and one for each other finding.

A failed workflow is a ``failure``; an unmeasured one, a missing candidate and an error record are an ``error``; what
goes to review or is waived is ``skipped`` with its reason, so that it stays visible and stops nobody. Rules on the
set, the coverage, the baseline and the outcome as a whole are test cases of their own: a run without any workflow
is not green.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from wfkit.gate.reports.entries import Entry, Findings, broken_rules, reasons_of, waiver_text
from wfkit.gate.reports.sentences import Sentence, baseline_sentences, golden_sentences, set_sentences
from wfkit.gate.wording import printable

MESSAGE_LIMIT = 300

Outcome = Literal["passed", "failure", "error", "skipped"]

_OUTCOMES: Mapping[str, Outcome] = {
    "pass": "passed", "fail": "failure", "unmeasured": "error", "bad_input": "error", "review": "skipped",
    "waived": "skipped",
}  # fmt: skip


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
    suites = [
        ("workflows", [_workflow(entry, findings) for entry in findings.entries]),
        ("set", [_sentence("set", sentence, findings) for sentence in set_sentences(findings.summary)]),
        ("baseline", [_sentence("baseline", sentence, findings) for sentence in baseline_sentences(findings.summary)]),
        ("goldens", [_sentence("goldens", sentence, findings) for sentence in golden_sentences(findings.summary)]),
        ("input", _faults(findings)),
        ("gate", _gate(findings.summary)),
    ]
    filled = [(name, cases) for name, cases in suites if cases]
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


def _outcome(status: str, findings: Findings) -> Outcome:
    return "failure" if status == "review" and findings.level(status) == "error" else _OUTCOMES[status]


def _workflow(entry: Entry, findings: Findings) -> _Case:
    reasons = reasons_of(entry)
    waiver = waiver_text(entry)
    if waiver:
        reasons = [waiver, *reasons]
    measured = ", ".join(f"{printable(name)} {_score(value)}" for name, value in entry.scores.items())
    text = "\n".join([*reasons, f"scores: {measured}"] if measured else reasons)
    rules = broken_rules(entry)
    message = "; ".join(reasons[:2])
    kind = rules[0] if rules else entry.status
    return _Case(entry.source, entry.id, _outcome(entry.status, findings), kind, message, text)


def _score(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.4g}"


def _sentence(group: str, sentence: Sentence, findings: Findings) -> _Case:
    outcome = _outcome(sentence.status, findings)
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


def _gate(summary: Mapping[str, Any]) -> list[_Case]:
    """The outcome as a whole, where the summary tells it or nothing was judged."""
    result = summary.get("result")
    if result is None and summary["verdicts"]:
        return []
    reasons = [str(line) for line in summary.get("reasons", ())]
    if not summary["verdicts"]:
        reasons.insert(0, "no workflow was judged")
    text = "\n".join(reasons)
    result = result or "unmeasured"
    return [_Case("gate", "outcome", _OUTCOMES[result], result, "; ".join(reasons), text)]


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
