"""What an editor makes: a patch of the public instance, the slots it claims to change, and how to recover."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from wfkit.agents.pairing.surfaces import Passage
from wfkit.agents.pairing.view import View

Record = dict[str, Any]
Patch = list[Record]


class Inapplicable(Exception):
    """The family cannot be applied to this instance; the text says why."""


class Place(NamedTuple):
    """An eligible slot: what kind it is, where it stands, and whatever the editor must know to change it.

    ``key`` names it for ever: the same instance gives the same keys in the same order.
    """

    slot: str
    pointer: str
    key: str
    detail: Any


@dataclass(frozen=True)
class Edit:
    """One edit of a clean instance.

    Attributes:
        operation: the level of the edit.
        slot: what kind of thing is edited.
        patch: makes the perturbed public object of the clean one.
        modified_slots: JSON Pointers, with ``#char=FROM,TO`` for a part of a text, of all that differs.
        misleading_tokens: what may mislead; empty for redundant.
        explanation: in words; verifiers never see it.
        recovery: how an actor can get at what is missing or wrong; None where nothing has to be recovered.
    """

    operation: str
    slot: str
    patch: Patch
    modified_slots: list[str]
    misleading_tokens: list[str]
    explanation: str
    recovery: Record | None

    def described(self) -> Record:
        """The ``edit`` of an `ap_pair` record."""
        return {
            "operation": self.operation,
            "slot": self.slot,
            "pointer": self.modified_slots[0].partition("#")[0],
        }

    def envelope(self) -> Record:
        """The four keys that every generation answers with."""
        return {
            "replacement": self.patch,
            "modified_slots": self.modified_slots,
            "misleading_tokens": self.misleading_tokens,
            "explanation": self.explanation,
        }


class Editor(Protocol):
    """A rule editor of one family: the module-level functions ``places`` and ``edit`` of a module."""

    places: Callable[[View], Sequence[Place]]
    edit: Callable[[View, Place, random.Random], Edit]


def spliced(passage: Passage, parts: Sequence[tuple[int, int, str]]) -> tuple[Patch, list[str]]:
    """Replace parts of a text.

    Args:
        parts: start, end and new text of each part, from left to right.

    Returns:
        the patch, and the slots that it claims.
    """
    text, slots = passage.text, []
    for start, end, _ in parts:
        slots.append(f"{passage.pointer}#char={start},{end}")
    for start, end, new in reversed(parts):
        text = text[:start] + new + text[end:]
    return [{"op": "replace", "path": passage.pointer, "value": text}], slots


def recovery(by: str, note: str, *, answer: str | None = None, restores: Sequence[str] = ()) -> Record:
    """How to get at what is missing or wrong (see the `ap_pair` schema)."""
    told: Record = {"by": by, "note": note}
    if answer is not None:
        told["answer"] = answer
    if restores:
        told["restores"] = list(restores)
    return told


def sharing(value: Any, **changes: Any) -> Any:
    """A copy of an object with some members changed, or taken out where the change is ``...``, in the same order."""
    assert isinstance(value, dict)
    result = {key: changes.get(key, member) for key, member in value.items()}
    return {key: member for key, member in result.items() if member is not ...}
