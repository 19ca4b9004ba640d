"""Threads at one list of episodes: all of them once, side by side, and an end whatever happens."""

import threading
import time

import pytest

from wfkit.agents.grading.crew import Crew
from wfkit.agents.grading.episode import Run
from wfkit.agents.grading.plan import Slot

SLOTS = [Slot(str(number), "side", 0) for number in range(50)]


class Worker:
    """A hand that only waits."""

    def __init__(self, seconds: float = 0.0, fails_at: str = "") -> None:
        self.seconds = seconds
        self.fails_at = fails_at
        self.stopped = threading.Event()

    def run(self, slot: Slot) -> Run:
        self.stopped.wait(self.seconds)
        if slot.run_id == self.fails_at:
            raise ValueError("a fault of ours")
        return Run({"id": slot.run_id}, None)

    def stop(self) -> None:
        self.stopped.set()


@pytest.mark.parametrize("hands", [1, 2, 7])
def test_every_episode_is_run_once(hands: int) -> None:
    crew = Crew([Worker() for _ in range(hands)])
    assert sorted(run.record["id"] for run in crew.runs(SLOTS)) == sorted(slot.run_id for slot in SLOTS)
    crew.stop()


def test_nothing_to_do() -> None:
    assert list(Crew([]).runs([])) == []


def test_hands_work_side_by_side() -> None:
    crew = Crew([Worker(0.3) for _ in range(5)])
    started = time.monotonic()
    assert len(list(crew.runs(SLOTS[:5]))) == 5
    assert time.monotonic() - started < 1.2  # one after the other they take 1.5 s


def test_a_fault_of_ours_comes_out() -> None:
    crew = Crew([Worker(fails_at="3"), Worker(fails_at="3")])
    with pytest.raises(ValueError, match="a fault of ours"):
        list(crew.runs(SLOTS))
    crew.stop()


def test_hands_that_nobody_takes_from_wait_and_can_be_stopped() -> None:
    hands = [Worker(), Worker()]
    crew = Crew(hands)
    runs = crew.runs(SLOTS)
    next(runs)
    crew.stop()
    assert all(hand.stopped.is_set() for hand in hands)
