"""Where the steps of a golden have gone in a candidate whose steps were merged, and which words were lost.

The paper's only failed inspection (A.9) was a merged step that kept "print the shipping label" and lost "drop it off
at a UPS location": the right number of steps, and an action gone. So a merged step must contain the content words of
each of its parts; inflection, articles, pronouns and plain prepositions may differ (`wfkit.perturb.words`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from wfkit.perturb.precedence import closure
from wfkit.perturb.words import lost_words
from wfkit.workflow import Workflow

_LOOKS = 5000


def merged_into(
    golden: Workflow, candidate: Workflow, unchanged: Mapping[int, int], merged: Sequence[int]
) -> dict[int, int]:
    """For each golden step that is not unchanged the merged step that has all its content words.

    Of several such steps one is taken that keeps the golden's precedence, if the first few thousand combinations
    have one; that gives each merged step two parts or more is preferred. Steps whose words are lost are left out.

    Args:
        unchanged: golden step to candidate step.
        merged: the other candidate steps, rising.
    """
    homes = {}
    for step in range(len(golden.steps)):
        if step not in unchanged:
            text = golden.steps[step].text
            found = [place for place in merged if not lost_words(text, candidate.steps[place].text)]
            if found:
                homes[step] = found
    certain = {step: found[0] for step, found in homes.items() if len(found) == 1}
    if len(certain) == len(homes):
        return certain
    return _arranged(closure(golden), closure(candidate), unchanged, merged, homes)


def _arranged(
    after: Sequence[int],
    candidate_after: Sequence[int],
    unchanged: Mapping[int, int],
    merged: Sequence[int],
    homes: Mapping[int, list[int]],
) -> dict[int, int]:
    """Depth-first search for homes that agree with every precedence, steps with the fewest homes first."""
    steps = sorted(homes, key=lambda step: (len(homes[step]), step))
    place = dict(unchanged)

    def fits(step: int, home: int) -> bool:
        for other, there in place.items():
            if there == home:
                continue
            if after[other] >> step & 1 and not candidate_after[there] >> home & 1:
                return False
            if after[step] >> other & 1 and not candidate_after[home] >> there & 1:
                return False
        return True

    deepest: dict[int, int] = {}
    choices = [iter(homes[steps[0]])]
    for _ in range(_LOOKS):
        if not choices:
            break
        step = steps[len(choices) - 1]
        place.pop(step, None)
        home = next((home for home in choices[-1] if fits(step, home)), None)
        if home is None:
            choices.pop()
            continue
        place[step] = home
        if len(choices) > len(deepest):
            deepest = {placed: place[placed] for placed in steps[: len(choices)]}
        if len(choices) < len(steps):
            choices.append(iter(homes[steps[len(choices)]]))
        else:
            arranged = {placed: place[placed] for placed in steps}
            parts = Counter(arranged.values())
            if all(parts[home] > 1 for home in merged):
                return arranged
    return {step: deepest.get(step, homes[step][0]) for step in steps}


def losses(golden: Workflow, candidate: Workflow, lost: Sequence[int]) -> str:
    """For a message: each lost step, with the words that the candidate step nearest to it lacks."""
    told = []
    for step in lost[:3]:
        text = golden.steps[step].text
        fewest = min((lost_words(text, other) for other in (*candidate.texts, "")), key=len)
        told.append(f"golden step {golden.steps[step].id} «{text[:80]}» is in no merged step: {', '.join(fewest)} lost")
    return "; ".join(told) + (f"; and {len(lost) - 3} more" if len(lost) > 3 else "")
