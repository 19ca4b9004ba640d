"""One clean instance as the editors look at it: surfaces, texts, tools and reference, each read once."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from wfkit.agents.pairing import contracts, reference, surfaces, text_slots
from wfkit.agents.pairing.contracts import Tool
from wfkit.agents.pairing.pointers import get
from wfkit.agents.pairing.reference import Literal, Stock, normal, numbers_in
from wfkit.agents.pairing.surfaces import Passage, Pointers, Record
from wfkit.agents.pairing.text_slots import Slot


class View:
    """An instance with its surfaces resolved."""

    def __init__(self, instance: Mapping[str, Any]) -> None:
        """Resolve the surfaces.

        Raises:
            DataError: a pointer leads nowhere or two surfaces overlap.
        """
        self.instance = instance
        self.public: Record = instance["public"]
        self.private: Record = instance["private"]
        self.dialect: str = instance.get("dialect", "json-schema")
        self.pointers = surfaces.pointers_of(instance)
        self._passages: dict[str, list[Passage]] = {}
        self._values: dict[str, list[tuple[Passage, Slot]]] = {}

    def passages(self, target: str) -> list[Passage]:
        """The texts of a surface that may be edited."""
        if target not in self._passages:
            self._passages[target] = surfaces.passages(self.public, self.pointers.get(target, ()), target)
        return self._passages[target]

    def values(self, target: str) -> list[tuple[Passage, Slot]]:
        """Every value in the texts of a surface."""
        if target not in self._values:
            found = [(passage, slot) for passage in self.passages(target) for slot in text_slots.slots_in(passage.text)]
            self._values[target] = found
        return self._values[target]

    @cached_property
    def request_stocks(self) -> list[Stock]:
        """Every value in the texts of the request, each to look in."""
        return [Stock([slot.value]) for _, slot in self.values("user")]

    @cached_property
    def tools(self) -> list[Tool]:
        """The tools that the instance shows."""
        return contracts.tools_of(self.public, self.pointers.get("tools", ()))

    @cached_property
    def used_tools(self) -> list[Tool]:
        """The tools that the reference calls, in the order of the contracts; all of them where nobody knows."""
        called = {call.name for call in reference.calls_of(self.private.get("reference"))}
        return [tool for tool in self.tools if tool.name in called] if called else self.tools

    @cached_property
    def literals(self) -> list[Literal]:
        """The values that the reference passes."""
        return reference.literals_of(self.private.get("reference"))

    def is_used(self, value: str) -> bool:
        """Whether the reference passes this value."""
        texts, numbers = self._used
        return normal(value) in texts or not numbers.isdisjoint(numbers_in(value))

    @cached_property
    def _used(self) -> tuple[set[str], set[int | float]]:
        """The texts and the numbers that the reference passes."""
        values = [literal.value for literal in self.literals]
        texts = {normal(value) for value in values if isinstance(value, str)}
        return texts, {value for value in values if isinstance(value, int | float) and not isinstance(value, bool)}

    def occurs(self, value: str) -> bool:
        """Whether a value stands anywhere in what the actor sees or in the reference."""
        return self._everything.holds(value)

    @cached_property
    def _everything(self) -> Stock:
        return Stock(list(surfaces.texts_in(self.public)) + [str(literal.value) for literal in self.literals])

    @cached_property
    def elsewhere_than(self) -> "Elsewhere":
        """For each surface, what the other ones and the tools' outputs on file say."""
        return Elsewhere(self.public, self.private, self.pointers)


class Elsewhere:
    """Where a value of one surface can also be found.

    It holds no view: the two would keep each other in memory until the next search for cycles.
    """

    def __init__(self, public: Record, private: Record, pointers: Pointers) -> None:
        self._public = public
        self._private = private
        self._pointers = pointers
        self._stocks: dict[str, Stock] = {}

    def told(self, target: str, value: str) -> bool:
        """Whether another surface that speaks of the task, or an output of a tool on file, holds the value."""
        if target not in self._stocks:
            texts: list[str] = []
            for other, pointers in self._pointers.items():
                if other not in (target, "tools"):
                    for pointer in pointers:
                        texts += surfaces.texts_in(get(self._public, pointer))
            if target == "context":  # what tools answered earlier is never edited
                for message in surfaces.messages(self._public, self._pointers.get("context", ())):
                    if message.value["role"] == "tool":
                        texts += surfaces.texts_in(message.value)
            for observation in self._private.get("observations", ()):
                texts += surfaces.texts_in(observation["output"])
            self._stocks[target] = Stock(texts)
        return self._stocks[target].holds(value)
