"""The metrics that rest on the alignment, derived again at several alignment thresholds from one encoding."""

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from wfkit import registry
from wfkit.errors import UsageProblem
from wfkit.jsonl import Record
from wfkit.scoring import Scorer, metrics_named, score_pair
from wfkit.sensitivity.columns import columns_of
from wfkit.sensitivity.observations import Observations
from wfkit.sensitivity.study import Plan, study

if TYPE_CHECKING:
    from wfkit.models.embedder import Embedder

MOST_THRESHOLDS = 100
MOST_STEPS = 2000
FORM = "align=FIRST:LAST:STEP, such as align=0.6:0.9:0.05"


class Sweep:
    """Observations of one stream at several thresholds.

    Attributes:
        thresholds: the alignment thresholds, rising.
        observations: what was observed at each threshold; scores that do not rest on the alignment are the records'.
    """

    def __init__(
        self, thresholds: Sequence[float], metrics: Collection[str], fields: Sequence[str], embedder: "Embedder"
    ) -> None:
        """Start empty.

        Args:
            thresholds: alignment thresholds, -1 to 1, rising.
            metrics: names of metrics; those that wfkit derives from the alignment are derived again.
            fields: names of fields by whose values the pairs are to be told apart.
            embedder: where vectors come from.
        """
        self.thresholds = thresholds
        self.observations = [Observations(fields) for _ in thresholds]
        self._embedder = embedder
        classes = {name: registry.find(registry.METRICS, name, "metric") for name in registry.METRICS}
        self._aligned = {name for name, metric in classes.items() if metric.needs_alignment}
        derived = metrics_named([name for name in registry.METRICS if name in self._aligned and name in metrics])
        self._scorers = [
            Scorer(derived, {}, embedder.embed, embedder.signature, threshold, MOST_STEPS) for threshold in thresholds
        ]

    def prepare(self, pairs: Sequence[Record]) -> None:
        """Encode the texts of many pairs together.

        Raises:
            Unavailable: the encoder is.
        """
        sides = [side for pair in pairs for side in (pair["golden"], pair["candidate"]) if side is not None]
        self._embedder.embed(list(dict.fromkeys(node["text"] for side in sides for node in side["nodes"])))

    def add(self, pair: Record) -> None:
        """Score a pair at every threshold and keep the numbers.

        Raises:
            DataError: what `Observations.add` and `score_pair` refuse.
            Unavailable: the encoder is.
        """
        for scorer, observations in zip(self._scorers, self.observations, strict=True):
            observations.add(score_pair(pair, scorer))

    def study(self, plan: Plan, signatures: Mapping[str, str]) -> list[Record]:
        """For each threshold all records, with ``align``, so that the bundle can be derived again at each.

        Metrics that rest on the alignment and were not derived again are left out: they belong to another threshold.

        Args:
            plan: what is asked.
            signatures: how the metrics that do not rest on the alignment were measured.
        """
        records = []
        for threshold, scorer, observations in zip(self.thresholds, self._scorers, self.observations, strict=True):
            columns = columns_of(observations)
            derived = scorer.signatures
            metrics = [name for name in columns.metrics if name in derived or name not in self._aligned]
            for record in study(columns, metrics, plan, {**signatures, **derived}):
                records.append({"kind": record["kind"], "align": threshold, **record})
        return records


def parse_sweep(text: str) -> list[float]:
    """The thresholds of ``align=0.6:0.9:0.05``, both ends included where the step meets them.

    Raises:
        UsageProblem: not of this form, a threshold outside -1 to 1, or more than 100 of them.
    """
    name, _, span = text.partition("=")
    try:
        first, last, step = (Decimal(part) for part in span.split(":"))
    except (InvalidOperation, ValueError):
        raise UsageProblem(f"--sweep {text!r} is not {FORM}") from None
    if name != "align" or not all(part.is_finite() for part in (first, last, step)):
        raise UsageProblem(f"--sweep {text!r} is not {FORM}")
    if not -1 <= first <= last <= 1 or step <= 0:
        raise UsageProblem(f"--sweep {text!r}: thresholds rise from -1 or more to 1 or less by a positive step")
    count = int((last - first) / step) + 1
    if count > MOST_THRESHOLDS:
        raise UsageProblem(f"--sweep {text!r} asks for {count:,} thresholds, more than {MOST_THRESHOLDS}")
    return [float(first + place * step) for place in range(count)]
