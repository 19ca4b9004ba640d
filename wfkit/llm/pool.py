"""Threads that make calls while the main thread writes what is finished."""

import contextlib
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

Result = TypeVar("Result")

_Job = tuple["Future[Any]", Callable[[], Any]]


class Pool:
    """Runs functions, first come first served, ``size`` at a time.

    The threads are daemons, unlike those of `concurrent.futures`: a process that is told to end must not first work
    off everything that was queued.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._under_way: set[Future[Any]] = set()
        self._stopped = False

    def submit(self, function: Callable[[], Result]) -> "Future[Result]":
        """Run a function as soon as a thread is free."""
        future: Future[Result] = Future()
        self._jobs.put((future, function))
        if len(self._threads) < self._size:
            thread = threading.Thread(target=self._work, daemon=True)
            self._threads.append(thread)
            thread.start()
        return future

    def stop(self, seconds: float) -> int:
        """Cancel what waits, and wait for what is under way, but no longer than ``seconds``.

        Returns:
            how many functions are still under way.
        """
        self._stopped = True
        with contextlib.suppress(queue.Empty):
            while True:
                self._jobs.get_nowait()[0].cancel()
        until = time.monotonic() + seconds
        while self._under_way and time.monotonic() < until:
            time.sleep(0.01)
        return len(self._under_way)

    def _work(self) -> None:
        while True:
            future, function = self._jobs.get()
            if self._stopped or not future.set_running_or_notify_cancel():
                future.cancel()
                continue
            self._under_way.add(future)
            try:
                result = function()
            except BaseException as error:  # the main thread raises it where it asks for the result
                self._under_way.discard(future)
                future.set_exception(error)
            else:
                self._under_way.discard(future)
                future.set_result(result)
            del future, function
