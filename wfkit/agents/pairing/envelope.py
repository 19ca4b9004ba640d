"""The uniform answer of an editor: four keys and no more (AgentPerturb, Appendix F.5)."""

from typing import Any

from wfkit.agents.pairing.differences import same
from wfkit.agents.pairing.surfaces import texts_in

KEYS = ("replacement", "modified_slots", "misleading_tokens", "explanation")


def envelope_problem(envelope: Any, type_: str, original: Any = None) -> str | None:
    """What is wrong with an envelope, if something is.

    Args:
        original: what the replacement stands for, where it is known; the replacement may not be equal to it.
    """
    if not isinstance(envelope, dict):
        return "the envelope is no JSON object"
    further = [key for key in envelope if key not in KEYS]
    missing = [key for key in KEYS if key not in envelope]
    if further or missing:
        return f"the envelope has {'the further key ' + further[0] if further else 'no key ' + missing[0]}"
    slots, tokens = envelope["modified_slots"], envelope["misleading_tokens"]
    if not _texts(slots) or not slots:
        return "modified_slots is not a list of texts with at least one"
    if not _texts(tokens):
        return "misleading_tokens is not a list of texts"
    if type_ == "redundant" and tokens:
        return "misleading_tokens is not empty although the edit is redundant"
    if not isinstance(envelope["explanation"], str):
        return "the explanation is no text"
    if original is not None and same(original, envelope["replacement"]):
        return "the replacement is what stood there before"
    written = "\n".join(texts_in(envelope["replacement"]))
    unwritten = [token for token in tokens if token not in written]
    return f"the misleading token {unwritten[0]!r} is not in the replacement" if unwritten else None


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)
