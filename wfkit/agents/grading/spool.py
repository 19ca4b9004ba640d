"""What is too much for memory and not needed after the run: bytes in a file that has no name."""

import os
import tempfile
from typing import NamedTuple


class Place(NamedTuple):
    """Where some bytes stand in a file."""

    start: int
    size: int


class Spool:
    """Keeps bytes on disk; `get` may be called by any thread."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the spool
        self._end = 0

    def put(self, data: bytes) -> Place:
        """Keep some bytes."""
        self._file.seek(self._end)
        self._file.write(data)
        self._file.flush()
        place = Place(self._end, len(data))
        self._end += len(data)
        return place

    def get(self, place: Place) -> bytes:
        """The bytes that were kept there."""
        return os.pread(self._file.fileno(), place.size, place.start)

    def close(self) -> None:
        """Give the room back."""
        self._file.close()
