"""tools/missing: a description, an enum or a tool that the reference does not need is gone."""

import random

from wfkit.agents.pairing.edit import Edit, Inapplicable, Place, recovery
from wfkit.agents.pairing.reference import calls_of
from wfkit.agents.pairing.view import View


def places(view: View) -> list[Place]:
    """Descriptions and enums of the tools that the reference calls, and the tools that it does not call."""
    found = []
    for tool in view.used_tools:
        if tool.description:
            found.append(Place("tool description", f"{tool.body}/description", f"{tool.name} description", tool.name))
        for parameter in tool.parameters:
            for key, slot in (("description", "argument description"), ("enum", "enum")):
                if parameter.schema.get(key):
                    pointer = f"{parameter.pointer}/{key}"
                    found.append(Place(slot, pointer, f"{tool.name} {parameter.name} {key}", parameter.name))
    called = {call.name for call in calls_of(view.private.get("reference"))}
    if called and len(view.tools) > 1:
        found += [
            Place("whole tool", tool.pointer, f"{tool.name} whole", tool.name)
            for tool in view.tools
            if tool.name not in called
        ]
    if not found:
        raise Inapplicable("the tools have no descriptions or enums to leave out, and none can be spared")
    return found


_OPERATIONS = {
    "tool description": "replace_description",
    "argument description": "edit_parameter",
    "enum": "edit_parameter",
    "whole tool": "remove_tool",
}


def edit(_view: View, place: Place, _chance: random.Random) -> Edit:
    """Take it out."""
    return Edit(
        _OPERATIONS[place.slot],
        place.slot,
        [{"op": "remove", "path": place.pointer}],
        [place.pointer],
        [],
        f"The {place.slot} of {place.detail} is left out.",
        recovery("error", "Names, other descriptions and errors of the tools tell enough; the user can be asked."),
    )
