"""What works at episodes: an actor and a grader of one thread, or recorded episodes and a grader."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from wfkit.agents.command import LineCommand
from wfkit.agents.grading.actor import Acted, Limits, act, late_output
from wfkit.agents.grading.episode import Run, Settings, run_episode
from wfkit.agents.grading.grader import Graded, grade, recorded_score
from wfkit.agents.grading.plan import Job, Plan, Slot
from wfkit.agents.grading.workspace import workspace
from wfkit.errors import DataError

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

        def late() -> str | None:
            return late_output(self.actor)

        try:
            with workspace(job) as (own, directory):
                grading = _graded_by(self.grader, own, directory)
                run = run_episode(
                    slot, job.side, self.settings, partial(act, self.actor, own, self.limits), grading, late
                )
        except DataError as error:  # of the directory: no episode could begin
            lost = Acted(None, "grader_error", str(error))
            run = run_episode(slot, job.side, self.settings, lambda: lost, _graded_by(self.grader, job, None))
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

        grading = score if self.grader is None else _graded_by(self.grader, job, None)
        return run_episode(slot, job.side, self.settings, lambda: Acted(episode), grading)

    def stop(self) -> None:
        """End the grader."""
        if self.grader is not None:
            self.grader.stop()


def _graded_by(grader: LineCommand, job: Job, directory: str | None) -> Callable[[Record], Graded]:
    def by_grader(episode: Record) -> Graded:
        return grade(grader, job.private, episode, job.scale, directory)

    return by_grader
