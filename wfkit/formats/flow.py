"""A workflow under construction, for the adapters of tools: labelled edges, silent parts, containers, wiring."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, Literal, NamedTuple

from wfkit.errors import DataError
from wfkit.formats.base import MAXIMUM_STEPS, Draft

MAXIMUM_EDGES = 200_000

START, END = "\0START", "\0END"  # no id of any source

Attributes = dict[str, Any]


class Exit(NamedTuple):
    """A step after which a part of a workflow is over, and what an edge from there says."""

    step: str
    attributes: Attributes


class Flow:
    """Steps, edges with attributes, and the ids of what is no step: terminals, and silent routers to be bridged."""

    def __init__(self) -> None:
        self.steps: dict[str, dict[str, Any]] = {}
        self.edges: list[tuple[str, str, Attributes]] = []
        self.terminals: dict[str, Literal["start", "end"]] = {}
        self.silent: set[str] = set()
        self.external: dict[str, Any] = {}

    def add(self, step_id: str, text: str, **fields: Any) -> None:
        """Add a step; fields without a value are left out.

        Raises:
            DataError: ``E-DUP-ID`` for an id that is taken, ``E-LIMIT`` for more steps than any record may hold.
        """
        if step_id in self.steps:
            raise DataError(f"step id {step_id!r} occurs twice", code="E-DUP-ID")
        if len(self.steps) > MAXIMUM_STEPS:
            raise DataError(f"more than {MAXIMUM_STEPS:,} steps", code="E-LIMIT")
        given = {key: value for key, value in fields.items() if value not in (None, "", [], {})}
        self.steps[step_id] = {"id": step_id, "text": text, **given}

    def join(self, source: str, target: str, **attributes: Any) -> None:
        """Add an edge; attributes without a value are left out.

        Raises:
            DataError: ``E-LIMIT`` for more than 200,000 edges.
        """
        if len(self.edges) >= MAXIMUM_EDGES:
            raise DataError(f"more than {MAXIMUM_EDGES:,} edges", code="E-LIMIT")
        self.edges.append((source, target, {key: value for key, value in attributes.items() if value}))

    def join_all(self, exits: Iterable[Exit], target: str, **attributes: Any) -> None:
        """Join every exit to a step."""
        for leaving in exits:
            self.join(leaving.step, target, **{**leaving.attributes, **attributes})

    def begins_at(self, step_id: str) -> None:
        """Say that START leads to a step."""
        self._joined_terminal(START, "start")
        self.join(START, step_id)

    def ends_after(self, step_id: str) -> None:
        """Say that a step leads to END."""
        self._joined_terminal(END, "end")
        self.join(step_id, END)

    def _joined_terminal(self, terminal: str, role: Literal["start", "end"]) -> None:
        self.steps.setdefault(terminal, {"id": terminal, "text": role})
        self.terminals[terminal] = role

    def leave_out(self, step_ids: Iterable[str]) -> None:
        """Remove steps with all their edges."""
        gone = set(step_ids)
        self.steps = {step_id: step for step_id, step in self.steps.items() if step_id not in gone}
        self.edges = [edge for edge in self.edges if edge[0] not in gone and edge[1] not in gone]

    def draft(self, draft_id: str, **fields: Any) -> Draft:
        """The draft: silent steps bridged, terminals settled, an edge that is labelled twice drawn once."""
        self._bridge()
        self._settle_terminals()
        meta = dict(fields.pop("meta", {}))
        if self.external:
            meta["external"] = dict(sorted(self.external.items()))
        drawn: list[tuple[str, str]] = []
        said: dict[tuple[str, str], dict[str, Attributes]] = {}
        for source, target, attributes in self.edges:
            forms = said.setdefault((source, target), {})
            key = _key(attributes)
            if not forms or key in forms:  # told as a repeated edge only if nothing tells the two apart
                drawn.append((source, target))
            forms[key] = attributes
        attributes_of = [
            (*ends, attributes)
            for ends, forms in said.items()
            for attributes in forms.values()
            if attributes or len(forms) > 1
        ]
        return Draft(
            draft_id,
            nodes=list(self.steps.values()),
            edges=drawn,
            terminals=dict(self.terminals),
            edge_attributes=attributes_of,
            meta=meta,
            **{"order": "topo", **fields},
        )

    def _bridge(self) -> None:
        """Join what comes before each silent step to what comes after it, and remove it."""
        silent = [step_id for step_id in self.steps if step_id in self.silent]
        if not silent:
            return
        edges = {(source, target, _key(attributes)): attributes for source, target, attributes in self.edges}
        entering: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
        leaving: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
        for edge in edges:
            leaving[edge[0]].add(edge)
            entering[edge[1]].add(edge)
        for step_id in silent:
            before, after = entering.pop(step_id, set()), leaving.pop(step_id, set())
            for one, other in product(sorted(before - after), sorted(after - before)):
                attributes = _through(edges[one], edges[other])
                bridge = (one[0], other[1], _key(attributes))
                edges[bridge] = attributes
                leaving[one[0]].add(bridge)
                entering[other[1]].add(bridge)
                if len(edges) > MAXIMUM_EDGES:
                    raise DataError(f"more than {MAXIMUM_EDGES:,} edges", code="E-LIMIT")
            for edge in before | after:
                edges.pop(edge, None)
                leaving[edge[0]].discard(edge)
                entering[edge[1]].discard(edge)
            del self.steps[step_id]
        self.edges = [(source, target, attributes) for (source, target, _), attributes in edges.items()]

    def _settle_terminals(self) -> None:
        """A START that something leads to, or an END that something follows, is a step like any other."""
        entered = {target for source, target, _ in self.edges if self.terminals.get(source) != "start"}
        left = {source for source, target, _ in self.edges if self.terminals.get(target) != "end"}
        inside = {
            step_id for step_id, role in self.terminals.items() if step_id in (entered if role == "start" else left)
        }
        self.terminals = {step_id: role for step_id, role in self.terminals.items() if step_id not in inside}


def expand_groups(
    edges: Iterable[tuple[str, str, Attributes]], members: Callable[[str], list[str] | None]
) -> list[tuple[str, str, Attributes]]:
    """Edges of purely visual groups, led to the steps inside: into its entries, out of its exits.

    Args:
        members: the steps inside a group, however deep; None for what is no group.
    """
    listed = list(edges)
    outermost: dict[tuple[str, int], list[str]] = {}

    def ends(name: str, side: int) -> list[str]:
        inside = members(name)
        if inside is None:
            return [name]
        if (name, side) not in outermost:
            outermost[name, side] = _outermost(inside, listed, side)
        return outermost[name, side]

    expanded = []
    for source, target, attributes in listed:
        expanded += [(one, other, attributes) for one in ends(source, 0) for other in ends(target, 1)]
        if len(expanded) > MAXIMUM_EDGES:
            raise DataError(f"more than {MAXIMUM_EDGES:,} edges", code="E-LIMIT")
    return expanded


def _outermost(members: list[str], edges: list[tuple[str, str, Attributes]], side: int) -> list[str]:
    """The members that no inner edge leaves (side 0) or enters (side 1); all of them in a ring, where there is none."""
    inside = set(members)
    joined = {edge[side] for edge in edges if edge[0] in inside and edge[1] in inside}
    return [step for step in members if step not in joined] or members


def _through(entering: Attributes, leaving: Attributes) -> Attributes:
    """What an edge says that bridges a silent step: both labels in their order, the kind of either."""
    labels = [attributes["label"] for attributes in (entering, leaving) if attributes.get("label")]
    return {**entering, **leaving, **({"label": ", ".join(dict.fromkeys(labels))} if labels else {})}


def _key(attributes: Attributes) -> str:
    return json.dumps(attributes, sort_keys=True, default=str)
