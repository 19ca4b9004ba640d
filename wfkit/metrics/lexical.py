"""Metrics that compare the wording of two whole workflows by their n-grams (Appendix B.3).

The steps of a workflow are joined by a blank into one document. The n-grams are counted here, once per
document, and the arithmetic is that of NLTK's ``sentence_bleu`` (method1) and ``sentence_gleu``; a test holds
them equal.
"""

import math
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from wfkit.metrics.base import Comparison, Score
from wfkit.metrics.tokens import document_words, nltk_version
from wfkit.workflow import Workflow

LONGEST = 4  # n-grams of 1 to 4 words
SMOOTHING = 0.1  # what method1 puts in place of a count of zero
NO_WORDS = Score(None, reason="undefined: neither golden nor candidate has a word")


class Bleu:
    """BLEU of the candidate's document against the golden's: 1- to 4-grams, smoothed by method1.

    Range 0 to 1, higher is better; 1 for equal word lists, 0 if one side has no word, undefined if neither
    has. Source: Appendix B.3; Papineni et al. (2002).
    """

    name = "bleu"
    summary = "n-gram precision of the whole text with a brevity penalty (NLTK, method1)"
    needs_alignment = False

    def score(self, comparison: Comparison) -> Score:
        """Measure one comparison."""
        overlap = overlap_of(comparison)
        if overlap.golden_words + overlap.candidate_words == 0:
            return NO_WORDS
        if overlap.equal:
            return Score(1.0)
        return Score(bleu(overlap))

    def signature(self) -> str:
        """The version of this definition, of NLTK and the names of tokenizer and smoothing."""
        return f"{lexical_signature()}|smooth=method1"


class Gleu:
    """GLEU of the candidate's document against the golden's: 1- to 4-grams, the lesser of precision and recall.

    Range 0 to 1, higher is better; 1 for equal word lists, 0 if one side has no word, undefined if neither
    has. Source: Appendix B.3; Wu et al. (2016).
    """

    name = "gleu"
    summary = "the lesser of n-gram precision and recall of the whole text (NLTK)"
    needs_alignment = False

    def score(self, comparison: Comparison) -> Score:
        """Measure one comparison; the details count n-grams."""
        overlap = overlap_of(comparison)
        matched, predicted, golden = sum(overlap.matched), sum(overlap.predicted), sum(overlap.golden)
        if predicted + golden == 0:
            return NO_WORDS
        details: dict[str, int | float] = {"matched": matched}
        if predicted:
            details["precision"] = matched / predicted
        if golden:
            details["recall"] = matched / golden
        return Score(matched / max(predicted, golden), details)

    def signature(self) -> str:
        """The version of this definition, of NLTK and the name of the tokenizer."""
        return lexical_signature()


class Document(NamedTuple):
    """A document's words and, for n = 1 to 4, how often each n-gram occurs in it."""

    words: list[str]
    counts: list[Counter[tuple[str, ...]]]


class Overlap(NamedTuple):
    """The n-grams of two documents.

    Attributes:
        matched: for n = 1 to 4 the n-grams that both have, each as often as both have it.
        predicted: for n = 1 to 4 the n-grams of the candidate.
        golden: for n = 1 to 4 the n-grams of the golden.
        candidate_words: the words of the candidate.
        golden_words: the words of the golden.
        equal: whether the word lists are the same.
    """

    matched: list[int]
    predicted: list[int]
    golden: list[int]
    candidate_words: int
    golden_words: int
    equal: bool


def bleu(overlap: Overlap) -> float:
    """Sentence BLEU with method1: a count of zero becomes 0.1, an order that has no n-gram divides by 1."""
    if overlap.matched[0] == 0:
        return 0.0
    precisions = [
        (matched or SMOOTHING) / max(1, predicted)
        for matched, predicted in zip(overlap.matched, overlap.predicted, strict=True)
    ]
    mean = math.exp(math.fsum(math.log(precision) / LONGEST for precision in precisions))
    if overlap.candidate_words > overlap.golden_words:
        return mean
    return mean * math.exp(1 - overlap.golden_words / overlap.candidate_words)


def overlap_of(comparison: Comparison) -> Overlap:
    """The n-grams that golden and candidate share."""
    return _overlap(text_of(comparison.golden), text_of(comparison.candidate))


def text_of(workflow: Workflow) -> str:
    """The step texts joined by a blank."""
    return " ".join(workflow.texts)


@lru_cache(maxsize=1)  # bleu and gleu of one comparison come one after the other
def _overlap(golden_text: str, candidate_text: str) -> Overlap:
    golden, candidate = read_document(golden_text), read_document(candidate_text)
    return Overlap(
        matched=[_shared(counts, others) for counts, others in zip(candidate.counts, golden.counts, strict=True)],
        predicted=[max(0, len(candidate.words) - skipped) for skipped in range(LONGEST)],
        golden=[max(0, len(golden.words) - skipped) for skipped in range(LONGEST)],
        candidate_words=len(candidate.words),
        golden_words=len(golden.words),
        equal=candidate.words == golden.words,
    )


def _shared(counts: Counter[tuple[str, ...]], others: Counter[tuple[str, ...]]) -> int:
    """How many n-grams two documents share, each as often as both have it."""
    common = counts.keys() & others.keys()
    return sum(map(min, map(counts.__getitem__, common), map(others.__getitem__, common)))


@lru_cache(maxsize=64)  # a golden comes back with each of its candidates
def read_document(text: str) -> Document:
    """Split a document into words and count its n-grams, once for all its comparisons."""
    words = document_words(text)
    counts = [Counter(zip(*(words[start:] for start in range(n)), strict=False)) for n in range(1, LONGEST + 1)]
    return Document(words, counts)


def lexical_signature() -> str:
    """What both metrics depend on beside their own definition."""
    return f"wfkit=1|nltk={nltk_version()}|tok=punkt-untrained"
