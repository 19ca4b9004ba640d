"""Which goldens were expected in the stream, and which never came: how a cut stream is noticed."""

from collections.abc import Iterable, Mapping
from typing import Any

UNEXPECTED_SHOWN = 20
"""Unexpected ids that are kept for the report; the others are only counted."""


class Expectation:
    """The expected golden ids, and which of them were seen.

    Attributes:
        unexpected: number of records whose golden was not expected.
        unexpected_ids: the first `UNEXPECTED_SHOWN` different ids of those goldens.
    """

    def __init__(self, golden_ids: Iterable[str]) -> None:
        self._seen = dict.fromkeys(golden_ids, False)
        self.unexpected = 0
        self.unexpected_ids: list[str] = []

    def __len__(self) -> int:
        """Number of expected goldens."""
        return len(self._seen)

    def saw_pair(self, record: Mapping[str, Any]) -> None:
        """Note a ``pair`` record: it stands for its golden."""
        golden_id = record["golden"]["id"]
        if golden_id in self._seen:
            self._seen[golden_id] = True
            return
        self.unexpected += 1
        if len(self.unexpected_ids) < UNEXPECTED_SHOWN and golden_id not in self.unexpected_ids:
            self.unexpected_ids.append(golden_id)

    def saw_error(self, record: Mapping[str, Any]) -> None:
        """Note an ``error`` record: with the id of a golden it stands for that golden, which then is not missing."""
        golden_id = record.get("id")
        if golden_id in self._seen:
            self._seen[golden_id] = True

    def missing(self) -> list[str]:
        """The expected golden ids that were not seen, in the order in which they were expected."""
        return [golden_id for golden_id, seen in self._seen.items() if not seen]
