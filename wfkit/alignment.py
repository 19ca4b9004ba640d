"""Which predicted step stands for which golden step: an optimal one-to-one assignment of step texts.

Two assignments may be equally good, above all where texts repeat, and which one is taken moves every metric
built on it. So the choice is part of the definition. Candidate steps are assigned to golden steps such that

1. the sum of their similarities, rounded to four decimals, is largest; of those,
2. the most assigned pairs lie on the leftmost longest common subsequence of the step texts; of those,
3. the sum of the distances |i - j| of their places is smallest.

All three are folded into one whole number per pair, so no floating-point noise decides. Source: paper,
Appendix B.1, steps 1 to 3; the tie order is ours.
"""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from wfkit.workflow import Workflow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

SCALE = 10_000  # similarities are whole ten-thousandths
LARGEST_EXACT = 2**53  # the whole numbers up to this one are exact in the solver's doubles


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """How the steps of a candidate stand for those of a golden.

    Attributes:
        similarity: float64 [candidate, golden], -1 to 1, rounded to 4 decimals; exactly 1 for equal texts.
        pairs: (candidate index, golden index, similarity) of the assigned pairs whose similarity reaches
            the threshold, by candidate index. Each step occurs at most once.
        threshold: the smallest similarity that counts as the same step.
    """

    similarity: "NDArray[np.float64]"
    pairs: tuple[tuple[int, int, float], ...]
    threshold: float


def cosine_matrix(
    candidate_embeddings: "NDArray[np.float32]", golden_embeddings: "NDArray[np.float32]"
) -> "NDArray[np.float64]":
    """Cosines [candidate, golden] of unit-length rows, rounded to 4 decimals.

    The product is taken in doubles: in single precision its last digits, and so now and then the fourth
    decimal, would depend on the shape of the matrices.
    """
    import numpy as np

    return np.round(candidate_embeddings.astype(np.float64) @ golden_embeddings.astype(np.float64).T, 4)


def align(golden: Workflow, candidate: Workflow, similarity: "ArrayLike", threshold: float = 0.8) -> Alignment:
    """Align a candidate to its golden.

    Args:
        golden: the approved workflow.
        candidate: the predicted workflow; either may be without steps.
        similarity: [candidate, golden], one row per candidate step, -1 to 1.
        threshold: assigned pairs below it are dropped.
    """
    import numpy as np

    numbers: dict[str, int] = {}
    golden_texts = [numbers.setdefault(text, len(numbers)) for text in golden.texts]
    candidate_texts = [numbers.setdefault(text, len(numbers)) for text in candidate.texts]
    shape = (len(candidate_texts), len(golden_texts))
    scaled = np.asarray(similarity, dtype=np.float64).reshape(shape) * SCALE
    np.rint(scaled, out=scaled)
    scaled += 0.0  # turns -0.0 into 0.0
    # An encoder's noise must not tell equal texts apart.
    scaled[np.equal.outer(candidate_texts, golden_texts)] = SCALE
    rounded = scaled / SCALE
    pairs = []
    for candidate_step, golden_step in _assign(scaled, candidate_texts, golden_texts):
        value = float(rounded[candidate_step, golden_step])
        if value >= threshold:
            pairs.append((candidate_step, golden_step, value))
    return Alignment(rounded, tuple(pairs), threshold)


def _assign(
    scaled: "NDArray[np.float64]", candidate_texts: Sequence[int], golden_texts: Sequence[int]
) -> list[tuple[int, int]]:
    """The best assignment under the whole tie order, of as many pairs as the shorter side has steps."""
    if not candidate_texts or not golden_texts:
        return []
    # Tried first on the similarities alone: most pairs are settled here, without the tie order and the solver.
    settled = settled_by_row_maxima(scaled)
    if settled is not None:
        return settled
    weight = folded_weight(scaled, candidate_texts, golden_texts)
    settled = settled_by_row_maxima(weight)
    return solved(weight) if settled is None else settled


