"""The form of a chat: roles that exist, and ids of tool calls and of their answers that pair up."""

from collections.abc import Sequence
from typing import Any

from wfkit.agents.pairing.pointers import get, index_of, parent, split
from wfkit.agents.pairing.surfaces import Pointers

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


def messages_around(public: Any, pointers: Pointers) -> list[Any]:
    """The messages of every array that a surface is, or is a part of, in order.

    A surface that may have shrunk to nothing is looked for by its array, never by its own elements.
    """
    arrays: dict[str, None] = {}
    looked_at: set[str] = set()
    for target, places in pointers.items():
        for pointer in places if target != "tools" else ():
            for place in (pointer, parent(pointer), parent(parent(pointer))):
                if place and place not in looked_at:
                    looked_at.add(place)
                    if _is_chat(_value(public, place)):
                        arrays[place] = None
    return [message for place in arrays for message in get(public, place)]


def _value(public: Any, pointer: str) -> Any:
    value = public
    for part in split(pointer):
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, list) and (place := index_of(part)) is not None and place < len(value):
            value = value[place]
        else:
            return None
    return value


def _is_chat(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(element, dict) and "role" in element for element in value)


def chat_problem(messages: Sequence[Any]) -> str | None:
    """What is wrong with a chat, if something is."""
    open_calls: list[str] = []
    for message in messages:
        role = message.get("role") if isinstance(message, dict) else None
        if not isinstance(role, str) or role not in ROLES:
            return f"a message has no role that exists: {str(message)[:60]}"
        calls = message.get("tool_calls") or []
        if not isinstance(calls, list):
            return "tool_calls is no list"
        if not all(isinstance(call, dict) for call in calls):
            return "a call of tool_calls is no object"
        content = message.get("content")
        # What tools answered is kept as the native environment has it, of any type.
        if role not in ("tool", "function") and content is not None and not isinstance(content, str | list):
            return f"the content of a message of the {role} is neither text nor a list of parts"
        if role == "tool" and "tool_call_id" in message:
            if message["tool_call_id"] not in open_calls:
                return f"a tool answers the call {str(message['tool_call_id'])[:60]!r}, which nobody made before"
            open_calls.remove(message["tool_call_id"])
            continue
        if open_calls:
            return f"the call {open_calls[0]!r} has no answer"
        if not calls and role in ("user", "assistant") and not content and "function_call" not in message:
            return f"a message of the {role} is empty"
        open_calls = [call["id"] for call in calls if isinstance(call.get("id"), str)]
    return f"the call {open_calls[0]!r} has no answer" if open_calls else None
