"""The findings as SARIF 2.1.0, for code scanning: one result for each rule that a workflow breaks.

Every result has a location: GitHub refuses a file in which one has none.
"""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import quote

from wfkit.gate.policy import Policy
from wfkit.gate.policy_words import explain
from wfkit.gate.reports.entries import LEVELS, Entry, Findings, Level, Place, waiver_text
from wfkit.gate.reports.sentences import NO_CANDIDATE, baseline_sentences, golden_sentences, set_sentences
from wfkit.gate.wording import breach_text, counted, printable

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

RESULT_LIMIT = 5000
"""Results that GitHub shows of one run; further ones are counted in a notification."""

STANDARD_INPUT = "stdin"

_OWN_RULES: Mapping[str, str] = {
    "unmeasured": "A rule could not be decided, because a score is missing.",
    "missing-candidate": "A golden that was expected has no candidate.",
    "repeats": "The candidates of a golden fail by the rule on repeats.",
    "baseline": "A metric fell below its last approved run, or could not be compared with it.",
    "bad-input": "A record could not be processed.",
    "nothing-judged": "No workflow was judged.",
}


class _Result(NamedTuple):
    """One result before it is numbered: the rule, what identifies it, level, text, where, and why it is accepted."""

    rule: str
    subject: str
    level: Level
    text: str
    place: Place
    accepted: str = ""


def render(findings: Findings, version: str) -> dict[str, Any]:
    """The log as a JSON value.

    Args:
        version: of the program that judged.
    """
    descriptions = dict(_descriptions(findings))
    numbers = {name: number for number, name in enumerate(descriptions)}
    results = list(_results(findings))
    shown = [_as_json(result, numbers[result.rule]) for result in results[:RESULT_LIMIT]]
    driver = {
        "name": "wf-gate",
        "version": version,
        "rules": [
            {
                "id": name,
                "shortDescription": {"text": text},
                "fullDescription": {"text": text},
                "help": {"text": text},
                "defaultConfiguration": {"level": level},
            }
            for name, (text, level) in descriptions.items()
        ],
    }
    invocation: dict[str, Any] = {"executionSuccessful": True}
    if "exit_code" in findings.summary:
        invocation["exitCode"] = findings.summary["exit_code"]
    if len(results) > RESULT_LIMIT:
        further = counted(len(results) - RESULT_LIMIT, "result")
        note = {"level": "warning", "message": {"text": f"{further} left out; the worst are here"}}
        invocation["toolExecutionNotifications"] = [note]
    run = {"tool": {"driver": driver}, "invocations": [invocation], "results": shown, "columnKind": "unicodeCodePoints"}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _descriptions(findings: Findings) -> Iterator[tuple[str, tuple[str, str]]]:
    """The text and the level of each rule that a result may name; the policy's own rules come first."""
    yield from _policy_rules(findings.policy)
    for sentence in set_sentences(findings.summary, findings.policy):
        yield sentence.name, ("A rule on the set of workflows.", "error")
    for name, text in _OWN_RULES.items():
        yield _own(name, findings), (text, "error")


def _policy_rules(policy: Policy) -> Iterator[tuple[str, tuple[str, str]]]:
    sentences = explain(policy)
    for rule in policy.rules:
        said = [line for line in sentences if line.startswith(f"{rule.name}: ")]
        yield rule.name, (said[0] if said else rule.name, "warning" if rule.action == "review" else "error")


def _own(name: str, findings: Findings) -> str:
    """A name of ours that no rule of the policy has."""
    taken = {rule.name for rule in findings.policy.rules} | {
        one.name for one in set_sentences(findings.summary, findings.policy)
    }
    while name in taken:
        name = f"wf-gate/{name}"
    return name


def _results(findings: Findings) -> Iterator[_Result]:
    """Everything but plain passes, worst first."""
    summary, somewhere = findings.summary, findings.policy_place
    own = {name: _own(name, findings) for name in _OWN_RULES}
    if not summary["verdicts"]:
        yield _Result(own["nothing-judged"], "", "error", _OWN_RULES["nothing-judged"], somewhere)
    for sentence in set_sentences(summary, findings.policy):
        if sentence.status != "pass":
            level = findings.level(sentence.status)
            yield _Result(sentence.name, sentence.name, level, sentence.text, somewhere)
    for sentence in baseline_sentences(summary):
        if sentence.status != "pass":
            text = f"{sentence.name}: {sentence.text}"
            yield _Result(own["baseline"], sentence.name, findings.level(sentence.status), text, somewhere)
    for entry in findings.worst_first():
        if entry.status != "pass":
            yield from _results_of(entry, findings, own["unmeasured"])
    for sentence in golden_sentences(summary):
        rule = own["missing-candidate"] if sentence.text == NO_CANDIDATE else own["repeats"]
        text = f"{sentence.name}: {sentence.text}"
        yield _Result(rule, sentence.name, findings.level_of_workflow(sentence.status), text, somewhere)
    for fault in findings.faults:
        text = f"{fault.id}: {fault.filter}: {fault.message}"
        yield _Result(own["bad-input"], fault.id, "error", text, fault.place)


def _results_of(entry: Entry, findings: Findings, unmeasured: str) -> Iterator[_Result]:
    """One result for each rule that an entry breaks, and one for what could not be measured."""
    verdict = entry.verdict
    place, explanation = entry.place or findings.policy_place, verdict["explanation"]
    waived = (verdict.get("waiver") or {}).get("rules", ())
    by_rule: dict[str, list[str]] = {}
    for breach in verdict["breaches"]:
        by_rule.setdefault(breach["rule"], []).append(breach_text(breach))
    actions = {rule.name: rule.action for rule in findings.policy.rules}
    gravest = findings.level_of(entry)
    for rule, scores in by_rule.items():
        text = "; ".join([f"{entry.id}: {', '.join(scores)}", *explanation])
        if rule in waived:
            yield _Result(rule, entry.id, LEVELS[actions[rule]], text, place, waiver_text(entry))
        else:
            level = findings.level(actions[rule])
            yield _Result(rule, entry.id, "warning" if gravest == "warning" else level, text, place)
    if verdict.get("unmeasured") or not by_rule:
        text = "; ".join([f"{entry.id} could not be judged", *explanation])
        yield _Result(unmeasured, entry.id, gravest, text, place)


def _as_json(result: _Result, number: int) -> dict[str, Any]:
    identity = sha256(f"{result.rule}\0{result.subject}".encode()).hexdigest()
    value: dict[str, Any] = {
        "ruleId": result.rule,
        "ruleIndex": number,
        "level": result.level,
        # What looks like a link of Markdown would become one.
        "message": {"text": printable(result.text, 2000).replace("](", "] (")},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(result.place.file)},
                    "region": {"startLine": result.place.line},
                },
                "logicalLocations": [{"name": result.subject, "kind": "object"}],
            }
        ],
        "partialFingerprints": {"workflowAndRule/v1": identity},
    }
    if result.accepted:
        # Without a status it counts as accepted; drafts of the schema call that field differently.
        value["suppressions"] = [{"kind": "external", "justification": result.accepted}]
    return value


def _uri(file: str) -> str:
    """A file name as a URI reference, relative where the name is."""
    if file == "-":
        return STANDARD_INPUT
    path = quote(file.removeprefix("./"), errors="replace")
    return f"file://{path}" if path.startswith("/") else path
