"""What one service accepts, learned from its refusals once and remembered for the run.

A service may refuse a JSON schema (llama-cpp-python answers 500), a seed, a temperature (OpenAI's reasoning models)
or the old name of the token limit. Each is replaced by the next best and never tried again.
"""

import threading
from typing import Any

from wfkit.llm.errors import CallFailed
from wfkit.llm.request import Request

_FORMATS = ("json_schema", "json_object", "none")
_SCHEMA_WORDS = ("response_format", "json_schema", "json_object", "structured", "schema", "grammar", "guided")


class Dialect:
    """The way to speak to one model of one service.

    Attributes:
        proven: whether a call in this way has been answered; until then calls go out one at a time (``first``).
        first: held by the call that finds out.
    """

    def __init__(self) -> None:
        self.proven = False
        self.first = threading.Lock()
        self._format = 0
        self._failed_with_format = 0
        self._token_limit = "max_tokens"  # noqa: S105 - no password: the older name, which every service knows
        self._left_out: set[str] = set()
        self._change = threading.Lock()

    def body(self, request: Request, bare_model: str) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The JSON body of a request, and the parameters that were left out of it."""
        body: dict[str, Any] = {
            "model": bare_model,
            "messages": [{"role": role, "content": text} for role, text in request.messages],
            self._token_limit: request.max_output_tokens,
        }
        wanted = {"temperature": request.temperature, "seed": request.seed}
        left_out = tuple(sorted(name for name in wanted if wanted[name] is not None and name in self._left_out))
        body |= {name: value for name, value in wanted.items() if value is not None and name not in left_out}
        if request.schema is not None and _FORMATS[self._format] == "json_schema":
            schema = {"name": "answer", "strict": True, "schema": request.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif request.schema is not None and _FORMATS[self._format] == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body, left_out

    def adapt(self, failure: CallFailed, sent: dict[str, Any]) -> bool:
        """Learn from a refusal; whether the same request is worth sending again in the new way."""
        with self._change:
            said = f"{failure.code} {failure}".lower()
            if failure.status in (400, 422):
                return self._adapt_parameter(said, sent) or self._adapt_format(said, sent)
            if failure.status is not None and failure.status >= 500 and "response_format" in sent and not self.proven:
                self._failed_with_format += 1
                # Once may be chance. Twice, and never answered before: it is the format.
                return self._failed_with_format > 1 and self._next_format(sent)
            return False

    def _adapt_parameter(self, said: str, sent: dict[str, Any]) -> bool:
        if "max_tokens" in said and "max_tokens" in sent and "max_completion_tokens" in said:
            self._token_limit = "max_completion_tokens"  # noqa: S105
            return True
        for name in ("temperature", "seed"):
            if name in sent and name in said:
                self._left_out.add(name)
                return True
        return False

    def _adapt_format(self, said: str, sent: dict[str, Any]) -> bool:
        if "response_format" not in sent or self.proven or not any(word in said for word in _SCHEMA_WORDS):
            return False
        return self._next_format(sent)

    def _next_format(self, sent: dict[str, Any]) -> bool:
        if _FORMATS[self._format] == sent["response_format"]["type"]:
            self._format += 1
            self._failed_with_format = 0
        return True
