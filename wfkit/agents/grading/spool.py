"""What is too much for memory and not needed after the run: bytes in a file that has no name."""

import os
import tempfile
import weakref
from typing import NamedTuple

from wfkit.errors import Unavailable


class Place(NamedTuple):
    """Where some bytes stand in a file."""

    start: int
    size: int


class Spool:
    """Keeps bytes on disk until it is closed or forgotten; `get` may be called by any thread."""

    def __init__(self) -> None:
        self._descriptor, name = tempfile.mkstemp(prefix="wfkit-")
        os.unlink(name)
        self._end = 0
        self.close = weakref.finalize(self, os.close, self._descriptor)

    def put(self, data: bytes) -> Place:
        """Keep some bytes.

        Raises:
            Unavailable: there is no room for them.
        """
        written = 0
        try:
            while written < len(data):
                written += os.pwrite(self._descriptor, data[written:], self._end + written)
        except OSError as error:
            raise Unavailable(f"no room in {tempfile.gettempdir()}: {error.strerror}") from None
        place = Place(self._end, len(data))
        self._end += len(data)
        return place

    def get(self, place: Place) -> bytes:
        """The bytes that were kept there."""
        return os.pread(self._descriptor, place.size, place.start)
