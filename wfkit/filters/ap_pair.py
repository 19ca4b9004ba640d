"""ap-pair: matched clean and perturbed instances, each edit verified by someone else than its editor."""

from typing import TYPE_CHECKING, Any, Literal

import click

from wfkit import exit_codes
from wfkit.agents.families import FAMILIES
from wfkit.errors import DataError, UsageProblem
from wfkit.filters.llm_options import llm_options
from wfkit.filters.options import NumberRange, cache_folder, names
from wfkit.skeleton import map_filter

if TYPE_CHECKING:
    from wfkit.agents.command import LineCommand
    from wfkit.agents.pairing.candidate import Verifier
    from wfkit.agents.pairing.proposals import Proposer
    from wfkit.engine import Ending, Stage
    from wfkit.filters.pair_models import Models
    from wfkit.jsonl import Record

EXAMPLES = """
# all 12 families for every instance; what cannot be built stays in the list
ap-pair instances.jsonl > pairs.jsonl

# the reference must succeed on the native grader
ap-pair --grader 'python grade.py' --families user/missing,tools/incorrect instances.jsonl > pairs.jsonl

# edits by a language model, decided on by another one
ap-pair --editor llm --model gpt-4o --verifier llm --verifier-model claude@proxy instances.jsonl > pairs.jsonl

# edits made elsewhere, decided on here
ap-pair --candidates edits.jsonl --families user/missing instances.jsonl > pairs.jsonl
"""
CHECKS = ("single_target", "goal_preserved", "solvable", "executable", "native")


@map_filter("ap-pair", writes="ap_pair", awaits="instance records", examples=EXAMPLES, jobs=False)
@click.option(
    "--families", metavar="LIST", default="all", show_default=True,
    help=f"TARGET/TYPE, separated by commas, or all: {', '.join(FAMILIES)}.",
)  # fmt: skip
@click.option(
    "--per-family", metavar="N", type=click.IntRange(1, 1000), default=1, show_default=True,
    help="Pairs for each instance and family.",
)  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed edits other slots.")
@click.option(
    "--attempts", metavar="N", type=click.IntRange(1, 100), default=3, show_default=True,
    help="Candidates for one pair until one is accepted; all are kept.",
)  # fmt: skip
@click.option(
    "--editor", type=click.Choice(["rules", "llm"]), default="rules", show_default=True,
    help="Who makes the edits: rules, or a language model.",
)  # fmt: skip
@click.option("--model", metavar="MODEL", help="The language model of --editor llm.")
@click.option("--candidates", metavar="FILE", help="Decide on these edits, made elsewhere, instead of making any.")
@click.option(
    "--verifier", metavar="rules|llm|syntax|CMD", default="rules", show_default=True,
    help="Who decides: rules, a language model, a command, or syntax, the negative control that takes everything.",
)  # fmt: skip
@click.option("--verifier-model", metavar="MODEL", help="The language model of --verifier llm.")
@click.option(
    "--accept-unverified", metavar="CHECK", multiple=True, type=click.Choice(CHECKS),
    help=f"Let pairs through although this check is unverified: {', '.join(CHECKS)}.",
)  # fmt: skip
@click.option("--validator", metavar="CMD", help="A command that decides the native check, beside the built-in one.")
@click.option("--grader", metavar="CMD", help="The native grader: the reference must succeed on it.")
@click.option(
    "--timeout", metavar="SECONDS", type=NumberRange(0, min_open=True), default=60.0, show_default=True,
    help="How long a command may take for one answer.",
)  # fmt: skip
@click.option(
    "--public", metavar="FILE", help="Write what the actor sees of both sides, in an order that tells nothing."
)
@click.option("--variants", metavar="DIR", help="Where the copies of instances that are directories go.")
@click.option("--cache", metavar="DIR", help="Where answers of models are kept.  [default: $XDG_CACHE_HOME/wfkit]")
@click.option("--no-cache", is_flag=True, help="Keep no answers.")
@llm_options
def main(
    families: str,
    per_family: int,
    seed: int,
    attempts: int,
    editor: Literal["rules", "llm"],
    model: str | None,
    candidates: str | None,
    verifier: str,
    verifier_model: str | None,
    accept_unverified: tuple[str, ...],
    validator: str | None,
    grader: str | None,
    timeout: float,
    public: str | None,
    variants: str | None,
    cache: str | None,
    no_cache: bool,
    **llm: Any,
) -> "Stage":
    """Edit one input surface of each instance in twelve ways, and have every edit verified.

    Reads instance records. Writes one ap_pair record for each instance and family asked for, whatever became of it:
    accepted, rejected (with the check that failed) or inapplicable (with the reason).
    """
    from wfkit.agents.pairing import directories
    from wfkit.agents.pairing.pairing import Pairing
    from wfkit.agents.pairing.tally import Outcome, Tally, outcome_of
    from wfkit.engine import Ending, Stage
    from wfkit.filters.ahead import Ahead
    from wfkit.filters.pair_files import TaskLines

    wanted = list(FAMILIES) if families == "all" else names(families, list(FAMILIES), "family")
    _check_models(editor, model, verifier, verifier_model, candidates, dry_run=llm["dry_run"])
    models = _models(model, verifier_model, cache_folder(cache, no_cache), llm)
    if models is not None and llm["dry_run"]:
        return models.dry_run(wanted, per_family, attempts, seed)
    pairing = Pairing(
        proposer=(models and models.proposer(seed)) or _proposer(seed, candidates),
        verifier=(models and models.verifier()) or _verifier(verifier, timeout),
        validator=_command(validator, "validator", timeout) if validator is not None else None,
        grader=_command(grader, "grader", timeout) if grader is not None else None,
        seed=seed,
        attempts=attempts,
        per_family=per_family,
        accept_unverified=accept_unverified,
    )
    tally = Tally()
    tasks = TaskLines(public) if public is not None else None

    def step(instance: "Record") -> "list[Record]":
        directory = instance.get("directory")
        if directory is None:
            return list(pairing.pairs(instance, wanted))
        if variants is None:
            raise DataError("the instance is a directory: name a place for the copies with --variants DIR")
        from pathlib import Path

        def copied(pair: "Record") -> "Record":
            if pair["status"] != "accepted":
                return pair
            try:
                return directories.with_copies(pair, directory, Path(variants))
            except DataError as error:  # the other families of the instance stay
                return directories.without_copies(pair, str(error))

        return [copied(pair) for pair in pairing.pairs(directories.with_public(instance), wanted)]

    def note(record: "Record") -> "tuple[Outcome | None, list[Record]]":
        if record["kind"] == "error":
            return None, []
        sides = [record["clean"], record["perturbed"]] if record["status"] == "accepted" and tasks is not None else []
        return outcome_of(record), sides

    def collect(noted: "tuple[Outcome | None, list[Record]]") -> None:
        outcome, sides = noted
        if outcome is not None:
            tally.add(outcome)
        if tasks is not None:
            tasks.add(sides)

    def finish() -> "Ending":
        if tasks is not None:
            tasks.write()
        codes = {exit_codes.UNAVAILABLE} if tally.unavailable else set()
        spent = {} if models is None else {"spent": models.client.spent.summary()}
        report = [*tally.table(), *_unused(pairing.proposer)]
        return Ending(codes=codes, report=report, summary={**tally.summary(), **spent})

    kinds: dict[str, Any] = {"reads": ("instance",), "writes": ("ap_pair",)}
    told: dict[str, Any] = {"note": note, "collect": collect, "finish": finish}
    if models is None:
        return Stage(**kinds, **told, step=step)
    pool = models.client.pool
    ahead = Ahead(lambda instance: pool.submit(lambda: step(instance)), lambda future: future.result())
    return Stage(**kinds, **told, step=ahead.step, prepare=ahead.prepare, close=models.close, flush_each=True)


