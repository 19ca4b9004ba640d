"""Whether the tools of an instance are legal contracts of their own dialect, and its messages a legal chat."""

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any

from wfkit import interrupts, jsonl
from wfkit.agents.pairing import contracts
from wfkit.agents.pairing.candidate import Candidate
from wfkit.agents.pairing.chat import chat_problem, messages_around
from wfkit.agents.pairing.contracts import BFCL_TYPES, Tool
from wfkit.agents.pairing.surfaces import Pointers
from wfkit.errors import DataError

# What chat services take as the name of a function.
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
MAX_MESSAGE = 200

MetaCheck = Callable[[Any], str | None]


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
    if tool.wrapped and not _NAME.fullmatch(tool.name):
        return "the name is not one that chat services take"
    if not tool.schema_is_object:
        return "the parameters are no object"
    return _schema_problem(jsonl.dumps(tool.schema), dialect)


@lru_cache(maxsize=512)
def _schema_problem(text: bytes, dialect: str) -> str | None:
    """What is wrong with a parameter schema; remembered, since all families of an instance share their tools."""
    schema = jsonl.loads(text)
    if not schema:
        return None
    mapped = _mapped(schema) if dialect == "bfcl" else schema
    type_ = mapped.get("type", "object")
    if type_ != "object" and not (isinstance(type_, list) and "object" in type_):
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
    """What our dialect objects to, if anything.

    The schema is an instance of the meta-schema and never a schema itself: whatever its ``$schema``, ``$id`` and
    ``$ref`` say, nothing is looked up, since they may name any address and any file.
    """
    try:
        return _meta_check()(schema)
    except Exception as error:  # whatever a library does with a hostile schema is a fault of that schema
        return f"the parameters cannot be checked: {type(error).__name__}: {error}"[:MAX_MESSAGE]


@cache
def _meta_check() -> MetaCheck:
    """A function that tells what the meta-schema of our dialect objects to."""
    try:
        return meta_check_with_jsonschema_rs()
    except ImportError:
        return meta_check_with_jsonschema()


def meta_check_with_jsonschema_rs() -> MetaCheck:
    """The check by jsonschema-rs."""
    with interrupts.held():  # which would make it panic
        import jsonschema_rs

        validator = jsonschema_rs.validator_for({"$schema": _DIALECT, "$ref": _DIALECT})

    def check(schema: Any) -> str | None:
        try:
            validator.validate(schema)
        except jsonschema_rs.ValidationError as error:
            return str(error.message)[:MAX_MESSAGE]
        return None

    return check


def meta_check_with_jsonschema() -> MetaCheck:
    """The same check by the reference implementation; formats are no more looked at than by the other one."""
    import jsonschema

    validator = jsonschema.Draft202012Validator(jsonschema.Draft202012Validator.META_SCHEMA)

    def check(schema: Any) -> str | None:
        error = jsonschema.exceptions.best_match(validator.iter_errors(schema))
        return None if error is None else str(error.message)[:MAX_MESSAGE]

    return check
