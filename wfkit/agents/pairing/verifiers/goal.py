"""Check 2: what is to be achieved is still the same."""

import re
from collections.abc import Sequence
from typing import Any

from wfkit.agents.pairing.candidate import Candidate, Check
from wfkit.agents.pairing.differences import Difference, same
from wfkit.agents.pairing.pointers import last, parent
from wfkit.agents.pairing.reference import Literal, Stock, normal
from wfkit.agents.pairing.stretches import Change, change
from wfkit.agents.pairing.surfaces import texts_in
from wfkit.agents.pairing.verifiers.facts import Facts
from wfkit.agents.pairing.verifiers.insertions import all_sentences, insertions
from wfkit.agents.pairing.verifiers.statements import adds_no_meaning, only_states, only_values_differ
from wfkit.agents.pairing.verifiers.text_changes import changes_within, claimed_ranges, is_list_mark

# Characters from which on a value that stands in two sources is taken for the same one; a mere number needs more.
DISTINCT, DISTINCT_DIGITS = 4, 6

_LIST_MARK = re.compile(r"^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+", re.MULTILINE)


def goal_preserved(candidate: Candidate, facts: Facts) -> Check:
    """Decide by what was taken out, put in or changed, and where else its truth stands."""
    private = candidate.foreign.get("private")
    if private is not None and not same(private, candidate.private):
        return Check("fail", "the private part (reference, environment) is not that of the instance")
    if candidate.target == "tools":
        return _tools(candidate)
    changes = changes_of(candidate)
    decide = {"redundant": _redundant, "missing": _missing, "incorrect": _incorrect}[candidate.type]
    return decide(candidate, facts, changes)


def _tools(candidate: Candidate) -> Check:
    """A contract says nothing of the goal; what was done to it has to be what the type says."""
    kinds = {difference.kind for difference in candidate.differences}
    if candidate.type == "redundant" and kinds != {"added"}:
        return Check("fail", "a contract was changed or taken out, which is more than something redundant")
    if candidate.type == "missing" and kinds != {"removed"}:
        return Check("fail", "something of the contracts was put in or changed, which is more than something missing")
    if candidate.type == "incorrect" and all(_is_left_out(difference) for difference in candidate.differences):
        return Check("fail", "something of the contracts was taken out, and nothing is incorrect")
    return Check("pass", "the request is the same byte for byte; a contract says nothing of the goal")


def _is_left_out(difference: Difference) -> bool:
    """Whether something is gone but for the mark that an argument is required, whose lack is a wrong contract."""
    return difference.kind == "removed" and last(parent(difference.pointer)) != "required"


def changes_of(candidate: Candidate) -> list[Change]:
    """What was taken out and what was put in, as text.

    A text whose changed parts were claimed is looked at part by part; list numbers that move up are no change.
    """
    envelope = candidate.record.get("envelope")
    ranges = claimed_ranges(envelope["modified_slots"]) if isinstance(envelope, dict) else {}
    changes = []
    for difference in candidate.differences:
        before, after = difference.before, difference.after
        if isinstance(before, str) and isinstance(after, str):
            parts = sorted(ranges.get(difference.pointer, ()))
            found = changes_within(before, after, parts) if parts else None
            for part, one in zip(parts, found or (), strict=False):
                if not (is_list_mark(before, *part) and one.after.isdecimal()):
                    changes.append(one)
            if found is None:
                changes.append(change(before, after))
        else:
            changes.append(Change(_text(before), _text(after)))
    return changes


def _text(value: Any) -> str:
    if isinstance(value, dict) and "role" in value:
        return "\n".join(texts_in({"content": value.get("content")})).removeprefix("content\n")
    return "\n".join(texts_in(value))


def _redundant(candidate: Candidate, facts: Facts, _changes: Sequence[Change]) -> Check:
    added = insertions(candidate.differences)
    if added is None:
        return Check("fail", "original content was taken out or changed")
    if not all_sentences(candidate.differences):
        return Check("unverified", "what was added is no whole sentence and may change the one it stands in")
    added_stock = Stock(added)
    shared = [literal.value for literal in facts.literals if added_stock.holds(literal.value)]
    if shared:
        return Check("unverified", f"what was added holds {shared[0]!r}, which the reference passes")
    if candidate.target == "context":
        if not _is_finished(candidate.differences, added):
            return Check("unverified", "what was added to the context is no exchange that ended with an answer")
    elif not all(only_states(text) for text in added):
        return Check("unverified", "what was added may be a request, an instruction or a rule")
    return Check("pass", "all original content stands; what was added asks for nothing and shares no value")


def _is_finished(found: Sequence[Difference], added: Sequence[str]) -> bool:
    """Whether added messages are questions with answers that call nothing; added text only states something."""
    messages = [one.after for one in found if isinstance(one.after, dict) and "role" in one.after]
    if messages:
        final = messages[-1]
        whole = len(messages) == len(found) and messages[0]["role"] == "user"
        ended = whole and final["role"] == "assistant" and not any(one.get("tool_calls") for one in messages)
        return ended and all(only_states(_text(one), may_ask=one["role"] == "user") for one in messages)
    return all(only_states(text) for text in added)


