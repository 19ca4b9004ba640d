"""What is known of every request of one benchmark, as columns in an order that the input does not decide."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wfkit.agents.aggregation.grade_record import TOKENS, USAGE
from wfkit.agents.aggregation.grades import NO_RECORD, READ, Column, Grades
from wfkit.agents.families import ACTOR_FAILURES, STATUSES
from wfkit.errors import Unavailable

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Flags = NDArray[np.bool_]

IMPOSED_STATUSES = [STATUSES.index(status) for status in ACTOR_FAILURES]


@dataclass(frozen=True)
class SideColumns:
    """One side of every request.

    Attributes:
        score: in [0, 1]; NaN where it is unknown.
        imposed: where the score is a 0 that `--actor-failure zero` put in place of an unknown one.
        status: places in `STATUSES`.
        episode: equal numbers are one episode; 0 is an episode without a name, or none.
        usage: the amounts of every name in `USAGE`; NaN where unknown.
    """

    score: Floats
    imposed: Flags
    status: NDArray[np.int8]
    episode: NDArray[np.uint64]
    usage: dict[str, Floats]

    @property
    def known(self) -> Flags:
        """Where there is a score."""
        return ~np.isnan(self.score)

    @property
    def tokens(self) -> Floats:
        """Input and output tokens together; NaN where either is unknown."""
        return self.usage[TOKENS[0]] + self.usage[TOKENS[1]]

    def where(self, chosen: Flags) -> "SideColumns":
        """The same columns for some of the requests."""
        usage = {name: amounts[chosen] for name, amounts in self.usage.items()}
        return SideColumns(self.score[chosen], self.imposed[chosen], self.status[chosen], self.episode[chosen], usage)


@dataclass(frozen=True)
class Evidence:
    """All requests of one benchmark, pairs x models x repeats, sorted by model, repeat and pair id.

    Every array has one entry for each request. `model` and `pair` are places in `models` and `pair_ids`, `target` and
    `type` in `TARGETS` and `TYPES`; `task`, `operation` and `by` are codes of the list of requests (-1: none), and
    `task` codes follow the sorted order of tasks.
    """

    benchmark: str
    scale: str
    models: tuple[str, ...]
    pair_ids: list[str]
    pair: Codes
    model: Codes
    repeat: Codes
    task: Codes
    target: Codes
    type: Codes
    constructed: Flags
    noop_score: Floats
    operation: Codes
    by: dict[str, Codes]
    clean: SideColumns
    perturbed: SideColumns

    def __len__(self) -> int:
        """The number of requests, N."""
        return len(self.pair)

    @property
    def scored(self) -> Flags:
        """Where both sides have a score: the common set S."""
        return self.clean.known & self.perturbed.known

    @property
    def changes(self) -> Floats:
        """Clean minus perturbed; NaN outside the common set."""
        return self.clean.score - self.perturbed.score

    def name(self, place: int) -> dict[str, Any]:
        """What to call the request at a place: its pair, model and repeat."""
        model = self.models[int(self.model[place])]
        return {"pair": self.pair_ids[int(self.pair[place])], "model": model, "repeat": int(self.repeat[place])}

    def where(self, chosen: Flags) -> "Evidence":
        """The same columns for some of the requests; itself, uncopied, for all of them."""
        if chosen.all():
            return self
        parts: dict[str, Any] = {}
        for part in fields(self):
            value = getattr(self, part.name)
            if isinstance(value, np.ndarray):
                parts[part.name] = value[chosen]
            elif isinstance(value, SideColumns):
                parts[part.name] = value.where(chosen)
        return replace(self, by={name: codes[chosen] for name, codes in self.by.items()}, **parts)


def collect(grades: Grades) -> Iterator[Evidence]:
    """The evidence of every benchmark that was asked for, in sorted order.

    N of a benchmark is its requested pairs x its repeats x all models, also those that left no record in it.

    Raises:
        Unavailable: there is no model.
    """
    requests = grades.requests
    models = tuple(sorted(grades.models))
    if not models:
        raise Unavailable("nothing to measure: no record and no model")
    pair_ids = list(requests.positions)
    empty = Column(len(requests))
    benchmarks = np.frombuffer(requests.benchmark.codes, dtype=np.int32)
    for code, benchmark in enumerate(requests.benchmark.names):
        pair = np.flatnonzero(benchmarks == code).astype(np.int32)
        slots = [(model, repeat) for model in range(len(models)) for repeat in range(grades.repeats[benchmark])]
        columns = [grades.columns.get((models[model], repeat), empty) for model, repeat in slots]
        clean, perturbed = _sides(grades, columns, pair)
        pairs = np.tile(pair, len(slots))
        yield Evidence(
            benchmark=benchmark,
            scale=requests.scales[benchmark],
            models=models,
            pair_ids=pair_ids,
            pair=pairs,
            model=np.repeat(np.array([model for model, _ in slots], dtype=np.int32), len(pair)),
            repeat=np.repeat(np.array([repeat for _, repeat in slots], dtype=np.int32), len(pair)),
            task=np.frombuffer(requests.task.codes, dtype=np.int32)[pairs],
            target=np.frombuffer(requests.target, dtype=np.int8)[pairs].astype(np.int32),
            type=np.frombuffer(requests.type, dtype=np.int8)[pairs].astype(np.int32),
            constructed=np.frombuffer(requests.constructed, dtype=np.int8)[pairs].astype(np.bool_),
            noop_score=np.frombuffer(requests.noop_score)[pairs],
            operation=np.frombuffer(requests.operation.codes, dtype=np.int32)[pairs],
            by={name: np.frombuffer(column.codes, dtype=np.int32)[pairs] for name, column in requests.by.items()},
            clean=clean,
            perturbed=perturbed,
        )


def _sides(grades: Grades, columns: list[Column], pair: Codes) -> tuple[SideColumns, SideColumns]:
    """Both sides of the given pairs, column after column; what cannot be used is unknown."""
    clean = grades.clean
    # One more episode at the end, reached as -1, stands for all that is unknown.
    score = np.append(np.frombuffer(clean.score), np.nan)
    status = np.append(np.frombuffer(clean.status, dtype=np.int8), np.int8(NO_RECORD))
    contradicted = np.append(np.frombuffer(clean.contradicted, dtype=np.bool_), False)

    def gather(name: str, dtype: Any) -> NDArray[Any]:
        return np.concatenate([np.frombuffer(getattr(column, name), dtype=dtype)[pair] for column in columns])

    episode = gather("clean_episode", np.int32)
    usable = (gather("state", np.int8) == READ) & ~contradicted[episode]
    episode = np.where(usable, episode, np.int32(-1))
    clean_score, clean_status = score[episode], status[episode]
    perturbed_score = np.where(usable, gather("score", np.float64), np.nan)
    perturbed_status = np.where(usable, gather("status", np.int8), np.int8(NO_RECORD))
    zero = grades.actor_failure == "zero"
    clean_usage = {name: np.append(np.frombuffer(clean.usage[name]), np.nan)[episode] for name in USAGE}
    perturbed_usage: dict[str, Floats] = {}
    for name in USAGE:
        amounts = np.concatenate([np.frombuffer(column.usage[name])[pair] for column in columns])
        perturbed_usage[name] = np.where(usable, amounts, np.nan)
    return (
        SideColumns(
            clean_score,
            _imposed(clean_score, clean_status, zero),
            clean_status,
            (episode + 1).astype(np.uint64),
            clean_usage,
        ),
        SideColumns(
            perturbed_score,
            _imposed(perturbed_score, perturbed_status, zero),
            perturbed_status,
            np.where(usable, gather("episode", np.uint64), np.uint64(0)),
            perturbed_usage,
        ),
    )


def _imposed(score: Floats, status: NDArray[np.int8], zero: bool) -> Flags:
    if not zero:
        return np.zeros(len(score), dtype=np.bool_)
    return np.asarray((score == 0) & np.isin(status, IMPOSED_STATUSES), dtype=np.bool_)
