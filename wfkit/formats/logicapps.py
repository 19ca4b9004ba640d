"""Format ``logicapps``: Azure Logic Apps and Power Automate, alone, in an export, or in an ARM template."""

from collections.abc import Mapping
from typing import Any

from wfkit.errors import DataError
from wfkit.formats.base import Draft, ParseOptions, Source, clean_text, read_named
from wfkit.formats.documents import parse_each
from wfkit.formats.flow import Exit, Flow
from wfkit.formats.wording import one_line, step_text

NAME = "logicapps"
SUMMARY = "Azure Logic Apps and Power Automate definitions, alone, in an export or in an ARM template"
SUFFIXES = (".json",)

MAXIMUM_DEPTH = 50
CONTAINERS = frozenset({"Scope", "Foreach", "Until"})
PARAMETERS = ("inputs", "expression", "foreach", "limit", "recurrence", "operationOptions")


def detect(source: Source) -> bool:
    """Whether a value holds a definition with actions."""
    return isinstance(source.value, dict) and bool(_definitions(source.value))


def parse(source: Source, options: ParseOptions) -> list[Draft]:
    """Read the definition, or each of an ARM template, which are then named by their resources.

    Raises:
        DataError: ``E-SYNTAX`` where the shape is not that of a definition.
    """
    return parse_each(source, lambda value, draft_id: _read_definitions(value, draft_id, options))


def _read_definitions(value: Any, draft_id: str, options: ParseOptions) -> list[Draft]:
    found = _definitions(value) if isinstance(value, dict) else []
    if not found:
        raise DataError("no definition with actions", code="E-SYNTAX")
    if len(found) == 1:
        return [_read(found[0], draft_id, options)]
    names = [f"{draft_id}/{holder.get('name') or number}" for number, (holder, _) in enumerate(found, start=1)]
    return read_named(zip(names, found, strict=True), lambda one, name: _read(one, name, options))


def _definitions(value: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Each object that holds a definition, and the definition."""
    properties = value.get("properties")
    for holder in (value, properties):
        if not isinstance(holder, dict):
            continue
        definition = holder.get("definition")
        if isinstance(definition, dict) and isinstance(definition.get("actions"), dict):
            return [(holder, definition)]
    if isinstance(value.get("actions"), dict) and isinstance(value.get("triggers"), dict):
        return [(value, value)]
    resources = value.get("resources")
    inner = [one for one in resources if isinstance(one, dict)] if isinstance(resources, list) else []
    return [({**holder, "name": one.get("name")}, found) for one in inner for holder, found in _definitions(one)]


def _read(found: tuple[Mapping[str, Any], Mapping[str, Any]], draft_id: str, options: ParseOptions) -> Draft:
    holder, definition = found
    flow = Flow()
    entries, _ = _add_actions(flow, definition["actions"], "", options, 0)
    triggers = definition.get("triggers")
    for name, trigger in triggers.items() if isinstance(triggers, dict) else ():
        _add_action(flow, name, name, trigger if isinstance(trigger, dict) else {}, options)
        for entry in entries:
            flow.join(name, entry)
    task = next(
        (one for one in (definition.get("description"), holder.get("displayName")) if isinstance(one, str)), None
    )
    return flow.draft(draft_id, task=task, refuse_ghosts=True)


def _add_actions(
    flow: Flow, actions: Any, prefix: str, options: ParseOptions, depth: int
) -> tuple[list[str], list[Exit]]:
    """Add the actions of one scope; gives those that begin it and those after which it is over."""
    if not isinstance(actions, dict):
        raise DataError(f"the actions{f' of {prefix[:-1]!r}' if prefix else ''} are no object", code="E-SYNTAX")
    if depth > MAXIMUM_DEPTH:
        raise DataError(f"actions nested deeper than {MAXIMUM_DEPTH}", code="E-LIMIT")
    exits: dict[str, list[Exit]] = {}
    for name, action in actions.items():
        if not isinstance(action, dict):
            raise DataError("an action is no object", code="E-SYNTAX", path=f"$.actions.{name}")
        step_id = prefix + name
        _add_action(flow, step_id, name, action, options)
        exits[name] = _add_branches(flow, step_id, action, options, depth)
    entries, passed = [], set()
    for name, action in actions.items():
        before = action.get("runAfter")
        if not before or not isinstance(before, dict):
            entries.append(prefix + name)
            continue
        for earlier, statuses in before.items():
            words = [str(status).capitalize() for status in statuses] if isinstance(statuses, list) else []
            words = ["TimedOut" if word == "Timedout" else word for word in words]
            if words and "Succeeded" not in words:
                flow.join(prefix + earlier, prefix + name, label=", ".join(words), kind="error")
                continue
            passed.add(earlier)
            label = ", ".join(words) if len(words) > 1 else None
            for leaving in exits.get(earlier, [Exit(prefix + earlier, {})]):
                flow.join(leaving.step, prefix + name, **{**leaving.attributes, **({"label": label} if label else {})})
    ended = [name for name, action in actions.items() if name not in passed and action.get("type") != "Terminate"]
    return entries, [leaving for name in ended for leaving in exits[name]]


def _add_action(flow: Flow, step_id: str, name: str, action: Mapping[str, Any], options: ParseOptions) -> None:
    given = action.get("description")
    description = clean_text(given) if isinstance(given, str) else ""
    text = step_text(options.text, name=one_line(name.replace("_", " ")), description=description, fields=action)
    parameters = {key: action[key] for key in PARAMETERS if key in action}
    flow.add(
        step_id, text, name=name, type=action.get("type"), desc=description,
        params=parameters if options.params else None,
    )  # fmt: skip
    if action.get("type") == "Workflow":
        inputs = action.get("inputs")
        host = inputs.get("host") if isinstance(inputs, dict) else None
        flow.external[step_id] = host if host is not None else True


def _add_branches(flow: Flow, step_id: str, action: Mapping[str, Any], options: ParseOptions, depth: int) -> list[Exit]:
    """Add what an action holds; gives the actions after which it is over.

    A decision that has no branch for a case goes on to what follows it.
    """
    branches = _branches_of(action)
    if options.collapse and str(action.get("type")) in CONTAINERS:
        return [Exit(step_id, {})]
    exits: list[Exit] = []
    for label, actions in branches:
        attributes = {"label": label, "kind": "conditional"} if label else {}
        if not actions:
            exits.append(Exit(step_id, attributes))
            continue
        entries, last = _add_actions(flow, actions, f"{step_id}/", options, depth + 1)
        for entry in entries:
            flow.join(step_id, entry, **attributes)
        exits += last
    return exits or [Exit(step_id, {})]


def _branches_of(action: Mapping[str, Any]) -> list[tuple[str | None, Any]]:
    """Label and actions of each branch."""
    kind = action.get("type")
    if kind == "If":
        return [("true", action.get("actions")), ("false", _inner(action.get("else")))]
    if kind == "Switch":
        cases = action.get("cases")
        listed = cases.items() if isinstance(cases, dict) else ()
        labelled = [(str(case.get("case", name)), _inner(case)) for name, case in listed if isinstance(case, dict)]
        return [*labelled, ("default", _inner(action.get("default")))]
    tools = action.get("tools")
    if isinstance(tools, dict):
        return [(str(name), _inner(tool)) for name, tool in tools.items() if _inner(tool)]
    return [(None, action["actions"])] if action.get("actions") else []


def _inner(holder: Any) -> Any:
    return holder.get("actions") if isinstance(holder, dict) else None
