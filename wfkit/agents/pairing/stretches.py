"""The one stretch in which two texts differ."""

from typing import NamedTuple


class Change(NamedTuple):
    """A part of the old text and what stands there in the new one."""

    before: str
    after: str


def common_start(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def change(old: str, new: str) -> Change:
    """The smallest stretch of words outside of which both texts are the same."""
    head = common_start(old, new)
    tail = min(common_start(old[::-1], new[::-1]), len(old) - head, len(new) - head)
    while head > 0 and not old[head - 1].isspace():
        head -= 1
    while tail > 0 and not old[-tail].isspace():
        tail -= 1
    return Change(old[head : len(old) - tail], new[head : len(new) - tail])
