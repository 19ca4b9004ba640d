"""Variants made by language models: ask, check, feed the error back, escalate (section 3.1, appendix A).

Every answer goes through the static checks of `wfkit.validation`. One that fails is shown to the model again together
with what was wrong, up to three times a model; then the next model is asked. For description changes the last resort
is to paraphrase chosen steps one by one (A.10). What still fails is kept and marked; nothing is dropped.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wfkit.errors import DataError, Unavailable
from wfkit.llm.errors import BadAnswer
from wfkit.perturb import llm_prompts
from wfkit.perturb.base import Perturbed, Record, edited_count, random_for
from wfkit.perturb.llm_answer import paraphrase_in, read_variant
from wfkit.perturb.pairs import candidate_record, inapplicable_pair
from wfkit.perturb.words import wording
from wfkit.validation.validate import validate
from wfkit.workflow import from_record, topological_order

if TYPE_CHECKING:
    from wfkit.llm.client import Answer, Client
    from wfkit.llm.reply import Reply
    from wfkit.llm.request import Request

TRIES = 3
"""How often one model is asked for one variant, or for one step."""

STEP_FALLBACK = "per_step"


@dataclass(frozen=True, slots=True)
class Variant:
    """What is to be made."""

    golden: Record
    type_name: str
    severity: int
    seed: int
    repeat: int

    @property
    def count(self) -> int:
        """How many steps are to be edited."""
        return edited_count(self.severity, len(self.golden["nodes"]))

    def chance(self) -> random.Random:
        """The source of chance of this variant alone."""
        return random_for(self.seed, self.golden["id"], self.type_name, self.severity, self.repeat)

    def empty_pair(self) -> Record:
        """The pair record before anything was made."""
        pair = inapplicable_pair(
            self.golden, self.type_name, self.severity, "", seed=self.seed, repeat=self.repeat, placement="uniform"
        )
        pair["perturbation"] |= {"generator": "llm", "attempts": 0}
        return pair


def reason_not_to(variant: Variant) -> str | None:
    """Why no model can make this variant as a workflow with steps; None if one can."""
    size = len(variant.golden["nodes"])
    if variant.type_name != "description_changes" and variant.count >= size:
        return f"{variant.count} of {size} steps would leave none"
    return None


def check(variant: Variant) -> None:
    """Check that the golden is a workflow.

    Raises:
        DataError: it has a cycle (``E-CYCLE``), a repeated step id or an edge to an unknown step.
    """
    topological_order(from_record(variant.golden))


def most_calls(variant: Variant, models: int) -> int:
    """How many calls a variant takes if every try fails, without repeated calls."""
    fallback = TRIES * variant.count if variant.type_name == "description_changes" else 0
    return TRIES * models + fallback


def first_request(variant: Variant, model: str) -> "Request":
    """The request that begins a variant, for estimates."""
    prompt = llm_prompts.variant_prompt(variant.golden, variant.type_name, variant.count)
    return llm_prompts.request_for(model, prompt, variant.chance().getrandbits(31))


def generate(variant: Variant, models: Sequence[str], client: "Client") -> Record:
    """Make one variant with the first of the models that succeeds.

    Returns:
        a `pair` record. ``validation`` holds the static checks; ``perturbation`` tells the models and how each try
        ended (``tries``), and has ``residual`` where none passed. Where no model could be asked to the end,
        ``candidate`` is None and ``perturbation.unavailable`` says why.
    """
    pair = variant.empty_pair()
    reason = reason_not_to(variant)
    if reason is not None:
        pair["perturbation"]["inapplicable"] = reason
        return pair
    del pair["perturbation"]["inapplicable"]
    work = _Work(variant, pair, models, client)
    try:
        work.run()
    except Unavailable as error:
        pair["candidate"] = None
        pair["perturbation"] |= {"edits": [], "unavailable": str(error)}
        pair.pop("validation", None)
    return work.written()


class _Work:
    """The making of one variant."""

    def __init__(self, variant: Variant, pair: Record, models: Sequence[str], client: "Client") -> None:
        self.variant = variant
        self.pair = pair
        self.models = models
        self.client = client
        self.seed = variant.chance().getrandbits(31)
        self.tries: list[dict[str, Any]] = []
        self.replies: list[tuple[str, Reply, bool]] = []
        self.made_by: str | None = None

    def run(self) -> None:
        variant = self.variant
        first = llm_prompts.variant_prompt(variant.golden, variant.type_name, variant.count)
        if not self._asked_in_turn(first) and variant.type_name == "description_changes":
            self._step_by_step()

    def written(self) -> Record:
        """The pair with all that is known of its making."""
        perturbation = self.pair["perturbation"]
        costs = [self.client.cost(model, reply) for model, reply, _ in self.replies]
        perturbation["attempts"] = sum("stage" not in one for one in self.tries)
        perturbation |= {
            "models": [self.made_by] if self.made_by else [],
            "prompt": llm_prompts.signature(self.variant.type_name),
            "tries": self.tries,
            "cached": sum(cached for _, _, cached in self.replies),
            "usage": {
                "calls": sum(reply.calls for _, reply, _ in self.replies),
                "input_tokens": _total([reply.input_tokens for _, reply, _ in self.replies]),
                "output_tokens": _total([reply.output_tokens for _, reply, _ in self.replies]),
                "cost_usd": _total(costs),
            },
            "timing": {"seconds": round(sum(reply.seconds for _, reply, _ in self.replies), 3)},
        }
        revisions = sorted({reply.model for _, reply, _ in self.replies if reply.model})
        if revisions:
            perturbation["revisions"] = revisions
        if "unavailable" not in perturbation and self.made_by is None:
            perturbation["residual"] = True
            self.pair["validation"] = validate(self.pair)
        return self.pair

    def _asked_in_turn(self, first: str) -> bool:
        """Ask one model after the other for the whole workflow; whether one of them made it."""
        prompt, refused_at = first, set[str]()
        for position, model in enumerate(self.models):
            if self.client.endpoint_name(model) in refused_at and self._another_endpoint(position, refused_at):
                continue  # its filter has refused this very workflow
            for attempt in range(TRIES):
                answer = self._ask(model, prompt, f"{self.variant.repeat}.{position}.{attempt}")
                if answer.reply.ending == "refused":
                    self._note(model, "refused")
                    refused_at.add(self.client.endpoint_name(model))
                    break
                problems = self._tried(model, answer)
                if not problems:
                    self.made_by = model
                    return True
                prompt = llm_prompts.feedback_prompt(first, answer.reply.text, problems)
        return False

    def _another_endpoint(self, position: int, refused_at: set[str]) -> bool:
        return any(self.client.endpoint_name(model) not in refused_at for model in self.models[position:])

    def _tried(self, model: str, answer: "Answer[str]") -> list[str]:
        """Check one answer and keep its workflow; what is wrong with it, in words for the model."""
        if answer.reply.ending == "length":
            self._note(model, "cut off")
            return ["the answer was cut off; return the whole workflow and nothing else"]
        try:
            made = read_variant(answer.value, self.variant.golden, self.variant.type_name)
        except DataError as error:
            self._note(model, "no workflow", error.code)
            return [str(error)]
        return self._checked(model, made)

    def _checked(self, model: str, made: Perturbed, **more: Any) -> list[str]:
        self.pair["candidate"] = candidate_record(self.variant.golden, self.pair["id"], made.nodes, made.edges)
        self.pair["perturbation"]["edits"] = made.edits
        self.pair["validation"] = validation = validate(self.pair)
        failed = [one for one in validation["checks"] if not one["ok"] and one.get("level") != "warning"]
        self._note(model, "invalid" if failed else "valid", *(one["name"] for one in failed), **more)
        return [_in_words(one) for one in failed]

    def _step_by_step(self) -> None:
        """The hybrid fallback: chosen steps are paraphrased one by one, all else stays (A.10)."""
        model, golden = self.models[-1], self.variant.golden
        nodes: list[Record] = list(golden["nodes"])
        chosen = sorted(self.variant.chance().sample(range(len(nodes)), self.variant.count))
        for step in chosen:
            text = self._paraphrased(model, nodes[step]["text"], step)
            if text is None:
                self._note(model, "invalid", "wording_changed", stage=STEP_FALLBACK)
                return
            nodes[step] = {**nodes[step], "text": text}
        edits = [{"op": "reword", "nodes": [nodes[step]["id"]]} for step in chosen]
        made = Perturbed(nodes, [list(edge) for edge in golden["edges"]], edits)
        if not self._checked(model, made, stage=STEP_FALLBACK):
            self.made_by = model

    def _paraphrased(self, model: str, text: str, step: int) -> str | None:
        for attempt in range(TRIES):
            answer = self._ask(model, llm_prompts.step_prompt(text), f"{self.variant.repeat}.step{step}.{attempt}")
            if answer.reply.ending == "refused":
                return None
            try:
                line = paraphrase_in(answer.value)
            except DataError:
                continue
            if wording(line) != wording(text):
                return line
        return None

    def _ask(self, model: str, prompt: str, repeat: str) -> "Answer[str]":
        answer = self.client.ask(llm_prompts.request_for(model, prompt, self.seed), repeat, _text_of)
        self.replies.append((model, answer.reply, answer.cached))
        return answer

    def _note(self, model: str, outcome: str, *failed: str, **more: Any) -> None:
        self.tries.append({"model": model, **more, "outcome": outcome, **({"failed": list(failed)} if failed else {})})


def _text_of(reply: "Reply") -> str:
    """Whatever the model said is an answer that is kept: a wrong one and a refusal are results as well."""
    if reply.ending == "stop" and not reply.text.strip():
        raise BadAnswer("the answer is empty")
    return reply.text


def _in_words(found: dict[str, Any]) -> str:
    """A failed check for the model."""
    told = f"{found['name']}: expected {found['expected']}, got {found['actual']}"
    return f"{told} ({found['message']})" if "message" in found else told


def _total(values: Sequence[Any]) -> Any:
    known = [value for value in values if value is not None]
    return round(sum(known), 9) if len(known) == len(values) else None
