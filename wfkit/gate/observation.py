"""What is kept of a judged pair for the questions that only the whole run answers."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from wfkit.gate.set_rules import field_text

LEFT_OUT = ("undefined:", "skipped:", "inapplicable:")
"""Beginnings of the reasons for which a score is null on purpose, so that it is missed nowhere."""

ABSENT = "not in the record"


class Observation(NamedTuple):
    """One judged pair.

    Attributes:
        id: of the pair.
        golden: id of the golden.
        group: what the pair was joined by, where `wf-score --key` joined it.
        candidate: id of the candidate.
        status: of its verdict.
        scores: for each watched metric the number, or the reason why there is none.
        fields: for each watched field its text, or None.
    """

    id: str
    golden: str
    group: str | None
    candidate: str
    status: str
    scores: tuple[float | str, ...] = ()
    fields: tuple[str | None, ...] = ()

    @property
    def unit(self) -> str:
        """What repeats have in common, and what is resampled as a whole: the group, else the golden."""
        return self.golden if self.group is None else self.group

    @property
    def name(self) -> str:
        """What the candidate is called: in a group by its own id, as the pair's id may name the golden as well."""
        return self.id if self.group is None else self.candidate


class Observer:
    """Makes observations of records; ``metrics`` and ``fields`` (dotted paths) are those that it watches."""

    def __init__(self, metrics: Sequence[str], fields: Sequence[str] = ()) -> None:
        self.metrics = tuple(metrics)
        self.fields = tuple(fields)
        self._paths = [tuple(field.split(".")) for field in fields]

    def observe(self, record: Mapping[str, Any], status: str) -> Observation:
        """Take down what is asked for of one ``pair`` record."""
        scores, reasons = record.get("scores") or {}, record.get("reasons") or {}
        candidate, group = record["candidate"], record.get("group")
        return Observation(
            id=record["id"],
            golden=record["golden"]["id"],
            group=group if isinstance(group, str) else None,
            candidate=record["id"] if candidate is None else candidate["id"],
            status=status,
            scores=tuple([_score(scores, reasons, metric) for metric in self.metrics]),
            fields=tuple([_field(record, path) for path in self._paths]),
        )


def is_left_out(score: float | str) -> bool:
    """Whether an observed score is none on purpose."""
    return isinstance(score, str) and score.startswith(LEFT_OUT)


def _score(scores: Mapping[str, Any], reasons: Mapping[str, Any], metric: str) -> float | str:
    value = scores.get(metric)
    if type(value) is float:
        return value
    if type(value) is int:
        return float(value) if -(2**1023) < value < 2**1023 else "an integer beyond a double"
    return str(reasons.get(metric) or "null, and the record gives no reason") if metric in scores else ABSENT


def _field(record: Mapping[str, Any], path: Sequence[str]) -> str | None:
    value: Any = record
    for part in path:
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = value[part]
    return field_text(value)
