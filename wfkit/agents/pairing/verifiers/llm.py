"""A language model as verifier: four separate questions, in its own prompt, about the edit and never by its editor."""

from typing import TYPE_CHECKING, Any

from wfkit import jsonl, prompts
from wfkit.agents.pairing.candidate import SEMANTIC_CHECKS, Candidate, Check, Checks
from wfkit.agents.pairing.llm_data import blocks, shown
from wfkit.agents.pairing.pointers import get
from wfkit.errors import DataError, Unavailable
from wfkit.llm.errors import BadAnswer, Refused
from wfkit.llm.request import Request

if TYPE_CHECKING:
    from wfkit.llm.client import Client
    from wfkit.llm.reply import Reply

PROMPT = "pair_verify-1"
MAX_TOKENS = 512
LONGEST = 30_000
"""Characters of a surface that are still shown."""


class LlmVerifier:
    """Asks one model each of the four questions by itself."""

    def __init__(self, client: "Client", model: str) -> None:
        self.name = f"llm:{model}"
        self._client, self._model = client, model

    def verify(self, candidate: Candidate) -> Checks:
        """The four checks; unverified where no usable answer came."""
        return {name: self._asked(name, candidate) for name in SEMANTIC_CHECKS}

    def _asked(self, name: str, candidate: Candidate) -> Check:
        try:
            return self._client.ask(request_for(self._model, name, candidate), name, _check_in).value
        except Unavailable as error:
            return Check("unverified", f"unavailable: {error}")


def request_for(model: str, name: str, candidate: Candidate) -> Request:
    """One question about one candidate."""
    target = candidate.target
    envelope = candidate.record.get("envelope") or {}
    differences = [
        {"pointer": one.pointer, "kind": one.kind, "clean": one.before, "perturbed": one.after}
        for one in candidate.differences
    ]
    others = [other for other in candidate.pointers if other != target]
    text = prompts.load(PROMPT).filled(
        target=target,
        type=candidate.type,
        slots=shown(envelope.get("modified_slots")),
        clean=_surface(candidate.clean, candidate, target),
        perturbed=_surface(candidate.perturbed, candidate, target),
        differences=_bounded(differences),
        others=_bounded({other: _surface(candidate.clean, candidate, other) for other in others}),
        recovery=shown(candidate.record.get("recovery")),
        reference=_bounded(candidate.private.get("reference")),
        question=blocks()["questions"][name],
    )
    return Request(model, (("user", text),), MAX_TOKENS)


def _surface(public: Any, candidate: Candidate, target: str) -> str:
    found = []
    for pointer in candidate.pointers.get(target, ()):
        try:
            found.append(get(public, pointer))
        except DataError:  # it was taken out
            continue
    return _bounded(found)


def _bounded(value: Any) -> str:
    text = shown(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… (cut)"


def _check_in(reply: "Reply") -> Check:
    if reply.ending == "refused":
        raise Refused("the model declined to verify")
    try:
        value = jsonl.loads(reply.text.strip().encode())
    except DataError as error:
        raise BadAnswer(f"the answer is not JSON: {error}") from None
    if not isinstance(value, dict) or value.get("result") not in ("pass", "fail", "unverified"):
        raise BadAnswer(f"the answer is none of pass, fail, unverified: {reply.text[:80]!r}")
    note = value.get("note")
    return Check(value["result"], note if isinstance(note, str) else "")
