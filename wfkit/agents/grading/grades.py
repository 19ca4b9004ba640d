"""From finished episodes to `ap_grade` records: each request with both of its sides, in the order of the input."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from wfkit.agents.grading.plan import Plan, Request, run_id
from wfkit.agents.grading.statuses import imposed
from wfkit.agents.pairing.digests import digest

Record = dict[str, Any]
Labels = list[Record]

SIDE_KEYS = ("usage", "turns", "tool_calls", "asked", "failure", "digest", "version", "timing")
SIDES_IN_MEMORY = 4096


def grades(
    plan: Plan,
    find: Callable[[str], Record | None],
    *,
    model: str,
    repeats: int,
    seed: int,
    digests: Record,
    actor_failure: str,
    labels: Callable[[Request, Record, Record], Labels] = lambda _request, _clean, _perturbed: [],
) -> Iterator[Record]:
    """One `ap_grade` record for each request and repeat; `error` records in their place.

    A request of which a side was not run (which only recorded episodes can lack) has no record.

    Args:
        find: the record of an episode by its id, None where it was not run.
        actor_failure: ``unknown`` or ``zero``, what the score of an unfinished and ungraded episode is.
        labels: what annotators say of a request, its clean and its perturbed side.
    """

    @lru_cache(SIDES_IN_MEMORY)
    def side(key: str, repeat: int) -> Record | None:
        record = find(run_id(key, model, repeat))
        return None if record is None else _side(record, actor_failure)

    for request in plan.requests():
        if not isinstance(request, Request):
            yield request
            continue
        for repeat in range(repeats):
            clean = side(request.clean, repeat)
            perturbed = _unbuilt(request) if request.perturbed is None else side(request.perturbed, repeat)
            if clean is None or perturbed is None:
                continue
            record = {
                "kind": "ap_grade",
                "id": digest("grade", request.head["pair"], model, repeat),
                **request.head,
                "model": model,
                "repeat": repeat,
                "repeats": repeats,
                "clean": clean,
                "perturbed": perturbed,
                "seed": seed,
                "digests": digests,
                "actor_failure": actor_failure,
            }
            found = labels(request, clean, perturbed)
            yield {**record, "labels": found} if found else record


def _side(record: Record, actor_failure: str) -> Record:
    score = imposed(record["score"], record["status"], actor_failure)
    kept = {key: record[key] for key in SIDE_KEYS if key in record}
    return {"episode": record["id"], "score": score, "status": record["status"], **kept}


def _unbuilt(request: Request) -> Record:
    return {"episode": None, "score": None, "status": "not_constructed", "failure": request.reason}
