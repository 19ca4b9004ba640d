"""The policy: which scores of a pair make it fail, or send it to review."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, cast

from wfkit.errors import UsageProblem

Action = Literal["fail", "review"]
Require = Literal["primary", "both", "either"]
Quantifier = Literal["any_of", "all_of"]

VERSION = 1
ACTIONS: tuple[Action, ...] = ("fail", "review")
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
    """The rules in the order of the policy, and the calibration that their thresholds came from, if any."""

    rules: tuple[Rule, ...]
    calibration: Mapping[str, Any] | None = None

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
    known = ("kind", "version", "require", "rules", "calibration")
    fields = _object(value, "the policy", known, required=("version", "rules"))
    if fields.get("kind", "policy") != "policy":
        raise UsageProblem(f"expected a policy, got kind {fields['kind']!r}")
    if type(fields["version"]) is not int or fields["version"] != VERSION:
        raise UsageProblem(f"version: this wfkit reads policies of version {VERSION}, not {fields['version']!r}")
    require = cast(Require, _choice(fields.get("require", "primary"), "require", REQUIREMENTS))
    calibration = fields.get("calibration")
    if calibration is not None and not isinstance(calibration, Mapping):
        raise UsageProblem(f"calibration: expected null or an object, got {_kind(calibration)}")
    if not isinstance(fields["rules"], list):
        raise UsageProblem(f"rules: expected a list of rules, got {_kind(fields['rules'])}")
    rules = tuple(_rule(rule, f"rules[{number}]", require) for number, rule in enumerate(fields["rules"]))
    if not rules:
        raise UsageProblem("the policy has no rules, so it could not fail anything")
    _refuse_contradictions(rules)
    return Policy(rules, calibration)


def with_require(policy: Policy, require: Require) -> Policy:
    """The same policy with every rule's ``require`` replaced, as ``--require`` asks."""
    return replace(policy, rules=tuple(replace(rule, require=require) for rule in policy.rules))


def metrics_of(policy: Policy) -> set[str]:
    """The metrics that decide under this policy: a secondary clause counts only where it is asked for."""
    return {metric for rule in policy.rules for clause in rule.clauses for metric in clause.metrics}


def explain(policy: Policy) -> list[str]:
    """The policy in words, one line a rule, then how unmeasured scores count."""
    lines = []
    for rule in policy.rules:
        joint = " or if " if rule.require == "either" else ", and "
        condition = joint.join(_clause_in_words(clause) for clause in rule.clauses)
        consequence = "fails" if rule.action == "fail" else "goes to review"
        lines.append(f"{rule.name}: a workflow {consequence} if {condition}.")
    lines.append("A score equal to its bar passes. A rule that cannot be decided makes a workflow unmeasured.")
    return lines


def _clause_in_words(clause: Clause) -> str:
    if len(clause.metrics) == 1:
        return f"{clause.metrics[0]} is below {clause.below!r}"
    if clause.quantifier == "any_of":
        return f"any of {_listed(clause.metrics, 'or')} is below {clause.below!r}"
    return f"all of {_listed(clause.metrics, 'and')} are below {clause.below!r}"


def _listed(names: Sequence[str], joint: str) -> str:
    return f"{', '.join(names[:-1])} {joint} {names[-1]}"


def _rule(value: Any, where: str, default_require: Require) -> Rule:
    known = ("name", "primary", "secondary", "action", "require")
    fields = _object(value, where, known, required=("name", "primary", "action"))
    name = fields["name"]
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise UsageProblem(f"{where}.name: expected a name, got {name!r}")
    secondary = _clause(fields["secondary"], f"{where}.secondary") if "secondary" in fields else None
    require = cast(Require, _choice(fields.get("require", default_require), f"{where}.require", REQUIREMENTS))
    if secondary is None and fields.get("require", "primary") != "primary":
        raise UsageProblem(f"{where}.require: {require!r} needs a secondary clause, which rule {name!r} lacks")
    action = cast(Action, _choice(fields["action"], f"{where}.action", ACTIONS))
    return Rule(name, _clause(fields["primary"], f"{where}.primary"), secondary, action, require)


def _clause(value: Any, where: str) -> Clause:
    fields = _object(value, where, (*QUANTIFIERS, "below"), required=("below",))
    quantifiers = [quantifier for quantifier in QUANTIFIERS if quantifier in fields]
    if len(quantifiers) != 1:
        raise UsageProblem(f"{where}: expected one of any_of and all_of, got {'both' if quantifiers else 'neither'}")
    [quantifier] = quantifiers
    metrics = fields[quantifier]
    if not isinstance(metrics, list) or not metrics or not all(isinstance(name, str) and name for name in metrics):
        raise UsageProblem(f"{where}.{quantifier}: expected a list of metric names, got {metrics!r}")
    if len(set(metrics)) < len(metrics):
        raise UsageProblem(f"{where}.{quantifier}: a metric is named twice in {metrics!r}")
    return Clause(quantifier, tuple(metrics), _threshold(fields["below"], f"{where}.below"))


def _threshold(value: Any, where: str) -> float:
    if isinstance(value, str):
        raise UsageProblem(f"{where}: expected a number, got the string {value!r}; write it without quotes")
    if type(value) not in (int, float):
        raise UsageProblem(f"{where}: expected a number, got {_kind(value)}")
    if not -1e308 < value < 1e308:
        raise UsageProblem(f"{where}: expected a finite number, got {value}")
    return float(value)


def _refuse_contradictions(rules: Iterable[Rule]) -> None:
    names: set[str] = set()
    conditions: dict[tuple[Any, ...], Rule] = {}
    for rule in rules:
        if rule.name in names:
            raise UsageProblem(f"two rules are called {rule.name!r}")
        names.add(rule.name)
        condition = tuple((clause.quantifier, frozenset(clause.metrics), clause.below) for clause in rule.clauses)
        twin = conditions.setdefault((condition, rule.require if len(rule.clauses) > 1 else None), rule)
        if twin.action != rule.action:
            raise UsageProblem(
                f"rules {twin.name!r} and {rule.name!r} contradict each other: the same condition asks for "
                f"{twin.action} and for {rule.action}"
            )


def _object(value: Any, where: str, known: Sequence[str], *, required: Sequence[str]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise UsageProblem(f"{where}: expected an object, got {_kind(value)}")
    for key in value:
        if key not in known:
            raise UsageProblem(f"{where}: unknown key {key!r}{_nearest(str(key), known)}")
    for key in required:
        if key not in value:
            raise UsageProblem(f"{where}: {key!r} is missing")
    return value


def _nearest(key: str, known: Sequence[str]) -> str:
    import difflib

    close = difflib.get_close_matches(key, known, 1, 0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; known are {', '.join(known)}"


def _choice(value: Any, where: str, choices: Sequence[str]) -> str:
    if value not in choices:
        hint = _nearest(value, choices) if isinstance(value, str) else f"; known are {', '.join(choices)}"
        raise UsageProblem(f"{where}: unknown value {value!r}{hint}")
    return cast(str, value)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", dict: "an object"}
    return names.get(type(value), type(value).__name__)
