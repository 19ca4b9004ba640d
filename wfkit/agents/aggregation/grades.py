"""Reading `ap_grade` records one at a time into compact columns, so that a million of them fit in memory."""

from array import array
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from math import nan
from typing import Any

from wfkit.agents.aggregation.grade_record import USAGE, Side, read_labels, read_repeat, read_side
from wfkit.agents.aggregation.requests import Requests, check_one_scale, choice, text
from wfkit.agents.families import STATUSES, TARGETS, TYPES
from wfkit.errors import DataError, UsageProblem

Record = Mapping[str, Any]

NO_RECORD = STATUSES.index("no_record")
# What became of a request: nothing came, one valid record came, or what came cannot be used.
UNSEEN, READ, UNUSABLE = 0, 1, 2


class Column:
    """What came for one model and repeat: one entry for every requested pair."""

    def __init__(self, pairs: int) -> None:
        self.state = bytearray(pairs)
        self.clean_episode = array("i", [-1]) * pairs
        self.score = array("d", [nan]) * pairs
        self.status = array("b", [NO_RECORD]) * pairs
        self.usage = {name: array("d", [nan]) * pairs for name in USAGE}
        self.episode = array("Q", [0]) * pairs
        self.labels: dict[int, dict[str, dict[str, str]]] = {}


@dataclass
class CleanEpisodes:
    """The clean episodes, each held once however many families share it."""

    positions: dict[int, int] = field(default_factory=dict)
    score: "array[float]" = field(default_factory=lambda: array("d"))
    status: "array[int]" = field(default_factory=lambda: array("b"))
    usage: "dict[str, array[float]]" = field(default_factory=lambda: {name: array("d") for name in USAGE})
    contradicted: bytearray = field(default_factory=bytearray)

    def place(self, key: int | None, side: Side) -> int:
        """The place of an episode, a new one for a new key; DataError where an earlier record tells it differently."""
        position = None if key is None else self.positions.get(key)
        if position is None:
            position = len(self.score)
            if key is not None:
                self.positions[key] = position
            self.score.append(side.score)
            self.status.append(STATUSES.index(side.status))
            for name in USAGE:
                self.usage[name].append(side.usage[name])
            self.contradicted.append(0)
            return position
        told = (self.score[position], *(self.usage[name][position] for name in USAGE))
        tells = (side.score, *(side.usage[name] for name in USAGE))
        if STATUSES[self.status[position]] != side.status or not all(map(_same, told, tells)):
            self.contradicted[position] = 1
            raise DataError(
                f"the clean episode {side.episode} has another outcome or usage in an earlier record:"
                " all pairs that share it count as unknown",
                code="E-CONTRADICTION",
                path="$.clean",
            )
        return position


