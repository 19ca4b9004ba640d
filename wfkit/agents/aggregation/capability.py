"""Does a more capable model lose less? Rank correlations over models, within and across benchmarks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import fsum, isfinite
from typing import Any

import numpy as np

from wfkit.agents.aggregation.evidence import Evidence
from wfkit.agents.aggregation.ranks import permutation_test
from wfkit.errors import UsageProblem


@dataclass(frozen=True)
class Capability:
    """A model's general capability as somebody else measured it: any finite number, larger is better."""

    score: float
    source: str
    date: str


def read_capabilities(rows: Iterable[Mapping[str, Any]], models: Iterable[str]) -> dict[str, Capability]:
    """The capability of every model that has one.

    Args:
        rows: `model`, `score`, `source` and `date` of each; a score may be a number or, from CSV, its text.
        models: the models of the records.

    Raises:
        UsageProblem: a field is missing or no number, a model is unknown or stands twice, or there is no row.
    """
    known = sorted(models)
    capabilities: dict[str, Capability] = {}
    for row in rows:
        missing = [name for name in ("model", "score", "source", "date") if row.get(name) in (None, "")]
        if missing:
            raise UsageProblem(
                f"a capability needs a model, score, source and date; without {', '.join(missing)}: {dict(row)}"
            )
        model = str(row["model"])
        if model not in known:
            raise UsageProblem(f"capability of the unknown model {model}; the records have {', '.join(known)}")
        if model in capabilities:
            raise UsageProblem(f"two capabilities of the model {model}")
        capabilities[model] = Capability(_number(row["score"], model), str(row["source"]), str(row["date"]))
    if not capabilities:
        raise UsageProblem("the capability file is empty")
    return capabilities


def capability_figures(
    of_models: Mapping[str, Mapping[str, Any]], capabilities: Mapping[str, Capability], *, most_capable: int, seed: int
) -> dict[str, Any]:
    """Spearman's correlation of capability and robustness (1 - D), and the most capable models against the rest.

    Args:
        of_models: the paired figures of every model, by name.
        capabilities: the capability of every model that has one.
        most_capable: how many models to set against the rest.
        seed: the seed of the permutation test beyond ten models.

    Returns:
        `rho`, `p`, `method` and the rest of `permutation_test`; the `models`, each with its capability, degradation,
        coverage and bounds; those left out because they have no capability (`without_capability`) or no degradation
        (`without_degradation`); and `most_capable`, the mean degradation of the first `count` and of the rest. Equal
        scores order by name, and `tied` says that such a tie decides who is among the first.
    """
    measured = [model for model in sorted(of_models) if of_models[model]["degradation"] is not None]
    usable = [model for model in measured if model in capabilities]
    scores = np.array([capabilities[model].score for model in usable])
    degradations = np.array([of_models[model]["degradation"] for model in usable])
    ordered = sorted(usable, key=lambda model: (-capabilities[model].score, model))
    first, rest = ordered[:most_capable], ordered[most_capable:]
    return permutation_test(scores, 1 - degradations, seed) | {
        "models": [
            {
                "model": model,
                "score": capabilities[model].score,
                "source": capabilities[model].source,
                "date": capabilities[model].date,
                "degradation": of_models[model]["degradation"],
                "coverage": of_models[model]["coverage"],
                "bounds": of_models[model]["bounds"]["degradation"],
            }
            for model in ordered
        ],
        "without_capability": sorted(set(of_models) - set(capabilities)),
        "without_degradation": sorted(set(of_models) - set(measured)),
        "most_capable": {
            "count": len(first),
            "degradation": _mean(of_models[model]["degradation"] for model in first) if rest else None,
            "rest": _mean(of_models[model]["degradation"] for model in rest),
            "tied": bool(rest) and capabilities[first[-1]].score == capabilities[rest[0]].score if first else False,
        },
    }


def across_benchmarks(of_benchmarks: Mapping[str, Mapping[str, float | None]], seed: int) -> list[dict[str, Any]]:
    """Whether the models rank alike on two benchmarks. By rank only: scores of two benchmarks have no common mean.

    Args:
        of_benchmarks: the degradation of every model, by benchmark and model.
        seed: the seed of the permutation test beyond ten models.

    Returns:
        For each pair of benchmarks the `permutation_test` of the degradations of the models that have both.
    """
    answer = []
    for a, b in combinations(sorted(of_benchmarks), 2):
        common = [model for model in sorted(of_benchmarks[a]) if _both(of_benchmarks[a], of_benchmarks[b], model)]
        first, second = (np.array([of_benchmarks[x][model] for model in common], dtype=np.float64) for x in (a, b))
        answer.append({"benchmarks": [a, b], "models": common, **permutation_test(first, second, seed)})
    return answer


def differing_outcomes(evidence: Evidence) -> list[dict[str, Any]]:
    """How often two models differ at all: models that never differ are one point, not two.

    Returns:
        For each pair of models the number of `pairs` that both have scored on both sides, and how many and what `share`
        of them differ in the clean or the perturbed score.
    """
    shape = (len(evidence.models), -1)  # requests are sorted by model, and every model has the same requests
    clean, perturbed = evidence.clean.score.reshape(shape), evidence.perturbed.score.reshape(shape)
    scored = evidence.scored.reshape(shape)
    answer = []
    for a, b in combinations(range(len(evidence.models)), 2):
        both = scored[a] & scored[b]
        differ = both & ((clean[a] != clean[b]) | (perturbed[a] != perturbed[b]))
        pairs, differing = int(np.count_nonzero(both)), int(np.count_nonzero(differ))
        names = {"models": [evidence.models[a], evidence.models[b]], "pairs": pairs, "differing": differing}
        answer.append(names | {"share": differing / pairs if pairs else None})
    return answer


def _number(value: object, model: str) -> float:
    try:
        number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None
    except ValueError:
        number = None
    if number is None or not isfinite(number):
        raise UsageProblem(f"the capability of {model} should be a number, not {value!r}")
    return number


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return fsum(listed) / len(listed) if listed else None


def _both(first: Mapping[str, float | None], second: Mapping[str, float | None], model: str) -> bool:
    return first.get(model) is not None and second.get(model) is not None
