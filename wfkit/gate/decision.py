"""The answer of a run: one exit code, and in plain words every reason why it is not 0."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from wfkit.gate.policy import Policy
from wfkit.gate.run_words import LINES_SHOWN, baseline_line, floor_in_words, missing_from_run, set_rule_line, some
from wfkit.gate.wording import counted

FailOn = Literal["fail", "review"]
Answer = Literal["pass", "fail", "bad_input", "unmeasured"]

EXIT_CODES: Mapping[Answer, int] = {"pass": 0, "fail": 1, "bad_input": 3, "unmeasured": 4}


@dataclass(frozen=True)
class Findings:
    """All that is known at the end of a run.

    Attributes:
        counts: outcomes by status; where pairs count together an outcome is of all of them.
        errors: error records.
        missing: expected goldens that never came.
        set_results: the results of the rules on the set.
        baseline: the comparison with the approved run, if one was asked for.
        absent: what is to be said of metrics that no record has.
        too_few: goldens with fewer candidates than must pass.
    """

    counts: Mapping[str, int]
    errors: int = 0
    missing: Sequence[str] = ()
    set_results: Sequence[Mapping[str, Any]] = ()
    baseline: Mapping[str, Any] | None = None
    absent: Sequence[str] = field(default_factory=list)
    too_few: int = 0


class Decision(NamedTuple):
    """The answer, and why it is not *pass*: one line for each reason, the gravest first."""

    answer: Answer
    reasons: list[str]

    @property
    def exit_code(self) -> int:
        """1 for *fail*, else 3 for *bad_input*, else 4 for *unmeasured*, else 0."""
        return EXIT_CODES[self.answer]


def coverage_of(findings: Findings, floor: float | None) -> dict[str, Any]:
    """How many of the workflows that were expected are measured: error records and missing goldens are not."""
    judged = sum(findings.counts.values())
    expected = judged + findings.errors + len(findings.missing)
    measured = judged - findings.counts.get("unmeasured", 0)
    share = measured / expected if expected else None
    enough = measured > 0 and share is not None and share >= (1 if floor is None else floor)
    status = "pass" if enough else "unmeasured"
    return {"expected": expected, "measured": measured, "share": share, "floor": floor, "status": status}


def decide(findings: Findings, policy: Policy, fail_on: FailOn) -> Decision:
    """The answer: *fail* if anything fails (or goes to review, if asked for), else what could not be told.

    Without a coverage floor one workflow that is unmeasured or missing makes the run unmeasured; with one, too low
    coverage does.
    """
    failures = _failures(findings, policy, fail_on)
    bad = [f"{counted(findings.errors, 'error record')} came or had to be written"] if findings.errors else []
    gaps = _gaps(findings, policy)
    answer: Answer = "fail" if failures else "bad_input" if bad else "unmeasured" if gaps else "pass"
    return Decision(answer, [*failures, *bad, *gaps])


def _failures(findings: Findings, policy: Policy, fail_on: FailOn) -> list[str]:
    total, failed = sum(findings.counts.values()), findings.counts.get("fail", 0)
    reviewed = findings.counts.get("review", 0) if fail_on == "review" else 0
    lines = []
    if failed:
        lines.append(f"{failed} of {counted(total, 'workflow')} failed")
    if reviewed:
        lines.append(f"{reviewed} of {counted(total, 'workflow')} must be reviewed, which --fail-on review refuses")
    not_enough = ("fail", "review") if fail_on == "review" else ("fail",)
    lines += _set_rule_reasons(findings, policy, not_enough)
    if findings.baseline is not None:
        lines += [baseline_line(one) for one in findings.baseline["metrics"] if one["status"] == "fail"]
    return lines


def _gaps(findings: Findings, policy: Policy) -> list[str]:
    lines = []
    unmeasured = findings.counts.get("unmeasured", 0)
    coverage = coverage_of(findings, policy.coverage)
    if not sum(findings.counts.values()):
        lines.append("no workflow was judged")
    if policy.coverage is None:
        if unmeasured:
            lines.append(f"{unmeasured} of {counted(sum(findings.counts.values()), 'workflow')} could not be measured")
            lines += findings.absent
        if findings.missing:
            names = some(findings.missing)
            lines.append(f"{counted(len(findings.missing), 'expected golden')} without candidate: {names}")
    elif coverage["status"] != "pass" and coverage["expected"]:
        lines += [floor_in_words(coverage), *findings.absent]
    if findings.too_few and policy.repeats is not None:
        lines.append(
            f"{counted(findings.too_few, 'golden')} with fewer than the {policy.repeats.k} candidates that must pass"
        )
    lines += _set_rule_reasons(findings, policy, ("unmeasured",))
    if findings.baseline is not None:
        lines += [baseline_line(one) for one in findings.baseline["metrics"] if one["status"] == "unmeasured"]
        if findings.baseline["missing_count"]:
            lines.append(f"baseline: {missing_from_run(findings.baseline)}")
        elif not findings.baseline["metrics"]:
            lines.append("baseline: it has no score of a metric that the policy looks at")
    return lines


def _set_rule_reasons(findings: Findings, policy: Policy, statuses: Sequence[str]) -> list[str]:
    rules = {rule.name: rule for rule in policy.set_rules}
    results = [result for result in findings.set_results if result["status"] in statuses]
    lines = [f"set rule {set_rule_line(rules[result['name']], result)}" for result in results[:LINES_SHOWN]]
    if len(results) > LINES_SHOWN:
        lines.append(f"{counted(len(results) - LINES_SHOWN, 'more result')} of set rules like these")
    return lines
