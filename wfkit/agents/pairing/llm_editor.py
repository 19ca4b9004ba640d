"""The editor that is a language model: it selects a part, then rewrites it (AgentPerturb, Appendix F)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wfkit import jsonl
from wfkit.agents.pairing import llm_prompts
from wfkit.agents.pairing.edit import Inapplicable, Patch, recovery
from wfkit.agents.pairing.envelope import envelope_problem
from wfkit.agents.pairing.llm_parts import Part, parts_of, patch_for
from wfkit.agents.pairing.pointers import patched
from wfkit.agents.pairing.proposals import Proposal, Source
from wfkit.agents.pairing.stretches import change
from wfkit.agents.pairing.view import View
from wfkit.errors import DataError, Unavailable
from wfkit.llm.errors import BadAnswer, Refused

if TYPE_CHECKING:
    from wfkit.llm.client import Client
    from wfkit.llm.reply import Reply

Record = dict[str, Any]


class LlmProposer:
    """Asks one model for every edit."""

    def __init__(self, client: "Client", model: str, seed: int) -> None:
        self.name = f"llm:{model}"
        self._client, self._model, self._seed = client, model, seed

    def source(self, view: View, family: str) -> Source:
        """The edits of one instance and family.

        Raises:
            Inapplicable: the surface has no part that a model may rewrite.
        """
        if "directory" in view.instance and not family.startswith("user/"):
            raise Inapplicable("coding tasks expose the user surface only")
        parts = parts_of(view, family)
        if not parts:
            raise Inapplicable("the surface has no part that a model could rewrite")
        return _LlmSource(self._client, self._model, self._seed, view, family, parts)


class _LlmSource:
    def __init__(self, client: "Client", model: str, seed: int, view: View, family: str, parts: Sequence[Part]) -> None:
        self._client, self._model, self._seed = client, model, seed
        self._view, self._family, self._parts = view, family, parts
        self._attempt = 0

    def next(self, rejected: Sequence[str]) -> Proposal:
        """Select a part and have it rewritten; every answer is a candidate, valid or not."""
        self._attempt += 1
        try:
            part, slot = self._selected()
            request = llm_prompts.generation_request(self._model, self._family, part, slot, rejected, self._seed)
            answer = self._client.ask(request, self._repeat("generate"), _text_of).value
        except Unavailable as error:
            return Proposal(None, None, None, None, f"unavailable: {error}")
        return self._proposal(part, slot, answer)

    def _selected(self) -> tuple[Part, str]:
        request = llm_prompts.selection_request(self._model, self._family, self._parts, self._seed)
        pointers = {part.pointer: part for part in self._parts}

        def accept(reply: "Reply") -> tuple[Part | None, str]:
            answer = _object_in(_text_of(reply))
            chosen = answer.get("part")
            if chosen is None:
                return None, str(answer.get("reason", ""))[:200]
            if not isinstance(chosen, str) or chosen not in pointers:
                raise BadAnswer(f"{str(chosen)[:60]!r} is no part of the list")
            return pointers[chosen], str(answer.get("slot", ""))[:60]

        part, slot = self._client.ask(request, self._repeat("select"), accept).value
        if part is None:
            raise Inapplicable(f"the model sees no part to edit: {slot}")
        return part, slot

    def _proposal(self, part: Part, slot: str, answer: str) -> Proposal:
        type_ = self._family.partition("/")[2]
        try:
            envelope: Any = jsonl.loads(answer.strip().encode())
        except DataError as error:
            return Proposal(None, answer[:2000], None, None, f"the answer is no envelope: {error}")
        problem = envelope_problem(envelope, type_, part.content)
        patch = None if problem else patch_for(part, envelope["replacement"])
        if problem or patch is None:
            problem = problem or f"the replacement of {part.pointer} is of another kind"
            return Proposal(None, envelope, None, None, problem)
        edit = {"operation": _operation(self._family, part, slot), "slot": slot, "pointer": part.pointer}
        perturbed = patched(self._view.public, patch)
        return Proposal(edit, envelope, _recovery(type_, part, patch), perturbed)

    def _repeat(self, step: str) -> str:
        return f"{self._view.instance['id']}/{self._family}/{step}/{self._attempt}"


def _operation(family: str, part: Part, slot: str) -> str:
    """The level of an edit, in the words that the rule editors use."""
    if not family.startswith("tools/"):
        return "rewrite"
    if part.is_new:
        return "add_fake_tool"
    return "replace_description" if slot == "tool description" else "edit_parameter"


def _recovery(type_: str, part: Part, patch: Patch) -> Record | None:
    """How to get at what is missing or wrong, worked out from the texts, never asked of the model."""
    if type_ == "redundant":
        return None
    new = patch[0]["value"]
    if not isinstance(part.content, str) or not isinstance(new, str):
        return recovery("error", "Names, other descriptions and errors of the tools tell the true contract.")
    taken = change(part.content, new).before.strip()
    if not taken:
        return None
    note = "Asked for it, the user says what was left out." if type_ == "missing" else "Asked, the user confirms it."
    return recovery("user", note, answer=taken, restores=[taken])


def _text_of(reply: "Reply") -> str:
    if reply.ending == "refused":
        raise Refused("the model declined")
    if reply.ending == "length":
        raise BadAnswer("the answer was cut off")
    if not reply.text.strip():
        raise BadAnswer("the answer is empty")
    return reply.text


def _object_in(text: str) -> Record:
    try:
        value = jsonl.loads(text.strip().encode())
    except DataError as error:
        raise BadAnswer(f"the answer is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise BadAnswer("the answer is no JSON object")
    return value
