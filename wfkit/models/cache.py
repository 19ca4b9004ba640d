"""Vectors kept between runs, by (model digest, text), in one SQLite file that several processes may use at once.

The cache can always be made again, so nothing in it is trusted and nothing about it may stop a run: a row that is not
exactly what was written counts as missing, a damaged file or one of another version is rebuilt, and where the folder
is read-only, full or locked the run goes on without. Each of these is told to ``warn`` in one line.
"""

import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b, sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Warn = Callable[[str], None]
Result = TypeVar("Result")

FILE_NAME = "embeddings.sqlite3"

# Raised whenever the layout below, or the way a text becomes a vector, changes.
_VERSION = 1
_TABLE = "CREATE TABLE embedding (key BLOB PRIMARY KEY, vector BLOB NOT NULL, digest BLOB NOT NULL)"
_SELECT = "SELECT key, vector, digest FROM embedding WHERE key IN "
_KEYS_PER_QUERY = 500
_BUSY_SECONDS = 5.0


class EmbeddingCache:
    """The vectors in one file. It is opened when first used and released by `close`.

    Threads may share it and take turns. A connection must not cross a fork: each process has a cache of its own on the
    same folder.
    """

    def __init__(self, directory: Path, warn: Warn, holds: str = "embedding") -> None:
        """Use the cache in ``directory``, which is made if need be; ``warn`` is told of each problem once.

        Args:
            holds: what the vectors are, by which the file is named: an ``embedding``, or a ``score``, a vector of one
                number.
        """
        self._path = directory / f"{holds}s.sqlite3"
        self._name = f"{holds} cache {self._path}"
        self._warn = warn
        self._connection: sqlite3.Connection | None = None
        self._lock: int | None = None
        self._generation = 0
        self._readable = True
        self._writable = True
        self._warned_of_rows = False
        self._turn = threading.RLock()

    @property
    def keeps(self) -> bool:
        """Whether what is put in can be had again, as far as is known."""
        return self._readable and self._writable

    def exists(self) -> bool:
        """Whether there is a file, which may hold something."""
        return self._path.exists()

    def close(self) -> None:
        """Release the file; a later call opens it again."""
        with self._turn:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            if self._lock is not None:
                os.close(self._lock)
                self._lock = None

    def get_many(self, model_digest: str, texts: Sequence[str]) -> "dict[str, NDArray[np.float32]]":
        """The vectors that are there, by text: each (dimension,) float32 and read-only. Missing texts are left out."""
        if not self._readable or not texts:
            return {}
        keys = {_key(model_digest, text): text for text in texts}
        try:
            rows = self._repairing(lambda connection: list(_select(connection, list(keys))))
        except (sqlite3.Error, OSError) as error:
            self._readable = self._writable = False
            self._warn(f"{self._name} cannot be used: {error}; going on without it")
            self.close()
            return {}
        return self._trusted(rows, keys)

    def put_many(self, model_digest: str, vectors: "Mapping[str, NDArray[np.float32]]") -> None:
        """Keep vectors, in one transaction, in place of what is there for the same texts."""
        if not self._writable or not vectors:
            return
        rows = [_row(_key(model_digest, text), vector.astype("<f4").tobytes()) for text, vector in vectors.items()]
        try:
            self._repairing(lambda connection: _insert(connection, rows))
        except (sqlite3.Error, OSError) as error:
            self._writable = False
            self._warn(f"{self._name} cannot be written: {error}; nothing more is added to it")

    def _trusted(
        self, rows: list[tuple[bytes, bytes, bytes]], keys: Mapping[bytes, str]
    ) -> "dict[str, NDArray[np.float32]]":
        if not rows:
            return {}
        import numpy as np

        whole = [(key, vector) for key, vector, digest in rows if _is_whole(key, vector, digest)]
        if len(whole) < len(rows) and not self._warned_of_rows:
            self._warned_of_rows = True
            self._warn(f"{self._name} has damaged rows; they are made anew")
        return {keys[key]: np.frombuffer(vector, dtype="<f4") for key, vector in whole}

    def _repairing(self, action: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run an action; if the file proves damaged or of another version, rebuild it and run the action again."""
        with self._turn:
            try:
                return action(self._open())
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                self._rebuild(str(error))
                return action(self._open())

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if self._lock is None:
                self._lock = os.open(self._path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            # Held as long as the file is open: SQLite files must not be deleted under other processes.
            _wait_for(self._lock, fcntl.LOCK_SH)
            self._generation = _generation(self._lock)
            self._connection = sqlite3.connect(
                self._path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            _prepare(self._connection)
        return self._connection

    def _rebuild(self, reason: str) -> None:
        """Delete the file while no other process has it open, unless another process did so first."""
        self.close()
        lock = os.open(self._path.with_suffix(".lock"), os.O_RDWR | os.O_CLOEXEC)
        try:
            # Of several processes that find the damage each lets go first, so that one of them gets the lock.
            _wait_for(lock, fcntl.LOCK_EX, unless=lambda: _generation(lock) != self._generation)
            if _generation(lock) == self._generation:
                self._warn(f"{self._name} is rebuilt: {reason}")
                for suffix in ("", "-wal", "-shm"):
                    Path(f"{self._path}{suffix}").unlink(missing_ok=True)
                os.pwrite(lock, str(self._generation + 1).encode(), 0)
        finally:
            os.close(lock)


class _OtherVersion(sqlite3.DatabaseError):
    """The file was written by another version of this module."""


def _prepare(connection: sqlite3.Connection) -> None:
    """Check the version and make the table in a new file."""
    connection.execute("PRAGMA page_size = 8192")  # Heeded in a new file only; two vectors fit in a page of this size.
    connection.execute("PRAGMA journal_mode = WAL").fetchone()
    connection.execute("PRAGMA synchronous = NORMAL")
    if _version(connection) == 0:
        connection.execute("BEGIN IMMEDIATE")
        with connection:
            if _version(connection) == 0:  # Another process may have been first.
                connection.execute(_TABLE)
                connection.execute(f"PRAGMA user_version = {_VERSION}")
    if (version := _version(connection)) != _VERSION:
        raise _OtherVersion(f"it has version {version}, not {_VERSION}")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _select(connection: sqlite3.Connection, keys: list[bytes]) -> Iterator[tuple[bytes, bytes, bytes]]:
    for start in range(0, len(keys), _KEYS_PER_QUERY):
        chunk = keys[start : start + _KEYS_PER_QUERY]
        statement = _SELECT + "(" + ",".join("?" * len(chunk)) + ")"
        yield from connection.execute(statement, chunk)


def _insert(connection: sqlite3.Connection, rows: list[tuple[bytes, bytes, bytes]]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        connection.executemany("INSERT OR REPLACE INTO embedding VALUES (?, ?, ?)", rows)


def _key(model_digest: str, text: str) -> bytes:
    # A lone surrogate is no UTF-8, and yet a text that some record may hold.
    return blake2b(f"{model_digest}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _row(key: bytes, vector: bytes) -> tuple[bytes, bytes, bytes]:
    return key, vector, _row_digest(key, vector)


def _row_digest(key: bytes, vector: bytes) -> bytes:
    """Over the key as well, so that a vector which ended up beside another text's key is noticed."""
    return sha256(key + vector).digest()


def _is_whole(key: object, vector: object, digest: object) -> bool:
    # SQLite keeps values of any type in any column.
    if not (isinstance(key, bytes) and isinstance(vector, bytes) and isinstance(digest, bytes)):
        return False
    return len(vector) > 0 and len(vector) % 4 == 0 and _row_digest(key, vector) == digest


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # Without the extended code.
    return isinstance(error, _OtherVersion) or code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _generation(lock: int) -> int:
    """How often the file was rebuilt, as the lock's file says; the system may give a new file the old one's number."""
    content = os.pread(lock, 20, 0)
    return int(content) if content.isdigit() else 0


def _wait_for(lock: int, kind: int, *, unless: Callable[[], bool] = lambda: False) -> None:
    """Take a lock, or stop waiting as soon as ``unless`` holds.

    Raises:
        TimeoutError: another process kept it.
    """
    deadline = time.monotonic() + _BUSY_SECONDS
    while not unless():
        try:
            fcntl.flock(lock, kind | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > deadline:
                raise TimeoutError("another process is using it") from error
            time.sleep(0.02)
        else:
            return
