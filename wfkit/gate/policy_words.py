"""A policy in words: what ``wf-gate --explain-policy`` says."""

from collections.abc import Mapping, Sequence

from wfkit.gate.policy import Clause, Policy, Rule
from wfkit.gate.set_rules import Action, Repeats, RepeatsRule, SetRule, Statistic

_CONSEQUENCES: Mapping[Action, str] = {"fail": "fails", "review": "goes to review"}

_STATISTICS: Mapping[Statistic, str] = {
    "mean": "the mean of {metric}",
    "median": "the median of {metric}",
    "min": "the smallest {metric}",
    "p10": "the 10th percentile of {metric}",
    "pass_rate": "the share of workflows that pass",
    "ci_lower": "the lower end of the 95 % interval of the mean of {metric}",
}

_REPEATS: Mapping[RepeatsRule, str] = {
    "all": "all of them must pass",
    "any": "one that passes is enough",
    "mean": "the means of their scores are held against the rules",
    "k_of_n": "{k} of them must pass",
}


def explain(policy: Policy) -> list[str]:
    """The policy in words, one line a rule, then how unmeasured scores, goldens and repeats count."""
    lines = [_rule_in_words(rule) for rule in policy.rules]
    lines += [_set_rule_in_words(rule) for rule in policy.set_rules]
    lines.append("A score equal to its bar passes. A rule that cannot be decided makes a workflow unmeasured.")
    if policy.coverage is not None:
        lines.append(f"At least {percent(policy.coverage)} of the workflows that are expected must be measured.")
    if policy.repeats is not None:
        lines.append(_repeats_in_words(policy.repeats))
    lines.append("Of several goldens of one candidate the best counts.")
    return lines


def percent(share: float) -> str:
    """A share as a percentage with as many digits as it has: ``95 %``."""
    return f"{100 * share:.10g} %"


def statistic_in_words(rule: SetRule) -> str:
    """What a rule on the set looks at: ``the mean of chain_f1``."""
    return _STATISTICS[rule.statistic].format(metric=rule.metric)


def _rule_in_words(rule: Rule) -> str:
    joint = " or if " if rule.require == "either" else ", and "
    condition = joint.join(_clause_in_words(clause) for clause in rule.clauses)
    return f"{rule.name}: a workflow {_CONSEQUENCES[rule.action]} if {condition}."


def _clause_in_words(clause: Clause) -> str:
    if len(clause.metrics) == 1:
        return f"{clause.metrics[0]} is below {clause.below!r}"
    if clause.quantifier == "any_of":
        return f"any of {_listed(clause.metrics, 'or')} is below {clause.below!r}"
    return f"all of {_listed(clause.metrics, 'and')} are below {clause.below!r}"


def _listed(names: Sequence[str], joint: str) -> str:
    return f"{', '.join(names[:-1])} {joint} {names[-1]}"


def _set_rule_in_words(rule: SetRule) -> str:
    where = ""
    if rule.slice:
        where = " over the workflows with " + " and ".join(f"{field} = {value}" for field, value in rule.slice)
    if rule.by is not None:
        where += f", for any one {rule.by}," if where else f" for any one {rule.by}"
    fewest = f" With fewer than {rule.min_n} values it is unmeasured." if rule.min_n > 1 else ""
    subject = f"{statistic_in_words(rule)}{where}"
    return f"{rule.name}: the run {_CONSEQUENCES[rule.action]} if {subject} is below {rule.below!r}.{fewest}"


def _repeats_in_words(repeats: Repeats) -> str:
    return f"Of several candidates of one golden, {_REPEATS[repeats.rule].format(k=repeats.k)}."
