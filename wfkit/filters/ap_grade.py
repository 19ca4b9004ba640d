"""ap-grade: run or replay an agent on both sides of every pair and grade it natively, with nothing lost."""

import os
from typing import TYPE_CHECKING, Literal

import click

from wfkit import exit_codes
from wfkit.agents.grading.recorded import FORMATS
from wfkit.errors import UsageProblem
from wfkit.filters import grading_work
from wfkit.filters.grading_files import Books, grades_beside, progress_of, send_grades_beside, write_grades
from wfkit.filters.grading_labels import annotator_of
from wfkit.filters.options import NumberRange
from wfkit.skeleton import map_filter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wfkit.engine import Ending, Stage
    from wfkit.jsonl import Record

EXAMPLES = """
# an agent and a grader, each a program that answers one JSON line with another
ap-grade --actor 'python my_agent.py' --grader 'python grade.py' --out runs.jsonl pairs.jsonl
ap-aggregate --requested pairs.jsonl runs.grades.jsonl > figures.jsonl

# after a crash, a kill or a full disk
ap-grade --actor 'python my_agent.py' --grader 'python grade.py' --out runs.jsonl --resume pairs.jsonl

# episodes that were run elsewhere, with the scores that they carry
ap-grade --episodes results.json --model gpt-4.1 --out runs.jsonl pairs.jsonl
"""


