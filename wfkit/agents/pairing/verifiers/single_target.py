"""Check 1: only the declared target differs, only where it was claimed, and nothing of the evaluation got in."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wfkit.agents.families import FAMILIES
from wfkit.agents.pairing.candidate import Candidate, Check
from wfkit.agents.pairing.differences import Difference, same
from wfkit.agents.pairing.pointers import covers, last, parent
from wfkit.agents.pairing.reference import normal
from wfkit.agents.pairing.surfaces import texts_in
from wfkit.agents.pairing.verifiers.text_changes import changes_within, claimed_range, claimed_ranges

# Words that name an edit, in lower case; a clean instance may hold them, an edit may not bring them in.
_LABEL = re.compile(
    r"\b(?:perturb\w*|misleading|redundant|incorrect|corrupted|distract\w*|decoy|fake|clean (?:side|version)|"
    r"(?:is|was|deliberately|intentionally) missing|deliberately|intentionally|mistaken|ground truth)\b|"
    + "|".join(map(re.escape, FAMILIES))
)


def single_target(candidate: Candidate) -> Check:
    """Decide; this check never has to leave it open."""
    problem = next(_problems(candidate), None)
    if problem is not None:
        return Check("fail", problem)
    places = list(dict.fromkeys(difference.pointer for difference in candidate.differences))
    return Check("pass", f"differs in {', '.join(places[:3])}{' and more' if len(places) > 3 else ''} only")


def _problems(candidate: Candidate) -> Iterator[str]:
    clean = candidate.foreign.get("clean")
    if clean is not None and not same(clean, candidate.clean):
        yield "the clean side is not that of the instance"
    found = candidate.differences
    if not found:
        yield "clean and perturbed are identical"
    for difference in found:
        if not _under(candidate.pointers.get(candidate.target, ()), difference):
            yield f"{difference.pointer} differs, which is outside the {candidate.target} surface"
    if all(_only_white_space(difference) for difference in found):
        yield "only white space differs"
    yield from _outside_of_slots(candidate, found)
    yield from _leaks(candidate, found)


def _under(pointers: Sequence[str], difference: Difference) -> bool:
    """Whether a difference is inside a surface; elements may also come directly before or behind its elements."""
    if any(covers(pointer, difference.pointer) for pointer in pointers):
        return True
    if not (difference.in_list and difference.kind == "added"):
        return False
    array = parent(difference.pointer)
    places = [int(last(pointer)) for pointer in pointers if parent(pointer) == array and last(pointer).isdecimal()]
    # Added elements are told one by one, so the place may be as far behind as there are added ones; what stands behind
    # the surface is unchanged all the same, or it would be a difference of its own.
    return bool(places) and int(last(difference.pointer)) >= min(places)


def _only_white_space(difference: Difference) -> bool:
    before, after = difference.before, difference.after
    return isinstance(before, str) and isinstance(after, str) and "".join(before.split()) == "".join(after.split())


def _outside_of_slots(candidate: Candidate, found: Sequence[Difference]) -> Iterator[str]:
    """Differences that the envelope does not claim."""
    envelope = candidate.record.get("envelope")
    slots = envelope.get("modified_slots") if isinstance(envelope, dict) else None
    if slots is None:
        return  # an edit from elsewhere that claims nothing
    if not slots:
        yield "modified_slots is empty"
    whole = [slot for slot in slots if "#" not in slot]
    ranges = claimed_ranges(slots)
    for slot in slots:
        if "#" in slot and claimed_range(slot.partition("#")[2]) is None:
            yield f"{slot} of modified_slots is no JSON Pointer"
    for difference in found:
        if any(covers(pointer, difference.pointer) for pointer in whole):
            continue
        before, after = difference.before, difference.after
        parts = ranges.get(difference.pointer)
        inside = parts and isinstance(before, str) and isinstance(after, str)
        if not inside or changes_within(before, after, parts or []) is None:
            yield f"{difference.pointer} differs outside modified_slots"


def _leaks(candidate: Candidate, found: Sequence[Difference]) -> Iterator[str]:
    """Material of the evaluation side that the edit brought in."""
    new = normal("\n".join(text for difference in found for text in texts_in(difference.after)))
    labels = [match[0] for match in _LABEL.finditer(new)]
    told = [text for text in _told(candidate.recovery) if text in new]
    if not labels and not told:
        return
    old = normal("\n".join(text for difference in found for text in texts_in(difference.before)))
    for label in labels:
        if label not in old:
            yield f"the public text has the label word «{label}»"
    if any(text not in old for text in told):
        yield "a sentence of the recovery stands in the public text"


def _told(recovery: Mapping[str, Any]) -> Iterator[str]:
    for key in ("answer", "note"):
        value = recovery.get(key)
        if isinstance(value, str) and len(normal(value)) >= 8:
            yield normal(value)
