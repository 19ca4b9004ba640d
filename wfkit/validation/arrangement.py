"""Which parts belong to which merged step, where repeated texts leave several possibilities."""

from collections import Counter
from collections.abc import Mapping, Sequence

from wfkit.perturb.precedence import closure
from wfkit.perturb.words import content_list
from wfkit.workflow import Workflow

_COMPARISONS = 300_000


def arranged(
    golden: Workflow,
    candidate: Workflow,
    unchanged: Mapping[int, int],
    homes: Mapping[int, Sequence[int]],
    merged: Sequence[int],
) -> dict[int, int]:
    """One home for each golden step, so that precedence is kept and every merged step has two parts or more.

    A merged step usually says each part in full, so it is tried first with room for as many parts only as its words
    suffice for, then without that limit. The search is bounded; where it finds nothing, the best it came to is
    returned, and the checks that follow say what is wrong with it.

    Args:
        unchanged: golden step to candidate step.
        homes: for each other golden step the merged steps it may be part of, at least one.
        merged: all merged steps.
    """
    search = _Search(golden, candidate, unchanged, homes, merged)
    return search.run(tight=True) or search.run(tight=False) or search.nearest()


class _Search:
    """Depth-first search over the homes of each step, steps with the fewest homes first."""

    def __init__(
        self,
        golden: Workflow,
        candidate: Workflow,
        unchanged: Mapping[int, int],
        homes: Mapping[int, Sequence[int]],
        merged: Sequence[int],
    ) -> None:
        self.after, self.after_now = closure(golden), closure(candidate)
        self.unchanged, self.homes, self.merged = unchanged, homes, merged
        self.steps = sorted(homes, key=lambda step: (len(homes[step]), step))
        self.needed = {step: Counter(content_list(golden.steps[step].text)) for step in homes}
        self.words = {home: Counter(content_list(candidate.steps[home].text)) for home in merged}
        self.looks = max(2 * len(homes), _COMPARISONS // len(golden.steps))
        self.deepest: dict[int, int] = {}

    def run(self, *, tight: bool) -> dict[int, int] | None:
        """An arrangement that fits, with room for repeated words or (``tight=False``) without that limit."""
        place = dict(self.unchanged)
        room = {home: Counter(words) for home, words in self.words.items()}
        choices = [iter(self.homes[self.steps[0]])]
        for _ in range(self.looks):
            if not choices:
                break
            step = self.steps[len(choices) - 1]
            if step in place:
                room[place.pop(step)].update(self.needed[step])
            fitting = (home for home in choices[-1] if not tight or self.needed[step] <= room[home])
            home = next((home for home in fitting if self._keeps_precedence(step, home, place)), None)
            if home is None:
                choices.pop()
                continue
            place[step] = home
            room[home].subtract(self.needed[step])
            if len(choices) > len(self.deepest):
                self.deepest = {placed: place[placed] for placed in self.steps[: len(choices)]}
            if len(choices) < len(self.steps):
                choices.append(iter(self.homes[self.steps[len(choices)]]))
                continue
            found = {placed: place[placed] for placed in self.steps}
            parts = Counter(found.values())
            if all(parts[home] > 1 for home in self.merged):
                return found
        return None

    def nearest(self) -> dict[int, int]:
        """The deepest arrangement that was reached, with the first home for each step beyond it."""
        return {step: self.deepest.get(step, self.homes[step][0]) for step in self.steps}

    def _keeps_precedence(self, step: int, home: int, place: Mapping[int, int]) -> bool:
        for other, there in place.items():
            if there == home:
                continue
            if self.after[other] >> step & 1 and not self.after_now[there] >> home & 1:
                return False
            if self.after[step] >> other & 1 and not self.after_now[home] >> there & 1:
                return False
        return True
