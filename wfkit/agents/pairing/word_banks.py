"""The fixed neutral texts of ``word_banks.toml``, filled with values that occur nowhere in an instance."""

import random
import tomllib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def bank() -> dict[str, Any]:
    """Every text of the file, as it stands."""
    return tomllib.loads((files(__package__) / "word_banks.toml").read_text(encoding="utf-8"))


def filled(text: str, chance: random.Random, occurs: Callable[[str], bool]) -> tuple[str, list[str]]:
    """A text with its places filled in, and the values that were used.

    Args:
        occurs: whether a value stands anywhere in the instance.
    """
    values = []
    for place, make in _MAKERS.items():
        if place in text:
            value = make(chance)
            while occurs(value):
                value = make(chance)
            values.append(value)
            text = text.replace(place, value)
    return text, values


def _number(chance: random.Random) -> str:
    return str(chance.randint(10_000, 99_999))


def _code(chance: random.Random) -> str:
    return f"{chance.choice('BCDFGHKLMNPRTVXZ')}{chance.randint(1000, 9999)}"


_MAKERS: dict[str, Callable[[random.Random], str]] = {"{number}": _number, "{code}": _code}
