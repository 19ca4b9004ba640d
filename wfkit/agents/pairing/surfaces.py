"""The four input surfaces of an instance, in the benchmark's own objects.

A surface is a list of JSON Pointers. Pointers to consecutive elements of one array stand for that part of the array,
which may grow and shrink: the earlier messages of a chat between its system message and its last request.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wfkit.agents.families import TARGETS
from wfkit.agents.pairing.pointers import child, covers, get, last, parent
from wfkit.errors import DataError

Record = dict[str, Any]
Pointers = dict[str, tuple[str, ...]]

# Results of tools are never edited as text: native environments replay and compare them.
ROLES = {"user": ("user",), "procedure": ("system", "developer"), "context": ("user", "assistant")}


class Passage(NamedTuple):
    """A text that may be edited, where it stands, and the role of its message if it is one."""

    pointer: str
    text: str
    role: str | None


class Message(NamedTuple):
    """A message of a chat and where it stands."""

    pointer: str
    value: Mapping[str, Any]


class Room(NamedTuple):
    """Where elements can be inserted: an array, and the first and the last place that keeps the surface together."""

    array: str
    first: int
    last: int


def pointers_of(instance: Mapping[str, Any]) -> Pointers:
    """The pointers of every surface that the instance has.

    Raises:
        DataError: ``E-SURFACE``, a pointer leads nowhere or two surfaces overlap.
    """
    public = instance["public"]
    given = instance.get("pointers")
    if given is None:
        return {target: (f"/{target}",) for target in TARGETS if target in public}
    found = {target: tuple(given[target]) for target in TARGETS if given.get(target)}
    for target, pointers in found.items():
        for pointer in pointers:
            try:
                get(public, pointer)
            except DataError:
                problem = f"the {target} surface should stand at {pointer} of public, where nothing is"
                raise DataError(problem, code="E-SURFACE", path=f"$.pointers.{target}") from None
    every = [(target, pointer) for target, pointers in found.items() for pointer in pointers]
    for target, pointer in every:
        for other, inner in every:
            if target != other and covers(pointer, inner):
                problem = f"the {target} surface at {pointer} overlaps the {other} surface at {inner}"
                raise DataError(problem, code="E-SURFACE", path="$.pointers")
    return found


def passages(public: Any, pointers: Sequence[str], target: str) -> list[Passage]:
    """The texts of a surface that an edit may change, in order."""
    found: list[Passage] = []
    for pointer in pointers:
        found += _passages(get(public, pointer), pointer, ROLES.get(target, ()), None)
    return found


def _passages(value: Any, pointer: str, roles: Sequence[str], role: str | None) -> Iterator[Passage]:
    if isinstance(value, str):
        if value.strip():
            yield Passage(pointer, value, role)
    elif isinstance(value, list):
        for place, element in enumerate(value):
            yield from _passages(element, child(pointer, place), roles, role)
    elif isinstance(value, dict):
        if "role" in value:
            if value["role"] in roles:
                yield from _content(value.get("content"), child(pointer, "content"), value["role"])
            return
        for key, member in value.items():
            yield from _passages(member, child(pointer, key), roles, role)


def _content(content: Any, pointer: str, role: str) -> Iterator[Passage]:
    """The texts of a message: its content, or the text parts of it."""
    if isinstance(content, str) and content.strip():
        yield Passage(pointer, content, role)
    elif isinstance(content, list):
        for place, part in enumerate(content):
            if isinstance(part, dict) and isinstance(part.get("text"), str) and part["text"].strip():
                yield Passage(f"{child(pointer, place)}/text", part["text"], role)


def messages(public: Any, pointers: Sequence[str]) -> list[Message]:
    """The chat messages of a surface, in order."""
    found = []
    for pointer in pointers:
        value = get(public, pointer)
        elements = enumerate(value) if isinstance(value, list) else [(None, value)]
        for place, element in elements:
            if isinstance(element, dict) and "role" in element:
                found.append(Message(pointer if place is None else child(pointer, place), element))
    return found


def room(public: Any, pointers: Sequence[str]) -> Room | None:
    """Where a surface that is a list, or a part of one, can take new elements; None where it is neither."""
    value = get(public, pointers[0])
    if len(pointers) == 1 and isinstance(value, list):
        return Room(pointers[0], 0, len(value))
    array = parent(pointers[0])
    if array and isinstance(get(public, array), list) and all(parent(pointer) == array for pointer in pointers):
        places = [int(last(pointer)) for pointer in pointers]
        if places == list(range(places[0], places[0] + len(places))):
            return Room(array, places[0], places[-1] + 1)
    return None


def texts_in(value: Any) -> list[str]:
    """Every text, key and number of a JSON value, as text, in no order that matters."""
    found: list[str] = []
    pending = [value]
    while pending:
        one = pending.pop()
        kind = type(one)
        if kind is str:
            found.append(one)
        elif kind is dict:
            found.extend(one)
            pending.extend(one.values())
        elif kind is list:
            pending.extend(one)
        elif kind is int or kind is float:
            found.append(repr(one))
    return found
