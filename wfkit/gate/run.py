"""One run of the gate: a verdict for each pair as it comes, and the answer once all of them have come."""

from collections.abc import Mapping, Set
from typing import Any, NamedTuple

from wfkit.gate.baseline import MAX_DROP, Baseline
from wfkit.gate.decision import FailOn, Findings, coverage_of, decide
from wfkit.gate.expectation import Expectation
from wfkit.gate.goldens import Goldens
from wfkit.gate.observation import Observation, Observer
from wfkit.gate.policy import Policy
from wfkit.gate.run_words import baseline_lines, coverage_line, goldens_line, set_rule_lines, waiver_lines
from wfkit.gate.set_statistics import SetStatistics, absent_everywhere
from wfkit.gate.table import WorstRows, table_lines
from wfkit.gate.tally import Tally, summarise
from wfkit.gate.verdict import judge
from wfkit.gate.waivers import Waivers
from wfkit.gate.wording import REASON_LIMIT, printable
from wfkit.signature import SignatureGuard


class Conclusion(NamedTuple):
    """The end of a run.

    Attributes:
        exit_code: the answer.
        summary: the fields of the ``summary`` record.
        lines: for people.
        outdone: ids of the pairs that do not count, as another golden fits their candidate better.
    """

    exit_code: int
    summary: dict[str, Any]
    lines: list[str]
    outdone: Set[str]


class Run:
    """What was judged so far. Without rules on the set, repeats and baseline it does not grow with the stream."""

    def __init__(
        self,
        policy: Policy,
        fail_on: FailOn = "fail",
        *,
        waivers: Waivers | None = None,
        baseline: Baseline | None = None,
        max_drop: float = MAX_DROP,
        expectation: Expectation | None = None,
    ) -> None:
        """Begin.

        Args:
            policy: what the run is held against.
            fail_on: the mildest verdict that makes the answer *fail*.
            waivers: accepted failures.
            baseline: the approved run, over `compared_metrics` of the policy.
            max_drop: the drop of a mean since the baseline that is allowed.
            expectation: the goldens that must come.
        """
        self.policy, self.fail_on = policy, fail_on
        self._waivers, self._baseline, self._max_drop, self._expectation = waivers, baseline, max_drop, expectation
        self._tally, self._worst, self._guard = Tally(), WorstRows(), SignatureGuard()
        self._statistics = SetStatistics(policy)
        self._observer = Observer(compared_metrics(policy), self._statistics.fields)
        self._goldens = Goldens(policy, self._observer.metrics, fail_on, self._covers)
        self._watches = bool(policy.set_rules or policy.repeats or baseline)

    def judge(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """The verdict on one ``pair`` record.

        Raises:
            DataError: see `wfkit.gate.verdict.judge`.
            UsageProblem: a metric was measured in another way than before, or than in the baseline.
        """
        self._guard.check(record)
        if self._baseline is not None:
            self._baseline.check(record)
        verdict = judge(record, self.policy)
        if self._waivers is not None:
            verdict = self._waivers.apply(record["golden"]["id"], verdict, self.policy)
        self._tally.add(record, verdict)
        self._worst.add(record, verdict)
        if self._expectation is not None:
            self._expectation.saw_pair(record)
        if self._watches or "group" in record:
            seen = self._goldens.add(self._observer.observe(record, verdict["status"]))
            if seen is not None:
                self._count(seen)
        else:
            self._goldens.counts[verdict["status"]] += 1
        return verdict

    def saw_error(self, record: Mapping[str, Any]) -> None:
        """Count an ``error`` record that was read or had to be written."""
        self._tally.add_error()
        if self._expectation is not None:
            self._expectation.saw_error(record)

    def finish(self) -> Conclusion:
        """Settle what only the whole run tells."""
        for seen in self._goldens.finish():
            self._count(seen)
        self._worst.leave_out(self._goldens.outdone)
        missing = self._expectation.missing() if self._expectation is not None else []
        self._tally.missing = len(missing)
        baseline = self._baseline.compare(self._max_drop) if self._baseline is not None else None
        metrics_seen = list(self._tally.metrics)
        findings = Findings(
            counts=dict(self._goldens.counts),
            errors=self._tally.errors,
            missing=missing,
            set_results=self._statistics.results(metrics_seen),
            baseline=baseline,
            absent=[
                absent_everywhere(metric, metrics_seen)
                for metric, _ in self.policy.safe_levels
                if self._tally.verdicts and metric not in self._tally.metrics
            ],
            too_few=self._goldens.too_few,
        )
        decision = decide(findings, self.policy, self.fail_on)
        of_the_run = self._of_the_run(findings)
        summary = {
            "result": decision.answer,
            "exit_code": decision.exit_code,
            "reasons": decision.reasons,
            **summarise(
                self._tally, [rule.name for rule in self.policy.rules], self._guard.signatures, self._expectation
            ),
            **of_the_run,
        }
        lines = table_lines(self._worst, self._tally, self._expectation, self._lines(findings, of_the_run))
        return Conclusion(decision.exit_code, summary, lines, self._goldens.outdone)

    def _covers(self, golden: str, rules: Any) -> bool:
        return self._waivers is not None and len(self._waivers.covering(golden, rules)) == len(rules)

    def _count(self, seen: Observation) -> None:
        self._statistics.add(seen, self._observer)
        if self._baseline is not None:
            self._baseline.add(seen, self._observer)

    def _of_the_run(self, findings: Findings) -> dict[str, Any]:
        """The fields of the summary that are there only where they were asked for."""
        fields: dict[str, Any] = {}
        if self.policy.set_rules:
            fields["set_rules"] = list(findings.set_results)
        goldens = self._goldens.summary()
        if goldens is not None:
            fields["goldens"] = goldens
        if self._expectation is not None or self.policy.coverage is not None:
            fields["coverage"] = coverage_of(findings, self.policy.coverage)
        if findings.baseline is not None:
            fields["baseline"] = findings.baseline
        if self._waivers is not None:
            fields["waivers"] = self._waivers.summary()
        return fields

    def _calibrated_otherwise(self) -> list[str]:
        """The metrics whose bars were learnt from scores that were measured in another way."""
        signatures = (self.policy.calibration or {}).get("signatures")
        if not isinstance(signatures, Mapping):
            return []
        return [
            f"the bars of {printable(metric)} were calibrated for {printable(str(signatures[metric]), REASON_LIMIT)}, "
            f"and these scores are of {printable(signature, REASON_LIMIT)}"
            for metric, signature in self._guard.signatures.items()
            if metric in signatures and signatures[metric] != signature
        ]

    def _lines(self, findings: Findings, fields: Mapping[str, Any]) -> list[str]:
        lines = [*findings.absent, *self._calibrated_otherwise()]
        if "set_rules" in fields:
            lines += set_rule_lines(self.policy.set_rules, fields["set_rules"])
        if "goldens" in fields:
            lines.append(goldens_line(fields["goldens"], findings.counts))
        if self.policy.coverage is not None:
            lines.append(coverage_line(fields["coverage"]))
        if "baseline" in fields:
            lines += baseline_lines(fields["baseline"])
        if "waivers" in fields:
            lines += waiver_lines(fields["waivers"])
        return lines


def compared_metrics(policy: Policy) -> list[str]:
    """The metrics that a policy looks at in any of its rules, each once."""
    on_pairs = [metric for metric, _ in policy.safe_levels]
    on_the_set = [rule.metric for rule in policy.set_rules if rule.metric is not None]
    return list(dict.fromkeys([*on_pairs, *on_the_set]))
