"""Preparing a batch in a thread while the one before it is stepped: a model works while metrics are measured."""

import queue
import threading
from collections.abc import Iterable, Sequence

from wfkit.engine import Batches, Process, Processed, Result
from wfkit.streams import Line

_GRACE_SECONDS = 0.05  # In which a thread that is not within a library ends.

Prepared = tuple[Sequence[Line], Iterable[Result]]


def prepare_ahead(batches: Batches, process: Process) -> Processed:
    """Process batch after batch as `wfkit.engine.serial` does, each prepared while the results of the last are taken.

    Args:
        process: prepares a batch when it is called, and steps as its results are taken.

    Raises:
        whatever reading or preparing does, after the batches before it.
    """
    preparation = _Preparation(batches, process)
    preparation.start()
    try:
        while prepared := preparation.take():
            yield prepared
    finally:
        preparation.abandon()
    if preparation.fault is not None:
        raise preparation.fault


def at_work() -> bool:
    """Whether a preparation goes on that nobody waits for: in a library it can be stopped only with the process."""
    return any(isinstance(thread, _Preparation) for thread in threading.enumerate())


class _Preparation(threading.Thread):
    """Prepares at most one batch that is not taken yet."""

    def __init__(self, batches: Batches, process: Process) -> None:
        super().__init__(daemon=True)
        self.fault: BaseException | None = None
        self._batches = batches
        self._process = process
        self._prepared: queue.SimpleQueue[Prepared | None] = queue.SimpleQueue()
        self._room = threading.Semaphore(0)
        self._abandoned = False

    def run(self) -> None:
        try:
            for batch in self._batches:
                self._prepared.put((batch, self._process(batch)))
                # Before the next is taken: while the steps go on, more lines come to be prepared together.
                self._room.acquire()
                if self._abandoned:
                    return
        except BaseException as error:  # handed to the main thread, which raises it
            self.fault = error
        self._prepared.put(None)

    def take(self) -> Prepared | None:
        """The next batch, once it is prepared; None at the end."""
        prepared = self._prepared.get()
        self._room.release()
        return prepared

    def abandon(self) -> None:
        """Prepare no further batch."""
        self._abandoned = True
        self._room.release()
        self.join(_GRACE_SECONDS)
