"""The generator's prompts: a fixed example for each type, then the golden and what to do with it (appendix A.1–A.6)."""

from collections.abc import Mapping, Sequence
from typing import Any

from wfkit import prompts
from wfkit.formats import worf
from wfkit.llm.request import BYTES_PER_TOKEN, Request

PROMPTS = {
    "missing_steps": "missing_steps-1",
    "compressed_steps": "compressed_steps-1",
    "description_changes": "description_changes-1",
}
"""The types that a model can be asked for."""

FEEDBACK = "feedback-1"
STEP = "paraphrase_step-1"

_FEWEST_OUTPUT_TOKENS = 1024
_SEED_BITS = 0x7FFFFFFF


def variant_prompt(golden: Mapping[str, Any], type_name: str, count: int) -> str:
    """The first prompt for one variant (A.3, A.4, A.5), with the few-shot example in front."""
    return prompts.load(PROMPTS[type_name]).filled(golden=worf.write(golden), count=str(count))


def feedback_prompt(prompt: str, answer: str, problems: Sequence[str]) -> str:
    """The prompt after a failed attempt: the first one, what came, and what was wrong with it (A.6)."""
    listed = "\n".join(f"- {problem}" for problem in problems)
    return prompts.load(FEEDBACK).filled(prompt=prompt, answer=answer.strip() or "(nothing)", problems=listed)


def step_prompt(text: str) -> str:
    """The prompt that paraphrases one step (A.10)."""
    return prompts.load(STEP).filled(step=" ".join(text.split()))


def request_for(model: str, prompt: str, seed: int) -> Request:
    """The request of a prompt. The answer is about as long as the golden; three times the prompt is a runaway."""
    limit = max(_FEWEST_OUTPUT_TOKENS, 3 * len(prompt.encode()) // BYTES_PER_TOKEN)
    return Request(model, (("user", prompt),), limit, seed=seed & _SEED_BITS)


def signature(type_name: str) -> str:
    """Which prompts a variant was made with."""
    return prompts.load(PROMPTS[type_name]).signature
