"""What agents noticed and did: shares of awareness and behaviour labels, and how far two annotators agree."""

from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wfkit.agents.aggregation.agreement import cohen_kappa
from wfkit.agents.aggregation.evidence import Evidence
from wfkit.agents.aggregation.grade_record import ASPECTS
from wfkit.agents.aggregation.grades import Grades
from wfkit.wilson import wilson_interval

Said = Mapping[str, Mapping[str, str]]


def label_figures(
    evidence: Evidence, grades: Grades, label_set: Mapping[str, list[str]], *, success: float, level: float
) -> dict[str, Any] | None:
    """The labels of the episodes that failed under perturbation while their clean side succeeded.

    Args:
        evidence: some requests.
        grades: the records with their labels.
        label_set: the labels of each aspect in order, awareness from the lowest grade up; others that occur follow.
        success: the least score that counts as a success.
        level: the confidence level of the intervals.

    Returns:
        The number of such `failures`, and for each annotator and aspect every label's `count`, `share` of the failures
        and Wilson `interval`, with the `unlabelled` beside them; Cohen's `kappa` of every two annotators over the
        failures that both labelled; and `awareness_by_outcome`, the counts among failures and, where those were
        labelled too, among recovered episodes. None where no episode has a label.
    """
    clean_success = evidence.scored & (evidence.clean.score >= success)
    failed = clean_success & (evidence.perturbed.score < success)
    failures = _said(evidence, grades, failed)
    recovered = _said(evidence, grades, clean_success & ~failed)
    annotators = sorted({annotator for said in (*failures, *recovered) for annotator in said})
    if not annotators:
        return None
    return {
        "failures": len(failures),
        "annotators": [
            {"annotator": annotator}
            | {aspect: _shares(failures, annotator, aspect, label_set.get(aspect, []), level) for aspect in ASPECTS}
            | {"awareness_by_outcome": _by_outcome(failures, recovered, annotator)}
            for annotator in annotators
        ],
        "agreement": [
            {"annotators": [a, b], "aspect": aspect, **_agreement(failures, a, b, aspect)}
            for a, b in combinations(annotators, 2)
            for aspect in ASPECTS
        ],
    }


def _said(evidence: Evidence, grades: Grades, chosen: NDArray[np.bool_]) -> list[Said]:
    """What the annotators said of each chosen request; an empty mapping where nobody said anything."""
    answer: list[Said] = []
    for place in np.flatnonzero(chosen):
        column = grades.columns[evidence.models[evidence.model[place]], int(evidence.repeat[place])]
        answer.append(column.labels.get(int(evidence.pair[place]), {}))
    return answer


def _shares(said: list[Said], annotator: str, aspect: str, listed: list[str], level: float) -> dict[str, Any]:
    counts = Counter(label for each in said if (label := each.get(annotator, {}).get(aspect)) is not None)
    total = len(said)
    labels = [*listed, *sorted(set(counts) - set(listed))]
    return {
        "labels": [
            {
                "label": label,
                "count": counts[label],
                "share": counts[label] / total if total else None,
                "interval": list(wilson_interval(counts[label], total, level)) if total else None,
            }
            for label in labels
        ],
        "unlabelled": total - counts.total(),
        "not_in_label_set": sorted(set(counts) - set(listed)),
    }


def _by_outcome(failures: list[Said], recovered: list[Said], annotator: str) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for outcome, said in (("failed", failures), ("recovered", recovered)):
        for each in said:
            if (label := each.get(annotator, {}).get("awareness")) is not None:
                entry = counts.setdefault(label, {"failed": 0, "recovered": 0})
                entry[outcome] += 1
    return dict(sorted(counts.items()))


def _agreement(said: list[Said], a: str, b: str, aspect: str) -> dict[str, Any]:
    both = [
        (first, second)
        for each in said
        if (first := each.get(a, {}).get(aspect)) is not None and (second := each.get(b, {}).get(aspect)) is not None
    ]
    return {"episodes": len(both), "kappa": cohen_kappa(both)}
