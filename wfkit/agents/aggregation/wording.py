"""How figures and groups are shown to people: a figure on the common set never without its bounds."""

from collections.abc import Mapping, Sequence
from typing import Any

from wfkit.gate.wording import printable

Figures = Mapping[str, Any]
Ends = Sequence[float | None] | None

UNKNOWN = "–"
NAME_LIMIT = 40
NOTE_LIMIT = 400
HEAVY_TAIL = "heavy tail"


def number(value: float | None, decimals: int = 3) -> str:
    """A number with a fixed count of decimals; a dash for None, and no minus before a zero."""
    return UNKNOWN if value is None else f"{round(value, decimals) + 0.0:,.{decimals}f}"


def amount(value: float | None) -> str:
    """A number of at least four digits: 1,500 or 2.222."""
    if value is None:
        return UNKNOWN
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def p_value(test: Figures | None, name: str = "p") -> str:
    """A p value with three digits, and an asterisk where the test has too few tasks to say anything."""
    if test is None or test[name] is None:
        return UNKNOWN
    return f"{test[name]:.3g}{'*' if test.get('too_few') else ''}"


def ends(interval: Ends, decimals: int = 3) -> str:
    """The two ends of an interval: ``[0.400, 0.833]``."""
    if interval is None:
        return UNKNOWN
    return f"[{number(interval[0], decimals)}, {number(interval[1], decimals)}]"


def bounded(figures: Figures, name: str) -> str:
    """A figure on the common set with its bounds over all requests: ``0.667 [0.500, 0.833]``."""
    bounds = figures["bounds"]
    return f"{number(figures[name])} {ends(bounds[name] if bounds is not None else None)}"


def dimension(record: Figures) -> str:
    """What the group of a record is one of: ``overall``, ``model``, ``target``, ``type``, ``cell`` or ``by FIELD``."""
    keys = [key for key in record["group"] if key != "benchmark"]
    if keys == ["target", "type"]:
        return "cell"
    if not keys:
        return "overall"
    return keys[0] if keys[0] in ("model", "target", "type") else f"by {keys[0]}"


def group_name(record: Figures) -> str:
    """The name of a group within its benchmark: ``all``, a model, ``user``, ``user/missing`` or ``FIELD = value``."""
    values = {key: value for key, value in record["group"].items() if key != "benchmark"}
    of = dimension(record)
    if of == "overall":
        return "all"
    if of.startswith("by "):
        ((field, value),) = values.items()
        return f"{printable(field, NAME_LIMIT)} = {UNKNOWN if value is None else printable(value, NAME_LIMIT)}"
    return "/".join(printable(value, NAME_LIMIT) for value in values.values())


def benchmark_name(record: Figures) -> str:
    """The benchmark of a record."""
    return printable(record["group"]["benchmark"], NAME_LIMIT)


def headline(record: Figures) -> str:
    """The figures of one group in a line."""
    return (
        f"{benchmark_name(record)}: {record['requested']:,} requested, {record['scored']:,} scored on both sides"
        f" (coverage {number(record['coverage'])}); clean {bounded(record, 'clean')},"
        f" perturbed {bounded(record, 'perturbed')}, degradation {bounded(record, 'degradation')};"
        " in brackets the bounds over all requests"
    )


def note_lines(record: Figures, *, heavy_tails: bool = True) -> list[str]:
    """The notes of a record; they may hold names out of records, which become harmless here."""
    notes = (note for note in record["notes"] if heavy_tails or not note.startswith(HEAVY_TAIL))
    return [printable(note, NOTE_LIMIT) for note in notes]


def counted(count: int, noun: str) -> str:
    """``1 task``, ``2,000 tasks``."""
    return f"{count:,} {noun if count == 1 else noun + 's'}"


def per_benchmark(records: Sequence[Figures]) -> list[list[Figures]]:
    """The records of each benchmark, in their order."""
    names = dict.fromkeys(record["group"]["benchmark"] for record in records)
    return [[record for record in records if record["group"]["benchmark"] == name] for name in names]
