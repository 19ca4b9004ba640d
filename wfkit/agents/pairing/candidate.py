"""What a verifier is given: the two sides, the claim, and the private part. No explanation and no editor."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from wfkit.agents.pairing.chat import chat_problem, messages_around
from wfkit.agents.pairing.contracts import Tool, tools_of
from wfkit.agents.pairing.differences import Difference, differences
from wfkit.agents.pairing.pointers import get, split
from wfkit.agents.pairing.surfaces import Pointers

Record = dict[str, Any]

SEMANTIC_CHECKS = ("single_target", "goal_preserved", "solvable", "executable")
CHECKS = (*SEMANTIC_CHECKS, "native")


class Check(NamedTuple):
    """What was found: ``pass``, ``fail`` or ``unverified``, and why in one line."""

    result: str
    note: str

    def as_record(self) -> Record:
        """The check in an `ap_pair` record."""
        return {"result": self.result, "note": self.note}


Checks = dict[str, Check]


@dataclass(frozen=True)
class Candidate:
    """One pair to be decided on.

    Attributes:
        record: the `ap_pair` record so far, without ``envelope.explanation``; what a verifier command is sent.
        clean: the clean public object, of the instance itself.
        perturbed: the perturbed public object.
        pointers: the surfaces in the clean public object.
        foreign: what a candidate made elsewhere says of the clean side and the private part, where it says it.
    """

    record: Record
    clean: Record
    perturbed: Record
    pointers: Pointers
    dialect: str
    private: Record
    foreign: Mapping[str, Any]

    @property
    def target(self) -> str:
        """The surface that the edit declares."""
        return str(self.record["target"])

    @property
    def type(self) -> str:
        """The type that the edit declares."""
        return str(self.record["type"])

    @property
    def recovery(self) -> Mapping[str, Any]:
        """The recovery, empty where there is none."""
        return self.record.get("recovery") or {}

    @cached_property
    def changes_tools(self) -> bool:
        """Whether the tools are other objects than those of the clean side, which the native validator has passed."""
        places = self.pointers.get("tools", ())
        return any(get(self.perturbed, place) is not get(self.clean, place) for place in places)

    @cached_property
    def chat_problem(self) -> str | None:
        """What is wrong with the messages, if they are others than those of the clean side and something is."""
        roots = {split(place)[:1] for target, places in self.pointers.items() if target != "tools" for place in places}
        if all(root and self.perturbed.get(root[0]) is self.clean.get(root[0]) for root in roots):
            return None
        return chat_problem(messages_around(self.perturbed, self.pointers))

    @cached_property
    def tools(self) -> list[Tool]:
        """The tools of the perturbed side."""
        return tools_of(self.perturbed, self.pointers.get("tools", ()))

    @cached_property
    def differences(self) -> list[Difference]:
        """What differs between the two sides."""
        return differences(self.clean, self.perturbed)


class Verifier(Protocol):
    """Decides on candidates."""

    name: str

    def verify(self, candidate: Candidate) -> Checks:
        """The four semantic checks."""
