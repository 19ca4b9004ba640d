"""What became of the requests, in numbers and in words."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

Record = dict[str, Any]


class GradeTally:
    """Counts the grades that are written."""

    def __init__(self) -> None:
        self.pairs = 0
        self._both = 0
        self._statuses = {"clean": Counter[str](), "perturbed": Counter[str]()}
        self._failures: Counter[str] = Counter()

    def add(self, record: Record) -> None:
        """Count one `ap_grade` record; an `error` record is none."""
        if record["kind"] != "ap_grade":
            return
        self.pairs += 1
        self._both += all(record[side]["score"] is not None for side in ("clean", "perturbed"))
        for side, statuses in self._statuses.items():
            status = record[side]["status"]
            statuses[status] += 1
            if status not in ("graded", "not_constructed"):
                failure = record[side].get("failure")
                self._failures[f"{status}: {failure}" if failure and failure != status else status] += 1

    def lines(self) -> Iterator[str]:
        """The table for people."""
        yield f"{self.pairs:,} pairs, {self._both:,} scored on both sides"
        for side, statuses in self._statuses.items():
            told = ", ".join(f"{count:,} {status}" for status, count in statuses.most_common())
            yield f"  {side}: {told or 'none'}"
        for failure, count in self._failures.most_common(3):
            yield f"  {count:,} × {failure[:160]}"

    def summary(self) -> Record:
        """The same for programs."""
        statuses = {side: dict(sorted(counts.items())) for side, counts in self._statuses.items()}
        return {"pairs": self.pairs, "scored": self._both, "statuses": statuses}
