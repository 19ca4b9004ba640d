"""ap-pair: matched clean and perturbed instances, each edit verified by someone else than its editor."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from wfkit.agents.families import FAMILIES
from wfkit.errors import DataError, UsageProblem
from wfkit.filters.options import names
from wfkit.skeleton import map_filter

if TYPE_CHECKING:
    from wfkit.agents.pairing.candidate import Verifier
    from wfkit.agents.pairing.proposals import Proposer
    from wfkit.engine import Ending, Stage
    from wfkit.jsonl import Record

EXAMPLES = """
# all 12 families for every instance; what cannot be built stays in the list
ap-pair instances.jsonl > pairs.jsonl

# the reference must succeed on the native grader
ap-pair --grader 'python grade.py' --families user/missing,tools/incorrect instances.jsonl > pairs.jsonl

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
    "--editor", type=click.Choice(["rules"]), default="rules", show_default=True, help="Who makes the edits."
)  # fmt: skip
@click.option("--candidates", metavar="FILE", help="Decide on these edits, made elsewhere, instead of making any.")
@click.option(
    "--verifier", metavar="rules|syntax|CMD", default="rules", show_default=True,
    help="Who decides: the rules, a command, or syntax, the negative control that takes everything.",
)  # fmt: skip
@click.option(
    "--accept-unverified", metavar="CHECK", multiple=True, type=click.Choice(CHECKS),
    help=f"Let pairs through although this check is unverified: {', '.join(CHECKS)}.",
)  # fmt: skip
@click.option("--validator", metavar="CMD", help="A command that decides the native check, beside the built-in one.")
@click.option("--grader", metavar="CMD", help="The native grader: the reference must succeed on it.")
@click.option(
    "--timeout", metavar="SECONDS", type=click.FloatRange(0, min_open=True), default=60.0, show_default=True,
    help="How long a command may take for one answer.",
)  # fmt: skip
@click.option(
    "--public", metavar="FILE", help="Write what the actor sees of both sides, in an order that tells nothing."
)
@click.option("--variants", metavar="DIR", help="Where the copies of instances that are directories go.")
def main(
    families: str,
    per_family: int,
    seed: int,
    attempts: int,
    editor: Literal["rules"],
    candidates: str | None,
    verifier: str,
    accept_unverified: tuple[str, ...],
    validator: str | None,
    grader: str | None,
    timeout: float,
    public: str | None,
    variants: str | None,
) -> "Stage":
    """Edit one input surface of each instance in twelve ways, and have every edit verified.

    Reads instance records. Writes one ap_pair record for each instance and family asked for, whatever became of it:
    accepted, rejected (with the check that failed) or inapplicable (with the reason).
    """
    from wfkit.agents.command import LineCommand
    from wfkit.agents.pairing import directories
    from wfkit.agents.pairing.pairing import Pairing
    from wfkit.agents.pairing.tally import Outcome, Tally, outcome_of
    from wfkit.engine import Ending, Stage

    wanted = list(FAMILIES) if families == "all" else names(families, list(FAMILIES), "family")
    pairing = Pairing(
        proposer=_proposer(seed, candidates),
        verifier=_verifier(verifier, timeout),
        validator=LineCommand(validator, timeout=timeout, name="validator") if validator is not None else None,
        grader=LineCommand(grader, timeout=timeout, name="grader") if grader is not None else None,
        seed=seed,
        attempts=attempts,
        per_family=per_family,
        accept_unverified=accept_unverified,
    )
    tally = Tally()
    tasks = _Tasks(public) if public is not None else None

    def step(instance: "Record") -> "list[Record]":
        directory = instance.get("directory")
        if directory is None:
            return list(pairing.pairs(instance, wanted))
        if variants is None:
            raise DataError("the instance is a directory: name a place for the copies with --variants DIR")
        pairs = pairing.pairs(directories.with_public(instance), wanted)
        return [
            directories.with_copies(pair, directory, Path(variants)) if pair["status"] == "accepted" else pair
            for pair in pairs
        ]

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
        return Ending(report=list(tally.table()), summary=tally.summary())

    return Stage(
        reads=("instance",), writes=("ap_pair",), step=step, output_ids=False, note=note, collect=collect, finish=finish
    )


def _proposer(seed: int, candidates: str | None) -> "Proposer":
    from wfkit.agents.pairing.proposals import CandidateProposer, RuleProposer

    return RuleProposer(seed) if candidates is None else CandidateProposer(_read_candidates(candidates))


def _read_candidates(name: str) -> "dict[tuple[str, str], list[Record]]":
    """The edits of a file by instance and family, in its order."""
    from wfkit import jsonl, streams

    found: dict[tuple[str, str], list[Record]] = {}
    inputs = streams.open_inputs([name], "ap-pair", "candidates")
    for batch in streams.read_batches(inputs, jsonl.MAX_LINE_BYTES):
        for line in batch:
            try:
                instance, family, record = _candidate(jsonl.loads(line.raw))
            except DataError as error:
                raise UsageProblem(f"{line.file}:{line.number}: {error}") from None
            found.setdefault((instance, family), []).append(record)
    if not found:
        raise UsageProblem(f"{name} holds no candidate")
    return found


def _candidate(record: Any) -> "tuple[str, str, Record]":
    if not isinstance(record, dict) or record.get("kind") != "ap_pair" or not isinstance(record.get("instance"), str):
        raise DataError("a candidate is an ap_pair record that names its instance")
    family = f"{record.get('target')}/{record.get('type')}"
    if family not in FAMILIES:
        raise DataError(f"{family} is no family")
    return record["instance"], family, record


def _verifier(name: str, timeout: float) -> "Verifier":
    if name == "rules":
        from wfkit.agents.pairing.verifiers.rules import RuleVerifier

        return RuleVerifier()
    if name == "syntax":
        from wfkit.agents.pairing.verifiers.syntax import SyntaxVerifier

        return SyntaxVerifier()
    from wfkit.agents.command import LineCommand
    from wfkit.agents.pairing.verifiers.command import CommandVerifier

    return CommandVerifier(LineCommand(name, timeout=timeout, name="verifier"))


class _Tasks:
    """The task lines of accepted pairs, spooled to disk and written in the order of their ids, which tells nothing."""

    def __init__(self, name: str) -> None:
        import tempfile

        self._name = name
        self._spool = tempfile.TemporaryFile()  # noqa: SIM115
        self._places: dict[str, tuple[int, int]] = {}

    def add(self, sides: "list[Record]") -> None:
        from wfkit import jsonl

        for side in sides:
            if side["id"] not in self._places:
                line = jsonl.dumps({"kind": "task", "id": side["id"], "public": side["public"]}) + b"\n"
                self._places[side["id"]] = (self._spool.tell(), len(line))
                self._spool.write(line)

    def write(self) -> None:
        from wfkit import streams

        output = streams.OutputFile(self._name)
        try:
            for _, (start, size) in sorted(self._places.items()):
                self._spool.seek(start)
                streams.write_all(output.descriptor, self._spool.read(size))
            output.commit()
        finally:
            output.discard()
            self._spool.close()


build = main.build

if __name__ == "__main__":
    main()
