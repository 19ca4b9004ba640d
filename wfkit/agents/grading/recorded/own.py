"""The toolkit's own form: `episode` records, as ``--episodes-out`` keeps them and as any program can write them."""

from collections.abc import Iterable, Iterator
from typing import Any

from wfkit.agents.grading.recorded.base import Record, RecordedFile, values_of

SUMMARY = "`episode` records, one a line"


def matches(head: Any) -> bool:
    """Whether a file that begins with this value is of this format."""
    return isinstance(head, dict) and head.get("kind") == "episode"


def episodes(files: Iterable[RecordedFile]) -> Iterator[Record]:
    """Every episode of the files."""
    yield from values_of(files)
