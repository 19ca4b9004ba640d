"""Checking one `ap_grade` record, as far as that needs no other record."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

from wfkit.agents.aggregation.requests import score, text
from wfkit.agents.families import STATUSES
from wfkit.errors import DataError

Record = Mapping[str, Any]

MOST_REPEATS = 1000
TOKENS = ("input_tokens", "output_tokens")
STEPS = ("tool_calls", "turns")
USAGE = (*TOKENS, *STEPS)
ASPECTS = ("awareness", "behaviour")


@dataclass(frozen=True)
class Side:
    """What happened on one side of a pair.

    Attributes:
        episode: the name of the episode; None where it has none.
        score: in [0, 1]; NaN where it is unknown.
        status: one of `STATUSES`.
        usage: the amount of every name in `USAGE`; NaN where it is unknown.
    """

    episode: str | None
    score: float
    status: str
    usage: dict[str, float]


def read_side(record: Record, name: str, scale: str) -> Side:
    """The side `clean` or `perturbed` of a record; DataError where it breaks a rule."""
    side = record.get(name)
    if not isinstance(side, Mapping):
        raise DataError(f"{name} should be an object", path=f"$.{name}")
    status, value, episode = side.get("status"), side.get("score"), side.get("episode")
    if status not in STATUSES or status == "no_record":
        raise DataError(f"the status of the {name} side is {status!r}", path=f"$.{name}.status")
    if value is None and status == "graded":
        raise DataError(f"the {name} side is graded but has no score", code="E-SCORE", path=f"$.{name}.score")
    if value is not None and status == "not_constructed":
        raise DataError(f"the {name} side was not constructed but has a score", code="E-SCORE", path=f"$.{name}.score")
    if episode is not None and not isinstance(episode, str):
        raise DataError(f"episode should be a text, not {episode!r}", path=f"$.{name}.episode")
    usage = side.get("usage")
    tokens = usage if isinstance(usage, Mapping) else {}
    amounts = {amount: _amount(tokens.get(amount), f"$.{name}.usage.{amount}") for amount in TOKENS}
    amounts |= {amount: _amount(side.get(amount), f"$.{name}.{amount}") for amount in STEPS}
    known = nan if value is None else score(value, scale, f"$.{name}.score")
    return Side(episode or None, known, str(status), amounts)


def read_repeat(record: Record) -> tuple[int, int | None]:
    """The repeat, counted from 0, and how many repeats the run was asked for, if the record says so.

    Raises:
        DataError: either is no whole number in range, or the repeat is not below the number of repeats.
    """
    repeat, asked = record.get("repeat", 0), record.get("repeats")
    if isinstance(repeat, bool) or not isinstance(repeat, int) or not 0 <= repeat < MOST_REPEATS:
        raise DataError(
            f"repeat should be a whole number from 0 to {MOST_REPEATS - 1}, not {repeat!r}", path="$.repeat"
        )
    if asked is None:
        return repeat, None
    if isinstance(asked, bool) or not isinstance(asked, int) or not repeat < asked <= MOST_REPEATS:
        raise DataError(f"repeats should be a whole number above the repeat {repeat}, not {asked!r}", path="$.repeats")
    return repeat, asked


def read_labels(record: Record) -> dict[str, dict[str, str]]:
    """What each annotator said of the perturbed episode: annotator -> {awareness, behaviour}, as far as given."""
    labels: dict[str, dict[str, str]] = {}
    entries = record.get("labels") or []
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise DataError("labels should be a list of objects, one for each annotator", path="$.labels")
    for entry in entries:
        annotator = text(entry, "annotator")
        if annotator in labels:
            raise DataError(f"the annotator {annotator} labelled the episode twice", path="$.labels")
        given = {aspect: entry[aspect] for aspect in ASPECTS if entry.get(aspect) is not None}
        if not all(isinstance(label, str) and label for label in given.values()):
            raise DataError("a label should be a text that is not empty", path="$.labels")
        labels[annotator] = given
    return labels


def _amount(value: object, path: str) -> float:
    if value is None:
        return nan
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise DataError(f"an amount should be a whole number from 0, not {value!r}", path=path)
    return float(value)
