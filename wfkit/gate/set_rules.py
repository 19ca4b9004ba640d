"""The parts of a policy that are about many pairs: rules on the set, the coverage floor, repeats of one golden."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from wfkit.errors import UsageProblem
from wfkit.gate.fields import bar_of, choice_of, count_of, fields_of, kind_of, name_of, path_of, share_of

Action = Literal["fail", "review"]
Statistic = Literal["mean", "median", "min", "p10", "pass_rate", "ci_lower"]
RepeatsRule = Literal["all", "any", "mean", "k_of_n"]

ACTIONS: tuple[Action, ...] = ("fail", "review")
STATISTICS: tuple[Statistic, ...] = ("mean", "median", "min", "p10", "pass_rate", "ci_lower")
REPEATS_RULES: tuple[RepeatsRule, ...] = ("all", "any", "mean", "k_of_n")


@dataclass(frozen=True)
class SetRule:
    """A bar for one statistic of all pairs, or of a slice of them.

    Attributes:
        name: unique in the policy.
        statistic: what is compared with the bar. ``p10`` is the 10th percentile (linear between two values),
            ``ci_lower`` the lower end of the 95 % bootstrap interval of the mean, resampling goldens, and
            ``pass_rate`` the share of verdicts that are *pass* or *waived* among those that are measured.
        metric: whose scores it is computed of; None for ``pass_rate``.
        below: the bar; a value equal to it is not below it.
        slice: only pairs in which these fields (dotted paths) have these values.
        by: a field (dotted path); there is one result for each of its values.
        min_n: with fewer values the rule is unmeasured.
        action: what follows when the statistic is below the bar.
    """

    name: str
    statistic: Statistic
    metric: str | None
    below: float
    slice: tuple[tuple[str, str], ...]
    by: str | None
    min_n: int
    action: Action


@dataclass(frozen=True)
class Repeats:
    """How several candidates of one golden count together; ``k`` is how many must pass under ``k_of_n``."""

    rule: RepeatsRule
    k: int | None = None


def load_set_rules(value: Any) -> tuple[SetRule, ...]:
    """Build the rules on the set from a decoded list.

    Raises:
        UsageProblem: it is none; the message has the path of the fault.
    """
    if not isinstance(value, list):
        raise UsageProblem(f"set_rules: expected a list of rules, got {kind_of(value)}")
    rules = tuple(_set_rule(rule, f"set_rules[{number}]") for number, rule in enumerate(value))
    _refuse_contradictions(rules)
    return rules


def load_coverage(value: Any) -> float | None:
    """The coverage floor: the least share of the expected workflows that must be measured; None where none is set."""
    return None if value is None else share_of(value, "coverage")


def load_repeats(value: Any) -> Repeats | None:
    """The repeats rule from its name, or from ``{"rule": "k_of_n", "k": 2}``; None where none is set."""
    if value is None:
        return None
    fields = fields_of(
        {"rule": value} if isinstance(value, str) else value, "repeats", ("rule", "k"), required=["rule"]
    )
    rule = cast(RepeatsRule, choice_of(fields["rule"], "repeats.rule", REPEATS_RULES))
    if rule == "k_of_n" and "k" not in fields:
        raise UsageProblem('repeats: k_of_n needs the number that must pass: {"rule": "k_of_n", "k": 2}')
    if rule != "k_of_n" and "k" in fields:
        raise UsageProblem(f"repeats.k: {rule} takes no number; only k_of_n does")
    return Repeats(rule, count_of(fields["k"], "repeats.k") if "k" in fields else None)


def _set_rule(value: Any, where: str) -> SetRule:
    known = ("name", "metric", "statistic", "below", "slice", "by", "min_n", "action")
    fields = fields_of(value, where, known, required=("name", "statistic", "below"))
    statistic = cast(Statistic, choice_of(fields["statistic"], f"{where}.statistic", STATISTICS))
    if statistic == "pass_rate" and "metric" in fields:
        raise UsageProblem(f"{where}.metric: pass_rate is a share of verdicts and takes no metric")
    if statistic != "pass_rate" and "metric" not in fields:
        raise UsageProblem(f"{where}: 'metric' is missing: {statistic} of which scores?")
    metric = name_of(fields["metric"], f"{where}.metric") if "metric" in fields else None
    place = f"{where}.below"
    below = share_of(fields["below"], place) if metric is None else bar_of(fields["below"], place, [metric])
    if below == 0 and metric is None:
        raise UsageProblem(f"{place}: no share is below 0, so the rule could not fail anything")
    return SetRule(
        name=name_of(fields["name"], f"{where}.name"),
        statistic=statistic,
        metric=metric,
        below=below,
        slice=_slice(fields.get("slice", {}), f"{where}.slice"),
        by=path_of(fields["by"], f"{where}.by") if "by" in fields else None,
        min_n=count_of(fields.get("min_n", 1), f"{where}.min_n"),
        action=cast(Action, choice_of(fields.get("action", "fail"), f"{where}.action", ACTIONS)),
    )


def _slice(value: Any, where: str) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, Mapping):
        raise UsageProblem(
            f'{where}: expected fields and values such as {{"golden.source": "n8n"}}, got {kind_of(value)}'
        )
    conditions = []
    for field, wanted in value.items():
        text = field_text(wanted)
        if text is None:
            raise UsageProblem(f"{where}.{field}: expected a text, a number or a boolean, got {kind_of(wanted)}")
        conditions.append((path_of(field, where), text))
    return tuple(conditions)


def field_text(value: Any) -> str | None:
    """A value of a field as the text that it is compared by; None for null, lists and objects."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    return None


def _refuse_contradictions(rules: tuple[SetRule, ...]) -> None:
    """Two bars for one and the same thing: one of the two rules could never decide anything."""
    seen: dict[tuple[Any, ...], SetRule] = {}
    for rule in rules:
        twin = seen.setdefault((rule.statistic, rule.metric, frozenset(rule.slice), rule.by, rule.action), rule)
        other = seen.get((rule.statistic, rule.metric, frozenset(rule.slice), rule.by, _OTHER[rule.action]), rule)
        if twin is not rule:
            raise UsageProblem(
                f"set rules {twin.name!r} and {rule.name!r} contradict each other: two bars, {twin.below!r} and "
                f"{rule.below!r}, for the same statistic"
            )
        if other is not rule:
            failing, reviewing = (rule, other) if rule.action == "fail" else (other, rule)
            if failing.below >= reviewing.below:
                raise UsageProblem(
                    f"set rules {failing.name!r} and {reviewing.name!r} contradict each other: what is below "
                    f"{reviewing.below!r} fails already, so it can never go to review"
                )


_OTHER: Mapping[Action, Action] = {"fail": "review", "review": "fail"}
