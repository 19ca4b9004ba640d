"""Golden steps that a candidate says in one step: told from lost ones by their words."""

import re
from collections.abc import Mapping
from functools import lru_cache

from wfkit.workflow import Workflow

CONTAINED_SHARE = 0.8
"""Share of a golden step's content words that the candidate step must hold to count as saying it."""

# Scripts written without blanks have no words to split at, so each of their characters counts as one.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")

_LISTED_EMPTY_WORDS = (
    "a an and are as at be by for from if in into is it its of on or so that the their them then this to up via was "
    "when which will with you your"
)
_EMPTY_WORDS = frozenset(_LISTED_EMPTY_WORDS.split())


@lru_cache(maxsize=8192)  # the candidates of a golden share most of their texts with it
def content_words(text: str) -> frozenset[str]:
    """The words of a text that carry its content, in lower case."""
    return frozenset(_WORD.findall(text.lower())) - _EMPTY_WORDS


def find_merges(
    golden: Workflow, candidate: Workflow, partners: Mapping[int, int], closest_of_extra: Mapping[int, int]
) -> dict[int, tuple[int, ...]]:
    """Candidate steps that say two or more golden steps, each with the golden steps in order.

    A merge starts from the golden step that the candidate step is matched with, or that is closest to it (if that one
    has a counterpart already, from the first lost step whose words the candidate step holds). It grows over neighbours
    (joined by an edge, or listed next to each other) that have no counterpart and whose words the candidate step holds.
    Words that the starting step already had do not count as said for another.

    Args:
        partners: candidate index of each matched golden index.
        closest_of_extra: golden index closest to each unmatched candidate index, where known.
    """
    missing = {step for step in range(len(golden.steps)) if step not in partners}
    if not missing:
        return {}
    words = {step: content_words(golden.steps[step].text) for step in sorted(missing)}
    neighbours = _neighbours(golden)
    starts = {**closest_of_extra, **{counterpart: step for step, counterpart in partners.items()}}
    merges = {}
    for counterpart, start in sorted(starts.items()):
        is_matched = partners.get(start) == counterpart
        if is_matched and missing.isdisjoint(neighbours[start]):
            continue
        said = content_words(candidate.steps[counterpart].text)
        if not is_matched and not (start in missing and _holds(said, words[start])):
            held = next((step for step in words if step in missing and _holds(said, words[step])), None)
            if held is None:
                continue
            start = held
        new = said - content_words(golden.steps[start].text)
        group, frontier = {start}, [start]
        while frontier:
            for step in sorted(neighbours[frontier.pop()] & missing - group):
                if _holds(said, words[step]) and words[step] & new:
                    group.add(step)
                    frontier.append(step)
        if len(group) > 1:
            merges[counterpart] = tuple(sorted(group))
            missing -= group
    return merges


def _holds(said: frozenset[str], words: frozenset[str]) -> bool:
    return bool(words) and len(words & said) >= CONTAINED_SHARE * len(words)


def _neighbours(workflow: Workflow) -> list[set[int]]:
    count = len(workflow.steps)
    result = [{place for place in (step - 1, step + 1) if 0 <= place < count} for step in range(count)]
    for source, target in workflow.edges:
        result[source].add(target)
        result[target].add(source)
    return result
