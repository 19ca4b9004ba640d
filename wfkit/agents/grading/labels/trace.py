"""What an annotator is shown of a perturbed episode, and the form of what it says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from wfkit.agents.label_set import DEFAULT_LABEL_SET

Record = dict[str, Any]
LabelSet = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Trace:
    """A perturbed episode with what is known of its edit.

    Attributes:
        id: the id of the `ap_grade` record.
        episode: what the agent did.
        target: the input surface that was edited.
        type: how it was edited.
        edit: what was done.
        misleading: what may mislead, as it stands in the edited text.
        restores: what was taken out or changed, literally.
        asked: how many questions the agent asked.
        score: what the episode scored.
    """

    id: str
    episode: Record
    target: str
    type: str
    edit: Record | None
    misleading: Sequence[str]
    restores: Sequence[str]
    asked: int
    score: float

    def message(self, label_set: LabelSet) -> Record:
        """What an annotator in another language is sent."""
        return {
            "kind": "label",
            "id": self.id,
            "episode": self.episode,
            "target": self.target,
            "type": self.type,
            "edit": self.edit,
            "misleading": list(self.misleading),
            "restores": list(self.restores),
            "asked": self.asked,
            "score": self.score,
            "label_set": {aspect: list(labels) for aspect, labels in label_set.items()},
        }


@dataclass(frozen=True)
class Said:
    """What an annotator said: a label of each aspect, None where it cannot tell; or why it said nothing."""

    awareness: str | None = None
    behaviour: str | None = None
    problem: str | None = None


class Annotator(Protocol):
    """Labels one episode after the other."""

    name: str

    def label(self, trace: Trace) -> Said:
        """The labels of one episode."""

    def stop(self) -> None:
        """End what was started for it."""


def said_in(answer: Mapping[str, Any], label_set: LabelSet) -> Said:
    """Labels out of a JSON object; a label that is not in the set is a problem, and no label."""
    found = {}
    for aspect in DEFAULT_LABEL_SET:
        label = answer.get(aspect)
        if label is not None and label not in label_set[aspect]:
            return Said(problem=f"{str(label)[:60]!r} is no label of {aspect}")
        found[aspect] = label
    return Said(found["awareness"], found["behaviour"])
