"""Reading while the earlier lines are worked on, so that what a model sees at once does not depend on a pipe's size."""

import threading
from collections.abc import Iterable, Iterator, Sequence

from wfkit.streams import BATCH_BYTES, Line

# In one part: the more texts a model sees at once, the less it pads; the fewer, the sooner the first record is out.
MOST_LINES = 512


def read_ahead(batches: Iterable[Sequence[Line]]) -> Iterator[list[Line]]:
    """Give what has come of some batches, at most `MOST_LINES` lines at once, never waiting for more than one line.

    A thread reads them meanwhile, until as much waits as fills a batch.

    Raises:
        whatever reading the batches does, after the lines that came before it.
    """
    arrivals = _Arrivals()
    threading.Thread(target=arrivals.read, args=(batches,), daemon=True).start()
    while lines := arrivals.take():
        yield lines
    if arrivals.fault is not None:
        raise arrivals.fault


class _Arrivals:
    """The lines that have come and are not taken yet."""

    def __init__(self) -> None:
        self.fault: BaseException | None = None
        self._lines: list[Line] = []
        self._at_end = False
        self._changed = threading.Condition()

    def read(self, batches: Iterable[Sequence[Line]]) -> None:
        """Read until the end, or until something is wrong, which is kept."""
        try:
            for batch in batches:
                with self._changed:
                    self._changed.wait_for(self._has_room)
                    self._lines += batch
                    self._changed.notify()
        except BaseException as error:  # handed to the main thread, which raises it
            self.fault = error
        with self._changed:
            self._at_end = True
            self._changed.notify()

    def take(self) -> list[Line]:
        """What is there, once there is something; nothing at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._lines or self._at_end)
            lines, self._lines = self._lines[:MOST_LINES], self._lines[MOST_LINES:]
            self._changed.notify()
        return lines

    def _has_room(self) -> bool:
        return len(self._lines) < MOST_LINES and sum(len(line.raw) for line in self._lines) < BATCH_BYTES
