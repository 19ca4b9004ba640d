"""What is always said of the input, whatever the output's form: counts, gaps, and what invalid pairs do."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from wfkit.gate.wording import counted, printable
from wfkit.jsonl import Record
from wfkit.sensitivity.calibration_sections import without_bar
from wfkit.sensitivity.columns import Columns
from wfkit.sensitivity.observations import MEASURED, REASONS


def input_notes(columns: Columns, records: Sequence[Record], errors: int, *, valid_only: bool) -> list[str]:
    """Lines on the pairs, on scores that are missing, and on invalid pairs.

    Args:
        columns: the observations.
        records: the ``sensitivity`` records made of them.
        errors: error records read or made.
        valid_only: whether invalid pairs were left out.
    """
    applicable = int(np.count_nonzero(columns.applicable))
    first = f"{counted(applicable, 'pair')} of {counted(len(columns.golden_ids), 'golden')}"
    inapplicable = len(columns) - applicable
    if inapplicable:
        first += f", {inapplicable:,} more inapplicable ({_by_type(columns)})"
    if errors:
        first += f", {counted(errors, 'error record')}"
    return [f"{first}.", *_gaps(columns), _invalid(columns, records, valid_only)]


def largest_shift(records: Sequence[Record]) -> dict[str, Any] | None:
    """Where leaving out invalid pairs would move a mean most, over all pairs: metric, type, severity, shift."""
    shifts = [
        {"metric": record["metric"], "type": record["type"], "severity": point["severity"], "shift": shift}
        for record in records
        if record["kind"] == "sensitivity" and record["stratum"] is None
        for point in record["severities"]
        if (shift := point["shift_without_invalid"]) is not None
    ]
    return max(shifts, key=lambda one: abs(one["shift"]), default=None)


def calibration_notes(calibration: Mapping[str, Any]) -> Iterator[str]:
    """One line for each rule: its bar and the rates to expect, or why it has none."""
    for outcome in calibration["rules"]:
        if outcome["outcome"] != "calibrated":
            yield without_bar(outcome)
            continue
        bars = ", ".join(f"{bar:.12g}" for bar in outcome["bars"].values())
        alarms, misses = (100 * outcome["held_out"][name]["rate"] for name in ("false_alarm", "miss"))
        yield (
            f"{printable(outcome['name'])}: bar {bars}; {alarms:.1f} % false alarms and {misses:.1f} % misses "
            "on goldens that had no say"
        )


def _by_type(columns: Columns) -> str:
    lacking = columns.type[~columns.applicable]
    counts = np.bincount(lacking, minlength=len(columns.types)).tolist()
    return ", ".join(f"{printable(name)} {count:,}" for name, count in zip(columns.types, counts, strict=True) if count)


def _gaps(columns: Columns) -> Iterator[str]:
    for metric in columns.metrics:
        states = columns.states[metric][columns.applicable]
        gaps = {name: int(np.count_nonzero(states == state)) for name, state in REASONS.items()}
        if any(gaps.values()):
            told = ", ".join(f"{name} {count:,}" for name, count in gaps.items() if count)
            measured = counted(int(np.count_nonzero(states == MEASURED)), "pair")
            yield f"{printable(metric)} has a score on {measured} ({told})."


def _invalid(columns: Columns, records: Sequence[Record], valid_only: bool) -> str:
    count = int(np.count_nonzero(columns.invalid & columns.applicable))
    if not count:
        checked = int(np.count_nonzero(columns.checked & columns.applicable))
        return f"No pair is marked invalid ({checked:,} were checked): leaving such pairs out would move no mean."
    what = counted(count, "invalid pair")
    what += " left out, which moves" if valid_only else " counted in; leaving them out would move"
    worst = largest_shift(records)
    if worst is None:
        return f"{what} every mean to nothing: no valid pair is left."
    where = f"{printable(worst['metric'])}, {printable(worst['type'])} {worst['severity']:g} %"
    return f"{what} a mean by at most {abs(worst['shift']):.4f} ({where})."
