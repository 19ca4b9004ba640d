"""Format ``ms-agent``: declarative workflows of the Microsoft Agent Framework (``kind: Workflow``)."""

import re
from collections.abc import Mapping
from typing import Any

from wfkit.errors import DataError
from wfkit.formats.base import Draft, ParseOptions, Source
from wfkit.formats.documents import parse_each
from wfkit.formats.flow import Exit, Flow
from wfkit.formats.wording import one_line, step_text, words_of
from wfkit.formats.yaml_text import top_level_keys

NAME = "ms-agent"
SUMMARY = "declarative workflows of the Microsoft Agent Framework: actions in order, conditions, loops, gotos"
SUFFIXES = (".yaml", ".yml")

MAXIMUM_DEPTH = 50
ENDS = frozenset({"EndWorkflow", "EndConversation", "EndDialog", "CancelAllDialogs"})
LEAVING = frozenset({*ENDS, "GotoAction", "BreakLoop", "ContinueLoop"})
LOOPS = frozenset({"Foreach", "RepeatUntil", "While"})
STRUCTURE = frozenset({"kind", "id", "displayName", "actions", "elseActions", "conditions", "then", "else"})

_KIND = re.compile(r"^kind:\s*['\"]?Workflow['\"]?\s*$", re.MULTILINE)


def detect(source: Source) -> bool:
    """Whether this is ``kind: Workflow`` with a trigger that has actions."""
    text = source.plain_text()
    if text is not None:
        return bool(_KIND.search(text)) and "trigger" in top_level_keys(text)
    value = source.value
    return isinstance(value, dict) and value.get("kind") == "Workflow" and isinstance(value.get("trigger"), dict)


def parse(source: Source, options: ParseOptions) -> list[Draft]:
    """Read a workflow, or each YAML document.

    Raises:
        DataError: ``E-SYNTAX`` where the shape is not that of one, ``E-GHOST`` for a goto that leads nowhere.
    """
    return parse_each(source, lambda value, draft_id: [_read(value, draft_id, options)])


def _read(value: Any, draft_id: str, options: ParseOptions) -> Draft:
    trigger = value.get("trigger") if isinstance(value, dict) else None
    if not isinstance(trigger, dict) or not isinstance(trigger.get("actions"), list):
        raise DataError("no trigger with actions", code="E-SYNTAX", path="$.trigger")
    reading = _Reading(options)
    flow = reading.flow
    entry, exits = _add_actions(reading, trigger["actions"], "", 0)
    if entry is not None:
        flow.begins_at(entry)
    for leaving in exits:
        flow.ends_after(leaving.step)
    for step_id, target in reading.gotos:
        flow.join(step_id, reading.places.get(target, target))
    name = value.get("name") or value.get("displayName") or value.get("description")
    return flow.draft(
        draft_id,
        task=name if isinstance(name, str) else None,
        meta={"trigger": trigger.get("kind")} if trigger.get("kind") else {},
        cycles="break",
        refuse_ghosts=True,
    )


class _Reading:
    """What all lists of actions of one workflow share."""

    def __init__(self, options: ParseOptions) -> None:
        self.flow = Flow()
        self.options = options
        self.places: dict[str, str] = {}  # the id of an action -> that of its step
        self.gotos: list[tuple[str, str]] = []
        self.loops: list[list[Exit]] = []  # for each open loop, the steps that leave it or begin its next round


def _add_actions(reading: _Reading, actions: Any, prefix: str, depth: int) -> tuple[str | None, list[Exit]]:
    """Add a list of actions, each after the one before it; gives the first and those after which the list is over."""
    if not isinstance(actions, list):
        raise DataError("actions are no list", code="E-SYNTAX")
    if depth > MAXIMUM_DEPTH:
        raise DataError(f"actions nested deeper than {MAXIMUM_DEPTH}", code="E-LIMIT")
    first: str | None = None
    before: list[Exit] = []
    for number, action in enumerate(actions, start=1):
        if not isinstance(action, dict) or not isinstance(action.get("kind"), str):
            raise DataError("an action has no kind", code="E-SYNTAX")
        own = str(action.get("id") or f"{action['kind']}_{number}")
        step_id = prefix + own
        reading.places[own] = step_id
        _add_action(reading.flow, step_id, own, action, reading.options)
        reading.flow.join_all(before, step_id)
        first = first or step_id
        before = _exits(reading, step_id, action, depth)
    return first, before


def _add_action(flow: Flow, step_id: str, own: str, action: Mapping[str, Any], options: ParseOptions) -> None:
    kind = action["kind"]
    given = action.get("displayName")
    name = one_line(given) if isinstance(given, str) and given.strip() else words_of(own)
    description = action.get("description")
    description = one_line(description) if isinstance(description, str) else ""
    agent = action.get("agent")
    agent = agent.get("name") if isinstance(agent, dict) else agent
    text = step_text(options.text, name=name, description=description, fields={**action, "type": kind})
    parameters = {key: value for key, value in action.items() if key not in STRUCTURE}
    flow.add(
        step_id, text, name=own, type=kind, agent=agent, desc=description,
        params=parameters if options.params else None,
    )  # fmt: skip
    if kind in ENDS:
        flow.terminals[step_id] = "end"
    elif kind in LEAVING:
        flow.silent.add(step_id)


def _exits(reading: _Reading, step_id: str, action: Mapping[str, Any], depth: int) -> list[Exit]:
    """Add what an action holds; gives the steps after which it is over, none where it leads away."""
    kind = action["kind"]
    if kind == "GotoAction":
        reading.gotos.append((step_id, str(action.get("actionId", ""))))
    elif kind in LEAVING and kind not in ENDS and reading.loops:
        reading.loops[-1].append(Exit(step_id, {}))
    if kind in LEAVING:
        return []
    branches = _branches(action)
    if not branches or (reading.options.collapse and kind in LOOPS):
        return [Exit(step_id, {})]
    if kind in LOOPS:
        reading.loops.append([])
    exits: list[Exit] = []
    for label, actions in branches:
        attributes = {"label": label, "kind": "conditional"} if label else {}
        if not actions:
            exits.append(Exit(step_id, attributes))
            continue
        entry, last = _add_actions(reading, actions, f"{step_id}/", depth + 1)
        if entry is not None:
            reading.flow.join(step_id, entry, **attributes)
        exits += last
    return exits + reading.loops.pop() if kind in LOOPS else exits


def _branches(action: Mapping[str, Any]) -> list[tuple[str | None, Any]]:
    """Label and actions of each branch; the last of a decision is what happens if no condition holds."""
    kind = action["kind"]
    if kind == "ConditionGroup":
        conditions = action.get("conditions")
        listed = [one for one in conditions if isinstance(one, dict)] if isinstance(conditions, list) else []
        labelled: list[tuple[str | None, Any]] = [(_label(one.get("condition")), one.get("actions")) for one in listed]
        return [*labelled, ("else", action.get("elseActions"))]
    if kind == "If":
        then = action.get("then", action.get("actions"))
        return [(_label(action.get("condition")), then), ("else", action.get("else", action.get("elseActions")))]
    return [(None, action["actions"])] if isinstance(action.get("actions"), list) else []


def _label(condition: Any) -> str:
    return one_line(str(condition).removeprefix("=")) if condition is not None else "condition"
