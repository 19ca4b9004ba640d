"""The checks of each perturbation type, on a golden and a candidate whose structure is sound."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wfkit.perturb.matching import match_by_text
from wfkit.perturb.precedence import closure, precedence_changes, steps_out_of_order
from wfkit.perturb.words import wording
from wfkit.validation.check import Check, check, is_valid, quoted
from wfkit.validation.content import losses, merged_into
from wfkit.validation.tool_swap import is_tool_swap
from wfkit.workflow import Workflow

Place = Mapping[int, int]


class Sides(NamedTuple):
    """A golden and its candidate, by index and as step records, and the number of edits asked for."""

    golden: Workflow
    candidate: Workflow
    golden_nodes: Sequence[Mapping[str, Any]]
    candidate_nodes: Sequence[Mapping[str, Any]]
    edits: int


def missing_steps(sides: Sides) -> list[Check]:
    """N golden steps are gone; the others are there word for word, in their order and with their precedence."""
    return _best(sides, _removal)


def _removal(sides: Sides, place: Place) -> list[Check]:
    return [
        _change_count(sides, len(sides.golden.steps) - len(place), "gone"),
        _verbatim(sides, len(sides.candidate.steps), place),
        _order_kept(sides, place),
        _precedence_kept(sides, place),
    ]


def compressed_steps(sides: Sides) -> list[Check]:
    """N merges of golden steps; each merged step has the content of all its parts, the others stand as they were."""
    return _best(sides, _compression)


def _compression(sides: Sides, place: Place) -> list[Check]:
    golden, candidate = sides.golden, sides.candidate
    kept = set(place.values())
    merged = [step for step in range(len(candidate.steps)) if step not in kept]
    homes = merged_into(golden, candidate, place, merged)
    parts = Counter(homes.values())
    only_reworded = [candidate.steps[step].text for step in merged if parts[step] < 2]
    lost = [step for step in range(len(golden.steps)) if step not in place and step not in homes]
    return [
        _change_count(sides, sum(parts.values()) - len(parts), "merged into the one before"),
        check(
            "unchanged_verbatim", 0, len(only_reworded), f"neither a golden step nor several: {quoted(only_reworded)}"
        ),
        check("content_retained", 0, len(lost), losses(golden, candidate, lost)),
        _order_kept(sides, place),
        _precedence_kept(sides, {**place, **homes}),
    ]


def added_steps(sides: Sides) -> list[Check]:
    """N steps are new, in words that no golden step has; all golden steps are there as they were."""
    return _best(sides, _addition)


def _addition(sides: Sides, place: Place) -> list[Check]:
    known = {wording(text) for text in sides.golden.texts}
    extra = _unplaced_texts(sides, place)
    familiar = [text for text in extra if wording(text) in known]
    return [
        _change_count(sides, len(extra), "new"),
        check("wording_new", 0, len(familiar), f"a golden step again: {quoted(familiar)}"),
        *_golden_kept(sides, place),
    ]


def duplicated_steps(sides: Sides) -> list[Check]:
    """N golden steps are there once more, word for word, no step more than once; all are there as they were."""
    return _best(sides, _duplication)


def _duplication(sides: Sides, place: Place) -> list[Check]:
    extra = Counter(_unplaced_texts(sides, place))
    copies = sum((extra & Counter(sides.golden.texts)).values())
    return [_change_count(sides, copies, "there once more"), *_golden_kept(sides, place)]


def description_changes(sides: Sides) -> list[Check]:
    """N texts are worded otherwise; all other texts, their order and every edge are the same."""
    golden, candidate = sides.golden.texts, sides.candidate.texts
    changed = [step for step in range(len(golden)) if golden[step] != candidate[step]]
    same_words = [candidate[step] for step in changed if wording(golden[step]) == wording(candidate[step])]
    return [
        _change_count(sides, len(changed), "worded otherwise"),
        check("wording_changed", 0, len(same_words), f"still the same words: {quoted(same_words)}"),
        _rest_verbatim(sides, changed),
        _order_kept(sides, dict(match_by_text(golden, candidate))),
        _topology_kept(sides),
    ]


def reordered_steps(sides: Sides) -> list[Check]:
    """The same texts in a graph of the same shape; N steps must be taken out before no precedence is reversed."""
    place = dict(match_by_text(sides.golden.texts, sides.candidate.texts))
    profiles = Counter(_profile(sides.golden)) - Counter(_profile(sides.candidate))
    return [
        _change_count(sides, steps_out_of_order(sides.golden, sides.candidate), "out of order"),
        _verbatim(sides, len(sides.golden.steps), place),
        check("topology_kept", 0, sum(profiles.values()), "the graph has another shape"),
    ]


def wrong_dependencies(sides: Sides) -> list[Check]:
    """The same steps in the same places; N of them wait for other steps than in the golden."""
    size = len(sides.golden.steps)
    before, before_now = sides.golden.predecessors(), sides.candidate.predecessors()
    changed = [step for step in range(size) if before[step] != before_now[step]]
    earlier, earlier_now = closure(_reversed(sides.golden)), closure(_reversed(sides.candidate))
    idle = [sides.golden.steps[step].text for step in changed if earlier[step] == earlier_now[step]]
    same = sum(map(str.__eq__, sides.golden.texts, sides.candidate.texts))
    return [
        _change_count(sides, len(changed), "waiting for other steps"),
        check("precedence_changed", 0, len(idle), f"still after the same steps: {quoted(idle)}"),
        check("unchanged_verbatim", size, same, "a text differs or is in another place"),
    ]


def wrong_tool(sides: Sides) -> list[Check]:
    """N steps use another tool, in the ``tool`` field or the text; nothing else is different."""
    steps = range(len(sides.golden.steps))
    changed = [
        step
        for step in steps
        if sides.golden.steps[step].text != sides.candidate.steps[step].text
        or sides.golden_nodes[step].get("tool") != sides.candidate_nodes[step].get("tool")
    ]
    other = [
        sides.candidate.steps[step].text
        for step in changed
        if not is_tool_swap(sides.golden_nodes[step], sides.candidate_nodes[step])
    ]
    return [
        _change_count(sides, len(changed), "different"),
        check("only_tool_changed", 0, len(other), f"more or less than a tool was replaced: {quoted(other)}"),
        _rest_verbatim(sides, changed),
        _topology_kept(sides),
    ]


TYPE_CHECKS: dict[str, Callable[[Sides], list[Check]]] = {
    "missing_steps": missing_steps,
    "compressed_steps": compressed_steps,
    "description_changes": description_changes,
    "added_steps": added_steps,
    "duplicated_steps": duplicated_steps,
    "reordered_steps": reordered_steps,
    "wrong_dependencies": wrong_dependencies,
    "wrong_tool": wrong_tool,
}


def _best(sides: Sides, checks_for: Callable[[Sides, Place], list[Check]]) -> list[Check]:
    """The checks under the first correspondence of equal texts that passes them all, else under the best one.

    Repeated texts leave open which of them is gone. Any correspondence that passes is a proof, wherever it came from.
    """
    tried = []
    for place in _correspondences(sides):
        checks = checks_for(sides, place)
        if is_valid(checks):
            return checks
        tried.append(checks)
    return min(reversed(tried), key=lambda checks: sum(not found["ok"] for found in checks))


def _correspondences(sides: Sides) -> Iterator[Place]:
    golden, candidate = sides.golden, sides.candidate
    number = {step: place for place, step in enumerate(candidate.steps)}
    yield {step: number[same] for step, same in enumerate(golden.steps) if same in number}
    yield dict(match_by_text(golden.texts, candidate.texts, latest=True))
    yield dict(match_by_text(golden.texts, candidate.texts))


def _change_count(sides: Sides, actual: int, what: str) -> Check:
    return check("change_count", sides.edits, actual, f"{actual} steps are {what}, {sides.edits} should be")


def _rest_verbatim(sides: Sides, changed: Sequence[int]) -> Check:
    """Where steps keep their places: all but N must be the same to the letter."""
    size = len(sides.golden.steps)
    told = f"these differ: {quoted([sides.candidate.steps[step].text for step in changed])}"
    return check("unchanged_verbatim", size - sides.edits, size - len(changed), told)


def _golden_kept(sides: Sides, place: Place) -> list[Check]:
    return [
        _verbatim(sides, len(sides.golden.steps), place),
        _order_kept(sides, place),
        _precedence_kept(sides, place),
    ]


def _unplaced_texts(sides: Sides, place: Place) -> list[str]:
    placed = set(place.values())
    return [text for step, text in enumerate(sides.candidate.texts) if step not in placed]


def _verbatim(sides: Sides, expected: int, place: Place) -> Check:
    foreign = _unplaced_texts(sides, place)
    gone = [text for step, text in enumerate(sides.golden.texts) if step not in place]
    told = f"in the candidate only: {quoted(foreign)}" if foreign else f"in the golden only: {quoted(gone)}"
    return check("unchanged_verbatim", expected, len(place), told)


def _order_kept(sides: Sides, place: Place) -> Check:
    """The listed order of the steps that are on both sides: how many stand elsewhere (n − longest increasing run)."""
    tails: list[int] = []
    for _, there in sorted(place.items()):
        position = bisect_left(tails, there)
        tails[position : position + 1] = [there]
    return check("order_kept", 0, len(place) - len(tails), "unchanged steps are listed in another order")


def _precedence_kept(sides: Sides, place: Place) -> Check:
    lost, added = precedence_changes(sides.golden, sides.candidate, place)
    message = None
    if lost:
        first, second = (sides.golden.steps[step].text for step in lost[0])
        message = f"no longer one after the other: {quoted([first, second])}"
    elif added:
        first, second = (sides.candidate.steps[step].text for step in added[0])
        message = f"one after the other only in the candidate: {quoted([first, second])}"
    return check("precedence_kept", 0, len(lost) + len(added), message)


def _topology_kept(sides: Sides) -> Check:
    """Every edge joins the same places of the list; ids may differ."""
    different = set(sides.golden.edges) ^ set(sides.candidate.edges)
    return check("topology_kept", 0, len(different), "edges were added, removed or moved")


def _profile(workflow: Workflow) -> list[tuple[int, int, int, int]]:
    """For each step how many steps directly precede and follow it, and how many do so over any path."""
    direct_before, direct_after = workflow.predecessors(), workflow.successors()
    before, after = closure(_reversed(workflow)), closure(workflow)
    return [
        (len(direct_before[step]), len(direct_after[step]), before[step].bit_count(), after[step].bit_count())
        for step in range(len(workflow.steps))
    ]


def _reversed(workflow: Workflow) -> Workflow:
    return workflow._replace(edges=tuple((target, source) for source, target in workflow.edges))
