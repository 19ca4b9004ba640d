"""The policy: which scores of a pair make it fail, or send it to review; its parts on many pairs are in `set_rules`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, cast

from wfkit.errors import UsageProblem
from wfkit.gate.fields import bar_of, choice_of, fields_of, kind_of, name_of
from wfkit.gate.set_rules import ACTIONS, Action, Repeats, SetRule, load_coverage, load_repeats, load_set_rules

Require = Literal["primary", "both", "either"]
Quantifier = Literal["any_of", "all_of"]

VERSION = 1
REQUIREMENTS: tuple[Require, ...] = ("primary", "both", "either")
QUANTIFIERS: tuple[Quantifier, ...] = ("any_of", "all_of")

DEFAULT_POLICY: Mapping[str, Any] = {
    "kind": "policy",
    "version": VERSION,
    "require": "primary",
    "rules": [
        {
            "name": "missing_steps",
            "primary": {"all_of": ["graph_f1", "chain_f1"], "below": 0.75},
            "secondary": {"any_of": ["judge"], "below": 0.75},
            "action": "fail",
        },
        {
            "name": "compressed_steps",
            "primary": {"any_of": ["kendall_tau"], "below": 0.65},
            "secondary": {"any_of": ["graph_f1", "chain_f1"], "below": 0.75},
            "action": "fail",
        },
        {
            "name": "description_changes",
            "primary": {"any_of": ["bleu", "gleu"], "below": 0.70},
            "secondary": {"any_of": ["bertscore"], "below": 0.70},
            "action": "review",
        },
    ],
    "calibration": None,
}
"""Table 1 of the paper as a policy value; its secondary thresholds are lost there, these are our own."""


@dataclass(frozen=True)
class Clause:
    """Some metrics and the bar that any or all of them must fall below for the clause to be true."""

    quantifier: Quantifier
    metrics: tuple[str, ...]
    below: float


@dataclass(frozen=True)
class Rule:
    """One failure mode: its clauses, which of them must be true (`require`), and what follows then."""

    name: str
    primary: Clause
    secondary: Clause | None
    action: Action
    require: Require

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses that decide: a rule without a secondary clause is decided by its primary one alone."""
        if self.secondary is None or self.require == "primary":
            return (self.primary,)
        return (self.primary, self.secondary)


@dataclass(frozen=True)
class Policy:
    """What a run is held against.

    Attributes:
        rules: those on single pairs, in the order of the policy.
        calibration: where their thresholds came from, if from data.
        set_rules: those on all pairs or slices of them.
        coverage: the least share of the expected workflows that must be measured; None asks for all of them.
        repeats: how several candidates of one golden count together; None lets each count for itself.
    """

    rules: tuple[Rule, ...]
    calibration: Mapping[str, Any] | None = None
    set_rules: tuple[SetRule, ...] = ()
    coverage: float | None = None
    repeats: Repeats | None = None

    @cached_property
    def safe_levels(self) -> tuple[tuple[str, float], ...]:
        """Each metric with the highest bar it is compared with: a pair that reaches them all breaks no rule."""
        levels: dict[str, float] = {}
        for rule in self.rules:
            for clause in rule.clauses:
                for metric in clause.metrics:
                    levels[metric] = max(clause.below, levels.get(metric, clause.below))
        return tuple(levels.items())


def load_policy(value: Any) -> Policy:
    """Build a `Policy` from a decoded JSON value (the form of ``schemas/policy.schema.json``).

    Raises:
        UsageProblem: the value is not a policy; the message has the path of the fault, and for an unknown key the
            nearest known one.
    """
    known = ("kind", "version", "require", "rules", "set_rules", "coverage", "repeats", "calibration")
    fields = fields_of(value, "the policy", known, required=("version",))
    if fields.get("kind", "policy") != "policy":
        raise UsageProblem(f"expected a policy, got kind {fields['kind']!r}")
    if type(fields["version"]) is not int or fields["version"] != VERSION:
        raise UsageProblem(f"version: this wfkit reads policies of version {VERSION}, not {fields['version']!r}")
    require = cast(Require, choice_of(fields.get("require", "primary"), "require", REQUIREMENTS))
    calibration = fields.get("calibration")
    if calibration is not None and not isinstance(calibration, Mapping):
        raise UsageProblem(f"calibration: expected null or an object, got {kind_of(calibration)}")
    set_rules = load_set_rules(fields.get("set_rules", []))
    if not set_rules:
        fields_of(fields, "the policy", known, required=("rules",))
    values = fields.get("rules", [])
    if not isinstance(values, list):
        raise UsageProblem(f"rules: expected a list of rules, got {kind_of(values)}")
    rules = tuple(_rule(rule, f"rules[{number}]", require) for number, rule in enumerate(values))
    if not rules and not set_rules:
        raise UsageProblem("the policy has no rules, so it could not fail anything")
    _refuse_equal_names([*rules, *set_rules])
    _refuse_contradictions(rules)
    repeats, coverage = load_repeats(fields.get("repeats")), load_coverage(fields.get("coverage"))
    if repeats is not None and repeats.rule == "mean" and not rules:
        raise UsageProblem("repeats: mean holds the mean scores of the repeats against rules, and the policy has none")
    return Policy(rules, calibration, set_rules, coverage, repeats)


