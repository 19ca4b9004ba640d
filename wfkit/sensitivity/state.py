"""State that can be merged: what is kept of one shard of the pairs, and how the shards become one set again.

A state is JSON lines: one ``observation`` record for every pair, `error` records in their places, and one
``sensitivity_state`` record at the end that counts what came before it, so that a state that was cut is noticed.
States that are joined end to end are read as one after the other.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from wfkit import schema
from wfkit.errors import DataError, UsageProblem
from wfkit.jsonl import Record
from wfkit.sensitivity.observations import VERSION, Observations, observation_of
from wfkit.signature import SignatureGuard

KINDS = ("observation", "sensitivity_state")


class Shard:
    """Makes the state of one shard; holds no pairs."""

    def __init__(self, fields: Sequence[str] = ()) -> None:
        """Start empty.

        Args:
            fields: names of fields by whose values the pairs are to be told apart.
        """
        self._fields = list(fields)
        self._pairs = 0
        self._refused: list[str] = []
        self._guard = SignatureGuard()

    def observe(self, pair: Mapping[str, Any]) -> Record:
        """The ``observation`` record of a pair.

        Raises:
            DataError: what `observation_of` refuses; the id is then taken all the same, as it is in one run.
            UsageProblem: a metric comes with a second signature.
        """
        try:
            observation = observation_of(pair, self._fields)
        except DataError:
            self._refused.append(pair["id"])
            raise
        self._guard.check(pair)
        self._pairs += 1
        return observation

    def ending(self, errors: int) -> Record:
        """The record that ends the state.

        Args:
            errors: error records that the shard had or led to.
        """
        measured = {
            metric: {"signature": signature, "first": record_id}
            for metric, (signature, record_id) in self._guard.first_met.items()
        }
        return {
            "kind": "sensitivity_state",
            "version": VERSION,
            "by": self._fields,
            "pairs": self._pairs,
            "errors": errors,
            "refused": self._refused,
            "measured": measured,
        }


class Merge:
    """Puts the states of several shards together.

    Attributes:
        observations: those of all shards, in the order of their coming.
        guard: how the metrics of all shards were measured.
    """

    def __init__(self) -> None:
        self.observations = Observations()
        self.guard = SignatureGuard()
        self._fields: list[str] | None = None
        self._refused: set[str] = set()
        self._open = 0

    def take(self, record: Mapping[str, Any]) -> None:
        """Take the next record of a state that is not an `error` record; `check_record` has seen it.

        Raises:
            DataError: ``E-DUP-ID`` for the id of a pair that another shard could not use.
            UsageProblem: the shards were made with other fields or measured in another way, or a state is not whole.
        """
        if record["kind"] == "sensitivity_state":
            self._close_shard(record)
            return
        self._agree_on(list(record["fields"]))
        record_id = record["id"]
        if record_id in self._refused:
            raise DataError(f"id {record_id!r} occurs twice in the stream", code="E-DUP-ID", path="$.id")
        self.observations.keep(record)
        self._open += 1

    def take_error(self) -> None:
        """Count an `error` record that stands in a state, or in the place of an observation that was refused."""
        self._open += 1

    def _close_shard(self, state: Mapping[str, Any]) -> None:
        expected = state["pairs"] + state["errors"]
        if self._open != expected:
            raise UsageProblem(
                f"a state is not whole, or one before it was cut: its end counts {expected:,} records and "
                f"{self._open:,} came; make it again with --partial"
            )
        self._agree_on(state["by"])
        for metric, met in state["measured"].items():
            self.guard.admit(metric, met["signature"], met["first"])
        self._refused.update(state["refused"])
        self._open = 0

    def _agree_on(self, fields: list[str]) -> None:
        if self._fields is None:
            self._fields, self.observations = fields, Observations(fields)
        elif fields != self._fields:
            raise UsageProblem(
                f"the states were made with different options: {_option(self._fields)} and {_option(fields)}; "
                "give every shard the same --by"
            )


def _option(fields: Sequence[str]) -> str:
    return f"--by {','.join(fields)}" if fields else "no --by"


def check_record(record: Any) -> None:
    """Make sure that a record belongs into a state and is of the version that is read here.

    Raises:
        DataError: it is of another kind or version, or does not fit its schema.
    """
    kind = record.get("kind") if isinstance(record, dict) else None
    if kind == "error":
        return
    if kind not in KINDS:
        got = f"got {kind}" if isinstance(kind, str) else "got no record"
        raise DataError(f"expected a state that --partial wrote, {got}", code="E-KIND")
    if record.get("version") != VERSION:
        message = f"this wfkit merges states of version {VERSION}, not {record.get('version')!r}"
        raise DataError(message, code="E-VERSION", path="$.version")
    schema.checker(kind)(record)
