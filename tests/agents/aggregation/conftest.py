"""Short forms of the records that ap-aggregate reads."""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest

from wfkit.agents.aggregation.grades import Grades
from wfkit.agents.aggregation.requests import read_requests
from wfkit.errors import DataError

Record = dict[str, Any]


def asked(pair: str, task: str = "t1", family: str = "user/missing", **more: Any) -> Record:
    target, type_ = family.split("/")
    record = {"kind": "ap_pair", "id": pair, "benchmark": "b", "task": task, "scale": "binary"}
    return record | {"target": target, "type": type_, "status": "accepted"} | more


def side(score: float | None, episode: str | None = None, tokens: int | None = None, **more: Any) -> Record:
    record: Record = {"episode": episode, "score": score, "status": "grader_error" if score is None else "graded"}
    if tokens is not None:
        record["usage"] = {"input_tokens": tokens, "output_tokens": 0}
    return record | more


def graded(request: Record, clean: Any, perturbed: Any, model: str = "m", **more: Any) -> Record:
    """A grade of a request; a side is a record or just its score."""
    sides = [each if isinstance(each, dict) else side(each) for each in (clean, perturbed)]
    record = {name: request[name] for name in ("benchmark", "task", "target", "type", "scale")}
    record |= {"kind": "ap_grade", "id": f"{request['id']}/{model}", "pair": request["id"], "model": model, "repeat": 0}
    return record | {"clean": sides[0], "perturbed": sides[1], "actor_failure": "unknown"} | more


def read(requests: Iterable[Record], grades: Iterable[Record], **options: Any) -> Grades:
    """Everything read as the filter does it: a bad record is counted and its pair stays unknown."""
    by = options.pop("by", ())
    answer = Grades(read_requests(requests, by), **options)
    for record in grades:
        try:
            answer.add(record)
        except DataError:
            answer.count_error()
    return answer


@pytest.fixture(scope="session")
def short() -> SimpleNamespace:
    return SimpleNamespace(asked=asked, side=side, graded=graded, read=read)
