"""The parts of a surface that a language model may rewrite, and what its answer does to the instance."""

from dataclasses import dataclass
from typing import Any

from wfkit.agents.pairing.contracts import elements_of
from wfkit.agents.pairing.edit import Patch
from wfkit.agents.pairing.surfaces import room
from wfkit.agents.pairing.view import View

NEW_MESSAGES = "(new messages before the others)"
NEW_TOOL = "(a new tool behind the others)"
LONGEST = 20_000
"""Characters of a part that are still shown to a model."""


@dataclass(frozen=True)
class Part:
    """A part of a surface.

    Attributes:
        pointer: where it stands; for something new, where it is put.
        content: what stands there; for something new a remark.
        is_new: whether the answer is added instead of taking its place.
    """

    pointer: str
    content: Any
    is_new: bool = False


def parts_of(view: View, family: str) -> list[Part]:
    """What may be rewritten for a family: texts, tools, or the place of new messages or a new tool."""
    target, _, type_ = family.partition("/")
    pointers = view.pointers[target]
    if target == "tools":
        parts = [Part(pointer, element) for pointer, element in elements_of(view.public, pointers)]
        space = room(view.public, pointers) if type_ == "redundant" else None
        return parts + ([Part(f"{space.array}/{space.last}", NEW_TOOL, True)] if space else [])
    if family == "context/redundant":
        space = room(view.public, pointers)
        if space is not None:
            return [Part(f"{space.array}/{space.first}", NEW_MESSAGES, True)]
    texts = view.passages(target)
    return [Part(one.pointer, one.text) for one in texts if len(one.text) <= LONGEST]


def patch_for(part: Part, replacement: Any) -> Patch | None:
    """The patch that puts a replacement in the place of a part; None where its kind does not fit."""
    if part.content == NEW_MESSAGES:
        if not isinstance(replacement, list) or not replacement:
            return None
        array, _, first = part.pointer.rpartition("/")
        return [
            {"op": "add", "path": f"{array}/{int(first) + offset}", "value": message}
            for offset, message in enumerate(replacement)
        ]
    if part.is_new:
        return [{"op": "add", "path": part.pointer, "value": replacement}] if isinstance(replacement, dict) else None
    if type(replacement) is not type(part.content):
        return None
    return [{"op": "replace", "path": part.pointer, "value": replacement}]
