"""The paired figures of any set of requests: means on the common set, and sharp bounds over all requests."""

from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wfkit.agents.aggregation.evidence import Evidence, SideColumns
from wfkit.agents.families import STATUSES


@dataclass(frozen=True)
class Known:
    """What is known of one side, imposed zeros not counted: a sum of scores and how many scores are unknown."""

    total: float
    unknown: int


@dataclass(frozen=True)
class Sums:
    """Everything that the paired figures are made of.

    Attributes:
        requested: N, the number of requests.
        scored: |S|, the number of requests with a score on both sides.
        clean_sum, perturbed_sum: the sums of the scores on S.
        clean, perturbed: what is known of each side alone.
    """

    requested: int
    scored: int
    clean_sum: float
    perturbed_sum: float
    clean: Known
    perturbed: Known


def sums(evidence: Evidence) -> Sums:
    """The sums over a set of requests; each is rounded once, so the order of requests does not matter."""
    scored = evidence.scored
    return Sums(
        requested=len(evidence),
        scored=int(np.count_nonzero(scored)),
        clean_sum=fsum(evidence.clean.score[scored].tolist()),
        perturbed_sum=fsum(evidence.perturbed.score[scored].tolist()),
        clean=_known(evidence.clean),
        perturbed=_known(evidence.perturbed),
    )


def means(of: Sums) -> dict[str, float | None]:
    """C, P, delta and D on the common set.

    `degradation` is None where C is 0; all are None where no pair is scored.
    """
    if not of.scored:
        return {"clean": None, "perturbed": None, "delta": None, "degradation": None}
    lost = of.clean_sum - of.perturbed_sum
    return {
        "clean": of.clean_sum / of.scored,
        "perturbed": of.perturbed_sum / of.scored,
        "delta": lost / of.scored,
        "degradation": lost / of.clean_sum if of.clean_sum else None,
    }


def bounds(of: Sums) -> dict[str, list[float | None]]:
    """The sharp bounds of C, P, delta and D over all requests, where every unknown score may be anything in [0, 1].

    The unknown scores of the two sides are free of each other. An end of `degradation` is None where its divisor, the
    bound of C, is 0; where C can only be 0 both are.
    """
    low_clean, high_clean = of.clean.total, of.clean.total + of.clean.unknown
    low_perturbed, high_perturbed = of.perturbed.total, of.perturbed.total + of.perturbed.unknown
    count = of.requested
    return {
        "clean": [low_clean / count, high_clean / count],
        "perturbed": [low_perturbed / count, high_perturbed / count],
        "delta": [(low_clean - high_perturbed) / count, (high_clean - low_perturbed) / count],
        "degradation": [
            (low_clean - high_perturbed) / low_clean if low_clean else None,
            (high_clean - low_perturbed) / high_clean if high_clean else None,
        ],
    }


def paired_figures(evidence: Evidence) -> dict[str, Any]:
    """The figures on the common set of some requests, never without their coverage and bounds.

    Coverage and bounds are None where nothing was requested.
    """
    of = sums(evidence)
    asked = of.requested > 0
    figures = {"requested": of.requested, "scored": of.scored, "coverage": of.scored / of.requested if asked else None}
    return figures | means(of) | {"bounds": bounds(of) if asked else None}


def one_sided(evidence: Evidence) -> dict[str, int]:
    """How many requests have a score on one side only, or on neither."""
    clean, perturbed = evidence.clean.known, evidence.perturbed.known
    return {
        "clean_only": int(np.count_nonzero(clean & ~perturbed)),
        "perturbed_only": int(np.count_nonzero(~clean & perturbed)),
        "neither": int(np.count_nonzero(~clean & ~perturbed)),
    }


def status_counts(evidence: Evidence) -> dict[str, dict[str, int]]:
    """How many requests have each status, on each side; statuses that do not occur are left out."""
    counts = {}
    for name, side in (("clean", evidence.clean), ("perturbed", evidence.perturbed)):
        numbers = np.bincount(side.status, minlength=len(STATUSES)).tolist()
        counts[name] = {status: number for status, number in zip(STATUSES, numbers, strict=True) if number}
    return counts


def imposed_zeros(evidence: Evidence) -> dict[str, int]:
    """How many scores are zeros that `--actor-failure zero` imposed; the bounds count them as unknown."""
    return {
        "clean": int(np.count_nonzero(evidence.clean.imposed)),
        "perturbed": int(np.count_nonzero(evidence.perturbed.imposed)),
    }


def mean_model_degradation(evidence: Evidence) -> dict[str, Any]:
    """The mean of the models' degradations, beside which the pair-weighted one can look quite different.

    Returns:
        `mean_model_degradation`, None where no model has a degradation; over how many models it is (`models_averaged`);
        and the bounds of the mean over all models, an end being None where a model lacks it.
    """
    of_models = [sums(evidence.where(evidence.model == model)) for model in np.unique(evidence.model)]
    values = [value for of in of_models if (value := means(of)["degradation"]) is not None]
    lows, highs = zip(*(bounds(of)["degradation"] for of in of_models), strict=True)
    return {
        "mean_model_degradation": _mean(values),
        "models_averaged": len(values),
        "mean_model_degradation_bounds": [
            _mean([end for end in ends if end is not None]) if None not in ends else None for ends in (lows, highs)
        ],
    }


def units(evidence: Evidence) -> NDArray[np.int64]:
    """A number for the (model, repeat, task) of each request: the unit of the complete-case figures."""
    repeats, tasks = int(evidence.repeat.max(initial=0)) + 1, int(evidence.task.max(initial=0)) + 1
    return (evidence.model.astype(np.int64) * repeats + evidence.repeat) * tasks + evidence.task


def complete(evidence: Evidence) -> NDArray[np.bool_]:
    """Which requests belong to a (model, repeat, task) all of whose requests are scored."""
    _, unit = np.unique(units(evidence), return_inverse=True)
    unscored = np.bincount(unit, ~evidence.scored)
    return np.asarray(unscored[unit] == 0)


def complete_case(evidence: Evidence, kept: NDArray[np.bool_]) -> dict[str, Any]:
    """The means over the requests of complete (model, repeat, task) alone, and how many of those there are.

    Args:
        evidence: some requests, at least one.
        kept: which of them belong to a complete one.
    """
    of = sums(evidence.where(kept))
    numbers = units(evidence)
    return {
        "units": len(np.unique(numbers)),
        "units_kept": len(np.unique(numbers[kept])),
        "scored": of.scored,
        "coverage": of.scored / len(evidence),
    } | means(of)


def _mean(values: list[float]) -> float | None:
    return fsum(values) / len(values) if values else None


def _known(side: SideColumns) -> Known:
    known = side.score[side.known & ~side.imposed]
    return Known(fsum(known.tolist()), len(side.score) - len(known))
