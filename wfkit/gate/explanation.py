"""What became of a workflow's steps, in plain words for the people who read a verdict."""

from collections.abc import Mapping, Sequence
from typing import Any

from wfkit.gate.differences import Comparison, Difference, Kind, compare, is_unchanged
from wfkit.gate.wording import REASON_LIMIT, counted, printable, quoted, similarity_text
from wfkit.workflow import Workflow

LINE_LIMIT = 20
"""Lines of an explanation; how many more there are is said in one further line."""

NOTED_KINDS: frozenset[Kind] = frozenset(("missing", "merged", "added", "moved", "unlinked", "linked"))
"""What a passing pair is noted for: everything but a new wording."""


def explain_pair(record: Mapping[str, Any]) -> list[str]:
    """How the candidate differs from its golden, structural differences first; empty if no step differs.

    Raises:
        DataError: see `wfkit.gate.differences.compare`.
    """
    return explain_comparison(record, compare_usable(record))


def compare_usable(record: Mapping[str, Any]) -> Comparison | None:
    """Compare both sides of a pair; None without an alignment, or where the candidate has no steps to speak of.

    Raises:
        DataError: see `wfkit.gate.differences.compare`.
    """
    if record.get("alignment") is None or _unusable(record) is not None:
        return None
    return compare(record)


def explain_comparison(record: Mapping[str, Any], comparison: Comparison | None) -> list[str]:
    """What `explain_pair` says, where `compare_usable` has been asked already."""
    if comparison is None:
        return [_unusable(record) or _without_alignment(record)]
    return _lines(comparison, comparison.differences)


def note_changes(record: Mapping[str, Any]) -> list[str]:
    """What a passing pair lost, gained, merged, moved or re-linked; empty, and quick to know, if nothing.

    Raises:
        DataError: see `wfkit.gate.differences.compare`.
    """
    if is_unchanged(record):
        return []
    unusable = _unusable(record)
    if unusable is not None:
        return [unusable]
    if record.get("alignment") is None:
        same_size = len(record["golden"]["nodes"]) == len(record["candidate"]["nodes"])
        return [] if same_size else [_without_alignment(record)]
    comparison = compare(record)
    return _lines(comparison, [change for change in comparison.differences if change.kind in NOTED_KINDS])


def _unusable(record: Mapping[str, Any]) -> str | None:
    """One line for a pair whose candidate has no steps to speak of, or None."""
    candidate = record["candidate"]
    if candidate is None:
        reason = (record.get("perturbation") or {}).get("inapplicable")
        if reason is None:
            return "there is no candidate"
        return f"there is no candidate: the perturbation does not apply ({printable(str(reason), REASON_LIMIT)})"
    error = (candidate.get("meta") or {}).get("error")
    if error is not None:
        return f"the candidate is not usable: {printable(str(error), REASON_LIMIT)}"
    if not candidate["nodes"] and record["golden"]["nodes"]:
        steps = counted(len(record["golden"]["nodes"]), "step")
        return f"the candidate is empty: the golden's {steps} have no counterpart"
    return None


def _without_alignment(record: Mapping[str, Any]) -> str:
    golden, candidate = len(record["golden"]["nodes"]), len(record["candidate"]["nodes"])
    return (
        f"the golden has {counted(golden, 'step')}, the candidate {candidate}; which ones differ is not known, "
        "as the record has no alignment (wf-score --metrics chain_f1 makes one)"
    )


def _lines(comparison: Comparison, differences: Sequence[Difference]) -> list[str]:
    lines = [_sentence(comparison, difference) for difference in differences[:LINE_LIMIT]]
    if len(differences) > LINE_LIMIT:
        lines.append(f"… and {counted(len(differences) - LINE_LIMIT, 'more difference')}")
    if not comparison.links_compared:
        lines.append("dependencies were not compared: too many run through steps without counterpart")
    return lines


def _sentence(comparison: Comparison, difference: Difference) -> str:
    golden, candidate = comparison.golden, comparison.candidate
    match difference.kind:
        case "missing":
            takers = {counterpart: step for step, counterpart in comparison.partners.items()}
            closeness = _closeness(difference, ("candidate", candidate), ("golden", golden), takers)
            return f"golden {_step(golden, difference.golden[0])} has no counterpart{closeness}"
        case "added":
            closeness = _closeness(difference, ("golden", golden), ("candidate", candidate), comparison.partners)
            return f"candidate {_step(candidate, difference.candidate[0])} is added, without counterpart{closeness}"
        case "merged":
            steps = " and ".join(_identified(golden, step) for step in difference.golden)
            said_in = _step(candidate, difference.candidate[0])
            return f"golden steps {steps} are merged into candidate {said_in}{_closest_golden(comparison, difference)}"
        case "moved":
            step, other = difference.golden
            before, after = ("before", "followed") if other < step else ("after", "preceded")
            moved = f"golden {_step(golden, step)} now comes {before} {_step(golden, other)}, which it {after}"
            return moved + _counterpart_id(comparison, difference)
        case "unlinked" | "linked":
            earlier, later = difference.golden
            relation = "no longer waits for" if difference.kind == "unlinked" else "now waits for"
            return f"golden {_step(golden, later)} {relation} {_step(golden, earlier)}"
        case "reworded":
            assert difference.similarity is not None
            partner = _identified(candidate, difference.candidate[0])
            similarity = similarity_text(difference.similarity)
            return f"golden {_step(golden, difference.golden[0])} is reworded as {partner} (similarity {similarity})"


def _closest_golden(comparison: Comparison, difference: Difference) -> str:
    if difference.closest is None or difference.similarity is None:
        return ""
    closest = printable(comparison.golden.steps[difference.closest].id)
    return f" (similarity {similarity_text(difference.similarity)} to golden step {closest})"


def _counterpart_id(comparison: Comparison, difference: Difference) -> str:
    """Which candidate step a golden step has become, where the ids differ; its wording has a line of its own."""
    counterpart = comparison.candidate.steps[difference.candidate[0]].id
    same = counterpart == comparison.golden.steps[difference.golden[0]].id
    return "" if same else f" (candidate step {printable(counterpart)})"


def _closeness(
    difference: Difference, there: tuple[str, Workflow], here: tuple[str, Workflow], takers: Mapping[int, int]
) -> str:
    """What is most similar on the other side, and which step has it for its counterpart already."""
    if difference.similarity is None or difference.closest is None:
        return ""
    (side, workflow), (own_side, own_workflow) = there, here
    closest = _identified(workflow, difference.closest)
    taken = ""
    if difference.closest in takers:
        taken = f", matched with {own_side} step {printable(own_workflow.steps[takers[difference.closest]].id)}"
    return f" (closest {similarity_text(difference.similarity)}: {side} step {closest}{taken})"


def _step(workflow: Workflow, index: int) -> str:
    return f"step {_identified(workflow, index)}"


def _identified(workflow: Workflow, index: int) -> str:
    step = workflow.steps[index]
    return f"{printable(step.id)} {quoted(step.text)}"