def with_require(policy: Policy, require: Require) -> Policy:
    """The same policy with every rule's ``require`` replaced, as ``--require`` asks."""
    return replace(policy, rules=tuple(replace(rule, require=require) for rule in policy.rules))


def metrics_of(policy: Policy) -> set[str]:
    """The metrics that decide under this policy: a secondary clause counts only where it is asked for."""
    return {metric for rule in policy.rules for clause in rule.clauses for metric in clause.metrics}


def _rule(value: Any, where: str, default_require: Require) -> Rule:
    known = ("name", "primary", "secondary", "action", "require")
    fields = fields_of(value, where, known, required=("name", "primary", "action"))
    name = name_of(fields["name"], f"{where}.name")
    secondary = _clause(fields["secondary"], f"{where}.secondary") if "secondary" in fields else None
    require = cast(Require, choice_of(fields.get("require", default_require), f"{where}.require", REQUIREMENTS))
    if secondary is None and fields.get("require", "primary") != "primary":
        raise UsageProblem(f"{where}.require: {require!r} needs a secondary clause, which rule {name!r} lacks")
    action = cast(Action, choice_of(fields["action"], f"{where}.action", ACTIONS))
    return Rule(name, _clause(fields["primary"], f"{where}.primary"), secondary, action, require)


def _clause(value: Any, where: str) -> Clause:
    ways = (*QUANTIFIERS, "metric")
    fields = fields_of(value, where, (*ways, "below"), required=("below",))
    given = [way for way in ways if way in fields]
    if len(given) != 1:
        found = " and ".join(given) or "none"
        raise UsageProblem(f"{where}: expected one of any_of, all_of and metric, got {found}")
    place = f"{where}.below"
    if given == ["metric"]:
        metric = name_of(fields["metric"], f"{where}.metric")
        return Clause("any_of", (metric,), bar_of(fields["below"], place, [metric]))
    quantifier = cast(Quantifier, given[0])
    metrics = fields[quantifier]
    if not isinstance(metrics, list) or not metrics or not all(isinstance(name, str) and name for name in metrics):
        raise UsageProblem(f"{where}.{quantifier}: expected a list of metric names, got {metrics!r}")
    if len(set(metrics)) < len(metrics):
        raise UsageProblem(f"{where}.{quantifier}: a metric is named twice in {metrics!r}")
    return Clause(quantifier, tuple(metrics), bar_of(fields["below"], place, metrics))


def _refuse_equal_names(rules: Iterable[Rule | SetRule]) -> None:
    names: set[str] = set()
    for rule in rules:
        if rule.name in names:
            raise UsageProblem(f"two rules are called {rule.name!r}")
        names.add(rule.name)


def _refuse_contradictions(rules: Iterable[Rule]) -> None:
    """Refuse rules of which one can never decide: for the same metrics one asks to fail and one to review."""
    seen: dict[tuple[Any, ...], list[Rule]] = {}
    for rule in rules:
        shape = tuple((clause.quantifier, frozenset(clause.metrics)) for clause in rule.clauses)
        twins = seen.setdefault((shape, rule.require if len(rule.clauses) > 1 else None), [])
        for twin in twins:
            failing, reviewing = (rule, twin) if rule.action == "fail" else (twin, rule)
            if twin.action != rule.action and all(
                one.below >= other.below for one, other in zip(failing.clauses, reviewing.clauses, strict=True)
            ):
                raise UsageProblem(
                    f"rules {twin.name!r} and {rule.name!r} contradict each other: whatever {reviewing.name!r} would "
                    f"send to review fails by {failing.name!r} already"
                )
        twins.append(rule)