class Grades:
    """The records read so far, beside the list of requests.

    A pair that has two records, or a record that breaks a rule, stays unknown: which of two records is right
    cannot depend on which came first, and no fault may narrow a bound.

    Attributes:
        requests: the complete list of requested pairs.
        models: the models that were run.
        repeats: how often each pair of a benchmark was run on each model.
        repeats_declared: whether the user says so.
        repeats_told: the benchmarks for which some record says how many repeats there were; for others the largest
            repeat seen decides.
        columns: what came, by (model, repeat).
        clean: the clean episodes.
        actor_failure: the setting that all records share; None before the first.
        error_records: how many error records were read or made.
    """

    def __init__(self, requests: Requests, *, models: Iterable[str] = (), repeats: int | None = None) -> None:
        """
        Args:
            requests: the complete list of requested pairs.
            models: models that were run; those in the records are added.
            repeats: how often each pair was run on each model; by default the records say so.
        """
        self.requests = requests
        self.models = set(models)
        self.models_declared = frozenset(self.models)
        self.repeats = dict.fromkeys(requests.scales, repeats or 1)
        self.repeats_declared = repeats is not None
        self.repeats_told: set[str] = set()
        self.columns: dict[tuple[str, int], Column] = {}
        self.clean = CleanEpisodes()
        self.actor_failure: str | None = None
        self.error_records = 0
        self._digests: dict[tuple[str, ...], str | None] = {}

    def knows_repeats_of(self, benchmark: str) -> bool:
        """Whether the number of repeats is known, rather than guessed from the records that came."""
        return self.repeats_declared or benchmark in self.repeats_told

    def count_error(self) -> None:
        """Count an error record of the stream, or a record that `add` refused."""
        self.error_records += 1

    def add(self, record: Record) -> None:
        """Take in one `ap_grade` record.

        Raises:
            DataError: the record is bad; if it names a requested pair, that pair is now unknown for good.
            UsageProblem: the records do not belong together (two scales, digests or `--actor-failure` settings).
        """
        requests = self.requests
        position = self._position(record)
        benchmark = requests.benchmark.names[requests.benchmark.codes[position]]
        model, repeat = text(record, "model"), self._repeat(record, benchmark)
        column = self._column(model, repeat)
        first = column.state[position] == UNSEEN
        column.state[position] = UNUSABLE  # until every check below has passed
        self._check_belongs(record, benchmark, model)
        self._check_request(record, position)
        clean = read_side(record, "clean", requests.scales[benchmark])
        perturbed = read_side(record, "perturbed", requests.scales[benchmark])
        labels = read_labels(record)
        if clean.episode is not None and clean.episode == perturbed.episode:
            raise DataError(f"both sides are the one episode {clean.episode}", path="$.perturbed.episode")
        if perturbed.score == perturbed.score and not requests.constructed[position]:
            raise DataError(
                "the perturbed side has a score, but the list of requests says that the pair was not accepted",
                path="$.perturbed.score",
            )
        # An episode is one run of one model on one task, whatever other runs carry the same name.
        scope = f"{benchmark}\0{requests.task.codes[position]}\0{model}\0{repeat}"
        # Before the question whether this record is the first: whether two records contradict each other must not
        # depend on the order either.
        clean_episode = self.clean.place(None if clean.episode is None else _digest(scope, clean.episode), clean)
        if not first:
            raise DataError(
                f"a second record for pair {record['pair']}, model {model}, repeat {repeat}: it counts as unknown",
                code="E-DUPLICATE",
                path="$.pair",
            )
        column.clean_episode[position] = clean_episode
        column.score[position] = perturbed.score
        column.status[position] = STATUSES.index(perturbed.status)
        column.episode[position] = 0 if perturbed.episode is None else _digest(scope, perturbed.episode)
        for name in USAGE:
            column.usage[name][position] = perturbed.usage[name]
        if labels:
            column.labels[position] = labels
        column.state[position] = READ

    def refuse(self, record: Record) -> None:
        """Count a record that was found bad before it came here; if it names a requested pair, that is now unknown."""
        self.count_error()
        with suppress(DataError):
            position = self._position(record)
            benchmark = self.requests.benchmark.names[self.requests.benchmark.codes[position]]
            self._column(text(record, "model"), self._repeat(record, benchmark)).state[position] = UNUSABLE

    def _position(self, record: Record) -> int:
        pair = text(record, "pair")
        position = self.requests.positions.get(pair)
        if position is None:
            raise DataError(f"the pair {pair} was never requested", code="E-UNREQUESTED", path="$.pair")
        return position

    def _column(self, model: str, repeat: int) -> Column:
        self.models.add(model)
        column = self.columns.get((model, repeat))
        if column is None:
            column = self.columns[model, repeat] = Column(len(self.requests))
        return column

    def _repeat(self, record: Record, benchmark: str) -> int:
        repeat, asked = read_repeat(record)
        if asked is not None:
            self.repeats_told.add(benchmark)
        if self.repeats_declared:
            if repeat >= self.repeats[benchmark]:
                raise DataError(
                    f"repeat {repeat}, counted from 0, was never requested: there are {self.repeats[benchmark]}",
                    code="E-UNREQUESTED",
                    path="$.repeat",
                )
        else:
            self.repeats[benchmark] = max(self.repeats[benchmark], asked or repeat + 1)
        return repeat

    def _check_belongs(self, record: Record, benchmark: str, model: str) -> None:
        """Refuse to mix what has no common mean: scales, graders, actors under one name, settings."""
        if (scale := record.get("scale")) is not None:
            check_one_scale(self.requests.scales, benchmark, str(scale))
        setting = choice(record, "actor_failure", ("unknown", "zero"))
        if self.actor_failure not in (None, setting):
            raise UsageProblem("records of two --actor-failure settings, unknown and zero, have no common mean")
        self.actor_failure = setting
        digests = record.get("digests")
        digests = digests if isinstance(digests, Mapping) else {}
        for role, where in (("grader", (benchmark,)), ("actor", (benchmark, model))):
            digest = digests.get(role)
            known = self._digests.setdefault((role, *where), digest)
            if known != digest:
                raise UsageProblem(f"two {role} digests for {' and '.join(where)}: {known} and {digest}")

    def _check_request(self, record: Record, position: int) -> None:
        """What the record repeats of its request must agree with it."""
        requests = self.requests
        for name, asked in (
            ("benchmark", requests.benchmark.names[requests.benchmark.codes[position]]),
            ("task", requests.task.names[requests.task.codes[position]]),
            ("target", TARGETS[requests.target[position]]),
            ("type", TYPES[requests.type[position]]),
        ):
            if record.get(name, asked) != asked:
                raise DataError(f"{name} is {record[name]!r} here and {asked!r} in the request", path=f"$.{name}")


def _digest(scope: str, episode: str) -> int:
    return int.from_bytes(blake2b(f"{scope}\0{episode}".encode(), digest_size=8).digest()) or 1


def _same(first: float, second: float) -> bool:
    """Equal, where two unknown values (NaN) are equal too."""
    return first == second or (first != first and second != second)
