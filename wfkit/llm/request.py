"""What is asked of a model, as a value: everything that shapes the answer, and so the key under which it is cached."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson

VERSION = 1
"""Raised whenever the way requests are sent or answers are kept changes so that old answers no longer fit."""

BYTES_PER_TOKEN = 4
"""The usual rule of thumb for English; for estimates only."""


@dataclass(frozen=True)
class Request:
    """One question.

    Attributes:
        model: the model's name, with its endpoint where it has one: ``gpt-4o@azure``.
        messages: pairs of (role, text).
        max_output_tokens: where the answer is cut off, so that a runaway answer cannot cost without bound.
        temperature: 0 to 2; None leaves it to the provider.
        seed: sent where the service accepts it; None sends none.
        schema: JSON Schema of the one object that the answer is to be; None for free text.
    """

    model: str
    messages: tuple[tuple[str, str], ...]
    max_output_tokens: int
    temperature: float | None = 0.0
    seed: int | None = None
    schema: Mapping[str, Any] | None = None

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 over everything above."""
        parts = [
            VERSION, self.model, self.messages, self.max_output_tokens, self.temperature, self.seed, self.schema
        ]  # fmt: skip
        return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).digest()

    def key(self, identity: Sequence[str], repeat: str) -> bytes:
        """The key of a cached answer.

        Args:
            identity: tells the service from others.
            repeat: tells this call from others of the same request.
        """
        return hashlib.sha256(orjson.dumps([*identity, repeat]) + self.digest).digest()

    @property
    def most_input_tokens(self) -> int:
        """An upper bound: no token is shorter than a byte, and a message has a frame of a few tokens."""
        return self._bytes + 16 * (len(self.messages) + 1)

    @property
    def estimated_input_tokens(self) -> int:
        """A guess that is good for English."""
        return self._bytes // BYTES_PER_TOKEN + 4 * len(self.messages)

    @cached_property
    def _bytes(self) -> int:
        schema = len(json.dumps(self.schema)) if self.schema else 0
        return schema + sum(len(text.encode("utf-8")) for _, text in self.messages)