@map_filter("ap-grade", writes="ap_grade", awaits="ap_pair records", examples=EXAMPLES, jobs=False)
@click.option("--actor", metavar="CMD", help="The agent: a command that answers tasks, each on one line of JSON.")
@click.option("--grader", metavar="CMD", help="The native grader: a command that answers episodes with scores.")
@click.option(
    "--out", metavar="FILE", required=True,
    help="The ledger: one ap_run record for each finished episode, as it finishes. Never overwritten.",
)  # fmt: skip
@click.option("--resume", is_flag=True, help="Go on with --out where it exists; nothing is repeated.")
@click.option(
    "--model", metavar="NAME", help=f"The name of what acts.  [default: as recorded, else {grading_work.DEFAULT_MODEL}]"
)
@click.option(
    "-j", "--jobs", "hands", type=click.IntRange(1, 256), default=1, show_default=True,
    help="Episodes side by side, each with an actor and a grader process of its own.",
)  # fmt: skip
@click.option(
    "--timeout", metavar="SECONDS", type=NumberRange(0, min_open=True), default=1800.0, show_default=True,
    help="How long an actor may take for one episode, and a grader for one score.",
)  # fmt: skip
@click.option(
    "--repeats", metavar="K", type=click.IntRange(1, 1000), help="Runs of each side.  [default: as recorded, else 1]"
)  # fmt: skip
@click.option(
    "--episodes", metavar="FILE", multiple=True,
    help="Grade these episodes, run elsewhere, instead of running --actor; may be repeated.",
)  # fmt: skip
@click.option(
    "--episodes-from", type=click.Choice(["auto", *FORMATS]), default="auto", show_default=True,
    help="The format of --episodes.",
)  # fmt: skip
@click.option(
    "--max-questions", metavar="N", type=click.IntRange(0), default=200, show_default=True,
    help="Questions that an actor may ask in one episode; one more is turn_limit.",
)  # fmt: skip
@click.option("--fresh", is_flag=True, help="Start actor and grader anew for each episode.")
@click.option(
    "--actor-env", metavar="NAME", multiple=True,
    help="Pass this environment variable to the actor, beside PATH, HOME, locale, proxies and *_API_KEY, *_BASE_URL.",
)  # fmt: skip
@click.option(
    "--actor-failure", type=click.Choice(["unknown", "zero"]), default="unknown", show_default=True,
    help="The score of an episode that the actor did not finish and the grader gave no number.",
)  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed shuffles sides and pairs otherwise.")
@click.option("--episodes-out", metavar="FILE", help="Keep what the actor answered, in the form that --episodes reads.")
@click.option(
    "--label", metavar="rules|llm|CMD",
    help="Label awareness and behaviour of episodes that failed while their clean side succeeded.",
)  # fmt: skip
@click.option("--label-all", is_flag=True, help="Label the episodes that succeeded all the same, too.")
@click.option("--label-set", metavar="FILE", help='Labels, in order: {"awareness": [...], "behaviour": [...]}.')
@click.option("--label-model", metavar="MODEL", help="The model of --label llm, at the endpoint of the environment.")
@click.option("--endpoints", metavar="FILE", help="Endpoint profiles, for a --label-model of the form MODEL@NAME.")
@click.option(
    "--success", metavar="SCORE", type=NumberRange(0, 1, min_open=True), default=1.0, show_default=True,
    help="The least score that is a success, for --label.",
)  # fmt: skip
def main(
    actor: str | None,
    grader: str | None,
    out: str,
    resume: bool,
    model: str | None,
    hands: int,
    timeout: float,
    repeats: int | None,
    episodes: tuple[str, ...],
    episodes_from: str,
    max_questions: int,
    fresh: bool,
    actor_env: tuple[str, ...],
    actor_failure: Literal["unknown", "zero"],
    seed: int,
    episodes_out: str | None,
    label: str | None,
    label_all: bool,
    label_set: str | None,
    label_model: str | None,
    endpoints: str | None,
    success: float,
    grades: str | None,
) -> "Stage":
    """Run an agent on both sides of every pair, in an order that tells nothing, and have each episode graded.

    Reads ap_pair records. Writes a line to --out for each episode as it finishes, and at the end, in RUNS.grades.jsonl
    beside it, one ap_grade record for each pair and repeat in the order of the input. A clean side is run once and
    shared by its families. Whatever happens to an episode is a status; an unknown score is null, never 0.
    """
    from wfkit.agents.grading.actor import Limits
    from wfkit.agents.grading.crew import Crew
    from wfkit.agents.grading.grades import grades as graded
    from wfkit.agents.grading.labels.labelling import Labelling
    from wfkit.agents.grading.plan import Plan
    from wfkit.agents.grading.schedule import shuffled
    from wfkit.agents.grading.tally import GradeTally
    from wfkit.engine import Ending, Stage

    target = grades or grades_beside(out)
    if not resume and os.path.exists(target):
        raise UsageProblem(f"{target} exists: only a run with --resume writes it again")
    plan = Plan()
    if episodes:
        if actor is not None or episodes_out is not None:
            raise UsageProblem("--episodes takes what was run elsewhere: without --actor and --episodes-out")
        work = grading_work.recorded(
            plan, episodes, episodes_from, grader=grader, model=model, repeats=repeats, seed=seed, timeout=timeout
        )
    else:
        if actor is None or grader is None:
            raise UsageProblem("name the agent with --actor CMD and its grader with --grader CMD, or give --episodes")
        work = grading_work.live(
            plan, actor, grader, model=model, repeats=repeats or 1, seed=seed,
            limits=Limits(timeout, max_questions), actor_env=actor_env, fresh=fresh,
        )  # fmt: skip
    annotator = None
    if label is not None:
        if not episodes and episodes_out is None:
            raise UsageProblem("--label reads what agents did: keep it with --episodes-out FILE")
        annotator = annotator_of(label, label_set, label_model, endpoints, timeout)
    books = Books(out, episodes_out, work.settings, resume=resume)
    find_episode = books.episodes.find if books.episodes is not None else work.episode
    labelling = Labelling(annotator, find_episode, recovered_too=label_all, success=success)
    crews: list[Crew] = []
    tally = GradeTally()

    def take(record: "Record") -> "Record":
        plan.add(record)
        return record

    def finish() -> "Ending":
        slots = work.slots()
        left = [slot for slot in shuffled(slots, seed) if not books.runs.holds(slot.run_id)]
        crew = Crew([work.hand() for _ in range(min(hands, len(left)))])
        crews.append(crew)
        show = progress_of(len(left))
        for run in crew.runs(left):
            books.enter(run)
            show()
        asked_for = plan.pairs * work.repeats
        write_grades(target, counted())
        lost = asked_for - tally.pairs
        there = f", {len(slots) - len(left):,} were there already" if len(left) < len(slots) else ""
        report = [*work.notes(), f"{len(left):,} episodes run{there}", *tally.lines()]
        if lost:
            report.append(f"{lost:,} of {asked_for:,} pairs have a side that was not recorded: they are in no record")
        return Ending(
            codes={exit_codes.UNAVAILABLE} if lost or labelling.problems else set(),
            report=[*report, *labelling.lines()],
            summary={"written": tally.pairs, "episodes": len(left), "lost": lost, **tally.summary()},
        )

    def counted() -> "Iterator[Record]":
        for record in graded(
            plan, books.runs.find, model=work.settings.model, repeats=work.repeats, seed=seed,
            digests=dict(work.settings.digests), actor_failure=actor_failure, labels=labelling.labels,
        ):  # fmt: skip
            tally.add(record)
            yield record

    def close() -> None:
        for crew in crews:
            crew.stop()
        labelling.stop()
        books.close()
        plan.close()

    return Stage(
        reads=("ap_pair",),
        writes=("ap_pair",),
        step=take,
        encode=lambda _record: b"",  # everything is written at the end
        note=lambda record: record if record["kind"] == "error" else None,
        collect=lambda error: None if error is None else plan.add_error(error),
        finish=finish,
        close=close,
    )


send_grades_beside(main)
build = main.build

if __name__ == "__main__":
    main()
