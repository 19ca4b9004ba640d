"""Worker processes: batches side by side, results in order, and no record lost when a worker dies."""

import contextlib
import multiprocessing
import os
import queue
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, NamedTuple

from wfkit import engine
from wfkit.engine import Process, Result
from wfkit.errors import DataError, WfkitError
from wfkit.streams import Line

Part = Sequence[Line]


class WorkerBug(Exception):
    """An exception that nobody expected in a worker, as text: not every exception can be sent home."""


class Answer(NamedTuple):
    """The results of a part, up to the exception that ended it if there was one, with its traceback."""

    results: list[Result]
    fault: Exception | None
    traceback: str


def parallel(
    batches: Iterable[Part],
    stage: engine.Stage,
    filter_name: str,
    *,
    module: str,
    options: Mapping[str, Any],
    check: bool,
    jobs: int,
) -> Generator[tuple[Part, Iterable[Result]], None, None]:
    """Process batches in ``jobs`` worker processes, in order, with at most eight parts a worker under way.

    A worker builds its own stage from the module and the options, since closures cannot be sent to it. A thread
    reads the input, so that a finished record is written while upstream is idle.
    """
    events: queue.SimpleQueue[Part | BaseException | None] = queue.SimpleQueue()
    room = threading.Semaphore(8 * jobs)

    def read() -> None:
        try:
            for batch in batches:
                for part in _parts(batch, jobs):
                    room.acquire()
                    events.put(part)
            events.put(None)
        except BaseException as error:  # handed to the main thread, which raises it
            events.put(error)

    workers = _Pool(jobs, module, options, check)
    alone = _Pool(1, module, options, check)
    under_way: deque[tuple[Part, Future[Answer]]] = deque()
    threading.Thread(target=read, daemon=True).start()
    at_end, fault = False, None
    try:
        while under_way or not at_end:
            event = events.get()
            if event is None or isinstance(event, BaseException):
                at_end, fault = True, event
            elif event:
                future = workers.submit(event)
                under_way.append((event, future))
                future.add_done_callback(lambda _: events.put(()))
            while under_way and under_way[0][1].done():
                part, future = under_way.popleft()
                room.release()
                try:
                    yield part, _told(future.result())
                except BrokenProcessPool:
                    yield part, _one_by_one(part, alone, stage, filter_name)
        if fault is not None:
            raise fault
    finally:
        workers.stop()
        alone.stop()


def _parts(batch: Part, jobs: int) -> Iterator[Part]:
    size = max(1, -(-len(batch) // jobs))
    for start in range(0, len(batch), size):
        yield batch[start : start + size]


def _told(answer: Answer) -> Iterator[Result]:
    yield from answer.results
    if answer.fault is not None:
        answer.fault.add_note(answer.traceback)
        raise answer.fault


def _one_by_one(part: Part, alone: "_Pool", stage: engine.Stage, filter_name: str) -> Iterator[Result]:
    """Repeat a part that was under way when a worker died: the record that kills a worker again is a bad one."""
    for line in part:
        try:
            yield from _told(alone.submit([line]).result())
        except BrokenProcessPool:
            error = DataError("a worker process died on this record", code="E-WORKER")
            yield engine.failure(stage, filter_name, line, error)


class _Pool:
    """Worker processes, made anew after one of them died."""

    def __init__(self, jobs: int, module: str, options: Mapping[str, Any], check: bool) -> None:
        self._make: Callable[[], ProcessPoolExecutor] = lambda: ProcessPoolExecutor(
            jobs,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_start_worker,
            initargs=(module, options, check),
        )
        self._executor: ProcessPoolExecutor | None = None

    def submit(self, part: Part) -> "Future[Answer]":
        """Hand a part to a worker; the future raises `BrokenProcessPool` if a worker dies meanwhile."""
        if self._executor is not None:
            with contextlib.suppress(BrokenProcessPool):
                return self._executor.submit(_work, part)
        self._executor = self._make()
        # The workers start now and inherit the mask: Ctrl-C is for this process, which ends them.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return self._executor.submit(_work, part)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def stop(self) -> None:
        """End all workers, in the middle of a part if need be."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            for child in multiprocessing.active_children():
                child.terminate()


_process: Process | None = None
_start_fault: Exception | None = None


def _start_worker(module: str, options: Mapping[str, Any], check: bool) -> None:
    import importlib

    global _process, _start_fault
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.dup2(2, 1)
    try:
        filter_module = importlib.import_module(module)
        stage = filter_module.build(**options)
        _process = engine.processor(stage, filter_module.main.name, check=check, admit=None)
    except Exception as error:  # told by the first part; raised here it would look like a worker that died
        _start_fault = error


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(part: Part) -> Answer:
    import traceback

    results: list[Result] = []
    try:
        if _process is None:
            raise _start_fault or AssertionError("the worker was not started")
        for result in _process(part):
            results.append(result)
    except WfkitError as error:
        return Answer(results, error, "")
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return Answer(results, WorkerBug(text), "in the worker:\n" + traceback.format_exc())
    return Answer(results, None, "")
