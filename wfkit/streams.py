"""Files, pipes and descriptors: lines in, bytes out.

Lines are taken from the operating system as they come, so that a record never waits for a later one, and
are handed on in bounded batches. Output goes to a private copy of standard output: descriptor 1 itself is
pointed at standard error, so that no library can write between the records.
"""

import contextlib
import errno
import os
import re
import select
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from wfkit.errors import Unavailable, UsageProblem
from wfkit.escaping import escaped

CHUNK_BYTES = 1 << 18
BATCH_BYTES = 1 << 20
BATCH_LINES = 256
# What a terminal obeys or what ends a line somewhere: C0, DEL, C1, the two separators of Unicode, and what turns the
# direction of text around; lone surrogates cannot be written at all.
_HARMFUL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One input line: its bytes without the line end (only its head if ``size`` is larger), and where it stood."""

    raw: bytes
    size: int
    file: str
    number: int


class ReaderGone(BrokenPipeError):
    """The process that reads our output has closed it."""


class OutputFailed(Unavailable):
    """Our output cannot be written (full disk, closed descriptor); the message says why."""


def tell(line: str) -> None:
    """Print one line on standard error; nobody listening there is no reason to fail.

    Names and texts of records stand in it, so what could end the line or steer a terminal is shown escaped.
    """
    with contextlib.suppress(OSError, ValueError):
        # In one write: a worker that shares the descriptor must not come between a line and its end.
        print(f"{harmless(line)}\n", end="", file=sys.stderr, flush=True)


def harmless(text: str) -> str:
    """The text on one line, with what a terminal would obey shown as ``\\x1b`` or ``\\u202e``; all else as it is."""
    if text.isprintable():  # the usual case, kept quick
        return text
    return _HARMFUL.sub(lambda match: escaped(match[0]), text)


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


def open_inputs(files: Sequence[str], command: str, awaited: str) -> Iterator[tuple[str, int]]:
    """Look at every input before anything is read, so that a missing file is told at once; open each in its turn.

    Thousands of files are more than the system lets a process hold open.

    Returns:
        Pairs of (name for messages, descriptor); standard input, for ``-`` or no file at all, is named ``-``.

    Raises:
        UsageProblem: a file cannot be read.
    """
    names = files or ("-",)
    for name in names:
        try:
            mode = os.fstat(0).st_mode if name == "-" else os.stat(name).st_mode
            readable = name == "-" or os.access(name, os.R_OK)
        except OSError as error:
            raise UsageProblem(f"cannot read {shown(name)}: {error.strerror}") from None
        if stat.S_ISDIR(mode):
            what = "standard input" if name == "-" else f"cannot read {shown(name)}: it"
            raise UsageProblem(f"{what} is a directory")
        if not readable:
            raise UsageProblem(f"cannot read {shown(name)}: Permission denied")
    return _opened(names, command, awaited)


def _opened(names: Sequence[str], command: str, awaited: str) -> Iterator[tuple[str, int]]:
    for name in names:
        if name == "-":
            if os.isatty(0):
                tell(f"{command}: waiting for {awaited} on standard input (Ctrl-D ends it)")
            yield "-", 0
            continue
        try:
            descriptor = os.open(name, os.O_RDONLY)
        except OSError as error:
            raise UsageProblem(f"cannot read {shown(name)}: {error.strerror}") from None
        yield shown(name), descriptor


def shown(name: str) -> str:
    """A file name as text that can stand in a record, whatever its bytes are."""
    return os.fsencode(name).decode("utf-8", errors="replace")


def read_batches(inputs: Iterable[tuple[str, int]], max_line: int) -> Iterator[list[Line]]:
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
            if (not raw or raw.isspace()) and size == len(raw):  # the head of a long line may be blank
                continue
            batch.append(tuple.__new__(Line, (raw, size, name, number)))  # a quarter of the cost of calling it
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


def read_chunk(descriptor: int) -> bytes:
    """What can be read now, waiting for at least one byte; nothing at the end.

    Raises:
        UsageProblem: the device or the file system refuses.
    """
    while True:
        try:
            return os.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:  # another process that shares the pipe made it so
            select.select([descriptor], [], [])
        except OSError as error:
            raise UsageProblem(f"cannot read the input: {error.strerror}") from None


def _blocks(descriptor: int, max_line: int, read_already: bytes) -> Iterator[list[tuple[bytes, int]]]:
    """Yield lists of (line or its head, size): all complete lines that could be read without waiting."""
    head, size = b"", 0  # of the unfinished line
    parts: list[bytes] = []  # the unfinished line, while it is short enough
    while True:
        chunk, read_already = read_already or read_chunk(descriptor), b""
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
            chunk = read_chunk(descriptor)
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
        except BlockingIOError:
            select.select([], [descriptor], [])
        except OSError as error:
            raise OutputFailed(f"cannot write the output: {error.strerror}") from None


def is_standard_output(name: str) -> bool:
    """Whether an output file is a name of standard output, which is written as it is."""
    return name == "-" or os.path.abspath(name) in {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}


class OutputFile:
    """A file that appears under its name only when it is complete.

    Devices, pipes and symbolic links are written directly; a regular file is replaced by a rename and keeps its
    permissions.
    """

    descriptor = -1
    temporary: str | None = None

    def __init__(self, name: str) -> None:
        """Open it.

        Raises:
            UsageProblem: the place cannot be written.
        """
        self.name = name
        try:
            mode = _regular_mode(name)
            if mode is None:
                self.descriptor = os.open(name, os.O_WRONLY | os.O_TRUNC | os.O_CREAT, 0o666)
                return
            temporary = f"{name}.{os.urandom(4).hex()}.partial"
            self.descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            self.temporary = temporary
            if os.path.exists(name):
                os.fchmod(self.descriptor, mode)
        except OSError as error:
            self.discard()
            raise UsageProblem(f"cannot write {shown(name)}: {error.strerror}") from None

    def commit(self) -> None:
        """Close and move into place.

        Raises:
            OutputFailed: the system refuses; nothing is left behind.
        """
        try:
            descriptor, self.descriptor = self.descriptor, -1
            os.close(descriptor)
            if self.temporary is not None:
                os.replace(self.temporary, self.name)
                self.temporary = None
        except OSError as error:
            raise OutputFailed(f"cannot write {shown(self.name)}: {error.strerror}") from None
        finally:
            self.discard()

    def discard(self) -> None:
        """Close and leave nothing behind; a file that was committed stays."""
        with contextlib.suppress(OSError):
            if self.descriptor >= 0:
                os.close(self.descriptor)
            if self.temporary is not None:
                os.unlink(self.temporary)
        self.descriptor, self.temporary = -1, None


def _regular_mode(name: str) -> int | None:
    """The permissions of the regular file that is or will be there; None for anything else.

    Raises:
        OSError: there can be no file, or the one that is there must not be written.
    """
    if not name:
        raise FileNotFoundError(errno.ENOENT, "the name is empty")
    try:
        mode = os.lstat(name).st_mode
    except FileNotFoundError:
        return 0o666
    if not stat.S_ISREG(mode):
        return None
    if not os.access(name, os.W_OK):  # a rename would replace it all the same
        raise PermissionError(errno.EACCES, "Permission denied")
    return stat.S_IMODE(mode)


def write_file(name: str, data: bytes) -> None:
    """Write a whole report in one atomic step.

    Raises:
        UsageProblem: the place cannot be written.
        OutputFailed: the disk is full or the like.
    """
    output = OutputFile(name)
    try:
        write_all(output.descriptor, data)
        output.commit()
    finally:
        output.discard()
