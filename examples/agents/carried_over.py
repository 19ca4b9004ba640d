"""What the readers of AgentDojo and tau2 share: the first look-ups of a reference as an earlier turn of the chat, and
what an episode comes to.

The calls of a reference that only read, up to the first that writes, are played before the request: the user asked for
a look-up, the assistant called the tools, and said what it found. So the instance has a context, with facts that a tool
can confirm, and the rest of the reference is still to be done.
"""

import json
from collections.abc import Sequence
from typing import Any

Record = dict[str, Any]

ASKED = "First, please look up what you need for my next request."
LONGEST_NOTE = 300


def leading(reads_only: Sequence[bool], most: int = 3) -> int:
    """How many calls at the beginning only read; the last call of all is never among them."""
    count = 0
    while count < min(most, len(reads_only) - 1) and reads_only[count]:
        count += 1
    return count


def earlier_turn(calls: Sequence[Record], outputs: Sequence[str]) -> list[Record]:
    """The messages of that turn, as chat services write them."""
    messages: list[Record] = [{"role": "user", "content": ASKED}]
    notes = []
    for place, (call, output) in enumerate(zip(calls, outputs, strict=True)):
        arguments = json.dumps(call["arguments"], ensure_ascii=False)
        function = {"name": call["name"], "arguments": arguments}
        made = {"id": f"call_{place}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [made]})
        messages.append({"role": "tool", "tool_call_id": f"call_{place}", "content": output})
        given = ", ".join(f"{name} '{value}'" for name, value in call["arguments"].items()) or "no arguments"
        found = " ".join(output.split())
        told = f" and got: {found.rstrip('.')}" if 0 < len(found) <= LONGEST_NOTE and ". " not in found else ""
        notes.append(f"I called {call['name']} with {given}{told}.")
    return [*messages, {"role": "assistant", "content": " ".join(notes)}] if calls else []


def answered(episode: Record) -> tuple[list[Record], str]:
    """The calls of an episode and its last words.

    Its result is ``{"calls": […], "text"}``, or the list of calls alone; the words are then those of its transcript.
    """
    result = episode.get("result")
    if isinstance(result, dict):
        return result.get("calls") or [], result.get("text") or ""
    said = [one.get("content") for one in episode.get("messages") or [] if one.get("role") == "assistant"]
    text = result if isinstance(result, str) else next((one for one in reversed(said) if one), "")
    return (result if isinstance(result, list) else []), str(text)
