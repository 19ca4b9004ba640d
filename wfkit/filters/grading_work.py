"""What ap-grade works through: an agent that is run live, or episodes that were run elsewhere."""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from wfkit.agents.grading.actor import Limits
    from wfkit.agents.grading.crew import Hand
    from wfkit.agents.grading.episode import Settings
    from wfkit.agents.grading.plan import Plan, Slot
    from wfkit.jsonl import Record

DEFAULT_MODEL = "actor"


class Work(NamedTuple):
    """Where episodes come from.

    Attributes:
        settings: what all episodes share.
        repeats: how often each side is run.
        hand: makes what one thread works with.
        slots: the episodes that there are to be; called when the plan is complete.
        episode: an episode that was there already, by the id of its run; None where it was not.
        notes: what to say of episodes that nobody asked for; called after ``slots``.
    """

    settings: "Settings"
    repeats: int
    hand: "Callable[[], Hand]"
    slots: "Callable[[], Sequence[Slot]]"
    episode: "Callable[[str], Record | None]" = lambda _run_id: None
    notes: Callable[[], Sequence[str]] = tuple


def live(
    plan: "Plan",
    actor: str,
    grader: str,
    *,
    model: str | None,
    repeats: int,
    seed: int,
    limits: "Limits",
    actor_env: Sequence[str],
    fresh: bool,
) -> Work:
    """Run an actor.

    Raises:
        UsageProblem: a command cannot be started, or a variable is not set.
    """
    from wfkit.agents.command import LineCommand
    from wfkit.agents.grading.episode import Settings
    from wfkit.agents.grading.hands import ActingHand
    from wfkit.agents.grading.programs import actor_environment, check_command, program_digest

    for command, what in ((actor, "actor"), (grader, "grader")):
        check_command(command, what)
    environment = actor_environment(os.environ, actor_env)
    digests = {"actor": program_digest(actor), "grader": program_digest(grader)}
    settings = Settings(model or DEFAULT_MODEL, seed, digests)

    def hand() -> "Hand":
        acting = LineCommand(actor, timeout=limits.seconds, name="actor", environment=environment)
        grading = LineCommand(grader, timeout=limits.seconds, name="grader")
        return ActingHand(plan, settings, acting, grading, limits, fresh)

    return Work(settings, repeats, hand, lambda: list(plan.slots(settings.model, repeats)))


def recorded(
    plan: "Plan",
    files: Sequence[str],
    form: str,
    *,
    grader: str | None,
    model: str | None,
    repeats: int | None,
    seed: int,
    timeout: float,
) -> Work:
    """Take episodes that were run elsewhere.

    Raises:
        UsageProblem: a file is not in a format that is read, or an episode is there twice.
    """
    from wfkit.agents.command import LineCommand
    from wfkit.agents.grading.episode import Settings
    from wfkit.agents.grading.hands import RecordingHand
    from wfkit.agents.grading.plan import Slot
    from wfkit.agents.grading.programs import check_command, program_digest
    from wfkit.agents.grading.recordings import Recordings
    from wfkit.filters.recorded_files import read_episodes

    if grader is not None:
        check_command(grader, "grader")
    recordings = Recordings()
    for name, record in read_episodes(files, form):
        recordings.add(record, name)
    chosen = recordings.of_model(model, DEFAULT_MODEL)
    count = repeats or chosen.repeats
    digests = {"actor": None, "grader": None if grader is None else program_digest(grader)}
    settings = Settings(chosen.model, seed, digests)
    unwanted: list[str] = []
    found: dict[str, Slot] = {}

    def slots() -> "Sequence[Slot]":
        unwanted.extend(chosen.match(plan, count))
        found.update({slot.run_id: slot for slot in plan.slots(settings.model, count) if chosen.has(slot)})
        return list(found.values())

    def episode(run_id: str) -> "Record | None":
        slot = found.get(run_id)
        return None if slot is None else chosen.find(slot)

    def hand() -> "Hand":
        grading = None if grader is None else LineCommand(grader, timeout=timeout, name="grader")
        return RecordingHand(plan, settings, chosen.find, grading)

    def notes() -> Sequence[str]:
        if not unwanted:
            return ()
        return [f"{len(unwanted):,} recorded episodes belong to nothing that is asked for, such as {unwanted[0]!r}"]

    return Work(settings, count, hand, slots, episode, notes)
