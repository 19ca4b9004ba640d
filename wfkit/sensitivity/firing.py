"""How often each rule of a policy fires, by type and severity of the damage: the ``firing`` records (Table 8).

The three-valued logic is that of `wfkit.gate.verdict`, over all pairs at once; a test holds both to the same answers.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wfkit.gate.policy import Clause, Policy, Quantifier, Require, Rule
from wfkit.jsonl import Record
from wfkit.sensitivity.columns import Columns, Mask
from wfkit.sensitivity.observations import UNDEFINED
from wfkit.sensitivity.strata import FEWEST_GOLDENS, Stratum
from wfkit.wilson import wilson_interval

Answers = NDArray[np.int8]

NO, YES, UNKNOWN, LEFT_OUT = range(4)
"""What a clause or a rule says of a pair: not below, below, not measured, or no meaning for this golden."""

_JOINTS: Mapping[Require, Quantifier] = {"primary": "all_of", "both": "all_of", "either": "any_of"}


def firing_records(
    columns: Columns,
    strata: Sequence[Stratum],
    policy: Policy,
    used: Mask,
    *,
    tolerate: float,
    detect: float,
) -> Iterator[Record]:
    """One ``firing`` record for every stratum, rule, type and severity that has a pair.

    Args:
        columns: the observations.
        strata: parts of the pairs; those by window are passed over, for rules are not about one metric.
        policy: the rules.
        used: bool [pairs], the pairs that count.
        tolerate: severity up to which a rule should not fire on the type that it is named after.
        detect: severity from which on it should.
    """
    answers = [(rule, rule_answers(columns, rule)) for rule in policy.rules]
    for stratum in strata:
        if stratum.by == "window":
            continue
        for rule, said in answers:
            for place, type_name in enumerate(columns.types):
                here = stratum.rows & used & (columns.type == place)
                for severity in np.unique(columns.severity[here]).tolist():
                    rows = here & (columns.severity == severity)
                    yield {
                        "kind": "firing",
                        "rule": rule.name,
                        "type": type_name,
                        "severity": int(severity) if severity.is_integer() else severity,
                        "stratum": stratum.label,
                        "expected": expected(rule, type_name, severity, columns.target[rows].min(), tolerate, detect),
                        **share_fired(columns, said, rows),
                    }


def expected(
    rule: Rule, type_name: str, severity: float, lowest_target: float, tolerate: float, detect: float
) -> str | None:
    """Whether a rule should fire: ``yes``, ``no``, or None where that is a matter of taste.

    A rule is for the type that it is named after, from the severity ``detect`` on. On that type it should be silent up
    to ``tolerate``, and on damage of other types wherever an ideal metric would answer 1.
    """
    if rule.name == type_name:
        return "no" if severity <= tolerate else "yes" if severity >= detect else None
    return "no" if lowest_target == 1 else None


def rule_answers(columns: Columns, rule: Rule) -> Answers:
    """What a rule says of every pair: int8 [pairs] of NO, YES, UNKNOWN and LEFT_OUT."""
    return join(_JOINTS[rule.require], [clause_answers(columns, clause) for clause in rule.clauses])


def clause_answers(columns: Columns, clause: Clause) -> Answers:
    """What a clause says of every pair."""
    return join(clause.quantifier, [_metric_answers(columns, metric, clause.below) for metric in clause.metrics])


def _metric_answers(columns: Columns, metric: str, below: float) -> Answers:
    if metric not in columns.scores:
        return np.full(len(columns), UNKNOWN, dtype=np.int8)
    scores = columns.scores[metric]
    missing = np.where(columns.states[metric] == UNDEFINED, LEFT_OUT, UNKNOWN)
    return np.where(np.isnan(scores), missing, np.where(scores < below, YES, NO)).astype(np.int8)


def join(quantifier: Quantifier, answers: Sequence[Answers]) -> Answers:
    """Join answers pair by pair: one decisive answer settles it, else one unknown leaves it open."""
    decisive, other = (YES, NO) if quantifier == "any_of" else (NO, YES)
    stacked = np.stack(answers)
    result = np.full(stacked.shape[1], other, dtype=np.int8)
    result[(stacked == LEFT_OUT).all(axis=0)] = LEFT_OUT
    result[(stacked == UNKNOWN).any(axis=0)] = UNKNOWN
    result[(stacked == decisive).any(axis=0)] = decisive
    return result


def share_fired(columns: Columns, answers: Answers, rows: Mask) -> dict[str, Any]:
    """The share of some pairs on which a rule fires, of those on which it decides, with a 95 % interval.

    Args:
        columns: the observations.
        answers: what the rule says of every pair.
        rows: bool [pairs], the pairs looked at.
    """
    decided = rows & ((answers == YES) | (answers == NO))
    count = int(np.count_nonzero(decided))
    fired = int(np.count_nonzero(rows & (answers == YES)))
    goldens = len(np.unique(columns.golden[decided]))
    return {
        "n": count,
        "goldens": goldens,
        "too_small": goldens < FEWEST_GOLDENS,
        "fired": fired,
        "rate": fired / count if count else None,
        # The goldens are the sample size: exact with one pair each, and too wide rather than too narrow with several.
        "interval": list(wilson_interval(fired / count * goldens, goldens)) if count else None,
        "unmeasured": int(np.count_nonzero(rows & (answers == UNKNOWN))),
        "not_applicable": int(np.count_nonzero(rows & (answers == LEFT_OUT))),
    }
