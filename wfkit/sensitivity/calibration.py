"""A policy whose bars are chosen from the data, with the error rates on goldens that had no say (section 6)."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np

from wfkit import __version__
from wfkit.gate.policy import Clause, Policy, Rule
from wfkit.sensitivity.columns import Columns, Floats, Integers, Mask
from wfkit.sensitivity.firing import UNKNOWN, Answers, rule_answers, share_fired
from wfkit.sensitivity.observations import UNDEFINED
from wfkit.sensitivity.strata import FEWEST_GOLDENS
from wfkit.sensitivity.thresholds import Choice, Target, choose

FOLDS = 10
TRADE_OFF_LEVELS = (0.01, 0.02, 0.05, 0.10, 0.20, 0.30, 0.50)
"""Shares of false alarms for which the trade-off states what is missed."""


@dataclass(frozen=True)
class Question:
    """What a calibration is asked.

    Attributes:
        tolerate: severity up to which damage is tolerated, percentage.
        detect: severity from which on it is to be detected, percentage.
        target: what is asked of each rule.
        seed: which goldens are held out together.
    """

    tolerate: float
    detect: float
    target: Target
    seed: int


@dataclass(frozen=True, eq=False)
class _Material:
    """The pairs that one rule learns from.

    Attributes:
        values: float64 [pairs, clauses]; a clause is true where its value is below its bar; NaN where not measured.
        whole: bool [pairs], where every clause has a value.
        tolerated: bool [pairs], mild damage of the rule's type.
        damaged: bool [pairs], severe damage of it.
        benign: bool [pairs], pairs of other types that an ideal metric gives 1.
    """

    values: Floats
    whole: Mask
    tolerated: Mask
    damaged: Mask
    benign: Mask


def calibrate(
    columns: Columns, policy: Policy, used: Mask, question: Question, signatures: Mapping[str, str]
) -> tuple[list[Rule], dict[str, Any]]:
    """Choose the bars of every rule of a policy that is named after a type of damage.

    A rule keeps its metrics, how they are joined and its action. Only the clauses that decide are calibrated, so a
    secondary clause that ``require`` does not ask for is left out.

    Args:
        columns: the observations.
        policy: the rules, whose own bars play no part.
        used: bool [pairs], the pairs that count.
        question: what is asked of them.
        signatures: how the metrics were measured.

    Returns:
        the rules with their new bars, without those for which no bar can be chosen, and the ``calibration`` of
        the policy: how it was done, and for each rule of the old policy its outcome: ``calibrated``,
        ``too_little_data`` or ``no_separation``.
    """
    folds = _folds(columns.golden_ids, question.seed)
    rules, outcomes = [], []
    for rule in policy.rules:
        calibrated, outcome = _calibrate_rule(columns, _deciding(rule), used, question, folds)
        outcomes.append({"name": rule.name, "before": _bars_of(rule), **outcome})
        if calibrated is not None:
            rules.append(calibrated)
    measured = {metric for rule in rules for clause in rule.clauses for metric in clause.metrics}
    target = question.target
    return rules, {
        "by": f"wf-sensitivity {__version__}",
        "tolerate": question.tolerate,
        "detect": question.detect,
        "max_false_alarm": target.max_false_alarm,
        "min_detect": target.min_detect,
        "seed": question.seed,
        "folds": FOLDS,
        "goldens": len(columns.golden_ids),
        "pairs": int(np.count_nonzero(used)),
        "signatures": {metric: signatures[metric] for metric in sorted(measured) if metric in signatures},
        "rules": outcomes,
    }


def policy_value(template: Mapping[str, Any], rules: Sequence[Rule], calibration: Mapping[str, Any]) -> dict[str, Any]:
    """The calibrated rules as a policy in JSON; whatever else the template says stays."""
    return {
        "kind": "policy",
        **{key: value for key, value in template.items() if key not in ("kind", "rules", "require", "calibration")},
        "rules": [_rule_value(rule) for rule in rules],
        "calibration": dict(calibration),
    }


def _rule_value(rule: Rule) -> dict[str, Any]:
    value: dict[str, Any] = {"name": rule.name, "primary": _clause_value(rule.primary)}
    if rule.secondary is not None:
        value |= {"secondary": _clause_value(rule.secondary), "require": rule.require}
    return {**value, "action": rule.action}


def _clause_value(clause: Clause) -> dict[str, Any]:
    return {clause.quantifier: list(clause.metrics), "below": clause.below}


def _deciding(rule: Rule) -> Rule:
    """The rule without a secondary clause that it does not ask for."""
    return rule if len(rule.clauses) > 1 else replace(rule, secondary=None, require="primary")


def _calibrate_rule(
    columns: Columns, rule: Rule, used: Mask, question: Question, folds: Integers
) -> tuple[Rule | None, dict[str, Any]]:
    material = _material(columns, rule, used, question)
    data = {
        "tolerated": _size(columns, material.tolerated & material.whole),
        "damaged": _size(columns, material.damaged & material.whole),
        "benign": _size(columns, material.benign & material.whole),
    }
    reason = _too_little(columns, rule, data, question)
    if reason is not None:
        return None, {"outcome": "too_little_data", "reason": reason, **data}
    everything = np.ones(len(columns), dtype=np.bool_)
    chosen = _with_bars(rule, _choose(material, everything, rule, question.target).bars)
    held_out, fold_bars = _held_out(columns, rule, material, question.target, folds)
    bars = _bars_of(chosen)
    details: dict[str, Any] = {
        **data,
        "bars": bars,
        "bars_across_folds": {name: [min(one), max(one)] for name, one in zip(bars, fold_bars, strict=True)},
        "on_all": _rates(columns, rule_answers(columns, chosen), material),
        "held_out": _rates(columns, held_out, material),
        "before_on_all": _rates(columns, rule_answers(columns, rule), material),
        "trade_off": _trade_off(columns, material, rule),
    }
    rates = {name: rate["rate"] for name, rate in details["held_out"].items()}
    alarms = max(rates["false_alarm"], rates["benign_alarm"] or 0)
    if 1 - rates["miss"] <= alarms:
        reason = (
            f"on goldens that had no say it fires on {100 * (1 - rates['miss']):.1f} % of the damage to be detected "
            f"and on {100 * alarms:.1f} % of what it should let pass, so its scores do not tell one from the other"
        )
        return None, {"outcome": "no_separation", "reason": reason, **details}
    return chosen, {"outcome": "calibrated", **details}


def _material(columns: Columns, rule: Rule, used: Mask, question: Question) -> _Material:
    own = np.zeros(len(columns), dtype=np.bool_)
    if rule.name in columns.types:
        own = columns.type == columns.types.index(rule.name)
    values = np.stack([_clause_values(columns, clause) for clause in rule.clauses], axis=1)
    return _Material(
        values=values,
        whole=np.all(np.isfinite(values), axis=1),
        tolerated=used & own & (columns.severity <= question.tolerate),
        damaged=used & own & (columns.severity >= question.detect),
        benign=used & ~own & (columns.target == 1),
    )


def _clause_values(columns: Columns, clause: Clause) -> Floats:
    """The number that must be below the bar: the smallest score under ``any_of``, the largest under ``all_of``.

    Scores that are undefined for a golden are left out; NaN where another is lacking or none is left.
    """
    smallest = clause.quantifier == "any_of"
    neutral = np.inf if smallest else -np.inf
    rows = []
    for metric in clause.metrics:
        if metric not in columns.scores:
            return np.full(len(columns), np.nan)
        rows.append(np.where(columns.states[metric] == UNDEFINED, neutral, columns.scores[metric]))
    stacked = np.stack(rows)
    values: Floats = stacked.min(axis=0) if smallest else stacked.max(axis=0)
    return np.where(np.isinf(values), np.nan, values)


def _size(columns: Columns, rows: Mask) -> dict[str, int]:
    return {"pairs": int(np.count_nonzero(rows)), "goldens": len(np.unique(columns.golden[rows]))}


def _too_little(columns: Columns, rule: Rule, data: Mapping[str, Mapping[str, int]], question: Question) -> str | None:
    """Why no bar can be chosen, or None."""
    if rule.name not in columns.types:
        return f"no pair is damaged by {rule.name}: a rule learns from the type that it is named after"
    absent = sorted({metric for clause in rule.clauses for metric in clause.metrics} - set(columns.scores))
    if absent:
        return f"no pair has a score of {', '.join(absent)}"
    target = question.target
    finest = {"tolerated": target.max_false_alarm, "damaged": target.min_detect and 1 - target.min_detect}
    severities = {"tolerated": f"up to {question.tolerate:g} %", "damaged": f"from {question.detect:g} % on"}
    for name, share in finest.items():
        needed = max(FEWEST_GOLDENS, ceil(round(1 / share, 6)) if share else 0)
        there = data[name]["goldens"]
        if there < needed:
            return f"{there} goldens have measured {rule.name} {severities[name]}, and {needed} are needed" + (
                f" to tell a share of {share:g}" if needed > FEWEST_GOLDENS else ""
            )
    return None


def _choose(material: _Material, rows: Mask, rule: Rule, target: Target) -> Choice:
    """The best bars on some of the pairs. What is benign counts as harmless beside what is tolerated."""
    known = rows & material.whole
    harmless = [known & material.tolerated, known & material.benign]
    groups = [material.values[group] for group in harmless if group.any()]
    return choose(groups, material.values[known & material.damaged], rule.require, target)


def _with_bars(rule: Rule, bars: Sequence[float]) -> Rule:
    clauses = [replace(clause, below=bar) for clause, bar in zip(rule.clauses, bars, strict=True)]
    return replace(rule, primary=clauses[0], secondary=clauses[1] if len(clauses) > 1 else None)


def _bars_of(rule: Rule) -> dict[str, float]:
    return dict(zip(("primary", "secondary"), (clause.below for clause in rule.clauses), strict=False))


def _folds(golden_ids: Sequence[str], seed: int) -> Integers:
    """The fold of every golden: shuffled by a digest of seed and id, then dealt out."""

    def lot(place: int) -> bytes:
        return hashlib.sha256(json.dumps([seed, "fold", golden_ids[place]]).encode("ascii")).digest()

    folds = np.empty(len(golden_ids), dtype=np.int64)
    folds[sorted(range(len(golden_ids)), key=lot)] = np.arange(len(golden_ids)) % FOLDS
    return folds


def _held_out(
    columns: Columns, rule: Rule, material: _Material, target: Target, folds: Integers
) -> tuple[Answers, list[list[float]]]:
    """What the rule says of every pair with bars chosen without its golden, and those bars, clause by clause."""
    fold = folds[columns.golden]
    answers = np.full(len(columns), UNKNOWN, dtype=np.int8)
    bars = []
    for number in range(FOLDS):
        out = fold == number
        bars.append(_choose(material, ~out, rule, target).bars)
        answers[out] = rule_answers(columns, _with_bars(rule, bars[-1]))[out]
    return answers, [list(clause) for clause in zip(*bars, strict=True)]


def _rates(columns: Columns, answers: Answers, material: _Material) -> dict[str, Any]:
    """False alarms on tolerated damage, misses on damage to be detected, and alarms on what is no damage at all."""
    miss = _share(columns, answers, material.damaged)
    if miss["rate"] is not None:
        low, high = miss["interval"]
        miss |= {"rate": 1 - miss["rate"], "interval": [1 - high, 1 - low]}
    return {
        "false_alarm": _share(columns, answers, material.tolerated),
        "miss": miss,
        "benign_alarm": _share(columns, answers, material.benign),
    }


def _share(columns: Columns, answers: Answers, rows: Mask) -> dict[str, Any]:
    found = share_fired(columns, answers, rows)
    return {key: found[key] for key in ("rate", "interval", "n", "goldens", "unmeasured")}


def _trade_off(columns: Columns, material: _Material, rule: Rule) -> list[dict[str, Any]]:
    """What more false alarms would buy: the best bars for several rates, on all pairs."""
    points: list[dict[str, Any]] = []
    everything = np.ones(len(columns), dtype=np.bool_)
    for level in TRADE_OFF_LEVELS:
        other = _with_bars(rule, _choose(material, everything, rule, Target(max_false_alarm=level)).bars)
        if not points or points[-1]["bars"] != _bars_of(other):
            rates = _rates(columns, rule_answers(columns, other), material)
            points.append({"bars": _bars_of(other), **{name: rate["rate"] for name, rate in rates.items()}})
    return points