def settled_by_row_maxima(weight: "NDArray[np.float64]") -> list[tuple[int, int]] | None:
    """The assignment of largest total weight if the maxima of the shorter side settle it, else None.

    Let every row of the shorter side have a single largest entry, no two in one column. An assignment has
    exactly one entry in each of these rows, so its total is at most the sum of the maxima, and it is less
    as soon as one row takes another entry, for that entry is strictly smaller. Hence taking all maxima is
    the one and only optimum. Where the weight is the similarity alone, the optimum is already unique by the
    first criterion, and later criteria have nothing left to choose.
    """
    import numpy as np

    candidate_is_longer = weight.shape[0] > weight.shape[1]
    table = weight.T if candidate_is_longer else weight
    best = table.argmax(axis=1)
    columns = best.tolist()
    if len(set(columns)) < len(columns):
        return None
    maxima = table[np.arange(len(columns)), best]
    if np.count_nonzero(table == maxima[:, np.newaxis]) > len(columns):
        return None
    if candidate_is_longer:
        return sorted((candidate, golden) for golden, candidate in enumerate(columns))
    return list(enumerate(columns))


def folded_weight(
    scaled: "NDArray[np.float64]", candidate_texts: Sequence[int], golden_texts: Sequence[int]
) -> "NDArray[np.float64]":
    """One whole number per pair whose sums order assignments by all three criteria.

    The units are chosen so that the least step in one criterion outweighs all that the later ones can
    change. Where such sums would leave the exact range of doubles, which takes hundreds of steps on both
    sides, the similarities alone are returned.
    """
    import numpy as np

    candidates, goldens = scaled.shape
    assigned = min(candidates, goldens)
    farthest = assigned * (max(candidates, goldens) - 1)  # no sum of distances is larger
    common_unit = farthest + 1
    similarity_unit = assigned * common_unit + farthest + 1
    # Similarities span up to twice the scale, from -1 to 1; the solver adds up to four terms (a path, a cost,
    # two potentials), none larger than a whole assignment.
    if 4 * assigned * (2 * SCALE + 1) * similarity_unit > LARGEST_EXACT:
        return scaled
    distance = np.abs(np.subtract.outer(np.arange(candidates), np.arange(goldens)))
    weight: NDArray[np.float64] = scaled * similarity_unit - distance
    for candidate, golden in leftmost_common_subsequence(candidate_texts, golden_texts):
        weight[candidate, golden] += common_unit
    return weight


def solved(weight: "NDArray[np.float64]") -> list[tuple[int, int]]:
    """An assignment of largest total weight, by candidate index; what still ties is up to the solver."""
    candidates, goldens = _linear_sum_assignment()(weight, maximize=True)
    return list(zip(candidates.tolist(), goldens.tolist(), strict=True))


@cache
def _linear_sum_assignment() -> Callable[..., Any]:
    """SciPy's solver, from the one compiled module that holds it: all of ``scipy.optimize`` takes half a second."""
    import importlib.machinery
    import importlib.util

    package = importlib.util.find_spec("scipy")
    places = [f"{place}/optimize" for place in (package and package.submodule_search_locations) or ()]
    spec = importlib.machinery.PathFinder.find_spec("_lsap", places)
    if spec is not None and spec.loader is not None:
        with contextlib.suppress(ImportError, AttributeError):  # another release may keep it elsewhere
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            alone: Callable[..., Any] = module.linear_sum_assignment
            return alone
    from scipy.optimize import linear_sum_assignment

    whole: Callable[..., Any] = linear_sum_assignment
    return whole


def leftmost_common_subsequence(candidate: Sequence[int], golden: Sequence[int]) -> list[tuple[int, int]]:
    """The pairs (candidate place, golden place) of the leftmost longest common subsequence.

    Leftmost: of all longest ones, that whose golden places, compared in turn, come first; each takes the
    earliest candidate place that is still free.
    """
    if set(candidate).isdisjoint(golden):
        return []
    # longest[g][c] is the length for the rests golden[g:] and candidate[c:].
    longest = [[0] * (len(candidate) + 1) for _ in range(len(golden) + 1)]
    for golden_place in range(len(golden) - 1, -1, -1):
        text, row, below = golden[golden_place], longest[golden_place], longest[golden_place + 1]
        for column in range(len(candidate) - 1, -1, -1):
            row[column] = below[column + 1] + 1 if candidate[column] == text else max(below[column], row[column + 1])
    pairs = []
    start = 0
    for golden_place, text in enumerate(golden):
        left = longest[golden_place][start]
        if left == 0:
            break
        place = next((place for place in range(start, len(candidate)) if candidate[place] == text), None)
        if place is not None and longest[golden_place + 1][place + 1] == left - 1:
            pairs.append((place, golden_place))
            start = place + 1
    return pairs
