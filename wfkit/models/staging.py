"""Room to make a model's folder in, so that it appears in one step (a rename) and is never seen half made."""

import fcntl
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

Progress = Callable[[str], None]


@contextmanager
def staged(target: Path, progress: Progress) -> Iterator[Path]:
    """Hold the lock of one model and give an empty folder beside its place, removed at the end.

    The system drops the lock of a killed process, so whatever such a process left is removed by the next.

    Args:
        target: the folder that the caller makes inside the empty one and renames to here.
        progress: told in one line if another process has the lock.

    Raises:
        OSError: the folder cannot be made.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    staging = target.with_name(f".{target.name}.partial")
    with target.with_name(f".{target.name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress("another process is making this model; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir()
        try:
            yield staging
        finally:
            shutil.rmtree(staging, ignore_errors=True)
