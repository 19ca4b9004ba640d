"""LLM-as-Judge (section 4.5, appendix B.6): a model scores the candidate by a rubric, three times, 0 to 5."""

import re
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from wfkit import jsonl, prompts, schema
from wfkit.errors import Unavailable
from wfkit.llm.answers import object_in
from wfkit.llm.errors import BadAnswer, Refused
from wfkit.llm.request import Request
from wfkit.metrics.base import Comparison, Score
from wfkit.signature import format_signature
from wfkit.workflow import Workflow

if TYPE_CHECKING:
    from wfkit.llm.client import Answer, Awaited, Client
    from wfkit.llm.reply import Reply

SAMPLES = 3
REPEATS = tuple(map(str, range(SAMPLES)))
HIGHEST = 5
PROMPT = "judge-1"
MAX_OUTPUT_TOKENS = 2048
EXPECTED_OUTPUT_TOKENS = 250

Judgment = dict[str, Any]
Pending = list["Awaited[Judgment]"]


class Judged(NamedTuple):
    """What three calls gave: the score, the ``judge`` field of the record, and the signature of the score."""

    score: Score
    field: dict[str, Any] | None
    signature: str | None


class Judge:
    """Mean of three calls of one prompt, divided by 5: from 0 to 1.

    Args:
        client: makes the calls.
        model: the judge, with its endpoint where it has one: ``gpt-4o@azure``.
        name: the key under ``scores``: ``judge``, or ``judge:MODEL`` where several judges are compared.
        seed: sent with each call where the service accepts it.
    """

    name = "judge"
    summary = "an LLM's rubric score, 0 to 5 by three calls, divided by 5 (B.6); only with `--judge-model`"
    needs_alignment = False

    def __init__(self, client: "Client", model: str, name: str = name, seed: int = 0) -> None:
        self.client = client
        self.model = model
        self.name = name
        self._seed = seed

    def signature(self) -> str:
        """Version, prompt, model, temperature and number of calls; the revision is known once it has answered."""
        return self._signature

    @cached_property
    def _signature(self) -> str:
        return format_signature(
            {"wfkit": 1, "prompt": prompts.load(PROMPT).signature, "model": self.model, "temp": 0, "calls": SAMPLES}
        )

    def score(self, comparison: Comparison) -> Score:
        """Judge one comparison; null (``unavailable:``) where one of the calls brought no usable answer."""
        return self.finish(self.begin(comparison)).score

    def request(self, comparison: Comparison) -> Request:
        """The request that is sent three times."""
        text = prompts.load(PROMPT).filled(data=data_section(comparison.golden, comparison.candidate))
        return Request(self.model, (("user", text),), MAX_OUTPUT_TOKENS, seed=self._seed, schema=answer_schema())

    def missing(self, request: Request) -> int:
        """How many of the three calls the cache cannot answer."""
        return self.client.cached(request, REPEATS, judgment_in).count(None)

    def begin(self, comparison: Comparison) -> Pending:
        """Send the three calls off without waiting for them."""
        return self.client.submit(self.request(comparison), REPEATS, judgment_in)

    def finish(self, pending: Pending) -> Judged:
        """Wait for the three calls and average them."""
        answers: list[Answer[Judgment]] = []
        reason = None
        for future in pending:
            try:
                answers.append(future.result())
            except Unavailable as error:
                reason = reason or f"unavailable: {error}"
        field = self._field(answers) if answers else None
        if reason is not None:
            return Judged(Score(None, reason=reason), field, None)
        scores = [answer.value["final_score"] for answer in answers]
        details = {"answers": [answer.value for answer in answers]}
        value = sum(scores) / (HIGHEST * len(scores))
        return Judged(Score(value, details), field, self._signature_of([answer.reply for answer in answers]))

    def _field(self, answers: "Sequence[Answer[Judgment]]") -> dict[str, Any]:
        scores = [answer.value["final_score"] for answer in answers]
        replies = [answer.reply for answer in answers]
        costs = [self.client.cost(self.model, reply) for reply in replies]
        fingerprints = sorted({reply.fingerprint for reply in replies if reply.fingerprint})
        return {
            "samples": scores,
            "spread": max(scores) - min(scores),
            "model": _revision(self.model, replies),
            "cached": sum(answer.cached for answer in answers),
            "usage": {
                "calls": sum(reply.calls for reply in replies),
                "input_tokens": _total([reply.input_tokens for reply in replies]),
                "output_tokens": _total([reply.output_tokens for reply in replies]),
                "cost_usd": _total(costs),
            },
            **({"fingerprints": fingerprints} if fingerprints else {}),
            "timing": {"seconds": [reply.seconds for reply in replies]},
        }

    def _signature_of(self, replies: "Sequence[Reply]") -> str:
        parts: dict[str, str | int | float] = {"revision": _revision(self.model, replies)}
        left_out = sorted({name for reply in replies for name in reply.left_out})
        if "temperature" in left_out:
            parts["temp_refused"] = "yes"
        return f"{self.signature()}|{format_signature(parts)}"


