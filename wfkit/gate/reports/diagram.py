"""A golden beside its candidate as drawings are made of it: steps and edges, each with what became of it."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from wfkit.errors import DataError
from wfkit.gate.differences import Comparison, compare
from wfkit.gate.wording import counted, printable
from wfkit.workflow import Workflow, from_record

State = Literal["same", "lost", "added", "merged", "moved", "reworded"]

TEXT_LIMIT = 300
"""Characters of a step text that a drawing keeps."""

STEP_LIMIT = 60
"""Steps of one side that a drawing shows; of longer workflows it shows the changed ones and their neighbours."""

EDGE_LIMIT = 240
"""Edges of one side that a drawing shows; more than that is no picture."""


class DrawnStep(NamedTuple):
    """One step: its id and text, safe to show on one line, and what became of it."""

    id: str
    text: str
    state: State


class DrawnEdge(NamedTuple):
    """One edge between places in ``Side.steps``; ``changed``: the other side does not have this dependency."""

    source: int
    target: int
    changed: bool


class Side(NamedTuple):
    """The golden or the candidate; ``hidden`` counts the steps that are not drawn."""

    steps: tuple[DrawnStep, ...]
    edges: tuple[DrawnEdge, ...]
    hidden: int


class Drawing(NamedTuple):
    """Both sides of a pair.

    Attributes:
        partners: (golden place, candidate place, similarity or None) of the steps that stand for each other; those of a
            merged step have no similarity.
        notes: what the drawing does not show, in words.
    """

    golden: Side
    candidate: Side
    partners: tuple[tuple[int, int, float | None], ...]
    notes: tuple[str, ...]


def draw(record: Mapping[str, Any]) -> Drawing | None:
    """The drawing of a ``pair``; None where its workflows are too broken to draw. Never raises `DataError`."""
    try:
        if record.get("alignment") is not None and record["candidate"] is not None:
            return _limited(_compared(compare(record), record["alignment"]))
        return _limited(_uncompared(record))
    except DataError:
        return None


def _compared(comparison: Comparison, alignment: Mapping[str, Any]) -> Drawing:
    golden_states: dict[int, State] = {}
    candidate_states: dict[int, State] = {}
    lost_links, new_links = set[tuple[int, ...]](), set[tuple[int, ...]]()
    partners: dict[tuple[int, int], float | None] = _similarities(comparison, alignment)
    for difference in comparison.differences:
        match difference.kind:
            case "missing":
                golden_states[difference.golden[0]] = "lost"
            case "added":
                candidate_states[difference.candidate[0]] = "added"
            case "merged":
                [said_in] = difference.candidate
                candidate_states[said_in] = "merged"
                golden_states.update(dict.fromkeys(difference.golden, "merged"))
                partners = {link: value for link, value in partners.items() if link[1] != said_in}
                partners.update({(step, said_in): None for step in difference.golden})
            case "moved" | "reworded":
                golden_states.setdefault(difference.golden[0], difference.kind)
                candidate_states.setdefault(difference.candidate[0], difference.kind)
            case "unlinked":
                lost_links.add(difference.candidate)
            case "linked":
                new_links.add(difference.candidate)
    counterparts = dict(partners.keys())
    notes = () if comparison.links_compared else ("Dependencies were not compared: there are too many.",)
    return Drawing(
        _side(comparison.golden, golden_states, lambda link: _mapped(link, counterparts) in lost_links),
        _side(comparison.candidate, candidate_states, new_links.__contains__),
        tuple((step, said_in, value) for (step, said_in), value in sorted(partners.items(), key=lambda item: item[0])),
        notes,
    )


def _similarities(comparison: Comparison, alignment: Mapping[str, Any]) -> dict[tuple[int, int], float | None]:
    by_golden_id = {name: similarity for name, _, similarity in alignment["matched"]}
    return {
        (step, partner): by_golden_id[comparison.golden.steps[step].id] for step, partner in comparison.partners.items()
    }


def _mapped(link: tuple[int, int], counterparts: Mapping[int, int]) -> tuple[int | None, int | None]:
    return counterparts.get(link[0]), counterparts.get(link[1])


def _uncompared(record: Mapping[str, Any]) -> Drawing:
    """Both sides as they are: without an alignment nobody knows which step is which."""
    golden = from_record(record["golden"])
    if record["candidate"] is None:
        return Drawing(_side(golden, {}), Side((), (), 0), (), ("There is no candidate.",))
    candidate = from_record(record["candidate"])
    if not candidate.steps:
        lost: dict[int, State] = dict.fromkeys(range(len(golden.steps)), "lost")
        return Drawing(_side(golden, lost), Side((), (), 0), (), ("The candidate has no steps.",))
    notes = ("Which steps differ is not known: the record has no alignment.",)
    return Drawing(_side(golden, {}), _side(candidate, {}), (), notes)


def _side(workflow: Workflow, states: Mapping[int, State], is_changed: Any = lambda link: False) -> Side:
    steps = tuple(
        DrawnStep(printable(step.id), printable(step.text, TEXT_LIMIT), states.get(place, "same"))
        for place, step in enumerate(workflow.steps)
    )
    return Side(steps, tuple(DrawnEdge(*link, is_changed(link)) for link in workflow.edges), 0)


def _limited(drawing: Drawing) -> Drawing:
    """The drawing, or only the changed steps and their neighbours where it would be too large to read."""
    partners = [(step, partner) for step, partner, _ in drawing.partners]
    golden_focus, candidate_focus = _focus(drawing.golden), _focus(drawing.candidate)
    golden_places = _kept(drawing.golden, golden_focus, _across(candidate_focus, [(b, a) for a, b in partners]))
    candidate_places = _kept(drawing.candidate, candidate_focus, _across(golden_focus, partners))
    notes = list(drawing.notes)
    drawn = []
    for name, side, places in (
        ("golden", drawing.golden, golden_places),
        ("candidate", drawing.candidate, candidate_places),
    ):
        edges = _edges_among(places, side.edges)
        if len(places) < len(side.steps):
            notes.append(
                f"{counted(len(side.steps) - len(places), 'step')} of the {name} not drawn: of long workflows only the "
                "changed steps and their neighbours are."
            )
        if len(edges) > EDGE_LIMIT:
            notes.append(f"The edges of the {name} are not drawn: there are {len(edges):,}.")
            edges = ()
        drawn.append(Side(tuple(side.steps[place] for place in places), edges, len(side.steps) - len(places)))
    drawn_partners = tuple(
        (golden_places[step], candidate_places[partner], value)
        for step, partner, value in drawing.partners
        if step in golden_places and partner in candidate_places
    )
    return Drawing(drawn[0], drawn[1], drawn_partners, tuple(notes))


def _edges_among(places: Mapping[int, int], edges: Iterable[DrawnEdge]) -> tuple[DrawnEdge, ...]:
    return tuple(
        DrawnEdge(places[source], places[target], is_changed)
        for source, target, is_changed in edges
        if source in places and target in places
    )


def _focus(side: Side) -> list[int]:
    """What to look at: changed steps and the ends of changed edges, then their neighbours."""
    changed = [place for place, step in enumerate(side.steps) if step.state != "same"]
    changed += (end for edge in side.edges if edge.changed for end in edge[:2])
    centre = set(changed)
    around: list[int] = []
    for source, target, _ in side.edges:
        around += (other for here, other in ((source, target), (target, source)) if here in centre)
    return [*changed, *around]


def _across(focus: Iterable[int], partners: Iterable[tuple[int, int]]) -> list[int]:
    """The partners of the steps to look at."""
    centre = set(focus)
    return [partner for step, partner in partners if step in centre]


def _kept(side: Side, own: Iterable[int], across: Iterable[int]) -> dict[int, int]:
    """Where each drawn step goes: all of a short workflow, else at most `STEP_LIMIT`, the most telling ones."""
    count = len(side.steps)
    wanted = list(dict.fromkeys([*own, *across])) or list(range(count))
    kept = range(count) if count <= STEP_LIMIT else sorted(wanted[:STEP_LIMIT])
    return {place: number for number, place in enumerate(kept)}
