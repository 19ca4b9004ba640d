"""Ctrl-C and termination: they end a run between two writes, never within a record or a library that cannot bear it."""

import contextlib
import signal
from collections.abc import Iterator

_held = False
_pending = False
_came = False


def watch() -> None:
    """Turn the signals that ask a process to end into `KeyboardInterrupt`, unless the parent has them ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _on_signal)


def came() -> bool:
    """Whether one came: libraries turn it into exceptions of their own, even into such as end the process with 1."""
    return _came


def _on_signal(_number: int, _frame: object) -> None:
    global _pending, _came
    _came = True
    if not _held or _pending:  # a second signal interrupts at once: the reader may be stuck
        raise KeyboardInterrupt
    _pending = True


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Put off the first interrupt until the end of the block; blocks may be nested."""
    global _held, _pending
    if _held:
        yield
        return
    _held, _pending = True, False
    try:
        yield
    finally:
        _held = False
        if _pending:
            raise KeyboardInterrupt
