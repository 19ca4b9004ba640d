"""Begins all records of a batch before the first is finished, so that slow calls of a batch run at the same time."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from wfkit.jsonl import Record

Begun = TypeVar("Begun")


class Ahead(Generic[Begun]):
    """The ``prepare`` and the ``step`` of a stage, made of the two halves of one step.

    Args:
        begin: starts the work on a record without waiting for it.
        finish: waits for it and gives the records that leave.
    """

    def __init__(self, begin: Callable[[Any], Begun], finish: Callable[[Begun], "Sequence[Record]"]) -> None:
        self._begin = begin
        self._finish = finish
        self._begun: dict[int, Begun | Exception] = {}

    def prepare(self, records: Sequence[Any]) -> None:
        """Begin every record; what goes wrong with one is raised when its turn comes."""
        for record in records:
            try:
                self._begun[id(record)] = self._begin(record)
            except Exception as error:
                self._begun[id(record)] = error

    def step(self, record: Any) -> "Sequence[Record]":
        """Finish one record that `prepare` has seen."""
        begun = self._begun.pop(id(record))
        if isinstance(begun, Exception):
            raise begun
        return self._finish(begun)
