"""Steps and tools of other workflows, from which a perturbation takes what the golden does not have."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from wfkit.perturb.tools import tools_of
from wfkit.perturb.words import content_words, wording


class DonorStep(NamedTuple):
    """One distinct step: its text, the name in its ``tool`` field (empty without one) and its content words."""

    text: str
    tool: str
    content: frozenset[str]


class Donors(NamedTuple):
    """What can be given; both are sorted, so that the order of the records they come from does not matter."""

    steps: tuple[DonorStep, ...]
    tools: tuple[str, ...]


NO_DONORS = Donors((), ())


def donors_from(records: Iterable[Mapping[str, Any]]) -> Donors:
    """Collect the steps and tools of `workflow` records; of steps with the same wording one is kept.

    A golden may be among the records: what it has itself is never given to it.
    """
    by_wording: dict[tuple[str, ...], tuple[str, str]] = {}
    tools: set[str] = set()
    for record in records:
        for node in record["nodes"]:
            tools.update(tools_of(node))
            key = wording(node["text"])
            tool = node.get("tool")
            step = (node["text"], tool if isinstance(tool, str) else "")
            if key:
                by_wording[key] = min(step, by_wording.get(key, step))
    steps = (DonorStep(text, tool, content_words(text)) for _, (text, tool) in sorted(by_wording.items()))
    return Donors(tuple(steps), tuple(sorted(tools)))
