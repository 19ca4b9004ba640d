"""What differs between a golden and its candidate, step by step, as the alignment of the record shows it.

All functions are pure and their results are in a fixed order: the golden's order, then the candidate's.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from wfkit.errors import DataError
from wfkit.gate.merging import find_merges
from wfkit.workflow import Workflow, from_record

Kind = Literal["missing", "merged", "added", "moved", "unlinked", "linked", "reworded"]

LINK_LIMIT = 100_000
"""Steps looked at, beyond one per edge, after which links are not compared: around a lost hub there are millions."""


class Difference(NamedTuple):
    """One difference.

    Attributes:
        kind: what happened; ``unlinked`` and ``linked`` are dependencies that were lost and gained.
        golden: indices of the golden steps concerned: for links the earlier step, then the one that waits for it;
            for ``moved`` the step that moved, then one of those that stayed, on whose other side it now stands.
        candidate: indices of the candidate steps concerned.
        similarity: of a reworded step to its golden step, of a missing, added or merged step to ``closest``; -1 to 1.
        closest: for ``missing`` the candidate step, for ``added`` and ``merged`` the golden step, that is most similar.
    """

    kind: Kind
    golden: tuple[int, ...] = ()
    candidate: tuple[int, ...] = ()
    similarity: float | None = None
    closest: int | None = None


class Comparison(NamedTuple):
    """Both workflows of a pair and what was found between them.

    Attributes:
        partners: the index of the candidate step that each matched golden index is assigned to.
        differences: structural ones first: missing, merged, added, moved, unlinked, linked, reworded.
        links_compared: False where the dependencies were too many to compare.
    """

    golden: Workflow
    candidate: Workflow
    partners: Mapping[int, int]
    differences: tuple[Difference, ...]
    links_compared: bool


class _Matching(NamedTuple):
    """The alignment by index: partner and similarity of each matched golden step, and the closest of the others."""

    partners: dict[int, int]
    similarities: dict[int, float]
    closest_of_missing: dict[int, tuple[int, float]]
    closest_of_extra: dict[int, tuple[int, float]]


def is_unchanged(record: Mapping[str, Any]) -> bool:
    """Whether a pair surely lost, gained, merged, moved and re-linked no step: the quick check for passing pairs.

    True only if all steps are matched in listed order and the edges are the same under the matching.
    """
    alignment = record.get("alignment")
    if alignment is None:
        return False
    golden, candidate, matched = record["golden"], record["candidate"], alignment["matched"]
    nodes, counterparts = golden["nodes"], candidate["nodes"]
    if not len(nodes) == len(counterparts) == len(matched):
        return False
    renamed = False
    for node, counterpart, (name, partner, _) in zip(nodes, counterparts, matched, strict=True):
        if node["id"] != name or counterpart["id"] != partner:
            return False
        if name != partner:
            renamed = True
    edges, links = golden["edges"], candidate["edges"]
    if not renamed and edges == links:
        return True
    names = {name: partner for name, partner, _ in matched}
    return {(names.get(source), names.get(target)) for source, target in edges} == {(a, b) for a, b in links}


def compare(record: Mapping[str, Any]) -> Comparison:
    """Compare golden and candidate of a pair that has an ``alignment``.

    Raises:
        DataError: a workflow is broken (repeated step ids, edges to unknown steps), or the alignment names steps that
            are not there or matches one twice.
    """
    golden = from_record(record["golden"], path="$.golden")
    candidate = from_record(record["candidate"], path="$.candidate")
    matching = _read_alignment(record["alignment"], golden, candidate)
    merges = find_merges(
        golden, candidate, matching.partners, {step: near for step, (near, _) in matching.closest_of_extra.items()}
    )
    groups = {step: counterpart for counterpart, steps in merges.items() for step in steps}
    partners = {**matching.partners, **groups}
    unlinked, linked, links_compared = _compare_links(golden, candidate, partners)
    differences = (
        *_missing(golden, partners, matching),
        *_merged(merges, matching),
        *_added(candidate, partners, matching),
        *_moved(matching.partners),
        *unlinked,
        *linked,
        *_reworded(golden, candidate, matching, groups),
    )
    return Comparison(golden, candidate, matching.partners, differences, links_compared)


def longest_increasing_run(values: Sequence[int]) -> set[int]:
    """One longest increasing subsequence of distinct numbers, as a set; of several the one that ends lowest."""
    from bisect import bisect_left

    ends: list[int] = []
    previous: dict[int, int | None] = {}
    for value in values:
        place = bisect_left(ends, value)
        previous[value] = ends[place - 1] if place else None
        ends[place : place + 1] = [value]
    run = set()
    member = ends[-1] if ends else None
    while member is not None:
        run.add(member)
        member = previous[member]
    return run


def _missing(golden: Workflow, partners: Mapping[int, int], matching: _Matching) -> list[Difference]:
    found = []
    for step in range(len(golden.steps)):
        if step not in partners:
            closest, similarity = matching.closest_of_missing.get(step, (None, None))
            found.append(Difference("missing", golden=(step,), closest=closest, similarity=similarity))
    return found


def _added(candidate: Workflow, partners: Mapping[int, int], matching: _Matching) -> list[Difference]:
    used = set(partners.values())
    found = []
    for step in range(len(candidate.steps)):
        if step not in used:
            closest, similarity = matching.closest_of_extra.get(step, (None, None))
            found.append(Difference("added", candidate=(step,), closest=closest, similarity=similarity))
    return found


def _merged(merges: Mapping[int, tuple[int, ...]], matching: _Matching) -> list[Difference]:
    found = []
    for said_in, steps in merges.items():
        matched = [(step, matching.similarities[step]) for step in steps if matching.partners.get(step) == said_in]
        closest, similarity = matched[0] if matched else matching.closest_of_extra.get(said_in, (None, None))
        found.append(Difference("merged", golden=steps, candidate=(said_in,), closest=closest, similarity=similarity))
    return found


def _moved(partners: Mapping[int, int]) -> list[Difference]:
    """The matched steps outside one longest run that keeps its listed order, which is what `chain_f1` counts."""
    by_candidate = [step for _, step in sorted((counterpart, step) for step, counterpart in partners.items())]
    kept = longest_increasing_run(by_candidate)
    if len(kept) == len(by_candidate):
        return []
    places = {step: place for place, step in enumerate(by_candidate)}

    def passed(step: int) -> int:
        """The nearest step that kept its order and has the moved one on its other side; else the run were longer."""
        crossed = [other for other in kept if (other < step) != (places[other] < places[step])]
        return min(crossed, key=lambda other: (abs(places[other] - places[step]), other))

    return [
        Difference("moved", golden=(step, passed(step)), candidate=(partners[step],))
        for step in sorted(partners)
        if step not in kept
    ]


def _reworded(
    golden: Workflow, candidate: Workflow, matching: _Matching, groups: Mapping[int, int]
) -> list[Difference]:
    return [
        Difference("reworded", golden=(step,), candidate=(partner,), similarity=matching.similarities[step])
        for step, partner in sorted(matching.partners.items())
        if step not in groups and golden.steps[step].text != candidate.steps[partner].text
    ]


def _compare_links(
    golden: Workflow, candidate: Workflow, partners: Mapping[int, int]
) -> tuple[list[Difference], list[Difference], bool]:
    """Dependencies among matched steps that were lost and gained.

    Steps without counterpart are looked through, so that re-linking around a lost or an inserted step is no difference.
    """
    expected = _links_among(golden, partners)
    found = _links_among(candidate, {step: step for step in partners.values()})
    if expected is None or found is None:
        return [], [], False
    representatives: dict[int, int] = {}
    for step in sorted(partners):
        representatives.setdefault(partners[step], step)

    def difference(kind: Kind, link: tuple[int, int]) -> Difference:
        return Difference(kind, golden=(representatives[link[0]], representatives[link[1]]), candidate=link)

    unlinked = [difference("unlinked", link) for link in expected - found]
    linked = [difference("linked", link) for link in found - expected]
    return sorted(unlinked), sorted(linked), True


def _links_among(workflow: Workflow, names: Mapping[int, int]) -> set[tuple[int, int]] | None:
    """The (name, name) of named steps joined by an edge or by a path of unnamed steps; None if they are too many."""
    if len(names) == len(workflow.steps):  # the usual case, kept quick: there is nothing to look through
        return {(names[a], names[b]) for a, b in workflow.edges if names[a] != names[b]}
    successors = workflow.successors()
    named = names.keys()
    links: set[tuple[int, int]] = set()
    visits = 0
    for start, name in names.items():
        direct = successors[start]
        if direct <= named:  # here neither
            visits += len(direct)
            links.update((name, names[follower]) for follower in direct if names[follower] != name)
            continue
        queue, seen = deque([start]), {start}
        while queue:
            for follower in successors[queue.popleft()]:
                visits += 1
                if follower in seen:
                    continue
                seen.add(follower)
                if follower not in names:
                    queue.append(follower)
                elif names[follower] != name:
                    links.add((name, names[follower]))
        if visits > LINK_LIMIT + len(workflow.edges):
            return None
    return links


def _read_alignment(alignment: Mapping[str, Any], golden: Workflow, candidate: Workflow) -> _Matching:
    golden_places = {step.id: place for place, step in enumerate(golden.steps)}
    candidate_places = {step.id: place for place, step in enumerate(candidate.steps)}
    partners: dict[int, int] = {}
    similarities: dict[int, float] = {}
    for number, (name, counterpart, similarity) in enumerate(alignment["matched"]):
        path = f"$.alignment.matched[{number}]"
        step = _place(golden_places, name, "golden", path)
        partners[step] = _place(candidate_places, counterpart, "candidate", path)
        similarities[step] = similarity
    if not len(alignment["matched"]) == len(partners) == len(set(partners.values())):
        raise DataError("the alignment matches a step twice", code="E-ALIGNMENT", path="$.alignment.matched")
    return _Matching(
        partners,
        similarities,
        _read_closest(alignment, "closest", golden_places, candidate_places),
        _read_closest(alignment, "closest_extra", candidate_places, golden_places),
    )


def _read_closest(
    alignment: Mapping[str, Any], key: str, own: Mapping[str, int], other: Mapping[str, int]
) -> dict[int, tuple[int, float]]:
    own_side, other_side = ("golden", "candidate") if key == "closest" else ("candidate", "golden")
    path = f"$.alignment.{key}"
    return {
        _place(own, name, own_side, path): (_place(other, near, other_side, path), similarity)
        for name, (near, similarity) in (alignment.get(key) or {}).items()
    }


def _place(places: Mapping[str, int], name: str, side: str, path: str) -> int:
    if name not in places:
        raise DataError(f"the alignment names step {name!r}, which the {side} lacks", code="E-ALIGNMENT", path=path)
    return places[name]