def _check_models(
    editor: str, model: str | None, verifier: str, verifier_model: str | None, candidates: str | None, *, dry_run: bool
) -> None:
    """Refuse options of models that nothing uses, and uses without a model."""
    for who, is_used, name, option in (
        ("--editor llm", editor == "llm", model, "--model"),
        ("--verifier llm", verifier == "llm", verifier_model, "--verifier-model"),
    ):
        if is_used != (name is not None):
            raise UsageProblem(f"{who} needs {option} MODEL" if is_used else f"{option} needs {who}")
    if candidates is not None and editor == "llm":
        raise UsageProblem("--candidates decides on edits made elsewhere: no --editor llm beside it")
    if dry_run and model is None and verifier_model is None:
        raise UsageProblem("--dry-run needs --editor llm or --verifier llm")


def _models(model: str | None, verifier_model: str | None, cache: str | None, llm: dict[str, Any]) -> "Models | None":
    if model is None and verifier_model is None:
        return None
    from wfkit.filters.pair_models import Models

    return Models(model, verifier_model, cache, llm)


def _proposer(seed: int, candidates: str | None) -> "Proposer":
    from wfkit.agents.pairing.proposals import CandidateProposer, RuleProposer
    from wfkit.filters.pair_files import read_candidates

    return RuleProposer(seed) if candidates is None else CandidateProposer(read_candidates(candidates))


def _unused(proposer: "Proposer") -> "list[str]":
    """The line about candidates that were never looked at, if there are any."""
    from wfkit.agents.pairing.proposals import CandidateProposer

    count = proposer.unused if isinstance(proposer, CandidateProposer) else 0
    if not count:
        return []
    were = "candidate was" if count == 1 else "candidates were"
    why = "no instance of that id, a family not asked for, or one that the instance cannot take"
    return [f"{count:,} {were} not used: {why}"]


def _verifier(name: str, timeout: float) -> "Verifier":
    if name == "rules":
        from wfkit.agents.pairing.verifiers.rules import RuleVerifier

        return RuleVerifier()
    if name == "syntax":
        from wfkit.agents.pairing.verifiers.syntax import SyntaxVerifier

        return SyntaxVerifier()
    from wfkit.agents.pairing.verifiers.command import CommandVerifier

    return CommandVerifier(_command(name, "verifier", timeout))


def _command(line: str, name: str, timeout: float) -> "LineCommand":
    """A command that answers lines; one that is not here is told before a thousand pairs are rejected for it."""
    from wfkit.agents.command import LineCommand
    from wfkit.agents.grading.programs import check_command

    check_command(line, name)
    return LineCommand(line, timeout=timeout, name=name)


build = main.build

if __name__ == "__main__":
    main()
