"""The prompts of the editor: one shared text with blocks for target, type and family, kept as data."""

from collections.abc import Sequence

from wfkit import prompts
from wfkit.agents.pairing.llm_data import blocks, shown
from wfkit.agents.pairing.llm_parts import Part
from wfkit.llm.request import Request

SELECT, GENERATE = "pair_select-1", "pair_generate-1"
MAX_SELECTION_TOKENS = 512
FEWEST_TOKENS = 1024
_SEED_BITS = 0x7FFFFFFF


def selection_request(model: str, family: str, parts: Sequence[Part], seed: int) -> Request:
    """Which part is to be edited, out of those that may be."""
    listed = [{"part": part.pointer, "content": part.content} for part in parts]
    text = prompts.load(SELECT).filled(**_common(family), parts=shown(listed))
    return Request(model, (("user", text),), MAX_SELECTION_TOKENS, seed=seed & _SEED_BITS)


def generation_request(model: str, family: str, part: Part, slot: str, rejected: Sequence[str], seed: int) -> Request:
    """The edit of one part, with what was wrong with earlier ones."""
    demonstration = blocks()["demonstrations"][family]
    text = prompts.load(GENERATE).filled(
        **_common(family),
        slot=slot,
        contract=blocks()["targets"][family.partition("/")[0]]["contract"],
        example=demonstration["original"],
        example_answer=demonstration["answer"],
        pointer=part.pointer,
        original=shown(part.content),
        feedback=_feedback(rejected),
    )
    limit = max(FEWEST_TOKENS, len(shown(part.content).encode()))
    return Request(model, (("user", text),), limit, seed=seed & _SEED_BITS)


def signature() -> str:
    """Which prompts an edit was made with."""
    return f"{prompts.load(SELECT).signature}+{prompts.load(GENERATE).signature}"


def _common(family: str) -> dict[str, str]:
    target, _, type_ = family.partition("/")
    about, kind = blocks()["targets"][target], blocks()["types"][type_]
    return {
        "what": about["what"],
        "type": kind["name"],
        "strategy": kind["strategy"],
        "slots": ", ".join(about["slots"]),
    }


def _feedback(rejected: Sequence[str]) -> str:
    if not rejected:
        return ""
    listed = "\n".join(f"- {reason}" for reason in rejected)
    return f"\nEarlier answers were refused; make another edit that has none of these faults:\n{listed}\n"
