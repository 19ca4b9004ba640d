"""Where candidates come from: the rule editors, or a file of edits that were made elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from wfkit import registry
from wfkit.agents.pairing.digests import chance_of
from wfkit.agents.pairing.edit import Editor, Inapplicable, Place
from wfkit.agents.pairing.editors import FAMILY_EDITORS
from wfkit.agents.pairing.envelope import envelope_problem
from wfkit.agents.pairing.pointers import patched
from wfkit.agents.pairing.view import View

Record = dict[str, Any]


@dataclass(frozen=True)
class Proposal:
    """One candidate.

    Attributes:
        edit: what was done, for the record.
        envelope: what the editor answered, as it stands.
        recovery: how to get at what is missing or wrong.
        perturbed: the perturbed public object; None where the answer was no valid envelope.
        problem: why it is not valid.
        foreign: the clean side and the private part that a candidate from elsewhere brings along.
    """

    edit: Record | None
    envelope: Any
    recovery: Record | None
    perturbed: Record | None
    problem: str | None = None
    foreign: Mapping[str, Any] = field(default_factory=dict)


class Source(Protocol):
    """The candidates of one instance and family, one after the other."""

    def next(self, rejected: Sequence[str]) -> Proposal:
        """The next candidate.

        Args:
            rejected: why the candidates before it were not accepted.

        Raises:
            Inapplicable: there is none (any more).
        """


class Proposer(Protocol):
    """Makes candidates."""

    name: str

    def source(self, view: View, family: str) -> Source:
        """The candidates of one instance and family.

        Raises:
            Inapplicable: the family cannot be applied.
        """


class RuleProposer:
    """The rule editors."""

    name = "rules"

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._editors: dict[str, Editor] = {}

    def source(self, view: View, family: str) -> "Source":
        """Every eligible slot once, in an order drawn for this instance and family."""
        editor = self._editors.get(family)
        if editor is None:
            editor = self._editors[family] = registry.find(FAMILY_EDITORS, family, "family")
        return _RuleSource(editor, view, family, list(editor.places(view)), self._seed)


class _RuleSource:
    def __init__(self, editor: Editor, view: View, family: str, places: list[Place], seed: int) -> None:
        self._editor, self._view, self._family, self._seed = editor, view, family, seed
        self._left = places
        self._attempt = 0

    def next(self, rejected: Sequence[str]) -> Proposal:
        if not self._left:
            raise Inapplicable(f"all {self._attempt} possible edits were tried")
        self._attempt += 1
        instance: str = self._view.instance["id"]
        chance = chance_of(self._seed, instance, self._family, self._attempt)
        # Every kind of slot has the same chance, however many slots of the kind there are.
        slot = chance.choice(list(dict.fromkeys(place.slot for place in self._left)))
        place = chance.choice([place for place in self._left if place.slot == slot])
        self._left.remove(place)
        edit = self._editor.edit(self._view, place, chance)
        return Proposal(
            edit.described(), edit.envelope(), edit.recovery, patched(self._view.public, edit.patch)
        )  # fmt: skip


class CandidateProposer:
    """Edits made elsewhere: `ap_pair` records without status and checks, by instance and family."""

    name = "candidates"

    def __init__(self, candidates: Mapping[tuple[str, str], Sequence[Record]]) -> None:
        self._candidates = candidates
        self._asked_for: set[tuple[str, str]] = set()

    def source(self, view: View, family: str) -> "Source":
        """The candidates for this instance and family, in the order of their file."""
        key = (view.instance["id"], family)
        self._asked_for.add(key)
        found = self._candidates.get(key)
        if not found:
            raise Inapplicable("no candidate was given")
        return _CandidateSource(list(found), family.partition("/")[2])

    @property
    def unused(self) -> int:
        """How many candidates belong to an instance and a family that nobody has asked for so far."""
        return sum(len(records) for key, records in self._candidates.items() if key not in self._asked_for)


class _CandidateSource:
    def __init__(self, candidates: list[Record], type_: str) -> None:
        self._left = candidates
        self._type = type_

    def next(self, rejected: Sequence[str]) -> Proposal:
        if not self._left:
            raise Inapplicable("no further candidate was given")
        record = self._left.pop(0)
        envelope = record.get("envelope")
        problem = None if envelope is None else envelope_problem(envelope, self._type)
        side, clean = record.get("perturbed"), record.get("clean")
        perturbed = side.get("public") if isinstance(side, dict) else None
        if problem is None and not isinstance(perturbed, dict):
            problem = "the candidate has no perturbed public object"
        foreign = {"private": record["private"]} if "private" in record else {}
        if isinstance(clean, dict) and "public" in clean:
            foreign["clean"] = clean["public"]
        edit = record.get("edit")
        return Proposal(
            edit if isinstance(edit, dict) else {"operation": "given"},
            envelope,
            record.get("recovery"),
            None if problem else dict(perturbed or {}),
            problem,
            foreign,
        )
