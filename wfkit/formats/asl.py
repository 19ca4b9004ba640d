"""Format ``asl``: AWS Step Functions (Amazon States Language) as JSON or YAML, also inside a template."""

import json
import re
from collections.abc import Mapping
from typing import Any

from wfkit.errors import DataError
from wfkit.formats.base import Draft, ParseOptions, Source, read_named
from wfkit.formats.documents import documents
from wfkit.formats.flow import Exit, Flow
from wfkit.formats.shapes import as_object, name_at, names_at, objects_at
from wfkit.formats.wording import one_line, step_text, words_of
from wfkit.formats.yaml_text import top_level_keys

NAME = "asl"
SUMMARY = "AWS Step Functions state machines as JSON or YAML, alone or in a SAM or CloudFormation template"
SUFFIXES = (".json", ".yaml", ".yml")

MACHINE_TYPES = ("AWS::StepFunctions::StateMachine", "AWS::Serverless::StateMachine")
MAXIMUM_DEPTH = 50
LOGIC = ("And", "Or", "Not")
NO_OPERATORS = frozenset({"Next", "Variable", "Comment", "Assign", "Output", "Condition"})

_MACHINE_LINE = re.compile(rf"^\s+Type:\s*['\"]?(?:{'|'.join(MACHINE_TYPES)})", re.MULTILINE)


def detect(source: Source) -> bool:
    """Whether a value has ``StartAt`` and ``States``, or is a template with a state machine."""
    text = source.plain_text()
    if text is not None:
        keys = top_level_keys(text)
        return {"StartAt", "States"} <= keys or ("Resources" in keys and bool(_MACHINE_LINE.search(text)))
    value = source.value
    return isinstance(value, dict) and ({"StartAt", "States"} <= value.keys() or bool(_machines(value)))


def parse(source: Source, options: ParseOptions) -> list[Draft]:
    """Read a state machine, or each of a template, which are named by their resources if there are several.

    Raises:
        DataError: ``E-SYNTAX`` where the shape is not that of a state machine.
    """
    named: list[tuple[str, Any]] = []
    for value in documents(source):
        machines = _machines(value) if isinstance(value, dict) and "StartAt" not in value else []
        named += [(f"{source.id}/{name}", definition) for name, definition in machines] or [(source.id, value)]
    if len(named) == 1:
        return [_machine(named[0][1], source.id, options)]
    return read_named(named, lambda value, name: _machine(value, name, options))


