"""What is told of a run as a whole, in lines: rules on the set, coverage, baseline, waivers and repeats."""

from collections.abc import Mapping, Sequence
from typing import Any

from wfkit.gate.policy_words import percent, statistic_in_words
from wfkit.gate.set_rules import SetRule
from wfkit.gate.wording import counted, printable, value_text

LINES_SHOWN = 20
"""Results of rules on the set that are shown; a rule by a field may have thousands."""

ID_LIMIT = 40


def set_rule_line(rule: SetRule, result: Mapping[str, Any]) -> str:
    """One result of a rule on the set: ``average: the mean of chain_f1 is 0.812 < 0.9 (20 values)``."""
    conditions = [f"{field} = {value}" for field, value in (result["slice"] or {}).items()]
    where = f" over {printable(' and '.join(conditions))}" if conditions else ""
    subject = f"{printable(rule.name)}: {printable(statistic_in_words(rule))}{where}"
    if result["value"] is None:
        return f"{subject} is unmeasured: {result['reason']}"
    value, below = result["value"], result["below"]
    sign = "<" if value < below else ">="
    unmeasured = f", unmeasured: {result['reason']}" if "reason" in result else ""
    return f"{subject} is {value_text(value, below)} {sign} {below!r} ({counted(result['n'], 'value')}){unmeasured}"


def set_rule_lines(rules: Sequence[SetRule], results: Sequence[Mapping[str, Any]]) -> list[str]:
    """The results of all rules on the set with their status, those that did not pass first."""
    by_name = {rule.name: rule for rule in rules}
    ordered = sorted(results, key=lambda result: _ORDER.index(result["status"]))
    lines = [
        f"set rule {result['status']}: {set_rule_line(by_name[result['name']], result)}"
        for result in ordered[:LINES_SHOWN]
    ]
    if len(ordered) > LINES_SHOWN:
        lines.append(f"… and {counted(len(ordered) - LINES_SHOWN, 'more result')} of set rules")
    return lines


def coverage_line(coverage: Mapping[str, Any]) -> str:
    """How much of what was expected is measured, and how much is asked for."""
    line = f"coverage: {coverage['measured']} of {coverage['expected']} workflows are measured"
    if coverage["floor"] is None or coverage["share"] is None:
        return line
    sign = ">=" if coverage["status"] == "pass" else "<"
    return f"{line}, {_beside(coverage['share'], coverage['floor'], '.4g')} {sign} {coverage['floor']!r}"


def baseline_line(result: Mapping[str, Any]) -> str:
    """What became of one metric since the baseline."""
    metric, reason = printable(result["metric"]), result.get("reason")
    if result["drop"] is None:
        return f"baseline: {metric} is unmeasured: {reason}"
    if result["drop"] == 0:
        line = f"baseline: mean {metric} is as before, {result['mean']:.4f}"
    else:
        moved = "dropped" if result["drop"] > 0 else "rose"
        before, now = result["baseline_mean"], result["mean"]
        interval = ""
        if result["ci"] is not None:
            low, high = result["ci"]
            interval = f", 95 % interval of the drop {_beside(low, 0.0)} to {high:.4f}"
        line = (
            f"baseline: mean {metric} {moved} by {_beside(abs(result['drop']), result['max_drop'])}, "
            f"from {before:.4f} to {now:.4f}{interval}: {_allowance(result)}"
        )
    return line if reason is None else f"{line}; unmeasured: {reason}"


def _beside(value: float, bar: float, form: str = ".4f") -> str:
    """A number in a short form, or in as many decimals as it takes to see on which side of the bar it is."""
    text = format(value, form)
    return text if (float(text) < bar, float(text) == bar) == (value < bar, value == bar) else value_text(value, bar)


def _allowance(result: Mapping[str, Any]) -> str:
    if result["drop"] <= result["max_drop"]:
        return f"within the {result['max_drop']:g} allowed"
    noise = ", but not outside noise" if result["status"] == "pass" else ""
    return f"more than the {result['max_drop']:g} allowed{noise}"


def baseline_lines(baseline: Mapping[str, Any]) -> list[str]:
    """The comparison of every metric, and what did not come."""
    lines = [baseline_line(result) for result in baseline["metrics"]]
    if baseline["missing_count"]:
        lines.append(f"baseline: {missing_from_run(baseline)}")
    if baseline["new"]:
        verb = "is" if baseline["new"] == 1 else "are"
        lines.append(f"baseline: {counted(baseline['new'], 'golden')} of this run {verb} not in it")
    if not baseline["metrics"] and not baseline["missing_count"]:
        lines.append("baseline: it has no score of a metric that the policy looks at")
    return lines


def missing_from_run(baseline: Mapping[str, Any]) -> str:
    """Which ids of the baseline did not come."""
    count = baseline["missing_count"]
    return (
        f"{count} of its workflows {'is' if count == 1 else 'are'} missing from this run: {some(baseline['missing'])}"
    )


def waiver_lines(waivers: Mapping[str, Sequence[Mapping[str, str]]]) -> list[str]:
    """Every waiver that was used, has expired or was not needed."""
    lines = []
    for waiver in waivers["used"]:
        lines.append(f"waived until {waiver['expires']}: {_waiver(waiver)}")
    for waiver in waivers["expired"]:
        lines.append(f"waiver expired on {waiver['expires']} and was not applied: {_waiver(waiver)}")
    for waiver in waivers["unused"]:
        lines.append(f"waiver not used, as its golden does not break the rule: {_waiver(waiver)}")
    return lines


def goldens_line(goldens: Mapping[str, Any], counts: Mapping[str, int]) -> str:
    """The outcomes where verdicts of several pairs count together."""
    rule = goldens["rule"]
    if rule == "each":
        subject = "of several goldens the best counts"
    else:
        wanted = f"{goldens['k']} of n" if "k" in goldens else rule
        subject = f"repeats count together ({wanted})"
    totals = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    what = "candidate" if rule == "each" else "golden"
    return f"{subject}: {counted(goldens['groups'], what)}: {totals}"


def floor_in_words(coverage: Mapping[str, Any]) -> str:
    """Why the coverage is too low."""
    return (
        f"{coverage['measured']} of {coverage['expected']} expected workflows are measured, and at least "
        f"{percent(coverage['floor'])} are asked for"
    )


def some(ids: Sequence[str], count: int = 5) -> str:
    """The first of some ids."""
    shown = [printable(name, ID_LIMIT) for name in ids[:count]]
    return ", ".join(shown if len(ids) <= count else [*shown, "…"])


_ORDER = ("fail", "unmeasured", "review", "pass")


def _waiver(waiver: Mapping[str, str]) -> str:
    owner = f" ({printable(waiver['owner'])})" if "owner" in waiver else ""
    rule = "every rule" if waiver["rule"] == "*" else printable(waiver["rule"])
    return f"{printable(waiver['golden'], ID_LIMIT)}, {rule}: {printable(waiver['reason'])}{owner}"
