"""Parts of the observations that are looked at by themselves: size of the golden, steps compared, fields."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wfkit.sensitivity.columns import Columns, Integers, Mask

SIZES = ((1, 4), (5, 7), (8, 15), (16, None))
"""Golden steps, first and last; the paper's strata (section 5.1) and what it leaves out."""

WINDOWS = ((1, 2), (3, 5), (6, None))
"""Steps that BERTScore compares; it rises where only the first steps are left to compare (section 5.1)."""

WINDOWED_METRICS = frozenset({"bertscore"})
"""Metrics that compare the first steps of both sides only."""

FEWEST_GOLDENS = 30
"""Figures of fewer goldens are marked too small, and no threshold is chosen on them."""


@dataclass(frozen=True, eq=False)
class Stratum:
    """Some of the pairs.

    Attributes:
        by: ``size``, ``window`` or a field's name; None for all pairs.
        value: which part, such as ``5-7``.
        rows: bool [pairs].
    """

    by: str | None
    value: str | None
    rows: Mask

    @property
    def label(self) -> dict[str, str] | None:
        """What a record says of its stratum: null for all pairs."""
        return None if self.by is None or self.value is None else {"by": self.by, "value": self.value}

    def holds(self, metric: str) -> bool:
        """Whether a metric is looked at in this stratum."""
        return self.by != "window" or metric in WINDOWED_METRICS


def strata_of(columns: Columns) -> Iterator[Stratum]:
    """All pairs, then the parts that have any: by size, by window where a metric has one, and by every field."""
    yield Stratum(None, None, np.ones(len(columns), dtype=np.bool_))
    yield from _ranges("size", columns.steps, SIZES)
    if WINDOWED_METRICS.intersection(columns.metrics):
        yield from _ranges("window", columns.compared, WINDOWS)
    for name, values in columns.fields.items():
        for value in np.unique(values).tolist():
            yield Stratum(name, value, values == value)


def _ranges(by: str, numbers: Integers, ranges: tuple[tuple[int, int | None], ...]) -> Iterator[Stratum]:
    for first, last in ranges:
        rows = numbers >= first if last is None else (numbers >= first) & (numbers <= last)
        if rows.any():
            yield Stratum(by, f"{first}+" if last is None else f"{first}-{last}", rows)
