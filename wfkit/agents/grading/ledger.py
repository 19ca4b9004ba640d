"""The file of finished episodes: append-only, one writer, whole lines, and complete up to the last one after a kill."""

import contextlib
import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from wfkit import jsonl
from wfkit.agents.grading.spool import Place
from wfkit.errors import DataError, Unavailable, UsageProblem

Record = dict[str, Any]

CHUNK_BYTES = 1 << 20


class Ledger:
    """An open, locked ledger and where each record of it stands.

    Every record goes to the system in one write as soon as it is there, so that a killed process leaves at most one
    torn line, the last; it is cut off when the file is opened again.
    """

    def __init__(self, name: str, id_of: Callable[[Record], str], *, resume: bool) -> None:
        """Open and lock the file.

        Args:
            id_of: tells the id of a record that was found in the file; raises `DataError` for one that does not belong.
            resume: go on with the file where it exists; without it no file may be there.

        Raises:
            UsageProblem: the file exists (without ``resume``), is locked by another process, is no regular file, holds
                what does not belong there, or cannot be written.
        """
        self.name = name
        self._id_of = id_of
        self._places: dict[str, Place] = {}
        self._new = not os.path.exists(name)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | (0 if resume else os.O_EXCL)
        try:
            self._descriptor = os.open(name, flags, 0o666)
        except FileExistsError:
            raise UsageProblem(f"{name} exists: --resume goes on with it, nothing overwrites it") from None
        except OSError as error:
            raise UsageProblem(f"cannot write {name}: {error.strerror}") from None
        try:
            if not stat.S_ISREG(os.fstat(self._descriptor).st_mode):
                raise UsageProblem(f"{name} is no regular file")
            self._lock()
            self._end = self._read()
        except BaseException:
            os.close(self._descriptor)
            raise

    def _lock(self) -> None:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageProblem(f"{self.name} is locked: another process is writing it") from None

    def _read(self) -> int:
        """Note where each record stands, and cut off a torn last line; the size of what is whole."""
        start = 0
        for number, line in enumerate(_whole_lines(self._descriptor), start=1):
            try:
                record_id = self._id_of(jsonl.loads(line))
                if record_id in self._places:
                    raise DataError(f"the episode {record_id} is there twice")
            except DataError as error:
                raise UsageProblem(f"{self.name}:{number}: {error}") from None
            self._places[record_id] = Place(start, len(line))
            start += len(line) + 1
        if start < os.fstat(self._descriptor).st_size:
            os.ftruncate(self._descriptor, start)
        return start

    @property
    def size(self) -> int:
        """How many records it holds."""
        return len(self._places)

    def holds(self, record_id: str) -> bool:
        """Whether this record is there."""
        return record_id in self._places

    def find(self, record_id: str) -> Record | None:
        """One record; None where it is not there. May be called by any thread."""
        place = self._places.get(record_id)
        return None if place is None else jsonl.loads(os.pread(self._descriptor, place.size, place.start))

    def append(self, record: Record) -> None:
        """Write one record, whole or not at all.

        Raises:
            Unavailable: the disk is full or the like; the file is as it was before.
        """
        data = jsonl.dumps(record) + b"\n"
        written = 0
        try:
            while written < len(data):
                written += os.write(self._descriptor, data[written:])
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, self._end)
            raise Unavailable(f"cannot write {self.name}: {error.strerror}; --resume goes on from here") from None
        self._places[self._id_of(record)] = Place(self._end, len(data) - 1)
        self._end += len(data)

    def drop_last_unless(self, known: Callable[[str], bool]) -> None:
        """Cut off the last record unless its id is known."""
        if self._places and not known(last := next(reversed(self._places))):
            self._end = self._places.pop(last).start
            os.ftruncate(self._descriptor, self._end)

    def close(self) -> None:
        """Let go of the file; a new one that never held anything is removed."""
        # Asked of the system: an interrupt may come between a write and our note of it.
        if self._new and not os.fstat(self._descriptor).st_size:
            with contextlib.suppress(OSError):
                Path(self.name).unlink()
        os.close(self._descriptor)


def _whole_lines(descriptor: int) -> Iterator[bytes]:
    """The lines of a file that end in a newline, without it."""
    position, unfinished = 0, b""
    while chunk := os.pread(descriptor, CHUNK_BYTES, position):
        position += len(chunk)
        *whole, unfinished = (unfinished + chunk).split(b"\n")
        yield from whole
