"""One task at the actor: what it answers, what it asks, and every way in which it can fail to do either in order.

The actor speaks JSON lines: it is sent ``{"kind": "task", "id", "public"}`` and answers with an ``episode``, or first
asks: ``{"kind": "ask", "id", "question"}`` brings ``{"kind": "answer", "id", "text"}``.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wfkit import schema
from wfkit.agents.command import CommandEnded, CommandFailed, CommandGarbled, CommandTimeout, LineCommand
from wfkit.agents.grading.plan import Job
from wfkit.errors import DataError

Record = dict[str, Any]

LONGEST_QUESTION = 500


@dataclass(frozen=True)
class Acted:
    """What came of one task.

    Attributes:
        episode: the actor's answer; None where there is none that can be graded.
        status: which of `ACTOR_FAILURES` happened; None for an episode that ended in order.
        failure: what went wrong, in one line.
        questions: what the actor asked, each with whether the user had something to tell.
    """

    episode: Record | None
    status: str | None = None
    failure: str | None = None
    questions: list[Record] = field(default_factory=list)


@dataclass(frozen=True)
class Limits:
    """How much one episode may take.

    Attributes:
        seconds: from the task to the answer, questions included.
        questions: how many the actor may ask.
    """

    seconds: float
    questions: int


class _OutOfOrder(Exception):
    """The actor wrote a JSON object that is no part of the protocol."""


class _TooManyQuestions(Exception):
    """The actor asks and asks."""


def act(command: LineCommand, job: Job, limits: Limits) -> Acted:
    """Give one task to the actor and see it through; after any failure the process is ended."""
    questions: list[Record] = []
    try:
        late_output(command)  # a process that is ended here is started anew: this episode is not to blame
        return Acted(_converse(command, job, limits, questions), questions=questions)
    except CommandTimeout:
        return Acted(None, "actor_timeout", f"the actor took longer than {limits.seconds:g} s", questions)
    except CommandEnded as failure:
        return Acted(None, "actor_error", _with_hint(str(failure)), questions)
    except (CommandGarbled, _OutOfOrder) as failure:
        command.stop()
        return Acted(None, "parse_error", str(failure), questions)
    except _TooManyQuestions as failure:
        command.stop()
        return Acted(None, "turn_limit", str(failure), questions)


def _converse(command: LineCommand, job: Job, limits: Limits, questions: list[Record]) -> Record:
    deadline = time.monotonic() + limits.seconds
    command.send({"kind": "task", "id": job.side, "public": job.public}, timeout=limits.seconds)
    while True:
        message = command.receive(timeout=deadline - time.monotonic())
        if message.get("id") != job.side:
            raise _OutOfOrder(f"the actor answered for {str(message.get('id'))[:60]!r}")
        if message.get("kind") == "episode":
            _check(message)
            command.expect_silence()
            return message
        if message.get("kind") != "ask" or not isinstance(message.get("question"), str):
            raise _OutOfOrder(f"the actor wrote neither an episode nor a question: {str(message)[:100]}")
        if len(questions) >= limits.questions:
            raise _TooManyQuestions(f"the actor asked more than {limits.questions} questions")
        questions.append({"text": message["question"][:LONGEST_QUESTION], "answered": job.answer is not None})
        answer = {"kind": "answer", "id": job.side, "text": job.answer}
        command.send(answer, timeout=deadline - time.monotonic())


def _check(episode: Mapping[str, Any]) -> None:
    try:
        schema.checker("episode")(episode)
    except DataError as error:
        raise _OutOfOrder(f"the actor's episode is not valid: {error}") from None


def late_output(command: LineCommand) -> str | None:
    """What is wrong with an actor that wrote while nobody asked, None if it is silent; it is ended then."""
    try:
        command.expect_silence()
    except CommandFailed as failure:
        return str(failure)
    return None


def _with_hint(failure: str) -> str:
    once = "ended with exit code 0" in failure
    return f"{failure}; a program that answers once and ends needs --fresh" if once else failure
