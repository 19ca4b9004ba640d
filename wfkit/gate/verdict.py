"""The verdict on one pair: its scores held against a policy, in three-valued logic.

A score is below its bar, not below it, or unknown. An unknown score never passes and never fails: true or unknown is
true, false and unknown is false, and what stays unknown is unmeasured. A score that is undefined for this golden is
no score at all: the rules leave it out.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import inf
from typing import Any, Literal, NamedTuple

from wfkit.errors import DataError
from wfkit.gate.diagnosis import diagnose
from wfkit.gate.differences import Comparison
from wfkit.gate.explanation import compare_usable, explain_comparison, explain_pair, note_changes
from wfkit.gate.metric_families import ORDERING_METRICS, STRUCTURAL_METRICS
from wfkit.gate.policy import Clause, Policy, Quantifier, Require, Rule
from wfkit.gate.wording import REASON_LIMIT, printable
from wfkit.registry import METRICS

Status = Literal["fail", "unmeasured", "review", "pass"]

STATUSES: tuple[Status, ...] = ("fail", "unmeasured", "review", "pass")
"""From worst to best: a verdict has the first that any of its rules asks for."""

_JOINTS: Mapping[Require, Quantifier] = {"primary": "all_of", "both": "all_of", "either": "any_of"}


_NOTHING_APPLIES = "no rule applies: every score that the policy asks for is undefined for this golden"


class Weighed(NamedTuple):
    """What a policy says of some scores: the fields of a verdict that need no look at the workflows."""

    status: Status
    breaches: list[dict[str, Any]]
    not_applicable: list[str]
    unmeasured: list[dict[str, Any]]


class _Finding(NamedTuple):
    """What one rule says of a record: broken or not, unknown (None), or not applicable; and why."""

    applicable: bool
    broken: bool | None
    breaches: tuple[tuple[str, float, float], ...]
    unknown: tuple[str, ...]


def judge(record: Mapping[str, Any], policy: Policy) -> dict[str, Any]:
    """The verdict on one ``pair`` record.

    Returns:
        ``status`` (one of `STATUSES`), ``breaches`` (``rule``, ``metric``, ``value``, ``below``; structural metrics
        first), ``not_applicable`` (names of rules), ``diagnosis`` (see `wfkit.gate.diagnosis.diagnose`; None for a
        pass) and ``explanation`` (lines of text, empty for a pass); where there is something to say also
        ``unmeasured`` (``rule``, ``metric``, ``reason``) and ``notes`` (what a passing pair lost, gained, merged,
        moved or re-linked).

    Raises:
        DataError: ``E-SCORE`` for a score that is neither a finite number nor null; see also `explain_pair`.
    """
    scores = record.get("scores") or {}
    if record["candidate"] is not None and _is_safe(scores, policy):
        return _passing(record, [])
    if record["candidate"] is None:
        return _without_candidate(record)
    return _explained(record, weigh(scores, record.get("reasons") or {}, policy), policy)


def combine(quantifier: Quantifier, answers: Iterable[bool | None]) -> bool | None:
    """Join answers of which None is unknown: ``any_of`` by or, ``all_of`` by and.

    Over no answers this is what `any` and `all` say; rules with nothing left never ask.
    """
    seen = set(answers)
    decisive = quantifier == "any_of"
    if decisive in seen:
        return decisive
    return None if None in seen else not decisive


def _is_safe(scores: Mapping[str, Any], policy: Policy) -> bool:
    """Whether every score that the policy asks for is there and reaches its highest bar: the usual case, kept quick."""
    for metric, level in policy.safe_levels:
        value = scores.get(metric)
        if not (type(value) is float or type(value) is int) or not level <= value < inf:
            return False
    return True


def weigh(scores: Mapping[str, Any], reasons: Mapping[str, Any], policy: Policy) -> Weighed:
    """Hold some scores against a policy.

    Args:
        scores: a number, or None with a reason, for each metric.
        reasons: why a score is None, by metric.
        policy: the rules.

    Raises:
        DataError: ``E-SCORE`` for a score that is neither a finite number nor null.
    """
    values, unknown, undefined = _sort_scores(scores, reasons, policy)
    breaches: list[dict[str, Any]] = []
    not_applicable: list[str] = []
    unmeasured: list[dict[str, Any]] = []
    asked: set[Status] = set()
    for rule in policy.rules:
        finding = _apply(rule, values, undefined)
        if not finding.applicable:
            not_applicable.append(rule.name)
        elif finding.broken is None:
            asked.add("unmeasured")
            unmeasured += ({"rule": rule.name, "metric": name, "reason": unknown[name]} for name in finding.unknown)
        elif finding.broken:
            asked.add(rule.action)
            breaches += (
                {"rule": rule.name, "metric": metric, "value": value, "below": below}
                for metric, value, below in finding.breaches
            )
    if policy.rules and len(not_applicable) == len(policy.rules):
        asked.add("unmeasured")
    breaches.sort(key=lambda breach: _family(breach["metric"]))
    return Weighed(
        next((status for status in STATUSES if status in asked), "pass"), breaches, not_applicable, unmeasured
    )


def _explained(record: Mapping[str, Any], weighed: Weighed, policy: Policy) -> dict[str, Any]:
    status, breaches, not_applicable, unmeasured = weighed
    if status == "pass":
        return _passing(record, not_applicable)
    comparison = compare_usable(record)
    nothing_applies = not (breaches or unmeasured)
    verdict = {
        "status": status,
        "breaches": breaches,
        "not_applicable": not_applicable,
        "diagnosis": diagnose(record, breaches, comparison, policy),
        "explanation": [_NOTHING_APPLIES]
        if nothing_applies
        else _explanation(record, comparison, breaches, unmeasured),
    }
    if unmeasured:
        verdict["unmeasured"] = unmeasured
    return verdict


def _passing(record: Mapping[str, Any], not_applicable: list[str]) -> dict[str, Any]:
    verdict: dict[str, Any] = {
        "status": "pass", "breaches": [], "not_applicable": not_applicable, "diagnosis": None, "explanation": [],
    }  # fmt: skip
    notes = note_changes(record)
    if notes:
        verdict["notes"] = notes
    return verdict


def _without_candidate(record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "status": "unmeasured", "breaches": [], "not_applicable": [], "diagnosis": None,
        "explanation": explain_pair(record),
    }  # fmt: skip


def _sort_scores(
    scores: Mapping[str, Any], reasons: Mapping[str, Any], policy: Policy
) -> tuple[dict[str, float], dict[str, str], set[str]]:
    """The scores that the policy asks for: numbers, the reasons of unknown ones, and those undefined for the golden."""
    values: dict[str, float] = {}
    unknown: dict[str, str] = {}
    undefined: set[str] = set()
    for metric, _ in policy.safe_levels:
        value = scores.get(metric)
        if value is not None:
            values[metric] = _number(metric, value)
        elif metric not in scores:
            unknown[metric] = _absent(metric, tuple(scores))
        else:
            reason = reasons.get(metric)
            if isinstance(reason, str) and reason.startswith("undefined:"):
                undefined.add(metric)
            else:
                unknown[metric] = (
                    printable(str(reason), REASON_LIMIT) if reason else "null, and the record gives no reason"
                )
    return values, unknown, undefined


@lru_cache(maxsize=64)
def _absent(metric: str, present: tuple[str, ...]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(metric, present, 1)
    if near and metric not in METRICS:
        return f"not in the record, which has {printable(near[0])}: is that the name?"
    return f"not in the record: add it with wf-score --metrics {printable(metric)}, or the program that measures it"


def _number(metric: str, value: Any) -> float:
    if type(value) is int or (type(value) is float and -inf < value < inf):
        return value
    raise DataError(
        f"score {printable(metric)} is {printable(repr(value))}, expected a finite number or null",
        code="E-SCORE",
        path=f"$.scores.{metric}",
    )


def _apply(rule: Rule, values: Mapping[str, float], undefined: set[str]) -> _Finding:
    answers: list[bool | None] = []
    breaches: list[tuple[str, float, float]] = []
    unknown: list[str] = []
    for clause in rule.clauses:
        below = {metric: _is_below(values, metric, clause) for metric in clause.metrics if metric not in undefined}
        if not below:
            continue
        answer = combine(clause.quantifier, below.values())
        answers.append(answer)
        if answer:
            breaches += [(metric, values[metric], clause.below) for metric in below if below[metric]]
        elif answer is None:
            unknown += [metric for metric in below if metric not in values]
    broken = combine(_JOINTS[rule.require], answers)
    return _Finding(bool(answers), broken, tuple(breaches), tuple(dict.fromkeys(unknown)))


def _is_below(values: Mapping[str, float], metric: str, clause: Clause) -> bool | None:
    return values[metric] < clause.below if metric in values else None


def _family(metric: str) -> int:
    """Where the breaches of a metric are listed: structure first, then order, then wording and all others."""
    if metric in STRUCTURAL_METRICS:
        return 0
    return 1 if metric in ORDERING_METRICS else 2


def _explanation(
    record: Mapping[str, Any],
    comparison: Comparison | None,
    breaches: list[dict[str, Any]],
    unmeasured: list[dict[str, Any]],
) -> list[str]:
    differences = explain_comparison(record, comparison)
    if not differences and breaches:
        differences = ["no step differs from its counterpart: the scores alone are below their bars"]
    gaps = dict.fromkeys(f"{gap['metric']} could not be measured: {gap['reason']}" for gap in unmeasured)
    return [*differences, *gaps] if breaches else [*gaps, *differences]
