"""How two versions of a text differ, and whether that is inside the parts that were claimed."""

import re
from collections.abc import Iterable, Sequence

from wfkit.agents.pairing.stretches import Change

_RANGE = re.compile(r"char=([0-9]{1,9}),([0-9]{1,9})")


def claimed_range(fragment: str) -> tuple[int, int] | None:
    """The range of ``char=FROM,TO`` (after RFC 5147); None for anything else."""
    match = _RANGE.fullmatch(fragment)
    return (int(match[1]), int(match[2])) if match and int(match[1]) <= int(match[2]) else None


def claimed_ranges(slots: Iterable[str]) -> dict[str, list[tuple[int, int]]]:
    """The claimed ranges of each text, by its pointer."""
    found: dict[str, list[tuple[int, int]]] = {}
    for slot in slots:
        pointer, _, fragment = slot.partition("#")
        part = claimed_range(fragment)
        if part is not None:
            found.setdefault(pointer, []).append(part)
    return found


def is_list_mark(text: str, start: int, end: int) -> bool:
    """Whether a range is the number of a list item, which moves when an item before it does."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return not line.strip() and text[start:end].isdecimal() and text[end : end + 1] in (".", ")")


def changes_within(old: str, new: str, ranges: Sequence[tuple[int, int]]) -> list[Change] | None:
    """What stands in the place of each claimed range; None where the text differs outside of them too."""
    kept, end = [], 0
    for start, stop in sorted(ranges):
        if start < end or stop > len(old):
            return None
        kept.append(old[end:start])
        end = stop
    kept.append(old[end:])
    places = _places(new, kept)
    if places is None:
        return None
    changes = []
    for number, (start, stop) in enumerate(sorted(ranges)):
        begin = places[number] + len(kept[number])
        changes.append(Change(old[start:stop], new[begin : places[number + 1]]))
    return changes


def _places(new: str, kept: Sequence[str]) -> list[int] | None:
    """Where the kept parts stand in the new text: the first at its start, the last at its end, others leftmost."""
    if not new.startswith(kept[0]) or len(new) < sum(map(len, kept)):
        return None
    places, at = [0], len(kept[0])
    for part in kept[1:-1]:
        found = new.find(part, at)
        if found < 0:
            return None
        places.append(found)
        at = found + len(part)
    last = len(new) - len(kept[-1])
    if last < at or not new.endswith(kept[-1]):
        return None
    return [*places, last]
