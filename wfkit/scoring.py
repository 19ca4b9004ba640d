"""Scores one pair: aligns its steps, runs the metrics and adds what they say to the record."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from wfkit import registry, workflow
from wfkit.errors import DataError, Unavailable
from wfkit.jsonl import Record
from wfkit.metrics.base import Comparison, Metric
from wfkit.workflow import Workflow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wfkit.alignment import Alignment

Embed = Callable[[Sequence[str]], "NDArray[np.float32]"]


@dataclass(frozen=True)
class Scorer:
    """What to measure and with what.

    Attributes:
        metrics: the metrics to run.
        unavailable: metric name to the reason why it cannot be measured in this run.
        embed: gives one unit-length row for each text; None where no metric needs one.
        encoder: the encoder's name and digest, for signatures.
        threshold: similarity from which on two steps count as the same, -1 to 1.
        max_steps: workflows with more steps are bad records.
    """

    metrics: Sequence[Metric]
    unavailable: Mapping[str, str]
    embed: Embed | None
    encoder: str
    threshold: float
    max_steps: int

    @cached_property
    def signatures(self) -> Mapping[str, str]:
        """By the name of each metric everything that its scores depend on beside the two workflows, in short."""
        alignment = f"|{self.encoder}|align={self.threshold:g}"
        return {
            metric.name: metric.signature() + (alignment if metric.needs_alignment else "") for metric in self.metrics
        }


def metrics_named(names: Sequence[str]) -> list[Metric]:
    """Build the metrics with these names, in this order."""
    return [registry.find(registry.METRICS, name, "metric")() for name in names]


def texts_of(pair: Mapping[str, Any]) -> set[str]:
    """All step texts of a pair record, golden and candidate."""
    texts = {node["text"] for node in pair["golden"]["nodes"]}
    if pair["candidate"] is not None:
        texts.update(node["text"] for node in pair["candidate"]["nodes"])
    return texts


def score_pair(pair: Record, scorer: Scorer) -> Record:
    """Add ``scores``, ``reasons``, ``details``, ``signatures`` and ``alignment`` to a pair record.

    Scores that other programs put there stay. A cyclic candidate counts as an empty one, with the reason in
    its ``meta.error``.

    Raises:
        DataError: the golden is cyclic, a step id repeats, an edge leads nowhere, a workflow is too large.
    """
    scores = dict(pair.get("scores") or {})
    reasons = dict(pair.get("reasons") or {})
    details = dict(pair.get("details") or {})
    signatures = dict(pair.get("signatures") or {})
    measured = {metric.name for metric in scorer.metrics} | set(scorer.unavailable)
    for name in measured:
        for owned in (scores, reasons, details, signatures):
            owned.pop(name, None)
    result = {**pair, "scores": scores, "reasons": reasons, "details": details, "signatures": signatures}
    if pair["candidate"] is None:
        because = why_no_candidate(pair)
        for metric in scorer.metrics:
            scores[metric.name], reasons[metric.name] = None, because
        return result
    golden = check_golden(pair["golden"], "$.golden", scorer.max_steps)
    candidate = _checked(pair["candidate"], "$.candidate", scorer.max_steps)
    try:
        workflow.topological_order(candidate)
    except DataError as error:
        candidate = candidate._replace(steps=(), edges=())
        result["candidate"] = {
            **pair["candidate"],
            "nodes": [],
            "edges": [],
            "meta": {**pair["candidate"].get("meta", {}), "error": f"{error.code}: {error}"},
        }
    alignment, lacking = None, ""
    try:
        alignment = _align(golden, candidate, scorer)
    except Unavailable as error:
        lacking = f"unavailable: {error}"
    comparison = Comparison(golden, candidate, alignment)
    for metric in scorer.metrics:
        if metric.needs_alignment and lacking:
            scores[metric.name], reasons[metric.name] = None, lacking
            continue
        score = metric.score(comparison)
        scores[metric.name] = score.value
        signatures[metric.name] = scorer.signatures[metric.name]
        if score.reason is not None:
            reasons[metric.name] = score.reason
        if score.details:
            details[metric.name] = dict(score.details)
    for name, reason in scorer.unavailable.items():
        scores[name], reasons[name] = None, reason
    if alignment is not None:
        result["alignment"] = alignment_record(golden, candidate, alignment)
    return result


def why_no_candidate(pair: Mapping[str, Any]) -> str:
    """The reason that goes with every score of a pair whose candidate is null."""
    perturbation = pair.get("perturbation") or {}
    if "unavailable" in perturbation:
        return f"unavailable: {perturbation['unavailable']}"
    return f"inapplicable: {perturbation.get('inapplicable') or 'there is no candidate'}"


def check_golden(record: Mapping[str, Any], path: str, max_steps: int) -> Workflow:
    """The workflow of a golden's record.

    Raises:
        DataError: the golden is cyclic, a step id repeats, an edge leads nowhere, it is too large.
    """
    golden = _checked(record, path, max_steps)
    workflow.topological_order(golden)
    return golden


def _checked(record: Mapping[str, Any], path: str, max_steps: int) -> Workflow:
    if len(record["nodes"]) > max_steps:
        raise DataError(
            f"{len(record['nodes']):,} steps are over the limit of {max_steps:,} (--max-steps)",
            code="E-LIMIT",
            path=f"{path}.nodes",
        )
    return workflow.from_record(record, path=path)


def _align(golden: Workflow, candidate: Workflow, scorer: Scorer) -> "Alignment | None":
    if scorer.embed is None:
        return None
    import numpy as np

    from wfkit.alignment import align, cosine_matrix

    if not golden.steps or not candidate.steps:
        return align(golden, candidate, np.zeros((len(candidate.steps), len(golden.steps))), scorer.threshold)
    vectors = scorer.embed([*candidate.texts, *golden.texts])
    similarity = cosine_matrix(vectors[: len(candidate.steps)], vectors[len(candidate.steps) :])
    return align(golden, candidate, similarity, scorer.threshold)


def alignment_record(golden: Workflow, candidate: Workflow, alignment: "Alignment") -> Record:
    """The ``alignment`` of a pair record: matched steps, and the closest counterpart of each unmatched one."""
    matched = [
        [golden.steps[there].id, candidate.steps[here].id, similarity] for here, there, similarity in alignment.pairs
    ]
    golden_taken = {there for _, there, _ in alignment.pairs}
    candidate_taken = {here for here, _, _ in alignment.pairs}
    missing = [place for place in range(len(golden.steps)) if place not in golden_taken]
    extra = [place for place in range(len(candidate.steps)) if place not in candidate_taken]
    closest: Record = {}
    if missing and candidate.steps:
        best = alignment.similarity[:, missing].argmax(axis=0)
        for place, here in zip(missing, best.tolist(), strict=True):
            closest[golden.steps[place].id] = [candidate.steps[here].id, float(alignment.similarity[here, place])]
    closest_extra: Record = {}
    if extra and golden.steps:
        best = alignment.similarity[extra].argmax(axis=1)
        for place, there in zip(extra, best.tolist(), strict=True):
            closest_extra[candidate.steps[place].id] = [
                golden.steps[there].id,
                float(alignment.similarity[place, there]),
            ]
    return {
        "matched": matched,
        "missing": [golden.steps[place].id for place in missing],
        "extra": [candidate.steps[place].id for place in extra],
        "closest": closest,
        "closest_extra": closest_extra,
    }
