"""A command of the user's that is kept running: one JSON object per line in, one per line out, within a time limit.

Actors, graders, verifiers and validators are such commands. What one of them does wrong is an exception here; what it
means for an episode or a check is for the caller to say. After a failure the process and its whole group are ended,
and the next message starts a new one.
"""

import contextlib
import os
import select
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Mapping
from typing import IO, Any

from wfkit import jsonl
from wfkit.errors import DataError

Message = dict[str, Any]

TAIL_BYTES = 4096
CHUNK_BYTES = 1 << 16
SECONDS_TO_END = 1.0
SECONDS_TO_NOTICE = 0.2  # that a process has ended while a child of its holds the pipe
FIRST_TO_GO = b"1000"  # where memory is short the system ends the command, not us


class CommandFailed(Exception):
    """The command gave no usable answer; the text is one line that says why, with the end of its standard error."""


class CommandTimeout(CommandFailed):
    """No complete line came within the time limit."""


class CommandEnded(CommandFailed):
    """The process could not be started, or ended before it answered."""


class CommandGarbled(CommandFailed):
    """A line came that is not one JSON object, is too long, or was not asked for."""


class LineCommand:
    """A long-lived process that speaks JSON lines.

    It is started by the first message, in a process group of its own, and reused until it fails or `stop` is called.
    Several threads may `ask`, one after the other; `send` and `receive` are for one thread.
    """

    def __init__(
        self, command: str, *, timeout: float, name: str = "command", environment: Mapping[str, str] | None = None
    ) -> None:
        """Prepare; nothing is started yet.

        Args:
            command: a line for ``/bin/sh``.
            timeout: seconds that `receive` waits unless told otherwise.
            name: what messages call it, such as ``verifier``.
            environment: all environment variables that it gets; None for our own.
        """
        self.command = command
        self.timeout = timeout
        self.name = name
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: deque[bytes] = deque()
        self._unfinished = bytearray()
        self._tail = _Tail()
        self._asking = threading.Lock()
        self._ender: weakref.finalize[Any, LineCommand] | None = None

    @property
    def running(self) -> bool:
        """Whether a process is there that has not ended."""
        return self._process is not None and self._process.poll() is None

    def ask(self, message: Mapping[str, Any], *, timeout: float | None = None) -> Message:
        """Send one object and wait for the one that answers it.

        Raises:
            CommandFailed: no usable answer, or output that stands there already after it; the process is ended.
        """
        with self._asking:
            self.send(message, timeout=timeout)
            answer = self.receive(timeout=timeout)
            self.expect_silence()
            return answer

    def send(self, message: Mapping[str, Any], *, timeout: float | None = None) -> None:
        """Write one object; starts the process if there is none.

        Raises:
            CommandEnded: it cannot be started, or does not read any more.
            CommandTimeout: it does not take the whole line in time.
        """
        if not self.running:
            self.stop()
            self._start()
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        data = memoryview(jsonl.dumps(message) + b"\n")
        while data:
            try:
                data = data[os.write(process.stdin.fileno(), data[:CHUNK_BYTES]) :]
                continue
            except BlockingIOError:
                pass
            except OSError:
                raise self._failed(CommandEnded, self._ending(process)) from None
            seconds = deadline - time.monotonic()
            if seconds <= 0:
                raise self._failed(CommandTimeout, "did not read the message in time")
            if self._readable(process, seconds, room_to_write=True) and not self._read(process):
                raise self._failed(CommandEnded, self._ending(process))
            if self._lines or len(self._unfinished) > jsonl.MAX_LINE_BYTES:
                raise self._failed(CommandGarbled, "wrote before it had read the message")

    def receive(self, *, timeout: float | None = None) -> Message:
        """Wait for the next object.

        Raises:
            CommandTimeout: none came in time.
            CommandEnded: the process ended first.
            CommandGarbled: the line is not one JSON object.
        """
        process = self._process
        if process is None or process.stdout is None:
            raise CommandEnded(f"the {self.name} is not running")
        limit = self.timeout if timeout is None else timeout
        deadline = time.monotonic() + limit
        while not self._lines:
            if len(self._unfinished) > jsonl.MAX_LINE_BYTES:
                raise self._failed(CommandGarbled, f"wrote a line of more than {jsonl.MAX_LINE_BYTES:,} bytes")
            seconds = deadline - time.monotonic()
            if seconds <= 0:
                raise self._failed(CommandTimeout, f"gave no answer within {limit:g} s")
            if self._readable(process, seconds):
                if not self._read(process) and not self._take_unfinished():
                    raise self._failed(CommandEnded, self._ending(process))
            elif process.poll() is not None and not self._readable(process, 0):
                raise self._failed(CommandEnded, self._ending(process))
        line = self._lines.popleft()
        try:
            value = jsonl.loads(line)
        except DataError as error:
            raise self._failed(CommandGarbled, f"wrote what is not JSON ({error}): {_shown(line)}") from None
        if not isinstance(value, dict):
            raise self._failed(CommandGarbled, f"wrote what is not a JSON object: {_shown(line)}")
        return value

    def expect_silence(self) -> None:
        """Make sure that nothing was written that nobody asked for.

        Raises:
            CommandGarbled: something was.
        """
        process = self._process
        if process is not None and self._readable(process, 0):
            self._read(process)
        if self._lines or self._unfinished:
            further = self._lines[0] if self._lines else bytes(self._unfinished)
            raise self._failed(CommandGarbled, f"wrote more than one answer: {_shown(further)}")

    def stop(self) -> None:
        """End the process and everything that it started; the next message starts a new one."""
        self._lines.clear()
        self._unfinished.clear()
        self._process = None
        if self._ender is not None:
            self._ender()
            self._ender = None

    def _start(self) -> None:
        self._tail = _Tail()
        try:
            process = subprocess.Popen(
                ["/bin/sh", "-c", self.command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                env=self._environment,
            )
        except OSError as error:
            raise CommandEnded(f"the {self.name} cannot be started: {error.strerror}") from None
        assert process.stdin is not None and process.stderr is not None
        os.set_blocking(process.stdin.fileno(), False)
        with contextlib.suppress(OSError), open(f"/proc/{process.pid}/oom_score_adj", "wb", buffering=0) as score:
            score.write(FIRST_TO_GO)
        threading.Thread(target=self._tail.drain, args=(process.stderr,), daemon=True).start()
        self._process = process
        self._ender = weakref.finalize(self, _end, process)  # also when this process ends

    def _readable(self, process: "subprocess.Popen[bytes]", seconds: float, *, room_to_write: bool = False) -> bool:
        """Whether there is output or the end of it; waits a moment at most, and no longer than until it can be told.

        Args:
            room_to_write: come back as soon as the process takes input again, too.
        """
        assert process.stdin is not None and process.stdout is not None
        output = process.stdout.fileno()
        poll = select.poll()  # unlike select it knows no largest descriptor
        poll.register(output, select.POLLIN)
        if room_to_write:
            poll.register(process.stdin.fileno(), select.POLLOUT)
        return any(descriptor == output for descriptor, _ in poll.poll(min(seconds, SECONDS_TO_NOTICE) * 1000))

    def _take_unfinished(self) -> bool:
        """Take what stands after the last line end for a line, now that nothing can follow it."""
        if not self._unfinished:
            return False
        self._lines.append(bytes(self._unfinished))
        self._unfinished.clear()
        return True

    def _read(self, process: "subprocess.Popen[bytes]") -> bool:
        """Take what can be read now; false at the end of the output."""
        assert process.stdout is not None
        chunk = os.read(process.stdout.fileno(), CHUNK_BYTES)
        *complete, rest = chunk.split(b"\n")
        for piece in complete:
            self._lines.append(bytes(self._unfinished + piece))
            self._unfinished.clear()
        self._unfinished += rest
        return bool(chunk)

    def _ending(self, process: "subprocess.Popen[bytes]") -> str:
        """How a process that stopped talking ended, in words."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(SECONDS_TO_END)
        if process.returncode is None:
            return "closed its output"
        if process.returncode < 0:
            return f"was ended by signal {-process.returncode}"
        return f"ended with exit code {process.returncode}"

    def _failed(self, kind: type[CommandFailed], what: str) -> CommandFailed:
        self.stop()
        said = self._tail.last_line()
        return kind(f"the {self.name} {what}" + (f" (stderr: {said})" if said else ""))


class _Tail:
    """The last bytes that a process wrote on standard error."""

    def __init__(self) -> None:
        self._bytes = b""
        self._done = threading.Event()

    def drain(self, pipe: IO[bytes]) -> None:
        """Read to the end and close, so that the process never waits for a reader."""
        with pipe, contextlib.suppress(OSError):
            while chunk := os.read(pipe.fileno(), CHUNK_BYTES):
                self._bytes = (self._bytes + chunk)[-TAIL_BYTES:]
        self._done.set()

    def last_line(self) -> str:
        """The last line that is not blank, at most 300 characters of it."""
        self._done.wait(0.2)
        lines = self._bytes.decode("utf-8", errors="replace").split("\n")
        return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "")


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a process and its group, and close its pipes."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(SECONDS_TO_END)
    with contextlib.suppress(OSError):  # its children may have outlived it
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def _shown(line: bytes) -> str:
    text = line[:100].decode("utf-8", errors="replace").strip()
    return f"«{text}»"
