"""What works at episodes: an actor and a grader of one thread, or recorded episodes and a grader."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wfkit.agents.command import LineCommand
from wfkit.agents.grading.actor import Acted, Limits, act, late_output
from wfkit.agents.grading.episode import Run, Settings, run_episode
from wfkit.agents.grading.grader import Graded, grade, recorded_score
from wfkit.agents.grading.plan import Job, Plan, Slot

Record = dict[str, Any]


@dataclass(frozen=True)
class ActingHand:
    """Has tasks done by an actor and graded by a grader, each a process of its own that is reused.

    Attributes:
        fresh: start both anew for every episode.
    """

    plan: Plan
    settings: Settings
    actor: LineCommand
    grader: LineCommand
    limits: Limits
    fresh: bool

    def run(self, slot: Slot) -> Run:
        """Run one episode."""
        job = self.plan.job(slot.side)

        def do() -> Acted:
            return act(self.actor, job, self.limits)

        def late() -> str | None:
            return late_output(self.actor)

        run = run_episode(slot, job.side, self.settings, do, _graded_by(self.grader, job), late)
        if self.fresh:
            self.stop()
        return run

    def stop(self) -> None:
        """End both processes."""
        self.actor.stop()
        self.grader.stop()


@dataclass(frozen=True)
class RecordingHand:
    """Takes episodes that were run elsewhere; their own scores stand where there is no grader."""

    plan: Plan
    settings: Settings
    find: Callable[[Slot], Record]
    grader: LineCommand | None

    def run(self, slot: Slot) -> Run:
        """Grade one recorded episode."""
        job, episode = self.plan.job(slot.side), self.find(slot)

        def score(recorded: Record) -> Graded:
            return recorded_score(recorded, job.scale)

        grading = score if self.grader is None else _graded_by(self.grader, job)
        return run_episode(slot, job.side, self.settings, lambda: Acted(episode), grading)

    def stop(self) -> None:
        """End the grader."""
        if self.grader is not None:
            self.grader.stop()


def _graded_by(grader: LineCommand, job: Job) -> Callable[[Record], Graded]:
    def by_grader(episode: Record) -> Graded:
        return grade(grader, job.private, episode, job.scale)

    return by_grader
