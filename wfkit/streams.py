"""Files, pipes and descriptors: lines in, bytes out.

Lines are taken from the operating system as they come, so that a record never waits for a later one, and
are handed on in bounded batches. Output goes to a private copy of standard output: descriptor 1 itself is
pointed at standard error, so that no library can write between the records.
"""

import contextlib
import os
import select
import stat
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wfkit.errors import UsageProblem

CHUNK_BYTES = 1 << 18
BATCH_BYTES = 1 << 22
BATCH_LINES = 256
BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One input line: its bytes without the line end (only its head if ``size`` is larger), and where it stood."""

    raw: bytes
    size: int
    file: str
    number: int


class ReaderGone(Exception):
    """The process that reads our output has closed it."""


class OutputFailed(Exception):
    """Our output cannot be written (full disk, closed descriptor); the message says why."""


def tell(line: str) -> None:
    """Print one line on standard error; nobody listening there is no reason to fail."""
    with contextlib.suppress(OSError, ValueError):
        print(line, file=sys.stderr, flush=True)


def occupy_closed_descriptors() -> set[int]:
    """Open the null device on each of the descriptors 0 to 2 that is closed, lest a file be opened there.

    Returns:
        the descriptors that were closed.
    """
    closed = set()
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)  # the lowest free number is this one
            closed.add(opened)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    return closed


def open_inputs(files: Sequence[str], command: str, awaited: str) -> list[tuple[str, int]]:
    """Open every input before anything is read, so that a missing file is told at once.

    Returns:
        Pairs of (name for messages, descriptor); standard input, for ``-`` or no file at all, is named ``-``.

    Raises:
        UsageProblem: a file cannot be read.
    """
    opened = []
    for name in files or ("-",):
        if name == "-":
            opened.append(("-", _standard_input(command, awaited)))
            continue
        try:
            descriptor = os.open(name, os.O_RDONLY)
        except OSError as error:
            raise UsageProblem(f"cannot read {name}: {error.strerror}") from None
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise UsageProblem(f"cannot read {name}: it is a directory")
        opened.append((name, descriptor))
    return opened


def _standard_input(command: str, awaited: str) -> int:
    if stat.S_ISDIR(os.fstat(0).st_mode):
        raise UsageProblem("standard input is a directory")
    if os.isatty(0):
        tell(f"{command}: waiting for {awaited} on standard input (Ctrl-D ends it)")
    return 0


def read_batches(inputs: list[tuple[str, int]], max_line: int) -> Iterator[list[Line]]:
    """Yield the lines of all inputs in order, in batches that never wait for more than what is there.

    Lines end at byte ``\\n`` only; a carriage return before it, a BOM at the start of a file and blank lines
    are dropped.
    A line of more than ``max_line`` bytes is passed over while its head and its size are kept.
    """
    for name, descriptor in inputs:
        yield from lines_of(name, descriptor, max_line)


def lines_of(name: str, descriptor: int, max_line: int, head: bytes = b"") -> Iterator[list[Line]]:
    """Yield the lines of one input as `read_batches` does; ``head`` is what was read of it already."""
    number = 0
    batch: list[Line] = []
    for block in _blocks(descriptor, max_line, head):
        for raw, size in block:
            number += 1
            if number == 1 and raw.startswith(BOM):
                raw, size = raw[len(BOM) :], size - len(BOM)
            if raw.endswith(b"\r") and size == len(raw):
                raw, size = raw[:-1], size - 1
            if not raw or raw.isspace():
                continue
            batch.append(Line(raw, size, name, number))
            if len(batch) == BATCH_LINES:
                yield batch
                batch = []
        if batch:
            yield batch
            batch = []
    close_input(descriptor)


def close_input(descriptor: int) -> None:
    """Close an input, but never standard input: its number must not be taken by another file."""
    if descriptor != 0:
        os.close(descriptor)


def _blocks(descriptor: int, max_line: int, read_already: bytes) -> Iterator[list[tuple[bytes, int]]]:
    """Yield lists of (line or its head, size): all complete lines that could be read without waiting."""
    head, size = b"", 0  # of the unfinished line
    parts: list[bytes] = []  # the unfinished line, while it is short enough
    while True:
        chunk, read_already = read_already or os.read(descriptor, CHUNK_BYTES), b""
        taken = len(chunk)
        lines: list[tuple[bytes, int]] = []
        while chunk:
            *complete, rest = chunk.split(b"\n")
            for piece in complete:
                if size:
                    size += len(piece)
                    whole = b"".join([*parts, piece]) if size <= max_line else head
                    lines.append((whole, size))
                    head, parts, size = b"", [], 0
                else:
                    lines.append((piece, len(piece)) if len(piece) <= max_line else (piece[:1024], len(piece)))
            if rest:
                head = head or rest[:1024]
                size += len(rest)
                parts = [*parts, rest] if size <= max_line else []
            if taken >= BATCH_BYTES or not select.select([descriptor], [], [], 0)[0]:
                break
            chunk = os.read(descriptor, CHUNK_BYTES)
            taken += len(chunk)
            if not chunk:
                break
        if lines:
            yield lines
        if taken == 0 or not chunk:
            if size:
                yield [(b"".join(parts) if parts else head, size)]
            return


def guard_standard_output() -> int:
    """Keep a private copy of descriptor 1 for records and point 1 itself at standard error."""
    copy = os.dup(1)
    os.dup2(2, 1)
    return copy


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte.

    Raises:
        ReaderGone: the other end of the pipe is closed.
        OutputFailed: the disk is full or the like.
    """
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except BrokenPipeError:
            raise ReaderGone from None
        except OSError as error:
            raise OutputFailed(f"cannot write the output: {error.strerror}") from None


class OutputFile:
    """A file that appears under its name only when it is complete.

    Devices, pipes and symbolic links are written directly; a regular file is replaced by a rename.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.temporary: str | None = None
        try:
            existing = os.lstat(name)
        except FileNotFoundError:
            existing = None
        except OSError as error:
            raise UsageProblem(f"cannot write {name}: {error.strerror}") from None
        try:
            if existing is None or stat.S_ISREG(existing.st_mode):
                self.temporary = f"{name}.{os.urandom(4).hex()}.partial"
                mode = 0o666 if existing is None else stat.S_IMODE(existing.st_mode)
                self.descriptor = os.open(self.temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            else:
                self.descriptor = os.open(name, os.O_WRONLY | os.O_TRUNC)
        except OSError as error:
            raise UsageProblem(f"cannot write {name}: {error.strerror}") from None

    def commit(self) -> None:
        """Close and move into place."""
        try:
            os.close(self.descriptor)
            if self.temporary is not None:
                os.replace(self.temporary, self.name)
        except OSError as error:
            raise OutputFailed(f"cannot write {self.name}: {error.strerror}") from None

    def discard(self) -> None:
        """Close and leave nothing behind."""
        os.close(self.descriptor)
        if self.temporary is not None:
            os.unlink(self.temporary)


def write_file(name: str, data: bytes) -> None:
    """Write a whole report in one atomic step.

    Raises:
        UsageProblem: the place cannot be written.
        OutputFailed: the disk is full or the like.
    """
    output = OutputFile(name)
    try:
        write_all(output.descriptor, data)
    except BaseException:
        output.discard()
        raise
    output.commit()
