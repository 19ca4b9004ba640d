"""The complete list of requested pairs: what every denominator of ap-aggregate is counted from."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

from wfkit.agents.families import SCALES, TARGETS, TYPES
from wfkit.errors import DataError, UsageProblem

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Labelled:
    """A column of texts: one code for each pair, and the sorted texts that the codes number. Code -1 is no text."""

    codes: "array[int]"
    names: list[str]


@dataclass(frozen=True)
class Requests:
    """All requested pairs, sorted by id, one entry for each pair in every column.

    Attributes:
        positions: the place of every id.
        scales: the scale of every benchmark, `binary` or `unit`.
        benchmark, task: as requested; tasks of different benchmarks are different tasks.
        target, type: places in `TARGETS` and `TYPES`.
        constructed: 1 where the pair was accepted, else 0.
        noop_score: what an actor that does nothing scores on the clean side; NaN where nobody looked.
        operation: how the pair was edited.
        by: the fields that the user groups by.
        error_records: how many records of the list were errors; their pairs are not in it.
    """

    positions: dict[str, int]
    scales: dict[str, str]
    benchmark: Labelled
    task: Labelled
    target: "array[int]"
    type: "array[int]"
    constructed: "array[int]"
    noop_score: "array[float]"
    operation: Labelled
    by: dict[str, Labelled]
    error_records: int

    def __len__(self) -> int:
        """The number of requested pairs."""
        return len(self.positions)


def read_requests(records: Iterable[Record], by: Sequence[str] = ()) -> Requests:
    """Read the `ap_pair` records of everything that was asked for, whatever became of it.

    Args:
        records: `ap_pair` records; `error` records are counted.
        by: fields to group by, such as `edit.operation`.

    Raises:
        DataError: a record lacks what a request needs.
        UsageProblem: the list is empty, has an id twice, or has two scales for one benchmark.
    """
    ids: list[str] = []
    seen: set[str] = set()
    scales: dict[str, str] = {}
    columns = {name: _TextColumn() for name in ("benchmark", "task", "operation", *(f"by {field}" for field in by))}
    target, type_, constructed, noop_score = array("b"), array("b"), array("b"), array("d")
    error_records = 0
    for record in records:
        if record.get("kind") == "error":
            error_records += 1
            continue
        identifier, benchmark = text(record, "id"), text(record, "benchmark")
        if identifier in seen:
            raise UsageProblem(f"the list of requests has the pair {identifier} twice")
        scale = choice(record, "scale", SCALES)
        check_one_scale(scales, benchmark, scale)
        target.append(TARGETS.index(choice(record, "target", TARGETS)))
        type_.append(TYPES.index(choice(record, "type", TYPES)))
        constructed.append(text(record, "status") == "accepted")
        noop = record.get("noop_score")
        noop_score.append(nan if noop is None else score(noop, scale, "$.noop_score"))
        columns["benchmark"].append(benchmark)
        columns["task"].append(text(record, "task"))
        columns["operation"].append(_operation(record))
        for field in by:
            columns[f"by {field}"].append(_field_text(record, field))
        seen.add(identifier)
        ids.append(identifier)
    if not ids:
        raise UsageProblem("the list of requests is empty: without it there is no coverage and no bound")
    order = sorted(range(len(ids)), key=ids.__getitem__)
    return Requests(
        positions={ids[place]: position for position, place in enumerate(order)},
        scales=scales,
        benchmark=columns["benchmark"].sorted_by(order),
        task=columns["task"].sorted_by(order),
        target=array("b", (target[place] for place in order)),
        type=array("b", (type_[place] for place in order)),
        constructed=array("b", (constructed[place] for place in order)),
        noop_score=array("d", (noop_score[place] for place in order)),
        operation=columns["operation"].sorted_by(order),
        by={field: columns[f"by {field}"].sorted_by(order) for field in by},
        error_records=error_records,
    )


def text(record: Record, field: str) -> str:
    """The text of a required field; DataError where it is missing, empty or no text."""
    value = record.get(field)
    if not isinstance(value, str) or not value:
        raise DataError(f"{field} should be a text that is not empty, not {value!r}", path=f"$.{field}")
    return value


def choice(record: Record, field: str, allowed: Sequence[str]) -> str:
    """The text of a required field with few legal values; DataError for any other."""
    value = record.get(field)
    if value not in allowed:
        raise DataError(f"{field} should be one of {', '.join(allowed)}, not {value!r}", path=f"$.{field}")
    return str(value)


def score(value: object, scale: str, path: str) -> float:
    """A score checked against its scale: a number in [0, 1], and 0 or 1 on a binary scale; else DataError."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise DataError(f"a score should be a number from 0 to 1, not {value!r}", code="E-SCORE", path=path)
    if scale == "binary" and value not in (0, 1):
        raise DataError(f"a score on a binary scale should be 0 or 1, not {value!r}", code="E-SCORE", path=path)
    return float(value)


def check_one_scale(scales: dict[str, str], benchmark: str, scale: str) -> None:
    """Remember the scale of a benchmark; UsageProblem where it had another one."""
    if scales.setdefault(benchmark, scale) != scale:
        raise UsageProblem(
            f"benchmark {benchmark} has two scales, {scales[benchmark]} and {scale}: their scores have no common mean"
        )


class _TextColumn:
    """A growing column of texts, each different text held once."""

    def __init__(self) -> None:
        self.codes = array("i")
        self.code_of: dict[str, int] = {}

    def append(self, value: str | None) -> None:
        self.codes.append(-1 if value is None else self.code_of.setdefault(value, len(self.code_of)))

    def sorted_by(self, order: Sequence[int]) -> Labelled:
        names = sorted(self.code_of)
        renumbered = array("i", [0] * len(names))
        for code, name in enumerate(names):
            renumbered[self.code_of[name]] = code
        codes = self.codes
        return Labelled(
            array("i", (-1 if codes[place] < 0 else renumbered[codes[place]] for place in order)),
            names,
        )


def _operation(record: Record) -> str | None:
    """The patch operation of a pair, which is its `edit` or the `operation` in it."""
    edit = record.get("edit")
    operation = edit.get("operation") if isinstance(edit, Mapping) else edit
    return operation if isinstance(operation, str) else None


def _field_text(record: Record, field: str) -> str | None:
    """The value at a dotted path as a text; None where it is missing, null or no single value."""
    value: object = record
    for name in field.removeprefix(".").split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else None
