"""What the readers of recorded episodes share."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

Record = dict[str, Any]


class RecordedFile(NamedTuple):
    """One file: its name, and its JSON values (one of a document, one for each line of JSONL)."""

    name: str
    values: Iterable[Any]


def values_of(files: Iterable[RecordedFile]) -> Iterator[Any]:
    """The values of all files."""
    for file in files:
        yield from file.values


def count(value: Any) -> int | None:
    """A number of tokens or the like; None for anything that is no whole number from 0."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def total(values: Iterable[Any]) -> int | None:
    """The sum of all whole numbers, however deep in lists; None where there is none."""
    known = []
    for value in values:
        number = total(value) if isinstance(value, list) else count(value)
        if number is not None:
            known.append(number)
    return sum(known) if known else None


def usage(input_tokens: int | None, output_tokens: int | None, cost_usd: Any = None) -> Record:
    """The `usage` of an episode."""
    cost = cost_usd if isinstance(cost_usd, int | float) and not isinstance(cost_usd, bool) and cost_usd >= 0 else None
    return {"input_tokens": input_tokens, "output_tokens": output_tokens, "cost_usd": cost}


def score(value: Any) -> float | None:
    """A native reward from 0 to 1; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return value


def calls_in(messages: Iterable[Any]) -> list[Record]:
    """The tool calls of the assistant as ``{name, arguments}``; arguments that are no JSON stay text."""
    found = []
    for message in messages:
        if isinstance(message, Mapping) and message.get("role") == "assistant":
            for call in message.get("tool_calls") or ():
                if isinstance(call, Mapping):
                    function = call.get("function")
                    body = function if isinstance(function, Mapping) else call
                    found.append({"name": body.get("name"), "arguments": _arguments(body.get("arguments"))})
    return found


def _arguments(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value or "{}")
    except ValueError:
        return value


def result_of(messages: list[Any]) -> Any:
    """What an episode came to: its tool calls after the last request of the user, or its last words if there are none.

    None for an empty transcript.
    """
    last = max((place for place, one in enumerate(messages) if _role(one) == "user"), default=-1)
    made = calls_in(messages[last + 1 :])
    if made:
        return made
    texts = [one.get("content") for one in messages[last + 1 :] if _role(one) == "assistant"]
    return texts[-1] if texts else None


def _role(message: Any) -> Any:
    return message.get("role") if isinstance(message, Mapping) else None
