"""Threads that run episodes side by side, each with an actor and a grader of its own."""

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from wfkit.agents.grading.episode import Run
from wfkit.agents.grading.plan import Slot


class Hand(Protocol):
    """What one thread works with."""

    def run(self, slot: Slot) -> Run:
        """Run one episode."""

    def stop(self) -> None:
        """End the processes; may be called while another thread is in `run`."""


class Crew:
    """A fixed number of hands at one list of episodes."""

    def __init__(self, hands: Iterable[Hand]) -> None:
        self._hands = list(hands)
        self._stopping = threading.Event()
        # Bounded: when the disk is slow the hands wait, and memory does not grow.
        self._done: queue.Queue[Run | BaseException | None] = queue.Queue(maxsize=2 * len(self._hands))

    def runs(self, slots: Iterable[Slot]) -> Iterator[Run]:
        """Run every episode, and yield each when it is finished, in any order.

        Raises:
            Whatever a hand raises: a fault of ours, or something that ends the run.
        """
        take = _shared(slots)
        for hand in self._hands:
            threading.Thread(target=self._work, args=(hand, take), daemon=True).start()
        at_work = len(self._hands)
        while at_work:
            done = self._done.get()
            if done is None:
                at_work -= 1
            elif isinstance(done, BaseException):
                raise done
            else:
                yield done

    def stop(self) -> None:
        """End every process; the hands that are in the middle of an episode drop it."""
        self._stopping.set()
        enders = [threading.Thread(target=hand.stop, daemon=True) for hand in self._hands]
        for ender in enders:
            ender.start()
        for ender in enders:
            ender.join()

    def _work(self, hand: Hand, take: Callable[[], Slot | None]) -> None:
        try:
            while not self._stopping.is_set() and (slot := take()) is not None:
                self._hand_over(hand.run(slot))
            self._hand_over(None)
        except BaseException as error:  # raised again where the runs are taken
            self._hand_over(error)

    def _hand_over(self, done: Run | BaseException | None) -> None:
        while not self._stopping.is_set():
            try:
                self._done.put(done, timeout=0.5)
                return
            except queue.Full:
                continue


def _shared(slots: Iterable[Slot]) -> Callable[[], Slot | None]:
    """A function that gives out one episode after the other to whichever thread asks."""
    iterator, lock = iter(slots), threading.Lock()

    def take() -> Slot | None:
        with lock:
            return next(iterator, None)

    return take
