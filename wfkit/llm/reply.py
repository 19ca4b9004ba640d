"""What a service answered, read from the bytes it sent and from nothing that they only promise."""

import json
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

import orjson

from wfkit.llm.errors import BadAnswer

Ending = Literal["stop", "length", "refused"]


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of a model.

    Attributes:
        text: what it said; for a refusal the refusal, possibly empty.
        ending: ``length`` if it was cut off at the token limit, ``refused`` for a refusal of the model or a filter.
        model: the revision that answered, as the service names it; empty where it does not say.
        fingerprint: the service's fingerprint of its configuration, where it gives one.
        input_tokens: as billed; None where the service does not say.
        output_tokens: the same.
        calls: exchanges it took to get this answer, failed ones included.
        seconds: how long the exchange took that brought it.
        left_out: parameters that the service would not accept: ``temperature``, ``seed``.
    """

    text: str
    ending: Ending = "stop"
    model: str = ""
    fingerprint: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    calls: int = 1
    seconds: float = 0.0
    left_out: tuple[str, ...] = ()

    def dumps(self) -> str:
        """As JSON, for the cache."""
        return orjson.dumps(asdict(self)).decode()


_FIELDS = {field.name for field in fields(Reply)}


def reply_from_cache(text: str) -> Reply | None:
    """The reply that `Reply.dumps` wrote; None for anything else."""
    try:
        value = orjson.loads(text)
    except ValueError:
        return None
    if not isinstance(value, dict) or value.keys() != _FIELDS or not isinstance(value["text"], str):
        return None
    return Reply(**{**value, "left_out": tuple(value["left_out"])})


def reply_from_body(body: str) -> Reply:
    """Read the body of a chat completion.

    Raises:
        BadAnswer: it is no JSON, or holds no choice with a message.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise BadAnswer(f"the response is not JSON: {_shown(body)}") from None
    choices = value.get("choices") if isinstance(value, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, dict):
        raise BadAnswer(f"the response has no choices: {_shown(body)}")
    message = first.get("message")
    message = message if isinstance(message, dict) else {}
    text, refusal = message.get("content"), message.get("refusal")
    finish = first.get("finish_reason")
    usage = value.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    refused = finish == "content_filter" or (isinstance(refusal, str) and bool(refusal))
    if not refused and not isinstance(text, str):
        raise BadAnswer("the response has a choice without text")
    fingerprint = value.get("system_fingerprint")
    model = value.get("model")
    return Reply(
        text=(refusal if refused and isinstance(refusal, str) else text if isinstance(text, str) else ""),
        ending="refused" if refused else "length" if finish == "length" else "stop",
        model=model if isinstance(model, str) else "",
        fingerprint=fingerprint if isinstance(fingerprint, str) else None,
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _shown(body: str) -> str:
    line = " ".join(body.split())
    return f"«{line[:80]}{'…' if len(line) > 80 else ''}»"
