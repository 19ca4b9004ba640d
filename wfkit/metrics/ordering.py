"""Metrics that compare the order in which two workflows list their steps (Appendix B.5)."""

from bisect import bisect_left, insort
from collections.abc import Sequence

from wfkit.alignment import Alignment
from wfkit.metrics.base import Comparison, Score, alignment_of
from wfkit.workflow import Workflow

NO_ORDER = Score(None, reason="undefined: a golden with fewer than two steps has no order")


class KendallTau:
    """Rank correlation of the order of the golden's steps, scaled down by the ratio of sizes.

    Every golden step looks for a predicted step: its assigned partner, else the most similar one. Over the k
    golden steps that find one, C pairs keep their strict order and D do not, a shared predicted step
    included; the score is (C - D) / (k(k-1)/2), and if that is positive, times shorter / longer side. So
    both lost and added steps cost; merged ones cost twice. Appendix B.5 is lost: this reading fits the
    published figures best.

    Range -1 to 1, higher is better; 0 if k < 2; undefined if the golden has fewer than two steps.
    """

    name = "kendall_tau"
    summary = "rank correlation of the golden's steps in predicted order, times the ratio of sizes"
    needs_alignment = True

    def score(self, comparison: Comparison) -> Score:
        """Measure one comparison; ``matched`` in the details is k."""
        golden, candidate = comparison.golden, comparison.candidate
        if len(golden.steps) < 2:
            return NO_ORDER
        places = predicted_places(golden, alignment_of(comparison))
        shorter, longer = sorted((len(golden.steps), len(candidate.steps)))
        return tau(places, shorter, longer)

    def signature(self) -> str:
        """The version of this definition."""
        return "wfkit=1"


class KendallTauAligned:
    """Rank correlation over the one-to-one alignment alone: (C - D) / (k(k-1)/2) of the k matched steps.

    Range -1 to 1, higher is better; 0 if k < 2; undefined if the golden has fewer than two steps.
    """

    name = "kendall_tau_aligned"
    summary = "rank correlation of the matched steps alone, whatever was lost or added"
    needs_alignment = True

    def score(self, comparison: Comparison) -> Score:
        """Measure one comparison; ``matched`` in the details is k."""
        if len(comparison.golden.steps) < 2:
            return NO_ORDER
        by_golden = sorted((golden, candidate) for candidate, golden, _ in alignment_of(comparison).pairs)
        return tau([candidate for _, candidate in by_golden], 1, 1)

    def signature(self) -> str:
        """The version of this definition."""
        return "wfkit=1"


def predicted_places(golden: Workflow, alignment: Alignment) -> list[int]:
    """The places of the predicted steps that the golden steps find, in golden order; lost steps are left out.

    A golden step without a partner takes its most similar predicted step (ties: the one listed first) if
    that reaches the threshold. If that step is already the partner of a golden step with the same text, the
    golden step is the lost twin of a repeated step, which is missing and not out of order.
    """
    partner_of_golden = {golden_step: candidate for candidate, golden_step, _ in alignment.pairs}
    partner_of_candidate = {candidate: golden_step for candidate, golden_step, _ in alignment.pairs}
    texts = golden.texts
    places = []
    for step, text in enumerate(texts):
        place = partner_of_golden.get(step)
        if place is None and len(alignment.similarity):
            column = alignment.similarity[:, step]
            closest = int(column.argmax())
            twin = partner_of_candidate.get(closest)
            if column[closest] >= alignment.threshold and (twin is None or texts[twin] != text):
                place = closest
        if place is not None:
            places.append(place)
    return places


def tau(places: Sequence[int], shorter: int, longer: int) -> Score:
    """(C - D) / (k(k-1)/2) over k places, if positive times shorter / longer, in one division.

    C counts the pairs of places in strictly rising order, D all others.
    """
    count = len(places)
    if count < 2:
        return Score(0.0, {"matched": count})
    concordant = 0
    seen: list[int] = []
    for place in places:
        concordant += bisect_left(seen, place)
        insort(seen, place)
    pairs = count * (count - 1) // 2
    discordant = pairs - concordant
    balance = concordant - discordant
    value = balance * shorter / (pairs * longer) if balance > 0 else balance / pairs
    return Score(value, {"matched": count, "concordant": concordant, "discordant": discordant})
