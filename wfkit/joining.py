"""Joins candidates to goldens by a key, so that every golden and every candidate ends in exactly one place."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from wfkit.errors import DataError, UsageProblem
from wfkit.jsonl import Record


def key_of(record: Mapping[str, Any], path: Sequence[str]) -> str | None:
    """The value of a dotted path such as ``meta.task_id`` as a string, or None where there is none."""
    value: Any = record
    for part in path:
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[part]
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def parse_key(key: str) -> tuple[str, ...]:
    """The parts of a key such as ``.meta.task_id``.

    Raises:
        UsageProblem: the key is empty or has an empty part.
    """
    parts = tuple(key.removeprefix(".").split("."))
    if not all(parts):
        raise UsageProblem(f"--key {key!r} is not a path such as .id or .meta.task")
    return parts


def key_of_golden(golden: Mapping[str, Any], path: Sequence[str]) -> str:
    """The value by which a golden is joined.

    Raises:
        DataError: ``E-KEY`` for a golden that has none.
    """
    value = key_of(golden, path)
    if value is None:
        raise DataError(f"golden has no value at .{'.'.join(path)}", code="E-KEY")
    return value


class GoldenTable:
    """The goldens by key, and which of them have met a candidate or an error record in its place."""

    def __init__(self, goldens: Iterable[Record], key: Sequence[str], bad: Mapping[str, str] | None = None) -> None:
        """Take all goldens.

        Args:
            goldens: workflow records with different ids.
            key: the path whose value joins them to candidates.
            bad: the ids of the goldens that could not be taken, with what is wrong with each.

        Raises:
            DataError: ``E-KEY`` for a golden that has no value at the key.
        """
        self.key = tuple(key)
        self.bad = bad or {}
        self.by_key: dict[str, list[Record]] = {}
        self.met: set[str] = set()
        for golden in goldens:
            self.by_key.setdefault(key_of_golden(golden, self.key), []).append(golden)
        self.plain = self.key == ("id",)

    def pairs(self, candidate: Record) -> list[Record]:
        """The pairs of one candidate, one for each golden of its group.

        Raises:
            DataError: ``E-KEY`` for a candidate without a value at the key, ``E-NO-GOLDEN`` if no golden has it.
        """
        value = key_of(candidate, self.key)
        if value is None:
            raise DataError(f"candidate has no value at .{'.'.join(self.key)}", code="E-KEY")
        goldens = self.by_key.get(value)
        if goldens is None:
            because = f" that can be used: {self.bad[value]}" if self.plain and value in self.bad else ""
            raise DataError(f"no golden has {'.'.join(self.key)} {value!r}{because}", code="E-NO-GOLDEN")
        return [self._pair(golden, candidate, value, len(goldens) > 1) for golden in goldens]

    def _pair(self, golden: Record, candidate: Record, value: str, several: bool) -> Record:
        pair: Record = {"kind": "pair", "id": f"{candidate['id']}@{golden['id']}" if several else candidate["id"]}
        if not self.plain:
            pair["group"] = value
        return {**pair, "golden": golden, "candidate": candidate}

    def meet(self, names: Iterable[str]) -> None:
        """Remember the keys or ids of a candidate, or of the error record in its place."""
        self.met.update(names)

    def without_candidate(self) -> Iterator[Record]:
        """Pairs with an empty candidate for every golden that no candidate and no error record stands beside.

        A pair is called as its golden, or ``@GOLDEN`` where candidates have ids of their own, which may be the same.
        """
        for value, goldens in self.by_key.items():
            for golden in goldens:
                if value not in self.met and golden["id"] not in self.met:
                    empty: Record = {
                        "kind": "workflow",
                        "id": golden["id"] if self.plain else f"@{golden['id']}",
                        "nodes": [],
                        "edges": [],
                        "meta": {"error": "E-NO-CANDIDATE: the golden has no candidate"},
                    }
                    yield self._pair(golden, empty, value, several=False)
