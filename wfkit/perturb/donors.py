"""Steps and tools of other workflows, from which a perturbation takes what the golden does not have."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from wfkit.perturb.tools import tools_of
from wfkit.perturb.words import content_words, wording


class DonorStep(NamedTuple):
    """One distinct step: text, ``tool`` field and its workflow's ``source`` (empty without one), content words."""

    text: str
    tool: str
    source: str
    content: frozenset[str]


class Donors(NamedTuple):
    """What can be given; all is sorted, so that the order of the records it comes from does not matter.

    Attributes:
        frequency: for each content word the number of steps that have it.
    """

    steps: tuple[DonorStep, ...]
    tools: tuple[str, ...]
    frequency: Mapping[str, int]


NO_DONORS = Donors((), (), {})


def donors_from(records: Iterable[Mapping[str, Any]]) -> Donors:
    """Collect the steps and tools of `workflow` records; of steps with the same wording one is kept.

    A golden may be among the records: what it has itself is never given to it.
    """
    by_wording: dict[tuple[str, ...], tuple[str, str, str]] = {}
    tools: set[str] = set()
    for record in records:
        for node in record["nodes"]:
            tools.update(tools_of(node))
            key = wording(node["text"])
            step = (node["text"], _text_of(node, "tool"), _text_of(record, "source"))
            if key:
                by_wording[key] = min(step, by_wording.get(key, step))
    steps = tuple(DonorStep(*step, content_words(step[0])) for _, step in sorted(by_wording.items()))
    return Donors(steps, tuple(sorted(tools)), Counter(word for step in steps for word in step.content))


def _text_of(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else ""
