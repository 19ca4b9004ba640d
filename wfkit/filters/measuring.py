"""What wf-score measures with: the metrics asked for, the models that they need, and what is lacking."""

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from wfkit.errors import Unavailable
from wfkit.filters.bertscore_options import open_bertscore
from wfkit.filters.encoding import open_embedder

if TYPE_CHECKING:
    from wfkit.jsonl import Record
    from wfkit.metrics.bertscore import Bertscore
    from wfkit.models.embedder import Embedder
    from wfkit.scoring import Scorer

FILTER = "wf-score"
Prepare = Callable[[Sequence["Record"]], None]


def open_scorer(
    wanted: Sequence[str],
    *,
    encoder: str,
    backend: str,
    align: float,
    cache: str | None,
    max_steps: int,
    bertscore: dict[str, Any],
    others_measure: bool,
) -> "tuple[Scorer, Prepare | None]":
    """Find the models that the metrics need.

    Args:
        wanted: the metrics, in the order of the output.
        bertscore: the options of `bertscore_options`.
        others_measure: whether a judge measures beside them.

    Returns:
        the scorer, and what is to see the pairs of a batch first, so that their texts go through the models together.

    Raises:
        UsageProblem: a model's name or an option is not as it must be.
        Unavailable: nothing could be measured.
    """
    from wfkit import scoring

    found = {metric.name: metric for metric in scoring.metrics_named([name for name in wanted if name != "bertscore"])}
    lacking: dict[str, Unavailable] = {}
    steps: Bertscore | None = None
    embedder: Embedder | None = None
    if "bertscore" in wanted:
        try:
            found["bertscore"] = steps = open_bertscore(FILTER, cache, **bertscore)
        except Unavailable as error:
            lacking["bertscore"] = error
    needing = [name for name, metric in found.items() if metric.needs_alignment]
    if needing:
        try:
            wanted_by = needing[0] if len(needing) == 1 else "the alignment of steps"
            embedder = open_embedder(FILTER, encoder, cache, wanted_by, backend)
        except Unavailable as error:
            lacking |= dict.fromkeys(needing, error)
    if wanted and len(lacking) == len(wanted) and not others_measure:
        raise Unavailable("; ".join(dict.fromkeys(map(str, lacking.values()))))
    metrics = [found[name] for name in wanted if name not in lacking]
    reasons = {name: f"unavailable: {error}" for name, error in lacking.items()}

    def prepare(pairs: "Sequence[Record]") -> None:
        small = [pair for pair in pairs if _is_scored(pair, max_steps)]
        if embedder is not None:
            texts: dict[str, None] = {}
            for pair in small:
                texts.update(dict.fromkeys(sorted(scoring.texts_of(pair))))
            with contextlib.suppress(Unavailable):  # told in each record that lacks a vector
                embedder.embed(list(texts))
        if steps is not None:
            with contextlib.suppress(Unavailable):  # told in each record
                steps.prepare(
                    (_texts(pair["candidate"]), _texts(pair["golden"])) for pair in small if pair["candidate"]
                )

    scorer = scoring.Scorer(
        metrics,
        reasons,
        embedder.embed if embedder else None,
        embedder.signature if embedder else "",
        align,
        max_steps,
    )
    return scorer, prepare if embedder or steps else None


def _is_scored(pair: "Record", max_steps: int) -> bool:
    return all(len(side["nodes"]) <= max_steps for side in (pair["golden"], pair["candidate"]) if side)


def _texts(side: "Record") -> list[str]:
    return [node["text"] for node in side["nodes"]]
