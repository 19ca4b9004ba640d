"""What is to be run: one episode for each distinct side, model and repeat; the requests that share them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from wfkit import jsonl
from wfkit.agents.grading.spool import Place, Spool
from wfkit.agents.pairing.digests import digest

Record = dict[str, Any]

REQUEST_KEYS = ("benchmark", "task", "target", "type", "scale")


@dataclass(frozen=True)
class Job:
    """One side to be run: what the actor sees, and what only the evaluation knows.

    Attributes:
        side: the opaque id, the only name that the actor sees.
        public: all that the actor sees.
        private: all that the grader sees beside the episode.
        answer: what the simulated user says when asked; None where there is nothing to tell.
        scale: ``binary`` or ``unit``.
    """

    side: str
    public: Record
    private: Record
    answer: str | None
    scale: str


class Slot(NamedTuple):
    """One episode to be run: its id, the key of its side, and which repeat it is."""

    run_id: str
    side: str
    repeat: int


@dataclass(frozen=True)
class Request:
    """One pair that was asked for.

    Attributes:
        head: `pair` and what `REQUEST_KEYS` name.
        clean: the key of the clean side.
        perturbed: the key of the perturbed side; None where none was constructed.
        reason: why none was constructed.
        hints: `edit`, `envelope` and `recovery`, for those who label episodes.
    """

    head: Record
    clean: str
    perturbed: str | None
    reason: str
    hints: Record


class Plan:
    """All requests in the order of the input, and every side once; kept on disk.

    The key of a side is a digest of all that makes its episode: what is shown, what is answered and what is graded
    against. Families of one instance therefore share its clean side.

    Attributes:
        pairs: how many requests there are, `error` records not counted.
    """

    def __init__(self) -> None:
        self._spool = Spool()
        self._jobs: dict[str, Place] = {}
        self._requests: list[Place] = []
        self._names: dict[str, str] = {}
        self.pairs = 0

    def add(self, record: Mapping[str, Any]) -> None:
        """Take in one `ap_pair` record."""
        clean = self._add_job(record, "clean", None)
        self._names.setdefault(record["instance"], clean)
        perturbed = None
        if record["status"] == "accepted" and record["perturbed"] is not None:
            perturbed = self._add_job(record, "perturbed", _answer(record))
            self._names.setdefault(record["id"], perturbed)
        request = {
            "head": {"pair": record["id"], **{key: record[key] for key in REQUEST_KEYS}},
            "clean": clean,
            "perturbed": perturbed,
            "reason": record.get("reason") or f"the pair is {record['status']}",
            "hints": {key: record.get(key) for key in ("edit", "envelope", "recovery")},
        }
        self._requests.append(self._spool.put(jsonl.dumps(request)))
        self.pairs += 1

    def add_error(self, record: Mapping[str, Any]) -> None:
        """Take in an `error` record, which keeps its place among the requests."""
        self._requests.append(self._spool.put(jsonl.dumps(record)))

    def _add_job(self, record: Mapping[str, Any], side: str, answer: str | None) -> str:
        job = {
            "side": record[side]["id"],
            "public": record[side]["public"],
            "private": record["private"],
            "answer": answer,
            "scale": record["scale"],
        }
        data = jsonl.dumps(job)
        key = digest("side", data.decode("utf-8"))
        if key not in self._jobs:
            self._jobs[key] = self._spool.put(data)
            self._names.setdefault(job["side"], key)
        return key

    def slots(self, model: str, repeats: int) -> Iterator[Slot]:
        """Every episode that is asked for: each side as often as it is repeated."""
        for side in self._jobs:
            for repeat in range(repeats):
                yield Slot(run_id(side, model, repeat), side, repeat)

    def job(self, key: str) -> Job:
        """The side of a key; may be called by any thread."""
        return Job(**jsonl.loads(self._spool.get(self._jobs[key])))

    def side_named(self, name: str) -> str | None:
        """The side that a record made elsewhere means.

        Its opaque id names a side; so does the id of an instance its clean side, and that of a pair its perturbed side.
        """
        return self._names.get(name)

    def requests(self) -> Iterator[Request | Record]:
        """Every request in the order of the input; an `error` record as it came."""
        for place in self._requests:
            value = jsonl.loads(self._spool.get(place))
            yield value if "kind" in value else Request(**value)

    def close(self) -> None:
        """Give the room on disk back."""
        self._spool.close()


def _answer(record: Mapping[str, Any]) -> str | None:
    """What the user tells when asked: only for a recovery that is the user's."""
    recovery = record.get("recovery")
    if not isinstance(recovery, Mapping) or recovery.get("by") != "user":
        return None
    answer = recovery.get("answer")
    return answer if isinstance(answer, str) else None


def run_id(side: str, model: str, repeat: int) -> str:
    """The id of an episode: one run of a side by a model."""
    return digest("run", side, model, repeat)
