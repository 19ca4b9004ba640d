"""Which failure mode a pair that did not pass looks like: by what became of its steps, else by its scores.

The modes are those of `wf-perturb`. Where the steps are aligned, the mode that explains most steps is named: scores
alone cannot tell a lost step from two merged ones, the differences can. Without an alignment the pattern of the scores
and the number of steps must do: as in Table 1 of the paper lost steps take their words with them and merged ones do
not. A policy that does not look at the wording leaves that open; there the error rates of its calibration say which of
its rules to believe.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from wfkit.gate.differences import Comparison, Difference
from wfkit.gate.metric_families import LEXICAL_METRICS, ORDERING_METRICS, STRUCTURAL_METRICS
from wfkit.gate.policy import Policy

MODES = (
    "missing_steps", "compressed_steps", "added_steps", "duplicated_steps", "reordered_steps", "wrong_dependencies",
    "wrong_tool", "description_changes",
)  # fmt: skip
"""The failure modes that can be named."""

REPEATED_SIMILARITY = 0.8
"""An added step at least this close to a golden step that has its counterpart already is that step done again."""

_TIES = (
    "compressed_steps", "duplicated_steps", "reordered_steps", "wrong_tool", "missing_steps", "added_steps",
    "description_changes", "wrong_dependencies",
)  # fmt: skip
"""Of modes that explain as many steps the first is named: the more specific before the more general."""


def diagnose(
    record: Mapping[str, Any],
    breaches: Sequence[Mapping[str, Any]],
    comparison: Comparison | None,
    policy: Policy,
) -> str | None:
    """The failure mode that a pair's breaches and differences point to, one of `MODES`; None if they point to none.

    Args:
        record: the pair.
        breaches: the breaches of its verdict.
        comparison: what differs between its sides, or None where that is not known.
        policy: what the pair was held against.
    """
    if not breaches or (record["candidate"].get("meta") or {}).get("error") is not None:
        return None
    if not record["candidate"]["nodes"]:
        return "missing_steps"
    if comparison is not None:
        return _by_differences(comparison, only_wording=_only_wording(breaches))
    return _by_scores(record, breaches, policy)


def count_evidence(comparison: Comparison) -> Counter[str]:
    """How many steps each mode would explain."""
    evidence: Counter[str] = Counter()
    differences = comparison.differences
    rewritten = _rewritten(differences)
    moved = {difference.golden[0] for difference in differences if difference.kind == "moved"}
    relinked: set[int] = set()
    for difference in differences:
        match difference.kind:
            case "merged":
                evidence["compressed_steps"] += len(difference.golden) - 1
            case "missing" if difference.golden[0] not in rewritten:
                evidence["missing_steps"] += 1
            case "added" if difference.candidate[0] not in rewritten.values():
                evidence["duplicated_steps" if _is_repeated(comparison, difference) else "added_steps"] += 1
            case "unlinked" | "linked" if not moved:  # else the new order is what changed the dependencies
                relinked.add(difference.golden[1])
    changed = {**rewritten, **{one.golden[0]: one.candidate[0] for one in differences if one.kind == "reworded"}}
    for step, counterpart in changed.items():
        evidence["wrong_tool" if _uses_another_tool(comparison, step, counterpart) else "description_changes"] += 1
    evidence["reordered_steps"] = len(moved)
    evidence["wrong_dependencies"] = len(relinked)
    return evidence


def _by_differences(comparison: Comparison, *, only_wording: bool) -> str | None:
    evidence = count_evidence(comparison)
    structural = any(evidence[mode] for mode in MODES if mode not in ("description_changes", "wrong_tool"))
    if structural and not only_wording:
        # A step that kept its meaning is no reason for a low structural score.
        reworded = sum(difference.kind == "reworded" for difference in comparison.differences)
        evidence["description_changes"] = max(0, evidence["description_changes"] - reworded)
    strongest = max(evidence.values(), default=0)
    return next((mode for mode in _TIES if strongest and evidence[mode] == strongest), None)


def _rewritten(differences: Sequence[Difference]) -> dict[int, int]:
    """Lost golden steps with the added candidate step that each is closest to, and which is closest to it in turn."""
    origins = {one.candidate[0]: one.closest for one in differences if one.kind == "added"}
    return {
        one.golden[0]: one.closest
        for one in differences
        if one.kind == "missing" and one.closest is not None and origins.get(one.closest) == one.golden[0]
    }


def _is_repeated(comparison: Comparison, difference: Difference) -> bool:
    if difference.closest is None or difference.similarity is None:
        return False
    return difference.closest in comparison.partners and difference.similarity >= REPEATED_SIMILARITY


def _uses_another_tool(comparison: Comparison, step: int, counterpart: int) -> bool:
    from wfkit.perturb.tools import tools_of

    before, after = ({"text": side.steps[place].text} for side, place in _places(comparison, step, counterpart))
    old, new = tools_of(before), tools_of(after)
    return bool(old and new) and set(old).isdisjoint(new)


def _places(comparison: Comparison, step: int, counterpart: int) -> Sequence[tuple[Any, int]]:
    return (comparison.golden, step), (comparison.candidate, counterpart)


def _only_wording(breaches: Sequence[Mapping[str, Any]]) -> bool:
    return all(breach["metric"] in LEXICAL_METRICS for breach in breaches)


def _by_scores(record: Mapping[str, Any], breaches: Sequence[Mapping[str, Any]], policy: Policy) -> str | None:
    broken = {breach["metric"] for breach in breaches}
    wording, arrangement = broken & LEXICAL_METRICS, broken & (STRUCTURAL_METRICS | ORDERING_METRICS)
    if not wording and not arrangement:
        return _most_believed(MODES, breaches, policy)
    wording_is_known = any(metric in LEXICAL_METRICS for metric, _ in policy.safe_levels)
    steps, steps_now = len(record["golden"]["nodes"]), len(record["candidate"]["nodes"])
    if steps_now > steps:
        return "added_steps"
    if steps_now == steps:
        if not arrangement or steps < 2:
            return "description_changes"
        # Where nothing is known of the order and the wording, the steps may as well be others.
        return "reordered_steps" if wording_is_known or arrangement & ORDERING_METRICS else None
    if wording_is_known:
        return "missing_steps" if wording else "compressed_steps"
    return _most_believed(("missing_steps", "compressed_steps"), breaches, policy) or "missing_steps"


def _most_believed(modes: Sequence[str], breaches: Sequence[Mapping[str, Any]], policy: Policy) -> str | None:
    """Of the broken rules that are named after these modes the one that says most about its mode."""
    named = [mode for mode in modes if any(breach["rule"] == mode for breach in breaches)]
    return max(named, key=lambda mode: _likelihood_ratio(mode, policy.calibration), default=None)


def _likelihood_ratio(mode: str, calibration: Mapping[str, Any] | None) -> float:
    """How much likelier the rule fires on its own kind of damage than on others; 1 where nothing is known of it."""
    rules = (calibration or {}).get("rules")
    outcomes = [one for one in rules if isinstance(one, Mapping)] if isinstance(rules, list) else []
    rates = next((one.get("held_out") for one in outcomes if one.get("name") == mode), None)
    missed, alarms = _rate(rates, "miss"), _rate(rates, "benign_alarm")
    return 1.0 if missed is None or alarms is None else (1 - missed) / max(alarms, 0.01)


def _rate(rates: Any, name: str) -> float | None:
    """One error rate of a rule; None where the calibration, which may be written by hand, has none."""
    found = rates.get(name) if isinstance(rates, Mapping) else None
    rate = found.get("rate") if isinstance(found, Mapping) else None
    return rate if isinstance(rate, int | float) else None
