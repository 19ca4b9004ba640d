"""Check 3: a path to success remains for an actor that reads the perturbed instance."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from wfkit.agents.pairing.candidate import Candidate, Check
from wfkit.agents.pairing.contracts import Tool, type_of
from wfkit.agents.pairing.differences import same
from wfkit.agents.pairing.pointers import get, last, parent
from wfkit.agents.pairing.reference import Call, Literal, Stock
from wfkit.agents.pairing.stretches import change
from wfkit.agents.pairing.verifiers.facts import Facts
from wfkit.agents.pairing.verifiers.insertions import insertions

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}

_UNITS = re.compile(
    r"\b(?:\w*met(?:er|re)s?|feet|foot|inch(?:es)?|miles?|yards?|\w*grams?|pounds?|ounces?|celsius|fahrenheit|kelvin|"
    r"seconds?|minutes?|hours?|days?|weeks?|months?|years?|dollars?|euros?|cents?|\w*lit(?:er|re)s?|gallons?)\b"
)


def solvable(candidate: Candidate, facts: Facts) -> Check:
    """Decide by the reference: its calls under the shown contracts, and where its values can be found."""
    if candidate.target != "tools" and candidate.type == "redundant" and insertions(candidate.differences) is not None:
        return Check("pass", "everything that the clean side shows still stands")
    by_name = {tool.name: tool for tool in candidate.tools} if candidate.changes_tools else facts.tools_by_name
    if candidate.target == "tools":
        if candidate.type == "redundant" and _originals_stand(candidate, facts, by_name):
            return Check("pass", "every tool of the clean side still stands, and nothing more is required")
        problem = _contract_problem(candidate, facts, by_name) or _untold_unit(candidate)
        if problem is not None:
            return problem
    if not facts.literals:
        return Check("unverified", "there is no reference to follow")
    return _traced(candidate, facts, by_name)


def _originals_stand(candidate: Candidate, facts: Facts, by_name: Mapping[str, Tool]) -> bool:
    """Whether every tool of the clean side is shown as before but for further optional arguments."""
    for tool in facts.tools:
        shown = by_name.get(tool.name)
        if shown is None:
            return False
        if not same(get(facts.public, tool.pointer), get(candidate.perturbed, shown.pointer)):
            old, new = ({one.name: one.schema for one in each.parameters} for each in (tool, shown))
            if any(name not in new or not same(schema, new[name]) for name, schema in old.items()):
                return False
            if tool.schema.get("required") != shown.schema.get("required") or tool.description != shown.description:
                return False
    return True


def _contract_problem(candidate: Candidate, facts: Facts, by_name: Mapping[str, Tool]) -> Check | None:
    """Why the reference cannot be followed under the shown contracts, if it cannot."""
    if not facts.calls:
        return Check("unverified", "the reference is no list of calls that contracts could be held against")
    known = {tool.name for tool in facts.tools}
    restored = {str(text) for text in candidate.recovery.get("restores", ())}
    for call in facts.calls:
        tool = by_name.get(call.name)
        if tool is None:
            if call.name in restored:
                continue  # it is shown when the actor asks
            if call.name in known:
                return Check("fail", f"{call.name}, which the reference calls, is not shown any more")
            return Check("unverified", f"{call.name}, which the reference calls, was never shown")
        illegal = _illegal(call, tool, candidate.dialect)
        clean = next((one for one in facts.tools if one.name == call.name), None)
        if illegal is None or (clean is not None and _illegal(call, clean, candidate.dialect) is not None):
            continue
        if candidate.private.get("interactive") is True:
            return None  # the environment answers with an error, and the call can be repeated
        return Check("fail", f"under the shown contract the reference's call of {call.name} is wrong: {illegal}")
    return None


def _untold_unit(candidate: Candidate) -> Check | None:
    """Whether an argument's description names a wrong unit, which neither its name nor an error of a tool corrects."""
    if candidate.private.get("interactive") is True:
        return None
    for difference in candidate.differences:
        before, after = difference.before, difference.after
        if isinstance(before, str) and isinstance(after, str) and last(difference.pointer) == "description":
            old, new = (_UNITS.findall(text.lower()) for text in change(before, after))
            name = last(parent(difference.pointer))
            if len(old) == len(new) == 1 and old != new and old[0].removesuffix("s") not in name.lower():
                return Check("unverified", f"nothing else than its description tells that {name} is in {old[0]}")
    return None


def _illegal(call: Call, tool: Tool, dialect: str) -> str | None:
    """What is wrong with a call under a contract."""
    parameters = {one.name: one for one in tool.parameters}
    for name, value in call.arguments.items():
        if name not in parameters:
            return f"there is no argument {name}"
        kind = type_of(parameters[name].schema, dialect)
        if value is not None and kind in _TYPES and not _fits(value, kind):
            return f"{name} is declared {kind}"
        enum = parameters[name].schema.get("enum")
        if isinstance(enum, list) and not isinstance(value, list) and value not in enum:
            return f"{name} is declared one of {str(enum)[:60]}"
    missing = [one.name for one in parameters.values() if one.required and one.name not in call.arguments]
    return f"{missing[0]} is required" if missing else None


def _fits(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES[kind])


def _traced(candidate: Candidate, facts: Facts, by_name: Mapping[str, Tool]) -> Check:
    """Whether every value of the reference can be found on the perturbed side."""
    stock = facts.stock_of(candidate.perturbed)
    told = Stock([str(text) for text in candidate.recovery.get("restores", ())])
    untraced = [one for one in facts.literals if not facts.traceable(one, stock, told, by_name)]
    if not untraced:
        return Check("pass", f"all {len(facts.literals)} values of the reference can be found")
    return _verdict_on(untraced, facts)


def _verdict_on(untraced: Sequence[Literal], facts: Facts) -> Check:
    for literal in untraced:
        if facts.traceable(literal, facts.clean_stock, None, facts.tools_by_name):
            return Check("fail", f"{literal.value!r} could be found on the clean side and cannot any more")
    return Check("unverified", f"{untraced[0].value!r} is derived: no rule tells from what")
