"""Where the steps of a golden have gone in a candidate whose steps were merged, and which words were lost.

The paper's only failed inspection (A.9) was a merged step that kept "print the shipping label" and lost "drop it off
at a UPS location": the right number of steps, and an action gone. So a merged step must contain the content words of
each of its parts; inflection, articles, pronouns and plain prepositions may differ (`wfkit.perturb.words`).
"""

from collections.abc import Mapping, Sequence

from wfkit.perturb.words import lost_words
from wfkit.validation.arrangement import arranged
from wfkit.workflow import Workflow


def merged_into(
    golden: Workflow, candidate: Workflow, unchanged: Mapping[int, int], merged: Sequence[int]
) -> dict[int, int]:
    """For each golden step that is not unchanged the merged step that has all its content words.

    Where several have them, they are shared out by `arranged`. Steps whose words are lost are left out.

    Args:
        unchanged: golden step to candidate step.
        merged: the other candidate steps, rising.
    """
    homes = {}
    for step, text in enumerate(golden.texts):
        if step not in unchanged:
            found = [place for place in merged if not lost_words(text, candidate.steps[place].text)]
            if found:
                homes[step] = found
    if all(len(found) == 1 for found in homes.values()):
        return {step: found[0] for step, found in homes.items()}
    return arranged(golden, candidate, unchanged, homes, merged)


def losses(golden: Workflow, candidate: Workflow, lost: Sequence[int]) -> str:
    """For a message: each lost step, with the words that the candidate step nearest to it lacks."""
    told = []
    for step in lost[:3]:
        text = golden.steps[step].text
        fewest = min((lost_words(text, other) for other in (*candidate.texts, "")), key=len)
        told.append(f"golden step {golden.steps[step].id} «{text[:80]}» is in no merged step: {', '.join(fewest)} lost")
    return "; ".join(told) + (f"; and {len(lost) - 3} more" if len(lost) > 3 else "")
