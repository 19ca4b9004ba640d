"""Counts of what became of every request, for the summary record and the table on stderr."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from wfkit.agents.families import FAMILIES
from wfkit.agents.pairing.candidate import CHECKS


class Outcome(NamedTuple):
    """One request: its benchmark and family, its status, the check that stopped it, and whether no answer came."""

    benchmark: str
    family: str
    status: str
    check: str | None
    unavailable: bool


def outcome_of(record: Mapping[str, Any]) -> Outcome:
    """The outcome of an `ap_pair` record."""
    check = None
    if record["status"] == "rejected":
        results = {name: one["result"] for name, one in record["checks"].items()}
        named = [name for wanted in ("fail", "unverified") for name in CHECKS if results.get(name) == wanted]
        check = named[0] if named else "copies" if results else "envelope"
    family, unavailable = f"{record['target']}/{record['type']}", "unavailable: " in record.get("reason", "")
    return Outcome(record["benchmark"], family, record["status"], check, unavailable)


class Tally:
    """Counts outcomes by benchmark and family."""

    def __init__(self) -> None:
        self._counts: Counter[Outcome] = Counter()

    def add(self, outcome: Outcome) -> None:
        """Count one request."""
        self._counts[outcome] += 1

    @property
    def unavailable(self) -> int:
        """How many requests were rejected because a model or a command did not answer."""
        return sum(count for outcome, count in self._counts.items() if outcome.unavailable)

    def rows(self) -> list[dict[str, Any]]:
        """For each benchmark and family: requested, accepted, inapplicable, rejected, and that by check."""
        groups: dict[tuple[str, str], list[tuple[Outcome, int]]] = {}
        for outcome, count in self._counts.items():
            groups.setdefault((outcome.benchmark, outcome.family), []).append((outcome, count))
        rows = []
        for benchmark, family in sorted(groups, key=lambda key: (key[0], FAMILIES.index(key[1]))):
            row: dict[str, Any] = {"benchmark": benchmark, "family": family, "requested": 0}
            row |= {"accepted": 0, "rejected": 0, "inapplicable": 0, "rejected_by": {}}
            for outcome, count in groups[benchmark, family]:
                row["requested"] += count
                row[outcome.status] += count
                if outcome.check is not None:
                    row["rejected_by"][outcome.check] = row["rejected_by"].get(outcome.check, 0) + count
            rows.append(row)
        return rows

    def summary(self) -> dict[str, Any]:
        """The totals and the rows."""
        rows = self.rows()
        totals = {
            name: sum(row[name] for row in rows) for name in ("requested", "accepted", "rejected", "inapplicable")
        }
        return {**totals, "unavailable": self.unavailable, "families": rows}

    def table(self) -> Iterator[str]:
        """The rows as lines of text, then the totals."""
        rows = self.rows()
        width = max((len(row["benchmark"]) for row in rows), default=0)
        for row in rows:
            by = ", ".join(f"{name} {count:,}" for name, count in sorted(row["rejected_by"].items()))
            counts = (
                f"{row['accepted']:>6,} accepted {row['rejected']:>6,} rejected {row['inapplicable']:>6,} inapplicable"
            )
            yield f"{row['benchmark']:<{width}}  {row['family']:<19} {counts}" + (f"  ({by})" if by else "")
        totals = self.summary()
        yield (
            f"{totals['accepted']:,} of {totals['requested']:,} pairs accepted, {totals['rejected']:,} rejected, "
            f"{totals['inapplicable']:,} inapplicable"
            + (
                f"; {self.unavailable:,} of the rejected had no answer of a model or command"
                if self.unavailable
                else ""
            )
        )