def _machines(template: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Name and definition of each state machine of a template."""
    resources = template.get("Resources")
    found = []
    for name, resource in resources.items() if isinstance(resources, dict) else ():
        if not isinstance(resource, dict) or str(resource.get("Type")) not in MACHINE_TYPES:
            continue
        properties = resource.get("Properties")
        if isinstance(properties, dict):
            given = properties.get("Definition", properties.get("DefinitionString"))
            if given is not None:
                found.append((str(name), given))
    return found


def _definition(value: Any) -> Any:
    """A definition that a template holds as a text, or as a text with parameters (``Fn::Sub``)."""
    if isinstance(value, dict) and "Fn::Sub" in value:
        value = value["Fn::Sub"]
    if isinstance(value, list) and value and isinstance(value[0], str):
        value = value[0]
    if isinstance(value, str):
        try:
            return json.loads(value)
        except (ValueError, RecursionError) as error:
            raise DataError(f"the definition is no JSON: {error}", code="E-SYNTAX") from None
    return value


def _machine(value: Any, draft_id: str, options: ParseOptions) -> Draft:
    definition = _definition(value)
    flow = Flow()
    start, _ = _add_states(flow, definition, "", options, 0)
    flow.begins_at(start)
    comment = definition.get("Comment")
    return flow.draft(
        draft_id,
        task=comment if isinstance(comment, str) and comment.strip() else None,
        cycles="break",
        refuse_ghosts=True,
    )


def _add_states(flow: Flow, definition: Any, prefix: str, options: ParseOptions, depth: int) -> tuple[str, list[Exit]]:
    """Add the states of one machine or branch; gives its first state and those after which it is over."""
    states = definition.get("States") if isinstance(definition, dict) else None
    start = definition.get("StartAt") if isinstance(definition, dict) else None
    if not isinstance(states, dict) or not isinstance(start, str):
        raise DataError(f"no StartAt and States{f' in {prefix[:-1]!r}' if prefix else ''}", code="E-SYNTAX")
    if depth > MAXIMUM_DEPTH:
        raise DataError(f"branches nested deeper than {MAXIMUM_DEPTH}", code="E-LIMIT")
    last: list[Exit] = []
    for name, state in states.items():
        if not isinstance(state, dict):
            raise DataError("a state is no object", code="E-SYNTAX", path=f"$.States.{name}")
        step_id = prefix + name
        _add_state(flow, step_id, name, state, options)
        exits = [Exit(step_id, {})]
        if not options.collapse:
            exits = _add_branches(flow, step_id, state, options, depth) or exits
        following = name_at(state, "Next")
        if following is not None:
            flow.join_all(exits, prefix + following)
        for target, attributes in _branches_of(state):
            flow.join(step_id, prefix + target, **attributes)
        if following is None and state.get("Type") != "Choice":
            if not prefix:
                for leaving in exits:
                    flow.ends_after(leaving.step)
            elif state.get("Type") != "Fail":
                last += exits
    return prefix + start, last


def _add_state(flow: Flow, step_id: str, name: str, state: Mapping[str, Any], options: ParseOptions) -> None:
    kind = state.get("Type")
    comment = state.get("Comment")
    description = one_line(comment) if isinstance(comment, str) else ""
    text = step_text(options.text, name=words_of(name), description=description, fields={**state, "type": kind})
    resource = state.get("Resource")
    structure = (
        "Type",
        "Comment",
        "Next",
        "End",
        "Choices",
        "Default",
        "Catch",
        "Branches",
        "ItemProcessor",
        "Iterator",
    )
    parameters = {key: value for key, value in state.items() if key not in structure}
    flow.add(
        step_id, text, name=name, type=kind, resource=resource, desc=description,
        params=parameters if options.params else None,
    )  # fmt: skip
    if options.drop_control and kind in ("Pass", "Succeed"):
        flow.silent.add(step_id)
    if isinstance(resource, str) and ":states:startExecution" in resource:
        given = as_object(state.get("Parameters") or state.get("Arguments"))
        machine = given.get("StateMachineArn", given.get("StateMachineArn.$"))
        flow.external[step_id] = machine or resource


def _add_branches(flow: Flow, step_id: str, state: Mapping[str, Any], options: ParseOptions, depth: int) -> list[Exit]:
    """Add what a Parallel or Map state runs; gives the states after which it is over."""
    inner: list[Any] = list(objects_at(state, "Branches"))
    inner += [state[field] for field in ("ItemProcessor", "Iterator") if state.get(field) is not None]
    exits: list[Exit] = []
    for definition in inner:
        start, last = _add_states(flow, definition, f"{step_id}/", options, depth + 1)
        flow.join(step_id, start)
        exits += last
    return exits


def _branches_of(state: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Where the choices and catches of a state lead."""
    found: list[tuple[str, dict[str, Any]]] = []
    for choice in objects_at(state, "Choices"):
        found.append((_next(choice), {"label": _condition(choice), "kind": "conditional"}))
    default = name_at(state, "Default")
    if default is not None:
        found.append((default, {"label": "default", "kind": "conditional"}))
    for catch in objects_at(state, "Catch"):
        found.append((_next(catch), {"label": ", ".join(names_at(catch, "ErrorEquals")), "kind": "error"}))
    return found


def _next(rule: Mapping[str, Any]) -> str:
    following = name_at(rule, "Next")
    if following is None:
        raise DataError("a choice or catch has no Next", code="E-SYNTAX")
    return following


def _condition(rule: Mapping[str, Any]) -> str:
    """A choice rule in one line: its comment or expression, or the comparisons that it is made of."""
    if isinstance(rule.get("Comment"), str):
        return one_line(rule["Comment"])
    if isinstance(rule.get("Condition"), str):
        return one_line(rule["Condition"])
    return _comparison(rule, 0)


def _comparison(rule: Mapping[str, Any], depth: int) -> str:
    if depth > MAXIMUM_DEPTH:
        raise DataError(f"conditions nested deeper than {MAXIMUM_DEPTH}", code="E-LIMIT")
    for word in LOGIC:
        if word in rule:
            parts = rule[word] if isinstance(rule[word], list) else [rule[word]]
            inner = [_comparison(part, depth + 1) for part in parts if isinstance(part, dict)]
            return f"not ({inner[0]})" if word == "Not" and inner else f" {word.lower()} ".join(inner)
    comparisons = [f"{key} {json.dumps(value, default=str)}" for key, value in rule.items() if key not in NO_OPERATORS]
    return one_line(f"{rule.get('Variable', '')} {' '.join(comparisons)}")
