"""Adds the scores of judges to pairs that the other metrics have scored, and says which pairs are worth a judge."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from wfkit import workflow
from wfkit.condition import Condition
from wfkit.jsonl import Record
from wfkit.metrics.base import Comparison
from wfkit.scoring import why_no_candidate

if TYPE_CHECKING:
    from wfkit.llm.estimate import Estimate
    from wfkit.metrics.judge import Judge, Pending


class Begun(NamedTuple):
    """A pair whose judges are at work, or the reason why none is."""

    pair: Record
    pending: "list[tuple[Judge, Pending]]"
    reason: str | None


def without_judgments(pair: Record, names: Sequence[str]) -> Record:
    """The pair without what earlier runs wrote under these metrics."""
    owned = ("scores", "reasons", "details", "signatures")
    kept = {key: value for key, value in pair.items() if key not in names}
    return kept | {
        key: {name: value for name, value in pair[key].items() if name not in names} for key in owned if key in pair
    }


def begin(pair: Record, judges: "Sequence[Judge]", condition: Condition | None) -> Begun:
    """Send off the calls for one scored pair, unless it is not to be judged."""
    pair = without_judgments(pair, [judge.name for judge in judges])
    reason = _reason_not_to(pair, condition)
    if reason is not None:
        return Begun(pair, [], reason)
    comparison = comparison_of(pair)
    return Begun(pair, [(judge, judge.begin(comparison)) for judge in judges], None)


def finish(begun: Begun, judges: "Sequence[Judge]") -> Record:
    """Wait for the judges of one pair and write down what they say."""
    pair = begun.pair
    scores, reasons = pair.setdefault("scores", {}), pair.setdefault("reasons", {})
    if begun.reason is not None:
        for judge in judges:
            scores[judge.name], reasons[judge.name] = None, begun.reason
    for judge, pending in begun.pending:
        judged = judge.finish(pending)
        scores[judge.name] = judged.score.value
        if judged.score.reason is not None:
            reasons[judge.name] = judged.score.reason
        if judged.score.details:
            pair.setdefault("details", {})[judge.name] = dict(judged.score.details)
        if judged.signature is not None:
            pair.setdefault("signatures", {})[judge.name] = judged.signature
        if judged.field is not None:
            pair[judge.name] = judged.field
    return pair


def estimate(pair: Record, judges: "Sequence[Judge]", condition: Condition | None, into: "Estimate") -> None:
    """Count the calls that the judges of one scored pair would make, without those that the cache answers."""
    from wfkit.metrics.judge import EXPECTED_OUTPUT_TOKENS

    if _reason_not_to(pair, condition) is None:
        comparison = comparison_of(pair)
        for judge in judges:
            request = judge.request(comparison)
            into.add(request, judge.missing(request), EXPECTED_OUTPUT_TOKENS)


def comparison_of(pair: Mapping[str, Any]) -> Comparison:
    """Golden and candidate of a pair that has both."""
    golden = workflow.from_record(pair["golden"], path="$.golden")
    return Comparison(golden, workflow.from_record(pair["candidate"], path="$.candidate"))


def _reason_not_to(pair: Mapping[str, Any], condition: Condition | None) -> str | None:
    if pair["candidate"] is None:
        return why_no_candidate(pair)
    if condition is None:
        return None
    scores, reasons = pair.get("scores") or {}, pair.get("reasons") or {}
    holds = condition.holds(scores)
    if holds is not None:
        return None if holds else f"skipped: not {condition.text}"
    lacking = [name for name in condition.metrics if scores.get(name) is None]
    # A score that should be there is a gap; one without meaning for this golden is none.
    measured = all(name in reasons and not reasons[name].startswith("unavailable:") for name in lacking)
    return f"{'skipped' if measured else 'unavailable'}: {condition.text} cannot be told without {', '.join(lacking)}"
