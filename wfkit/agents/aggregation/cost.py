"""What runs cost: three named figures for each side, and the ratios of matched runs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wfkit.agents.aggregation.evidence import Evidence, SideColumns
from wfkit.agents.aggregation.grade_record import USAGE
from wfkit.agents.aggregation.sign_flip import sign_flip_test

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

MEASURES = ("tokens", *USAGE)
# Tukey's far-out fence: beyond the upper quartile by more than three times the distance of the quartiles.
FENCE = 3.0
NAMED_EXTREMES = 5


def side_costs(evidence: Evidence, success: float) -> dict[str, Any]:
    """The cost of success on each side, over the pairs of the common set whose tokens are known on both sides.

    Args:
        evidence: some requests.
        success: the least score that counts as a success, in (0, 1].

    Returns:
        For `clean` and `perturbed`: distinct `episodes`, `successes`, `tokens`, `tokens_per_success` (all tokens spent,
        over the successes), `successes_per_million` (its reciprocal, so a change of one is not the same percentage as
        of the other), `successful_trajectory` (mean, median and quartiles of the successful episodes alone) and
        `unscored_tokens`, spent in episodes outside this set. `ratio` holds perturbed over clean, None where
        either is unknown. A clean episode that several families share is counted once.
    """
    counted = evidence.scored & ~np.isnan(evidence.clean.tokens) & ~np.isnan(evidence.perturbed.tokens)
    clean = _side_cost(evidence.clean, counted, success)
    perturbed = _side_cost(evidence.perturbed, counted, success)
    ratio: dict[str, Any] = {
        name: _ratio(perturbed[name], clean[name]) for name in ("tokens_per_success", "successes_per_million")
    }
    ratio["successful_trajectory"] = {
        name: _ratio(perturbed["successful_trajectory"][name], clean["successful_trajectory"][name])
        for name in ("mean", "median")
    }
    return {"pairs": int(np.count_nonzero(counted)), "clean": clean, "perturbed": perturbed, "ratio": ratio}


def paired_ratios(evidence: Evidence) -> dict[str, Any]:
    """Perturbed over clean for every pair whose amount is known on both sides, whatever became of its score.

    Returns:
        For every measure: the number of `pairs`; the `median`, `q1` and `q3`, which come first because ratios have
        heavy tails; `mean` and `sd` (n - 1); the number of pairs left out because the clean amount is 0 (`clean_zero`);
        and the `heavy_tail`, where one pulls the mean out of the quartiles: how many ratios lie beyond the far-out
        `fence`, the mean without them, and the largest by name.
    """
    ratios = {}
    for measure in MEASURES:
        usable, values = _matched_ratios(evidence, measure)
        known = ~np.isnan(amounts(evidence.clean, measure)) & ~np.isnan(amounts(evidence.perturbed, measure))
        summary: dict[str, Any] = {"pairs": len(values), **distribution(values)}
        summary["sd"] = float(np.std(values, ddof=1)) if len(values) > 1 else None
        summary["clean_zero"] = int(np.count_nonzero(known & (amounts(evidence.clean, measure) == 0)))
        summary["heavy_tail"] = _heavy_tail(values, np.flatnonzero(usable), evidence)
        ratios[measure] = summary
    return ratios


def ratio_samples(evidence: Evidence) -> dict[str, Floats]:
    """The ratios behind `paired_ratios` by measure, in the order of requests: shape (pairs,) each."""
    return {measure: _matched_ratios(evidence, measure)[1] for measure in MEASURES}


def rollout_tests(evidence: Evidence, seed: int) -> dict[str, dict[str, Any]]:
    """Whether perturbed rollouts are longer or shorter: the sign-flip test by task over the signs of the changes.

    Signs, because a few loop-like runs would decide a test of the amounts; by task, because families share a clean run.
    Over the same pairs as `paired_ratios`.
    """
    tests = {}
    for measure in USAGE:
        clean, perturbed = amounts(evidence.clean, measure), amounts(evidence.perturbed, measure)
        usable = ~np.isnan(perturbed) & (clean > 0)
        _, cluster = np.unique(evidence.task[usable], return_inverse=True)
        signs = np.sign(perturbed[usable] - clean[usable])
        tests[measure] = sign_flip_test(np.bincount(cluster, signs), seed)
    return tests


def amounts(side: SideColumns, measure: str) -> Floats:
    """The amount of one measure on one side; NaN where it is unknown."""
    return side.tokens if measure == "tokens" else side.usage[measure]


def distribution(values: Floats) -> dict[str, float | None]:
    """Median, quartiles (linear) and mean; None of nothing."""
    if not len(values):
        return {"median": None, "q1": None, "q3": None, "mean": None}
    q1, median, q3 = np.percentile(values, [25, 50, 75])
    return {"median": float(median), "q1": float(q1), "q3": float(q3), "mean": float(np.mean(values))}


def _matched_ratios(evidence: Evidence, measure: str) -> tuple[Flags, Floats]:
    """Which requests have a ratio, and those ratios."""
    clean, perturbed = amounts(evidence.clean, measure), amounts(evidence.perturbed, measure)
    usable = ~np.isnan(perturbed) & (clean > 0)
    return usable, perturbed[usable] / clean[usable]


def _side_cost(side: SideColumns, counted: Flags, success: float) -> dict[str, Any]:
    chosen = _first_of_each(side.episode, counted)
    spent = side.tokens[chosen]
    succeeded = side.score[chosen] >= success
    successes, tokens = int(np.count_nonzero(succeeded)), int(spent.sum())
    others = ~np.isnan(side.tokens) & ~counted & ~((side.episode != 0) & np.isin(side.episode, side.episode[chosen]))
    elsewhere = side.tokens[_first_of_each(side.episode, others)]
    return {
        "episodes": len(spent),
        "successes": successes,
        "tokens": tokens,
        "tokens_per_success": tokens / successes if successes else None,
        "successes_per_million": 1e6 * successes / tokens if tokens else None,
        "successful_trajectory": distribution(spent[succeeded]),
        "unscored_tokens": int(elsewhere.sum()),
    }


def _first_of_each(episode: NDArray[np.uint64], among: Flags) -> Flags:
    """Where an episode stands for the first time among some requests; one without a name always does."""
    first = np.zeros(len(episode), dtype=np.bool_)
    places = np.flatnonzero(among)
    named = places[episode[places] != 0]
    _, firsts = np.unique(episode[named], return_index=True)
    first[named[firsts]] = True
    first[places[episode[places] == 0]] = True
    return first


def _ratio(numerator: float | None, divisor: float | None) -> float | None:
    return numerator / divisor if numerator is not None and divisor else None


def _heavy_tail(values: Floats, places: NDArray[np.intp], evidence: Evidence) -> dict[str, Any] | None:
    """The ratios beyond the far-out fence; None unless they pull the mean above the upper quartile."""
    if not len(values):
        return None
    q1, q3 = np.percentile(values, [25, 75])
    fence = float(q3 + FENCE * (q3 - q1))
    beyond = np.flatnonzero(values > fence)
    if not len(beyond) or np.mean(values) <= q3:
        return None
    largest = beyond[np.argsort(-values[beyond], kind="stable")][:NAMED_EXTREMES]
    return {
        "fence": fence,
        "beyond": len(beyond),
        "mean_without": float(np.mean(values[values <= fence])),
        "largest": [evidence.name(int(places[place])) | {"ratio": float(values[place])} for place in largest],
    }
