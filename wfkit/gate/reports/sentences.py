"""What the summary says beyond single pairs, one sentence each: rules on the set, coverage, baseline, goldens.

A field that the summary does not have was not asked for and gives no sentence.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from wfkit.gate import run_words
from wfkit.gate.policy import Policy
from wfkit.gate.wording import REASON_LIMIT, counted, passed_text, printable

NO_CANDIDATE = "no candidate came for this golden"
TEXT_LIMIT = 500
REASONS_SHOWN = 50


class Sentence(NamedTuple):
    """One finding: its name, a status as pairs have it, and what there is to say."""

    name: str
    status: str
    text: str


def headline(summary: Mapping[str, Any]) -> str:
    """The counts in one line: ``20 workflows: 18 passed, 2 failed``."""
    status = summary["status"]
    passed = passed_text(status.get("pass", 0), summary.get("changed_passes", 0))
    words = (("fail", "failed"), ("unmeasured", "unmeasured"), ("review", "to review"), ("waived", "waived"))
    parts = [passed, *(f"{status[name]} {word}" for name, word in words if status.get(name))]
    if summary.get("errors"):
        parts.append(counted(summary["errors"], "error record"))
    missing = (summary.get("expected") or {}).get("missing")
    if missing:
        parts.append(f"{len(missing)} missing")
    return f"{counted(summary['verdicts'], 'workflow')}: {', '.join(parts)}"


def reason_lines(summary: Mapping[str, Any]) -> list[str]:
    """Why the exit code is not 0, the gravest reasons first; how many more there are is said in one further line."""
    reasons = summary["reasons"]
    lines = [printable(line, TEXT_LIMIT) for line in reasons[:REASONS_SHOWN]]
    return lines if len(reasons) <= REASONS_SHOWN else [*lines, f"… and {len(reasons) - REASONS_SHOWN} more"]


def set_sentences(summary: Mapping[str, Any], policy: Policy) -> list[Sentence]:
    """The results of the rules on the set, and the coverage where it has a floor."""
    rules = {rule.name: rule for rule in policy.set_rules}
    sentences = []
    for result in summary.get("set_rules") or ():
        where = " and ".join(f"{field} = {value}" for field, value in (result["slice"] or {}).items())
        name = f"{result['name']} over {where}" if where else result["name"]
        line = run_words.set_rule_line(rules[result["name"]], result)
        sentences.append(_said(name, result["status"], line.removeprefix(f"{printable(result['name'])}: ")))
    coverage = summary.get("coverage")
    if coverage and coverage["floor"] is not None and coverage["share"] is not None:
        sentences.append(
            _said("coverage", coverage["status"], run_words.coverage_line(coverage).removeprefix("coverage: "))
        )
    return sentences


def baseline_sentences(summary: Mapping[str, Any]) -> list[Sentence]:
    """Each metric held against the baseline, and what the run lacks."""
    baseline = summary.get("baseline")
    if not baseline:
        return []
    sentences = []
    for result in baseline["metrics"]:
        line = run_words.baseline_line(result)
        sentences.append(_said(result["metric"], result["status"], line.removeprefix("baseline: ")))
    if baseline["missing_count"]:
        sentences.append(_said("missing from this run", "unmeasured", run_words.missing_from_run(baseline)))
    return sentences


def golden_sentences(summary: Mapping[str, Any]) -> list[Sentence]:
    """The expected goldens that never came, and those whose candidates fail together."""
    missing = (summary.get("expected") or {}).get("missing", ())
    sentences = [_said(name, "unmeasured", NO_CANDIDATE) for name in missing]
    goldens = summary.get("goldens")
    if not goldens:
        return sentences
    rule = f"{goldens['k']} of n" if "k" in goldens else goldens["rule"]
    for status, words in (("fail", "fails"), ("unmeasured", "cannot be measured")):
        names = goldens["failed" if status == "fail" else "unmeasured"]
        count = goldens["failed_count" if status == "fail" else "unmeasured_count"]
        text = f"{words}, all its pairs taken together (repeats: {rule})"
        sentences += (_said(name, status, text) for name in names)
        if count > len(names):
            sentences.append(_said("further goldens", status, f"{count - len(names)} more: each {text}"))
    return sentences


def waiver_lines(summary: Mapping[str, Any]) -> list[str]:
    """The waivers that have expired or that nothing needed, one line each."""
    waivers = summary.get("waivers")
    lines = run_words.waiver_lines({**waivers, "used": []}) if waivers else []
    return [printable(line, TEXT_LIMIT) for line in lines]


def _said(name: str, status: str, text: str) -> Sentence:
    """A finding that is safe to show: names and reasons in it are those of records and files."""
    return Sentence(printable(name, REASON_LIMIT), status, printable(text, TEXT_LIMIT))
