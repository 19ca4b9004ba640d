"""BERTScore (Appendix B.4): how alike step descriptions are by the contextual embeddings of their tokens."""

from collections.abc import Iterable, Sequence
from itertools import chain
from math import fsum
from typing import TYPE_CHECKING

from wfkit.errors import Unavailable
from wfkit.metrics.base import Comparison, Score

if TYPE_CHECKING:
    from wfkit.models.pair_scorer import PairScorer


class Bertscore:
    """Mean of the rescaled BERTScore F1 over the first min(candidate, golden) steps, each beside that of its place.

    1 for the same texts, 0 for texts no more alike than unrelated sentences, seldom below 0; 0 if one workflow has no
    steps, undefined if neither has. Which steps are missing or moved is for other metrics to say.
    Source: Appendix B.4; Zhang et al. (2020).

    Args:
        pairs: scores single steps.
    """

    name = "bertscore"
    summary = "likeness of the first steps by contextual embeddings, rescaled (BERTScore F1, roberta-large)"
    needs_alignment = False

    def __init__(self, pairs: "PairScorer") -> None:
        self._pairs = pairs

    def prepare(self, texts: Iterable[tuple[Sequence[str], Sequence[str]]]) -> None:
        """Measure the steps of many workflows together, each given by its candidate's texts and its golden's.

        Raises:
            Unavailable: the model cannot be used.
        """
        self._pairs.scores(list(chain.from_iterable(zip(*sides, strict=False) for sides in texts)))

    def score(self, comparison: Comparison) -> Score:
        """Measure one comparison; the details count the pairs of steps."""
        pairs = list(zip(comparison.candidate.texts, comparison.golden.texts, strict=False))
        if not comparison.candidate.texts and not comparison.golden.texts:
            return Score(None, reason="undefined: neither golden nor candidate has a step")
        if not pairs:
            return Score(0.0, {"pairs": 0})
        try:
            scores = self._pairs.scores(pairs)
        except Unavailable as error:
            return Score(None, reason=f"unavailable: {error}")
        return Score(fsum(scores) / len(scores), {"pairs": len(pairs)})

    def signature(self) -> str:
        """Versions, model, layer and baseline."""
        return self._pairs.signature
