"""What the summary says beyond single pairs, as one sentence each: rules on the set, baseline, missing goldens.

A field that the summary does not have was not asked for and gives no sentence.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from wfkit.gate.wording import REASON_LIMIT, counted, printable


class Sentence(NamedTuple):
    """One finding: its name, a status as pairs have it, and what there is to say."""

    name: str
    status: str
    text: str


def headline(summary: Mapping[str, Any]) -> str:
    """The counts in one line: ``20 workflows: 18 passed (1 of them changed), 2 failed``."""
    status = summary["status"]
    passed = f"{status.get('pass', 0)} passed"
    if summary.get("changed_passes"):
        passed += f" ({summary['changed_passes']} of them with steps lost, gained, merged, moved or re-linked)"
    words = (("fail", "failed"), ("unmeasured", "unmeasured"), ("review", "to review"), ("waived", "waived"))
    parts = [passed, *(f"{status[name]} {word}" for name, word in words if status.get(name))]
    if summary.get("errors"):
        parts.append(counted(summary["errors"], "error record"))
    missing = (summary.get("expected") or {}).get("missing")
    if missing:
        parts.append(f"{len(missing)} missing")
    return f"{counted(summary['verdicts'], 'workflow')}: {', '.join(parts)}"


def set_sentences(summary: Mapping[str, Any]) -> list[Sentence]:
    """The rules on the set and the coverage floor."""
    sentences = [_set_rule(rule) for rule in summary.get("set_rules") or ()]
    coverage = summary.get("coverage")
    if coverage and coverage.get("floor") is not None:
        text = (
            f"{coverage['measured']} of {counted(coverage['expected'], 'expected golden')} measured "
            f"({coverage['share']:.1%}), at least {coverage['floor']:.1%} wanted"
        )
        sentences.append(Sentence("coverage", coverage["status"], text))
    return sentences


def _set_rule(rule: Mapping[str, Any]) -> Sentence:
    value = "not measured" if rule.get("value") is None else f"{rule['value']:.4g}"
    part = "".join(f" where {key} is {printable(str(kept))}" for key, kept in (rule.get("slice") or {}).items())
    text = (
        f"{rule['statistic']} of {printable(str(rule['metric']))}{part} over {counted(rule['n'], 'pair')}: "
        f"{value}, bar {rule['below']!r}"
    )
    if rule.get("reason"):
        text += f" ({printable(str(rule['reason']), REASON_LIMIT)})"
    return Sentence(printable(f"{rule['name']}{part}", REASON_LIMIT), rule["status"], text)


def baseline_sentences(summary: Mapping[str, Any]) -> list[Sentence]:
    """Each metric held against the baseline, and the goldens that the run lacks."""
    baseline = summary.get("baseline")
    if not baseline:
        return []
    sentences = [_drop(metric) for metric in baseline.get("metrics", ())]
    return sentences + [
        Sentence(printable(name, REASON_LIMIT), "unmeasured", "in the baseline, but not in this run")
        for name in baseline.get("missing", ())
    ]


def _drop(metric: Mapping[str, Any]) -> Sentence:
    name = printable(str(metric["metric"]))
    if metric.get("drop") is None:
        text = "could not be compared with the baseline"
    else:
        text = (
            f"mean {metric['mean']:.4g}, was {metric['baseline_mean']:.4g}: a drop of {metric['drop']:.4g} "
            f"over {counted(metric['n'], 'golden')}"
        )
    if metric.get("ci"):
        text += f", 95% interval {metric['ci'][0]:.4g} to {metric['ci'][1]:.4g}"
    if metric.get("max_drop") is not None:
        text += f", at most {metric['max_drop']:.4g} allowed"
    if metric.get("reason"):
        text += f" ({printable(str(metric['reason']), REASON_LIMIT)})"
    return Sentence(name, metric["status"], text)


def golden_sentences(summary: Mapping[str, Any]) -> list[Sentence]:
    """The expected goldens that never came, and those that failed by the rule on repeats."""
    missing = (summary.get("expected") or {}).get("missing", ())
    sentences = [
        Sentence(printable(name, REASON_LIMIT), "unmeasured", "no candidate came for this golden") for name in missing
    ]
    goldens = summary.get("goldens") or {}
    return sentences + [
        Sentence(printable(name, REASON_LIMIT), "fail", f"failed by the rule on repeats ({goldens.get('rule')})")
        for name in goldens.get("failed", ())
    ]


def waiver_lines(summary: Mapping[str, Any]) -> list[str]:
    """The waivers that are expired or that nothing needed, one line each."""
    waivers = summary.get("waivers") or {}
    return [
        f"{what} waiver of {printable(str(waiver.get('golden')))} for {printable(str(waiver.get('rule')))}: "
        f"{printable(str(waiver.get('reason')), REASON_LIMIT)} (until {printable(str(waiver.get('expires')))})"
        for what, key in (("expired", "expired"), ("unused", "unused"))
        for waiver in waivers.get(key, ())
    ]
