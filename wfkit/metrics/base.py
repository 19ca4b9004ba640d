"""What a metric is: a class with a name and a `score` over one golden and its candidate.

To add a metric: one class in this package, one line in `wfkit.registry.METRICS`, one test.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from wfkit.alignment import Alignment
    from wfkit.workflow import Workflow


@dataclass(frozen=True, slots=True)
class Score:
    """One measured value, or None with the reason (``undefined: …``, ``unavailable: …``).

    Attributes:
        value: finite, in the range that the metric's docstring states; None where it has no meaning.
        details: what goes to ``details.METRIC`` of the record, such as matched, precision, recall.
        reason: set exactly when ``value`` is None.
    """

    value: float | None
    details: Mapping[str, Any] = field(default_factory=dict)
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """One candidate beside its golden. ``alignment`` is None only if no metric asked for it."""

    golden: "Workflow"
    candidate: "Workflow"
    alignment: "Alignment | None" = None


class Metric(Protocol):
    """The interface that every metric has.

    Attributes:
        name: the key under ``scores``.
        summary: one line for ``--help`` and the README.
        needs_alignment: whether ``Comparison.alignment`` must be there, and so an encoder.
    """

    name: str
    summary: str
    needs_alignment: bool

    def score(self, comparison: Comparison) -> Score:
        """Measure one comparison; pure, deterministic, never NaN."""

    def signature(self) -> str:
        """Version and parameters of this metric beyond encoder and threshold, such as ``wfkit=1``."""


def alignment_of(comparison: Comparison) -> "Alignment":
    """The alignment of a comparison, for the metrics whose ``needs_alignment`` is true.

    Raises:
        ValueError: the caller left it out.
    """
    if comparison.alignment is None:
        raise ValueError("this metric needs Comparison.alignment")
    return comparison.alignment


def f1_score(matched: int, predicted: int, golden: int, things: str = "step") -> Score:
    """F1 of ``matched`` things out of ``predicted`` in the candidate and ``golden`` in the golden, from 0 to 1.

    One division of whole numbers: ``2 * p * r / (p + r)`` gives 0.7499999999999999 for 3 of 3 and 5 and
    would trip a gate at 0.75.

    Returns:
        a score whose details are ``matched`` and, where they exist, ``precision`` and ``recall``;
        undefined if neither side has any of the things.
    """
    if predicted + golden == 0:
        return Score(None, reason=f"undefined: neither golden nor candidate has a {things}")
    details: dict[str, Any] = {"matched": matched}
    if predicted:
        details["precision"] = matched / predicted
    if golden:
        details["recall"] = matched / golden
    return Score(2 * matched / (predicted + golden), details)
