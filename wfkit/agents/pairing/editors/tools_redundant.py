"""tools/redundant: a near copy of a tool under another name, or an optional argument without effect."""

import random
from typing import Any

from wfkit.agents.pairing.contracts import Tool
from wfkit.agents.pairing.edit import Edit, Inapplicable, Place, recovery, sharing
from wfkit.agents.pairing.pointers import get
from wfkit.agents.pairing.surfaces import room
from wfkit.agents.pairing.view import View
from wfkit.agents.pairing.word_banks import bank

MAX_NAME = 64


def places(view: View) -> list[Place]:
    """A copy of each tool that the reference calls, and each argument of the bank for it."""
    words = bank()["tools"]
    names = {tool.name for tool in view.tools}
    found = []
    for tool in view.used_tools:
        for suffix in words["suffixes"]:
            if f"{tool.name}{suffix}" not in names and len(tool.name) + len(suffix) <= MAX_NAME:
                found.append(Place("whole tool", tool.pointer, f"{tool.name}{suffix}", (tool, f"{tool.name}{suffix}")))
        taken = {parameter.name for parameter in tool.parameters}
        for parameter in words["parameters"]:
            if tool.schema.get("properties") and parameter["name"] not in taken:
                pointer = f"{tool.schema_pointer}/properties/{parameter['name']}"
                found.append(Place("argument", pointer, f"{tool.name} {parameter['name']}", (tool, parameter)))
    if room(view.public, view.pointers["tools"]) is None:
        found = [place for place in found if place.slot == "argument"]
    if not found:
        raise Inapplicable("there are no tools to copy or to give an argument to")
    return found


def edit(view: View, place: Place, chance: random.Random) -> Edit:
    """Add the tool after the list, or the argument after the others."""
    tool, addition = place.detail
    if place.slot == "argument":
        value = {"type": "string", "description": addition["description"]}
        return Edit(
            "edit_parameter",
            place.slot,
            [{"op": "add", "path": place.pointer, "value": value}],
            [place.pointer],
            [],
            f"{tool.name} gets an optional argument {addition['name']} without effect.",
            recovery("error", "The environment does not know the argument; nothing needs it."),
        )
    space = room(view.public, view.pointers["tools"])
    assert space is not None
    pointer = f"{space.array}/{space.last}"
    return Edit(
        "add_fake_tool",
        place.slot,
        [{"op": "add", "path": pointer, "value": _copy(view, tool, addition, chance)}],
        [pointer],
        [],
        f"{addition} is a near copy of {tool.name} that the environment does not know.",
        recovery("error", f"A call of {addition} gives the error of an unknown tool; {tool.name} is unchanged."),
    )


def _copy(view: View, tool: Tool, name: str, chance: random.Random) -> Any:
    weaker = chance.choice(bank()["tools"]["descriptions"])
    element, body = get(view.public, tool.pointer), get(view.public, tool.body)
    changed = {"description": weaker, **sharing(body, name=name, description=weaker, title=...)}
    changed = {key: changed[key] for key in ("name", *body, "description") if key in changed}
    return sharing(element, function=changed) if tool.wrapped else changed
