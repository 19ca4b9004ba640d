"""tools/incorrect: two descriptions change places, or a type, an enum, a unit, a required flag or a name is wrong."""

import itertools
import random
import re
from collections.abc import Iterator

from wfkit.agents.pairing.contracts import Parameter, Tool, type_of
from wfkit.agents.pairing.edit import Edit, Inapplicable, Patch, Place, recovery
from wfkit.agents.pairing.pointers import child
from wfkit.agents.pairing.view import View

_UNITS = {
    "meters": "feet",
    "kilometers": "miles",
    "miles": "kilometers",
    "feet": "meters",
    "kilograms": "pounds",
    "pounds": "kilograms",
    "celsius": "fahrenheit",
    "seconds": "minutes",
    "minutes": "seconds",
    "hours": "minutes",
    "days": "hours",
    "years": "months",
    "dollars": "euros",
    "liters": "gallons",
    "gallons": "liters",
}
_UNIT = re.compile(r"\b(" + "|".join(_UNITS) + r")\b", re.IGNORECASE)
_WRONG_TYPE = {"integer": "string", "number": "string", "string": "array", "boolean": "string"}


def places(view: View) -> list[Place]:
    """What can be wrong in the contracts of the tools that the reference calls.

    Where a wrong call is final (no environment answers it with an error), only descriptions can be wrong, and a unit
    only where the name of the argument tells the true one: nothing else would tell the actor of it.
    """
    found = []
    structural = view.private.get("interactive") is True
    for tool in view.used_tools:
        changes = _in_descriptions(tool, view)
        if structural:
            changes = itertools.chain(changes, _in_structure(tool, view.dialect))
        found += [
            Place(slot, slots[0], f"{tool.name} {slot} {' '.join(slots)}", (operation, patch, slots, wrong, note))
            for operation, slot, patch, slots, wrong, note in changes
        ]
    found += _swapped_tools(view)
    if not found:
        raise Inapplicable(
            "no two descriptions can change places and no unit is named"
            + ("" if structural else "; a wrong name or type would be final in this environment")
        )
    return found


def edit(_view: View, place: Place, _chance: random.Random) -> Edit:
    """Make the change."""
    operation, patch, slots, wrong, note = place.detail
    told = "The environment keeps the true contract; names, errors and probing tell it."
    return Edit(operation, place.slot, patch, slots, wrong, note, recovery("error", told))


_Change = tuple[str, str, Patch, list[str], list[str], str]


def _in_descriptions(tool: Tool, view: View) -> Iterator[_Change]:
    parameters = [one for one in tool.parameters if isinstance(one.schema.get("description"), str)]
    for one, other in itertools.combinations(parameters, 2):
        mine, its = one.schema["description"], other.schema["description"]
        if type_of(one.schema, view.dialect) == type_of(other.schema, view.dialect) and mine != its:
            slots = [f"{one.pointer}/description", f"{other.pointer}/description"]
            patch = [
                {"op": "replace", "path": slot, "value": text} for slot, text in zip(slots, (its, mine), strict=True)
            ]
            note = f"The descriptions of {one.name} and {other.name} of {tool.name} change places."
            yield "edit_parameter", "argument description", patch, slots, [its, mine], note
    for one in parameters:
        text = one.schema["description"]
        unit = _UNIT.search(text) if type_of(one.schema, view.dialect) in ("integer", "number") else None
        if unit and (view.private.get("interactive") is True or _tells(one.name, unit[1])):
            wrong = _UNITS[unit[1].lower()]
            wrong = wrong.capitalize() if unit[1][0].isupper() else wrong
            slot = f"{one.pointer}/description"
            patch = [{"op": "replace", "path": slot, "value": text[: unit.start()] + wrong + text[unit.end() :]}]
            note = f"The unit of {one.name} of {tool.name} is {wrong} instead of {unit[1]}."
            yield "edit_parameter", "unit", patch, [f"{slot}#char={unit.start()},{unit.end()}"], [wrong], note


def _tells(name: str, unit: str) -> bool:
    """Whether the name of an argument, such as ``days`` or ``distance_in_miles``, holds the unit."""
    return unit.lower().removesuffix("s") in name.lower()


def _swapped_tools(view: View) -> list[Place]:
    """A tool that the reference calls and another one, with the description of each on the other."""
    found = []
    used = {tool.name for tool in view.used_tools}
    for one, other in itertools.combinations(view.tools, 2):
        if not {one.name, other.name} & used or not one.description or not other.description:
            continue
        if one.description != other.description:
            slots = [f"{one.body}/description", f"{other.body}/description"]
            texts = [other.description, one.description]
            patch = [{"op": "replace", "path": slot, "value": text} for slot, text in zip(slots, texts, strict=True)]
            note = f"The descriptions of {one.name} and {other.name} change places."
            detail = ("replace_description", patch, slots, texts, note)
            found.append(Place("tool description", slots[0], f"{one.name} {other.name} descriptions", detail))
    return found


def _in_structure(tool: Tool, dialect: str) -> Iterator[_Change]:
    for one in tool.parameters:
        yield from _wrong_type(tool, one, dialect)
        yield from _wrong_name(tool, one)
        yield from _wrong_required(tool, one)


def _wrong_type(tool: Tool, one: Parameter, dialect: str) -> Iterator[_Change]:
    true = type_of(one.schema, dialect)
    wrong = _WRONG_TYPE.get(true or "")
    if wrong is not None and not one.schema.keys() & {"enum", "default", "format", "pattern", "items"}:
        slot = f"{one.pointer}/type"
        patch: Patch = [{"op": "replace", "path": slot, "value": wrong}]
        slots = [slot]
        if wrong == "array":
            patch.append({"op": "add", "path": f"{one.pointer}/items", "value": {"type": "string"}})
            slots.append(f"{one.pointer}/items")
        note = f"{one.name} of {tool.name} is declared {wrong} instead of {true}."
        yield "edit_parameter", "argument type", patch, slots, [wrong], note


def _wrong_name(tool: Tool, one: Parameter) -> Iterator[_Change]:
    """The argument under a name that its schema keeps, listed where the true one was."""
    new = f"{one.name}_value" if not one.name.endswith("_value") else one.name.removesuffix("_value")
    properties = tool.schema["properties"]
    if new in properties or not new:
        return
    renamed = {new if name == one.name else name: schema for name, schema in properties.items()}
    place = f"{tool.schema_pointer}/properties"
    patch: Patch = [{"op": "replace", "path": place, "value": renamed}]
    slots = [child(place, one.name), child(place, new)]
    if one.required:
        required = f"{tool.schema_pointer}/required"
        at = tool.schema["required"].index(one.name)
        patch.append({"op": "replace", "path": f"{required}/{at}", "value": new})
        slots.append(f"{required}/{at}")
    note = f"{one.name} of {tool.name} is called {new}."
    yield "edit_parameter", "argument name", patch, slots, [new], note


def _wrong_required(tool: Tool, one: Parameter) -> Iterator[_Change]:
    if one.required and len(tool.schema["required"]) > 1:
        at = tool.schema["required"].index(one.name)
        slot = f"{tool.schema_pointer}/required/{at}"
        note = f"{one.name} of {tool.name} is no longer marked as required."
        yield "edit_parameter", "required flag", [{"op": "remove", "path": slot}], [slot], [], note
