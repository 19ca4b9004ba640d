"""Episodes that were run elsewhere, until it is known what was asked for; kept on disk."""

from collections.abc import Mapping
from typing import Any

from wfkit import jsonl, schema
from wfkit.agents.grading.plan import Plan, Slot
from wfkit.agents.grading.spool import Place, Spool
from wfkit.errors import DataError, UsageProblem

Record = dict[str, Any]
Name = tuple[str, int]


class Recordings:
    """Recorded episodes by model, name of the task and repeat."""

    def __init__(self) -> None:
        self._spool = Spool()
        self._by_model: dict[str | None, dict[Name, Place]] = {}

    def add(self, episode: Record, file: str) -> None:
        """Take in one ``episode`` record of a file.

        Raises:
            UsageProblem: it is not valid, or another one has its model, task and repeat.
        """
        try:
            schema.checker("episode")(episode)
        except DataError as error:
            raise UsageProblem(f"{file}: episode {episode.get('id')!r}: {error}") from None
        name = (episode["id"], episode.get("repeat", 0))
        episodes = self._by_model.setdefault(episode.get("model"), {})
        if name in episodes:
            raise UsageProblem(f"{file}: two episodes of {name[0]!r}, repeat {name[1]}: which one counts?")
        episodes[name] = self._spool.put(jsonl.dumps(episode))

    def of_model(self, wanted: str | None, otherwise: str) -> "Chosen":
        """The episodes of one model; those that name none are whoever's it is.

        Args:
            wanted: the model; None for the only one there is.
            otherwise: what it is called where the episodes name none.

        Raises:
            UsageProblem: there is no episode of it, or there are several models.
        """
        named = [model for model in self._by_model if model is not None]
        if wanted is None and len(named) > 1:
            raise UsageProblem(f"the episodes are of {', '.join(map(str, named))}: choose one with --model")
        model = wanted or (named[0] if named else otherwise)
        episodes: dict[Name, Place] = {}
        for key in (model, None):
            for name, place in self._by_model.get(key, {}).items():
                if name in episodes:
                    raise UsageProblem(f"two episodes of {name[0]!r}, repeat {name[1]}: which one counts?")
                episodes[name] = place
        if not episodes:
            raise UsageProblem(
                f"no episode of {model} is recorded" + (f", only of {', '.join(named)}" if named else "")
            )
        return Chosen(model, episodes, self._spool)


class Chosen:
    """The recorded episodes of one model.

    Attributes:
        model: its name.
        repeats: how many repeats there are.
    """

    def __init__(self, model: str, episodes: Mapping[Name, Place], spool: Spool) -> None:
        self.model = model
        self.repeats = 1 + max(repeat for _, repeat in episodes)
        self._episodes = episodes
        self._spool = spool
        self._places: dict[Name, Place] = {}

    def match(self, plan: Plan, repeats: int) -> list[str]:
        """Find the side of each episode; the names of those that nobody asked for.

        Raises:
            UsageProblem: two episodes are of one side and repeat, under two names.
        """
        unwanted = []
        for (name, repeat), place in self._episodes.items():
            side = plan.side_named(name)
            if side is None or repeat >= repeats:
                unwanted.append(name)
                continue
            if (side, repeat) in self._places:
                raise UsageProblem(f"{name!r} and another name mean one side: which of the two episodes counts?")
            self._places[side, repeat] = place
        return unwanted

    def has(self, slot: Slot) -> bool:
        """Whether the episode of a side and repeat was recorded."""
        return (slot.side, slot.repeat) in self._places

    def find(self, slot: Slot) -> Record:
        """The episode of a side and repeat; may be called by any thread."""
        episode: Record = jsonl.loads(self._spool.get(self._places[slot.side, slot.repeat]))
        return episode
