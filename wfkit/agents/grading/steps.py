"""How many turns and tool calls an episode took: as it says, else counted in its messages."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Steps(NamedTuple):
    """Turns of the actor and calls of tools; None where nobody can tell."""

    turns: int | None
    tool_calls: int | None


def steps_of(episode: Mapping[str, Any]) -> Steps:
    """The counts that an episode states; what it leaves out is counted in its messages, if it has any.

    A turn is a message of the assistant.
    """
    turns, calls = episode.get("turns"), episode.get("tool_calls")
    messages = episode.get("messages")
    if isinstance(messages, list):
        own = [one for one in messages if isinstance(one, Mapping) and one.get("role") == "assistant"]
        turns = len(own) if turns is None else turns
        calls = sum(len(one.get("tool_calls") or ()) for one in own) if calls is None else calls
    return Steps(turns, calls)
