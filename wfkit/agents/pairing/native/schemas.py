"""Whether the tools of an instance are legal contracts of their own dialect, and its messages a legal chat."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from wfkit import jsonl
from wfkit.agents.pairing import contracts
from wfkit.agents.pairing.candidate import Candidate
from wfkit.agents.pairing.chat import chat_problem, messages_around
from wfkit.agents.pairing.contracts import BFCL_TYPES, Tool
from wfkit.agents.pairing.surfaces import Pointers
from wfkit.errors import DataError

MAX_NAME = 64


def native_problem(public: Any, pointers: Pointers, dialect: str) -> str | None:
    """What a benchmark would object to, if anything: names, parameter schemas, roles, ids of calls."""
    try:
        tools = contracts.tools_of(public, pointers.get("tools", ()))
        return tools_problem(public, pointers, dialect, tools) or chat_problem(messages_around(public, pointers))
    except DataError as error:
        return f"a surface is gone: {error}"


def candidate_problem(candidate: Candidate) -> str | None:
    """The same of the perturbed side; tools that are those of the clean side, which was looked at, are left out."""
    try:
        problem = None
        if candidate.changes_tools:
            problem = tools_problem(candidate.perturbed, candidate.pointers, candidate.dialect, candidate.tools)
        return problem or candidate.chat_problem
    except DataError as error:
        return f"a surface is gone: {error}"


def tools_problem(public: Any, pointers: Pointers, dialect: str, tools: Sequence[Tool]) -> str | None:
    """What is wrong with the tools of a side, if anything.

    Raises:
        DataError: the surface is not there.
    """
    if contracts.nameless(public, pointers.get("tools", ()), tools):
        return "a tool has no name"
    seen: set[str] = set()
    for tool in tools:
        if tool.name in seen:
            return f"two tools are called {tool.name}"
        seen.add(tool.name)
        problem = _tool_problem(tool, dialect)
        if problem is not None:
            return f"tool {tool.name}: {problem}"
    return None


def _tool_problem(tool: Tool, dialect: str) -> str | None:
    if tool.wrapped and not (len(tool.name) <= MAX_NAME and tool.name.replace("_", "").replace("-", "").isalnum()):
        return "the name is not one that chat services take"
    return _schema_problem(jsonl.dumps(tool.schema), dialect)


@lru_cache(maxsize=512)
def _schema_problem(text: bytes, dialect: str) -> str | None:
    """What is wrong with a parameter schema; remembered, since all families of an instance share their tools."""
    schema = jsonl.loads(text)
    if not schema:
        return None
    mapped = _mapped(schema) if dialect == "bfcl" else schema
    if mapped.get("type", "object") != "object":
        return "the parameters are no object"
    problem = _meta_problem(mapped)
    if problem is not None:
        return problem
    properties = mapped.get("properties", {})
    unknown = [name for name in mapped.get("required", ()) if name not in properties]
    return f"{unknown[0]} is required and not described" if unknown else None


def _mapped(schema: Any) -> Any:
    """A BFCL contract with the type names of JSON Schema; ``optional`` and flags inside properties stay."""
    if isinstance(schema, list):
        return [_mapped(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "type" and isinstance(value, str):
            if value != "any":
                result[key] = BFCL_TYPES.get(value, value)
        elif key == "properties" and isinstance(value, dict):
            result[key] = {name: _mapped(one) for name, one in value.items()}
        elif key in ("items", "additionalProperties"):
            result[key] = _mapped(value)
        elif key != "required" or isinstance(value, list):  # BFCL also writes "required": true inside a property
            result[key] = value
    return result


def _meta_problem(schema: Any) -> str | None:
    try:
        import jsonschema_rs
    except ImportError:
        import jsonschema

        try:
            jsonschema.Draft202012Validator.check_schema(schema)
        except jsonschema.SchemaError as error:
            return str(error.message)[:200]
        return None
    try:
        jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})
    except jsonschema_rs.ValidationError as error:
        return str(error.message)[:200]
    return None
