"""Which episodes are labelled, and what comes of it: failures whose clean side succeeded, and recoveries on request."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from wfkit.agents.grading.labels.trace import Annotator, Trace
from wfkit.agents.grading.plan import Request

Record = dict[str, Any]


class Labelling:
    """Labels the perturbed episodes of a run.

    Attributes:
        labelled: how many got a label.
        problems: why others that should have one got none, with their number.
    """

    def __init__(
        self, annotator: Annotator | None, find: Callable[[str], Record | None], *, recovered_too: bool, success: float
    ) -> None:
        """
        Args:
            annotator: who labels; None for nobody.
            find: an episode by the id of its run; None where it was not kept.
            recovered_too: label episodes that succeeded in spite of the edit, too.
            success: the least score that is a success.
        """
        self._annotator = annotator
        self._find = find
        self._recovered_too = recovered_too
        self._success = success
        self.labelled = 0
        self.problems: Counter[str] = Counter()

    def labels(self, request: Request, clean: Record, perturbed: Record) -> list[Record]:
        """The `labels` of one `ap_grade` record; empty where it is not to be labelled or could not be."""
        if self._annotator is None:
            return []
        before, after = clean["score"], perturbed["score"]
        if before is None or before < self._success or after is None:
            return []
        if after >= self._success and not self._recovered_too:
            return []
        episode = self._find(perturbed["episode"])
        if episode is None:
            self.problems["the episode was not kept"] += 1
            return []
        said = self._annotator.label(_trace(request, perturbed, episode))
        if said.problem is not None:
            self.problems[said.problem] += 1
            return []
        self.labelled += 1
        return [{"annotator": self._annotator.name, "awareness": said.awareness, "behaviour": said.behaviour}]

    def stop(self) -> None:
        """End the annotator."""
        if self._annotator is not None:
            self._annotator.stop()

    def lines(self) -> Iterator[str]:
        """What was done, in words; nothing where nobody labels."""
        if self._annotator is not None:
            yield f"{self.labelled:,} episodes labelled by {self._annotator.name}"
        for problem, count in self.problems.most_common(3):
            yield f"{count:,} episodes could not be labelled: {problem}"


def _trace(request: Request, perturbed: Record, episode: Record) -> Trace:
    envelope, recovery = request.hints.get("envelope") or {}, request.hints.get("recovery") or {}
    kept = {key: value for key, value in episode.items() if key not in ("score", "model", "repeat", "run")}
    return Trace(
        id=f"{request.head['pair']}/{perturbed['episode']}",
        episode=kept,
        target=request.head["target"],
        type=request.head["type"],
        edit=request.hints.get("edit"),
        misleading=envelope.get("misleading_tokens") or [],
        restores=recovery.get("restores") or [],
        asked=perturbed.get("asked") or 0,
        score=perturbed["score"],
    )
