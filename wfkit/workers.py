"""Worker processes: batches side by side, results in order, and no record lost when a worker dies.

Each worker has a pipe of its own and at most one part of the input, so it is always known what a dead one had. (The
pools of the standard library share queues and locks among their workers, and hang if one dies holding them.)
"""

import contextlib
import multiprocessing
import os
import queue
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from multiprocessing import connection as connections
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from wfkit import engine
from wfkit.engine import Process, Result
from wfkit.errors import DataError, WfkitError
from wfkit.streams import BATCH_LINES, Line

Part = Sequence[Line]

# In one part: enough to outweigh its way through a pipe, few enough that no worker idles long at the end of the input;
# where a stage prepares a part as a whole, the more the better.
MOST_LINES = 64


class WorkerBug(Exception):
    """An exception that nobody expected in a worker, as text: not every exception can be sent home."""


class Answer(NamedTuple):
    """The results of a part, up to the exception that ended it if there was one, with its traceback."""

    results: list[Result]
    fault: Exception | None
    traceback: str


class Start(NamedTuple):
    """What a worker builds its stage from, since closures cannot be sent to it."""

    module: str
    options: Mapping[str, Any]
    check: bool


class Died(Exception):
    """A worker process ended in the middle of its work."""


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

    A thread reads the input, so that a finished record is written while upstream is idle.
    """
    start = Start(module, options, check)
    source = _Source(batches, jobs, BATCH_LINES if stage.prepare else MOST_LINES)
    workers: list[_Worker] = []
    waiting: deque[tuple[int, Part]] = deque()
    answers: dict[int, tuple[Part, Answer | None]] = {}
    taken = given = 0
    try:
        while True:
            for part in source.news():
                waiting.append((taken, part))
                taken += 1
            while waiting and (worker := _idle(workers, start, jobs)):
                worker.take(*waiting.popleft())
            while given in answers:
                part, answer = answers.pop(given)
                given += 1
                source.room.release()
                yield part, _one_by_one(part, start, stage, filter_name) if answer is None else _told(answer)
            if source.at_end and given == taken:
                break
            busy = [worker for worker in workers if worker.part is not None]
            ready = connections.wait([source.bell, *(worker.connection for worker in busy)])
            for worker in busy:
                if worker.connection in ready:
                    number, part = worker.number, worker.part or ()
                    try:
                        answers[number] = part, worker.answer()
                    except Died:
                        answers[number] = part, None
                        workers.remove(worker)
        source.raise_fault()
    finally:
        for worker in workers:
            worker.stop()


class _Source:
    """The parts of the input as they come, read by a thread that rings a bell for each."""

    def __init__(self, batches: Iterable[Part], jobs: int, most: int) -> None:
        self.room = threading.Semaphore(8 * jobs)
        self.bell, self._rope = os.pipe()
        self._news: queue.SimpleQueue[Part | BaseException | None] = queue.SimpleQueue()
        self._fault: BaseException | None = None
        self.at_end = False
        threading.Thread(target=self._read, args=(batches, jobs, most), daemon=True).start()

    def _read(self, batches: Iterable[Part], jobs: int, most: int) -> None:
        end: BaseException | None = None
        try:
            for batch in batches:
                for part in _parts(batch, jobs, most):
                    self.room.acquire()
                    self._put(part)
        except BaseException as error:  # handed to the main thread, which raises it
            end = error
        self._put(end)

    def _put(self, news: Part | BaseException | None) -> None:
        self._news.put(news)
        os.write(self._rope, b".")

    def news(self) -> Iterator[Part]:
        """The parts that came since the last time."""
        for _ in os.read(self.bell, 4096) if connections.wait([self.bell], 0) else b"":
            one = self._news.get()
            if one is None or isinstance(one, BaseException):
                self.at_end, self._fault = True, one
            else:
                yield one

    def raise_fault(self) -> None:
        """Raise what ended the input, unless it was its end."""
        if self._fault is not None:
            raise self._fault


def _parts(batch: Part, jobs: int, most: int) -> Iterator[Part]:
    size = max(1, min(-(-len(batch) // jobs), most))
    for start in range(0, len(batch), size):
        yield batch[start : start + size]


def _told(answer: Answer) -> Iterator[Result]:
    yield from answer.results
    if answer.fault is not None:
        answer.fault.add_note(answer.traceback)
        raise answer.fault


def _one_by_one(part: Part, start: Start, stage: engine.Stage, filter_name: str) -> Iterator[Result]:
    """Repeat the part of a worker that died: the record that kills a worker again is a bad one."""
    worker = _Worker(start)
    try:
        for line in part:
            worker.take(0, [line])
            try:
                yield from _told(worker.answer())
            except Died:
                worker = _Worker(start)
                error = DataError("a worker process died on this record", code="E-WORKER")
                yield engine.failure(stage, filter_name, line, error)
    finally:
        worker.stop()


def _idle(workers: list["_Worker"], start: Start, jobs: int) -> "_Worker | None":
    """A worker without a part, newly started while there are fewer than asked for."""
    for worker in workers:
        if worker.part is None:
            return worker
    if len(workers) == jobs:
        return None
    workers.append(_Worker(start))
    return workers[-1]


class _Worker:
    """A process with a pipe to it, and the part of the input that it has."""

    def __init__(self, start: Start) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, start), daemon=True)
        self.number = 0
        self.part: Part | None = None
        resource_tracker.ensure_running()  # which would lift the mask
        # The worker inherits the mask: Ctrl-C is for this process, which ends its workers.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        theirs.close()

    def take(self, number: int, part: Part) -> None:
        """Hand it a part; if it is dead, `answer` tells."""
        self.number, self.part = number, part
        with contextlib.suppress(OSError):
            self.connection.send(part)

    def answer(self) -> Answer:
        """Wait for the answer to its part.

        Raises:
            Died: there will be none.
        """
        try:
            answer: Answer = self.connection.recv()
        except (EOFError, OSError):
            self.stop()
            raise Died from None
        self.part = None
        return answer

    def stop(self) -> None:
        """End it, in the middle of a part if need be."""
        self.process.kill()  # first, lest it complain of the closed connection
        self.process.join()
        self.connection.close()


def _serve(connection: "Connection[Answer, Part]", start: Start) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.dup2(2, 1)
    process: Process | None = None
    fault: Exception | None = None
    try:
        process = _processor(start)
    except Exception as error:  # told by every part; raised here it would look like a worker that died
        fault = error
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            connection.send(_answer(process, fault, connection.recv()))


def _processor(start: Start) -> Process:
    import importlib

    module = importlib.import_module(start.module)
    stage = module.build(**start.options)
    return engine.processor(stage, module.main.name, check=start.check, admit=None)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _answer(process: Process | None, fault: Exception | None, part: Part) -> Answer:
    import traceback

    results: list[Result] = []
    try:
        if process is None:
            raise fault or AssertionError("the worker was not started")
        for result in process(part):
            results.append(result)
    except WfkitError as error:
        return Answer(results, error, "")
    except (Exception, SystemExit) as error:
        text = f"{type(error).__name__}: {error}"
        return Answer(results, WorkerBug(text), "in the worker:\n" + traceback.format_exc())
    return Answer(results, None, "")
