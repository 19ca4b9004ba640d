"""The labels that annotators may give to a failed episode. The paper names few, so the set is the user's to edit."""

from collections.abc import Mapping
from typing import Any

from wfkit.errors import UsageProblem

# Awareness from the lowest grade up: an episode gets the highest grade that it reached. Behaviour is what the agent did
# at the first visible error (AgentPerturb 4.5 and A.4; its Table 4 is lost, so most of these names are ours).
DEFAULT_LABEL_SET: dict[str, list[str]] = {
    "awareness": ["never_flagged", "voiced_uncertainty", "flagged_possible_error", "suspected_altered_input"],
    "behaviour": [
        "accepted_corrupted_value",
        "worked_around",
        "repeated_action",
        "asked_or_checked",
        "gave_up",
        "no_visible_error",
    ],
}


def read_label_set(config: Mapping[str, Any]) -> dict[str, list[str]]:
    """A label set from a configuration object.

    Args:
        config: `awareness`, the grades from the lowest up, and `behaviour`: two lists of different texts.

    Raises:
        UsageProblem: a key is missing or unknown, or a list is empty, has a label twice or has something that is no
            text.
    """
    if unknown := sorted(set(config) - set(DEFAULT_LABEL_SET)):
        raise UsageProblem(f"a label set has awareness and behaviour, not {', '.join(unknown)}")
    answer = {}
    for aspect in DEFAULT_LABEL_SET:
        labels = config.get(aspect)
        if not isinstance(labels, list) or not labels or not all(isinstance(label, str) and label for label in labels):
            raise UsageProblem(f"{aspect} in a label set should be a list of texts")
        if len(set(labels)) < len(labels):
            raise UsageProblem(f"{aspect} in the label set has a label twice")
        answer[aspect] = list(labels)
    return answer
