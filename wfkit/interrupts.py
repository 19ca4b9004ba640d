"""Ctrl-C and termination: they end a run between two writes, never in the middle of a record."""

import contextlib
import signal
from collections.abc import Iterator

_held = False
_pending = False


def watch() -> None:
    """Turn the signals that ask a process to end into `KeyboardInterrupt`, unless the parent has them ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _on_signal)


def _on_signal(_number: int, _frame: object) -> None:
    global _pending
    if not _held or _pending:  # a second signal interrupts at once: the reader may be stuck
        raise KeyboardInterrupt
    _pending = True


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Put off the first interrupt until the end of the block."""
    global _held, _pending
    _held, _pending = True, False
    try:
        yield
    finally:
        _held = False
        if _pending:
            raise KeyboardInterrupt
