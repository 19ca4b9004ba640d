"""Answers kept between runs in one SQLite file that several processes may use at once.

Answers were paid for: a damaged file is set aside, never deleted, and two runs that want the same answer at the same
time make one call. Where the file cannot be used the run goes on without it, and ``warn`` is told once.
"""

import contextlib
import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wfkit.llm.errors import Stopping
from wfkit.llm.reply import Reply, reply_from_cache

Warn = Callable[[str], None]

FILE_NAME = "answers.sqlite3"

_TABLE = "CREATE TABLE IF NOT EXISTS answer (key BLOB PRIMARY KEY, reply TEXT NOT NULL) WITHOUT ROWID"
_BUSY_SECONDS = 30.0
_POLL_SECONDS = 0.02


@dataclass
class _Claim:
    held: threading.Lock = field(default_factory=threading.Lock)
    wanted_by: int = 0


class AnswerCache:
    """The answers in one folder; safe to use from several threads and several processes."""

    def __init__(self, directory: Path, warn: Warn) -> None:
        """Use the cache in ``directory``, which is made if need be."""
        self._path = directory / FILE_NAME
        self._warn = warn
        self._connection: sqlite3.Connection | None = None
        self._lock_file: int | None = None
        self._usable = True
        self._use = threading.Lock()
        self._claims: dict[bytes, _Claim] = {}
        self._claiming = threading.Lock()

    def get(self, keys: Sequence[bytes]) -> list[Reply | None]:
        """The answer under each of a few keys, or None."""
        marks = ",".join("?" * len(keys))
        rows = dict(self._run(f"SELECT key, reply FROM answer WHERE key IN ({marks})", tuple(keys)))  # noqa: S608
        return [reply_from_cache(rows[key]) if key in rows else None for key in keys]

    def put(self, key: bytes, reply: Reply) -> None:
        """Keep an answer; it is on disk when this returns."""
        self._run("INSERT OR REPLACE INTO answer VALUES (?, ?)", (key, reply.dumps()))

    @contextlib.contextmanager
    def claim(self, key: bytes, stopping: threading.Event) -> Iterator[None]:
        """Hold the right to ask for this answer; others who want it wait, in this process and in any other.

        The system takes the right back from a process that dies.

        Raises:
            Stopping: the run ended while another held it.
        """
        with self._claiming:
            claim = self._claims.setdefault(key, _Claim())
            claim.wanted_by += 1
        try:
            with claim.held, self._claimed_from_others(key, stopping):
                yield
        finally:
            with self._claiming:
                claim.wanted_by -= 1
                if not claim.wanted_by:
                    del self._claims[key]

    @contextlib.contextmanager
    def _claimed_from_others(self, key: bytes, stopping: threading.Event) -> Iterator[None]:
        """Lock one byte of the lock file, at a place that the key decides."""
        with self._use:
            descriptor = self._lock_file if self._usable else None
        if descriptor is None:
            yield
            return
        place = int.from_bytes(key[:7])
        while True:
            try:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
                break
            except BlockingIOError:
                if stopping.wait(_POLL_SECONDS):
                    raise Stopping("the run was ended") from None
            except OSError:  # no locks on this file system: two runs at once may then ask twice
                yield
                return
        try:
            yield
        finally:
            fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, place)

    def close(self) -> None:
        """Release the file."""
        with self._use:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            if self._lock_file is not None:
                os.close(self._lock_file)
                self._lock_file = None
            self._usable = False

    def _run(self, statement: str, values: tuple[object, ...]) -> list[tuple[bytes, str]]:
        with self._use:
            if not self._usable:
                return []
            try:
                return self._open().execute(statement, values).fetchall()
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    return self._give_up(error)
            except OSError as error:
                return self._give_up(error)
            try:
                self._set_aside()
                return self._open().execute(statement, values).fetchall()
            except (sqlite3.Error, OSError) as error:
                return self._give_up(error)

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if self._lock_file is None:
                # Opened once: closing any descriptor of a file gives up all locks that the process has on it.
                path = self._path.with_suffix(".lock")
                self._lock_file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            connection = sqlite3.connect(
                self._path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._connection = connection
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
            connection.execute("PRAGMA synchronous = NORMAL")  # a killed process loses nothing
            connection.execute(_TABLE)
        return self._connection

    def _set_aside(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        aside = self._path.with_name(f"{FILE_NAME}.damaged-{int(time.time())}")
        self._path.rename(aside)
        for suffix in ("-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                Path(f"{self._path}{suffix}").rename(f"{aside}{suffix}")
        self._warn(f"the cache of answers is damaged and was set aside as {aside}; a new one is begun")

    def _give_up(self, error: Exception) -> list[tuple[bytes, str]]:
        self._usable = False
        self._warn(f"the cache of answers {self._path} cannot be used: {error}; going on without it")
        return []


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file itself is at fault, and not a lock, a full disk or permissions."""
    words = str(error)
    return any(sign in words for sign in ("not a database", "malformed", "no such column", "has no column"))
