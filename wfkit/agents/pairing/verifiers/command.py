"""A verifier or validator in another language: a command that is sent the pair and answers with checks."""

from collections.abc import Mapping, Sequence
from typing import Any

from wfkit.agents.command import CommandFailed, LineCommand
from wfkit.agents.pairing.candidate import SEMANTIC_CHECKS, Candidate, Check, Checks
from wfkit.agents.pairing.differences import same

RESULTS = ("pass", "fail", "unverified")
SENT = (
    "instance", "benchmark", "task", "edit", "clean", "perturbed", "private", "envelope", "recovery", "pointers",
    "target", "type",
)  # fmt: skip


class CommandVerifier:
    """Asks a command for the four semantic checks; what is no answer is unverified."""

    name = "command"

    def __init__(self, command: LineCommand) -> None:
        self._command = command

    def verify(self, candidate: Candidate) -> Checks:
        """The four checks, as the command gave them."""
        return asked(self._command, candidate.record, SEMANTIC_CHECKS)


def asked(command: LineCommand, record: Mapping[str, Any], wanted: Sequence[str]) -> Checks:
    """The checks that a command answers with; unverified, with the reason, where the answer is not valid.

    The answer is ``{"id", "checks": {NAME: {"result", "note"?}}}``. It may repeat the record, but not change it.
    """
    try:
        answer = command.ask(record)
    except CommandFailed as failure:
        return dict.fromkeys(wanted, Check("unverified", f"unavailable: {failure}"))
    problem = None
    if answer.get("id") != record["id"]:
        problem = f"answered for {str(answer.get('id'))[:60]!r}"
    elif any(key in answer and not same(answer[key], record.get(key)) for key in SENT):
        problem = "changed the record"
    elif not isinstance(answer.get("checks"), dict):
        problem = "gave no checks"
    if problem is not None:
        return dict.fromkeys(wanted, Check("unverified", f"the {command.name} {problem}"))
    return {name: _check(command, name, answer["checks"].get(name)) for name in wanted}


def _check(command: LineCommand, name: str, value: Any) -> Check:
    result = value.get("result") if isinstance(value, dict) else value
    if result not in RESULTS:
        return Check("unverified", f"the {command.name} says {str(result)[:60]!r} of {name}")
    note = value.get("note") if isinstance(value, dict) else None
    return Check(str(result), note if isinstance(note, str) else "")
