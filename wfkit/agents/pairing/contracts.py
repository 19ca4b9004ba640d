"""Tool contracts in the shapes that are in use, read where they stand: OpenAI tools, MCP tools, BFCL functions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from wfkit.agents.pairing.pointers import child, get

Schema = Mapping[str, Any]

SCHEMA_KEYS = ("parameters", "inputSchema", "input_schema")
# The type names of BFCL and what they are in JSON Schema; "any" is no restriction at all.
BFCL_TYPES = {"dict": "object", "float": "number", "tuple": "array", "list": "array"}


class Parameter(NamedTuple):
    """An argument of a tool: its schema and where that stands."""

    name: str
    pointer: str
    schema: Schema
    required: bool


@dataclass(eq=False)
class Tool:
    """A tool: where the element of the list stands, where the object with its name stands, and its parameters.

    ``wrapped`` tells OpenAI's ``{"type": "function", "function": {…}}``. What stands in the place of the parameters
    and is no object is read as the empty schema; ``schema_is_object`` tells it from parameters that are absent.
    """

    pointer: str
    body: str
    name: str
    description: str | None
    schema: Schema
    schema_pointer: str
    wrapped: bool
    schema_is_object: bool

    @cached_property
    def parameters(self) -> list[Parameter]:
        """The arguments, in order."""
        properties = self.schema.get("properties")
        required = self.schema.get("required")
        names = required if isinstance(required, list) else ()
        place = f"{self.schema_pointer}/properties"
        return [
            Parameter(name, child(place, name), schema, name in names)
            for name, schema in (properties.items() if isinstance(properties, dict) else ())
            if isinstance(schema, dict)
        ]


def nameless(public: Any, pointers: Sequence[str], tools: Sequence[Tool]) -> bool:
    """Whether an element of the list of tools has no name, so that it is none of the ``tools`` read from it."""
    values = [get(public, pointer) for pointer in pointers]
    return len(tools) < sum(len(value) if isinstance(value, list) else 1 for value in values)


def tools_of(public: Any, pointers: Sequence[str]) -> list[Tool]:
    """The tools of a surface, in order; an element without a name is none."""
    found = []
    for pointer, element in elements_of(public, pointers):
        tool = _tool(element, pointer)
        if tool is not None:
            found.append(tool)
    return found


def elements_of(public: Any, pointers: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """What stands in the list of tools, tool or not."""
    for pointer in pointers:
        value = get(public, pointer)
        if isinstance(value, list):
            for place, element in enumerate(value):
                yield child(pointer, place), element
        else:
            yield pointer, value


def _tool(element: Any, pointer: str) -> Tool | None:
    if not isinstance(element, dict):
        return None
    wrapped = isinstance(element.get("function"), dict)
    body = element["function"] if wrapped else element
    place = f"{pointer}/function" if wrapped else pointer
    name = body.get("name")
    if not isinstance(name, str):
        return None
    key = next((key for key in SCHEMA_KEYS if key in body), SCHEMA_KEYS[0])
    schema = body.get(key, {})
    description = body.get("description")
    return Tool(
        pointer,
        place,
        name,
        description if isinstance(description, str) else None,
        schema if isinstance(schema, dict) else {},
        f"{place}/{key}",
        wrapped,
        isinstance(schema, dict),
    )


def type_of(schema: Schema, dialect: str) -> str | None:
    """The JSON Schema type of an argument, or None where there is none or several."""
    name = schema.get("type")
    if not isinstance(name, str):
        return None
    return BFCL_TYPES.get(name, name) if dialect == "bfcl" else name