def _missing(candidate: Candidate, facts: Facts, changes: Sequence[Change]) -> Check:
    taken = "\n".join(before for before, _ in changes)
    taken_stock, new_stock = Stock([taken]), facts.stock_of(candidate.perturbed)
    lost = [one for one in facts.literals if taken_stock.holds(one.value) and not new_stock.holds(one.value)]
    added = [after for _, after in changes if after.strip()]
    if any(not before.strip() for before, after in changes if after.strip()):
        return Check("fail", "something was put in where nothing was taken out")
    old = "\n".join(_text(difference.before) for difference in candidate.differences)
    told = _restored(candidate)
    if told is None:
        if lost:
            return Check("fail", f"{lost[0].value!r} is gone and nothing restores it")
        return Check("unverified", "something was taken out and no recovery says what")
    unrestored = [literal.value for literal in lost if not told.holds(literal.value)]
    if unrestored:
        return Check("fail", f"{unrestored[0]!r} is gone and the recovery does not restore it")
    if Stock(added).holds_any(literal.value for literal in facts.literals):
        return Check("unverified", "what stands in its place holds a value of the reference")
    if not all(adds_no_meaning(text, old) for text in added):
        return Check("unverified", "what stands in its place may say something else")
    if not _restores_all(candidate, taken):
        return Check("unverified", "the recovery does not restore literally what was taken out")
    return Check("pass", "the recovery restores literally what was taken out")


def _restored(candidate: Candidate) -> Stock | None:
    restores = candidate.recovery.get("restores")
    return Stock([str(text) for text in restores]) if restores else None


def _restores_all(candidate: Candidate, taken: str) -> bool:
    """Whether every value in what was taken out, or all of it, stands in the recovery."""
    texts = [normal(str(text)) for text in candidate.recovery.get("restores", ())]
    rest = normal(_LIST_MARK.sub("", taken))
    for text in texts:
        rest = rest.replace(text, " ")
    return not re.search(r"\d", rest) and any(text and text in normal(taken) for text in texts)


def _incorrect(candidate: Candidate, facts: Facts, changes: Sequence[Change]) -> Check:
    if any(not before.strip() or not after.strip() for before, after in changes):
        return Check("fail", "something was taken out or put in instead of being changed")
    if candidate.target == "procedure":
        return _wrong_procedure(candidate)
    old, told = Stock(["\n".join(before for before, _ in changes)]), facts.told_stock(candidate.perturbed)
    touched = [literal for literal in facts.literals if old.holds(literal.value)]
    if not touched:
        return Check("unverified", "no value of the reference was changed, so no rule tells whether the goal was")
    for literal in touched:
        if not told.holds(literal.value) and not _told_by_a_tool(literal, facts, told):
            return Check("fail", f"{literal.value!r} is what the reference passes, and nothing tells it any more")
    if Stock([after for _, after in changes]).holds_any(literal.value for literal in touched):
        return Check("unverified", "the changed stretch still holds a value of the reference")
    if not all(only_values_differ(before, after) for before, after in changes):
        return Check("unverified", "more than values was changed, so no rule tells whether the goal was")
    short = [literal.value for literal in touched if _may_stand_by_chance(str(literal.value))]
    if short:
        return Check("unverified", f"{short[0]!r} stands elsewhere too, but something so short may do so by chance")
    return Check("pass", f"the true value {touched[0].value!r} still stands in another source")


def _may_stand_by_chance(value: str) -> bool:
    return len(value) < (DISTINCT_DIGITS if value.isdecimal() else DISTINCT)


def _told_by_a_tool(literal: Literal, facts: Facts, new: Stock) -> bool:
    """Whether an earlier call gives the value, all of whose own arguments can still be found."""
    for place, outputs in facts.observations:
        if literal.call is not None and place < literal.call and outputs.holds(literal.value):
            needed = [one for one in facts.literals if one.call is not None and one.call <= place]
            if all(
                one.value != literal.value and (isinstance(one.value, bool) or new.holds(one.value)) for one in needed
            ):
                return True
    return False


def _wrong_procedure(candidate: Candidate) -> Check:
    """Whether every changed part stands in a statement that the environment enforces."""
    enforced = [str(rule) for rule in candidate.private.get("enforced", ())]
    envelope = candidate.record.get("envelope")
    ranges = claimed_ranges(envelope["modified_slots"]) if isinstance(envelope, dict) else {}
    for difference in candidate.differences:
        text, parts = difference.before, ranges.get(difference.pointer, ())
        if not isinstance(text, str) or not parts:
            return Check("unverified", "which part of the procedure changed was not claimed")
        spans = [(text.find(rule), len(rule)) for rule in enforced if rule in text]
        if not all(any(at <= start and end <= at + size for at, size in spans) for start, end in parts):
            return Check("unverified", "nothing on file says that the environment enforces what was changed")
    return Check("pass", "the environment enforces the true rule whatever the procedure says")
