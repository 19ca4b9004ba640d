"""Parsers of option values that several filters share."""

from collections.abc import Sequence
from math import isnan
from typing import Any

import click

from wfkit.errors import UsageProblem


class NumberRange(click.FloatRange):
    """A number of a range. What is no number is in none, though every comparison lets it pass."""

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> float:
        """The number of an option's text."""
        number: float = super().convert(value, parameter, context)
        if isnan(number):
            self.fail(f"{value} is no number", parameter, context)
        return number


def names(value: str, known: Sequence[str], what: str) -> list[str]:
    """Split a comma-separated list and check every name.

    Raises:
        UsageProblem: the list is empty, a name is unknown or comes twice.
    """
    import difflib

    chosen = [name.strip() for name in value.split(",") if name.strip()]
    if not chosen:
        raise UsageProblem(f"no {what} given: choose from {', '.join(known)}")
    for name in chosen:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f", did you mean {near[0]}?" if near else ""
            raise UsageProblem(f"unknown {what} {name!r}{hint} (known: {', '.join(known)})")
        if chosen.count(name) > 1:
            raise UsageProblem(f"{what} {name!r} is given twice")
    return chosen


def refuse_given(options: Sequence[str], complaint: str) -> None:
    """Refuse options that were written on the command line, where they could change nothing.

    Args:
        options: names of parameters of the command that is being run.
        complaint: what to say, with ``{option}`` for the flag.

    Raises:
        UsageProblem: one of them was.
    """
    from click.core import ParameterSource

    context = click.get_current_context()
    for parameter in context.command.params:
        if parameter.name in options and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE:
            raise UsageProblem(complaint.format(option=parameter.opts[0]))


def cache_folder(cache: str | None, no_cache: bool) -> str | None:
    """Where to keep what is slow to get, by ``--cache`` and ``--no-cache``: a folder, empty for the usual one, or None.

    Raises:
        UsageProblem: both are given.
    """
    if cache is not None and no_cache:
        raise UsageProblem("--cache and --no-cache contradict each other")
    return None if no_cache else cache or ""


def read_json(name: str) -> Any:
    """The one JSON value of a configuration file.

    Raises:
        UsageProblem: the file cannot be read or is not strict JSON.
    """
    from wfkit import jsonl
    from wfkit.errors import DataError

    try:
        with open(name, "rb") as file:
            return jsonl.loads(file.read(jsonl.MAX_LINE_BYTES))
    except OSError as error:
        raise UsageProblem(f"cannot read {name}: {error.strerror}") from None
    except DataError as error:
        raise UsageProblem(f"{name}: {error}") from None
