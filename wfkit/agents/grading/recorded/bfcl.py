"""Results of BFCL: the result files, and the score files, which list failures only.

A score file tells of an entry that passed by not naming it, so it is joined with the result file of its category, which
has the full list; the two must count the same entries.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wfkit.agents.grading.recorded.base import Record, RecordedFile, total, usage
from wfkit.errors import DataError

SUMMARY = "BFCL: `…_result.json` and `…_score.json` of each category, given together"
NAME = re.compile(r"BFCL_v\d+_(.+)_(?:result|score)\.json$")
INFERENCE_ERROR = "Error during inference"
FORCE_TERMINATED = "multi_turn:force_terminated"


def matches(head: Any) -> bool:
    """Whether a file that begins with this value is of this format."""
    return isinstance(head, dict) and ({"id", "result"} <= head.keys() or _is_header(head)) and "kind" not in head


def _is_header(value: Any) -> bool:
    return isinstance(value, dict) and {"accuracy", "correct_count", "total_count"} <= value.keys()


def episodes(files: Iterable[RecordedFile]) -> Iterator[Record]:
    """One episode for each entry of the result files, with its score where the score file of its category is there.

    Raises:
        DataError: a score file counts other entries than the results, or its category cannot be told.
    """
    results: dict[str, Record] = {}
    failed: dict[str, dict[str, Record]] = {}
    totals: dict[str, int] = {}
    for file in files:
        header, *rows = [*file.values] or [None]
        if not _is_header(header):
            results.update({row["id"]: row for row in ([header] if header else []) + rows})
            continue
        category = _category(file.name, rows)
        failed[category] = {row["id"]: row for row in rows}
        totals[category] = header["total_count"]
    counted = Counter(_category_of(entry) for entry in results)
    for category, expected in totals.items():
        if counted[category] != expected or not failed[category].keys() <= results.keys():
            raise DataError(
                f"the score file of {category} is of {expected} entries, its results are {counted[category]}:"
                " a score file lists failures only and means nothing without its full list"
            )
    for name, row in results.items():
        yield _episode(name, row, failed.get(_category_of(name)))


def _category(file: str, rows: list[Record]) -> str:
    if found := NAME.search(file):
        return found[1]
    if rows:
        return str(rows[0].get("test_category") or _category_of(rows[0]["id"]))
    raise DataError(f"{file} lists no failure, and its name does not tell of which category")


def _category_of(entry: str) -> str:
    return re.sub(r"_\d+(?:-\d+-\d+)?$", "", entry)


def _episode(name: str, row: Mapping[str, Any], failures: Mapping[str, Record] | None) -> Record:
    episode: Record = {
        "kind": "episode",
        "id": name,
        "status": "done",
        "result": row.get("result"),
        "usage": usage(total([row.get("input_token_count")]), total([row.get("output_token_count")])),
    }
    if isinstance(row.get("result"), str) and row["result"].startswith(INFERENCE_ERROR):
        # BFCL counts it as wrong; but no answer came, so nobody knows.
        fault = {"status": "gave_up", "result": None, "failure": "actor_error", "message": row["result"][:300]}
        return {**episode, **fault}
    if failures is None:
        return episode
    failure = failures.get(name)
    if failure is not None and _error_type(failure) == FORCE_TERMINATED:
        return {**episode, "status": "gave_up", "failure": "turn_limit", "message": "force-terminated", "score": 0}
    return {**episode, "score": int(failure is None)}


def _error_type(failure: Mapping[str, Any]) -> Any:
    error = failure.get("error")
    return error.get("error_type") if isinstance(error, Mapping) else failure.get("error_type")