def data_section(golden: Workflow, candidate: Workflow) -> str:
    """Task, golden and candidate as JSON that can neither close the section it stands in nor open another.

    Every text is a JSON string, so quotes and line breaks in it are escaped; "<", ">" and the bracket before a capital,
    of which tags and the control marks of chat models are made, are escaped as well.
    """
    value = {
        "task": golden.task or candidate.task or "not given",
        "golden": _lists(golden),
        "generated": _lists(candidate),
    }
    text = jsonl.dumps(value).decode()
    return _MARK.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


# In JSON these stand inside strings only; a bracket of the JSON itself is never followed by a capital or a slash.
_MARK = re.compile(r"[<>\u2028\u2029]|\[(?=/?[A-Z])")


def _lists(workflow: Workflow) -> dict[str, Any]:
    name = [step.id for step in workflow.steps]
    return {
        "nodes": [{"id": step.id, "text": step.text} for step in workflow.steps],
        "edges": [[name[source], name[target]] for source, target in workflow.edges],
    }


def judgment_in(reply: "Reply") -> Judgment:
    """The judge's answer, checked against its schema.

    Raises:
        BadAnswer: it is cut off, holds no JSON object, several, or one that does not fit (a score of 7, or "4").
        Refused: the model or a content filter declined.
    """
    if reply.ending == "refused":
        raise Refused(f"refused to judge{f': {reply.text[:100]}' if reply.text else ' (content filter)'}")
    if reply.ending == "length":
        raise BadAnswer(f"the answer was cut off after {MAX_OUTPUT_TOKENS:,} tokens")
    found = object_in(reply.text, schema.checker("judge_answer"))
    judgment = {name: found[name] for name in answer_schema()["required"]}
    for name in ("initial_score", "final_score"):
        judgment[name] = int(judgment[name])  # JSON Schema takes 4.0 for an integer
    return judgment


@cache
def answer_schema() -> Mapping[str, Any]:
    """The schema of the answer in the strict form that services accept: nothing optional, nothing further."""
    whole = schema.bundled("judge_answer")
    kept = {name: whole[name] for name in ("type", "properties", "required")}
    return {**kept, "additionalProperties": False}


def _revision(asked: str, replies: "Sequence[Reply]") -> str:
    """The revisions that answered, as the service names them; what was asked for where it does not say."""
    names = sorted({_revision_name(reply.model) for reply in replies if reply.model})
    return "+".join(names) or asked


@cache
def _revision_name(model: str) -> str:
    """A revision as it may stand in a signature."""
    return re.sub(r"[^\x21-\x7b}~]", "_", model)[:100]


def _total(values: "Sequence[int | None] | Sequence[float | None]") -> Any:
    known = [value for value in values if value is not None]
    return round(sum(known), 9) if len(known) == len(values) else None
