"""What the rules know of the clean side of a candidate, worked out once for all families of an instance."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from wfkit.agents.pairing import contracts
from wfkit.agents.pairing.candidate import Candidate
from wfkit.agents.pairing.contracts import Tool
from wfkit.agents.pairing.pointers import split
from wfkit.agents.pairing.reference import Call, Literal, Stock, calls_of, literals_of
from wfkit.agents.pairing.surfaces import Pointers, texts_in


class Facts:
    """Reference, values and texts of one instance."""

    def __init__(self, candidate: Candidate) -> None:
        self.public = candidate.clean
        self.private = candidate.private
        self.pointers: Pointers = candidate.pointers
        self.dialect = candidate.dialect

    @cached_property
    def calls(self) -> list[Call]:
        """The calls of the reference."""
        return calls_of(self.private.get("reference"))

    @cached_property
    def literals(self) -> list[Literal]:
        """The values that the reference passes, each once for each call and argument."""
        return list(dict.fromkeys(literals_of(self.private.get("reference"))))

    @cached_property
    def value_stock(self) -> Stock:
        """The values of the reference, to look in."""
        return Stock([str(literal.value) for literal in self.literals])

    @cached_property
    def observations(self) -> list[tuple[int, Stock]]:
        """What the calls of the reference gave, by the place of the call."""
        return [(one["call"], Stock(list(texts_in(one["output"])))) for one in self.private.get("observations", ())]

    @cached_property
    def _parts(self) -> dict[str, Stock]:
        """What the clean side says, by its outermost members."""
        return {key: Stock(texts_in({key: value})) for key, value in self.public.items()}

    @cached_property
    def clean_stock(self) -> Stock:
        """Everything that the clean side says."""
        return Stock((), list(self._parts.values()))

    def stock_of(self, public: Mapping[str, Any]) -> Stock:
        """Everything that another side says; members that are those of the clean side are not read again."""
        shared = [key for key, value in public.items() if value is self.public.get(key)]
        own = {key: value for key, value in public.items() if key not in shared}
        return Stock(_texts_in(own), [self._parts[key] for key in shared])

    def told_stock(self, public: Mapping[str, Any]) -> Stock:
        """What another side tells of the task: all but its contracts, whose examples are nobody's values."""
        contracts_in = {split(pointer)[0] for pointer in self.pointers.get("tools", ())}
        others = (places for target, places in self.pointers.items() if target != "tools")
        contracts_in -= {split(pointer)[0] for places in others for pointer in places}
        return self.stock_of({key: value for key, value in public.items() if key not in contracts_in})

    @cached_property
    def tools(self) -> list[Tool]:
        """The tools of the clean side."""
        return contracts.tools_of(self.public, self.pointers.get("tools", ()))

    @cached_property
    def tools_by_name(self) -> dict[str, Tool]:
        """The tools of the clean side; of those with one name the last."""
        return {tool.name: tool for tool in self.tools}

    def traceable(self, literal: Literal, stock: Stock, told: Stock | None, tools: Mapping[str, Tool]) -> bool:
        """Whether an actor can find a value: in the instance, in an earlier output, in a contract, or by asking.

        Args:
            stock: what one side says.
            told: what the recovery restores.
            tools: the tools of that side by name.
        """
        value = literal.value
        if not isinstance(value, bool) and (stock.holds(value) or (told is not None and told.holds(value))):
            return True
        if literal.call is not None and any(
            call < literal.call and outputs.holds(value) for call, outputs in self.observations
        ):
            return True
        return self._of_contract(literal, tools)

    def _of_contract(self, literal: Literal, tools: Mapping[str, Tool]) -> bool:
        """Whether the contract lists the value: a default, an element of an enum, one of the two truth values."""
        if literal.call is None:
            return False
        tool = tools.get(self.calls[literal.call].name)
        parameter = next((one for one in tool.parameters if one.name == literal.argument), None) if tool else None
        if parameter is None:
            return False
        schema: Any = parameter.schema
        listed = [schema.get("default"), *(schema["enum"] if isinstance(schema.get("enum"), list) else ())]
        return isinstance(literal.value, bool) or literal.value in listed


def _texts_in(value: Any) -> Iterator[str]:
    """The texts of a value, which nobody looks for before they are asked for."""
    yield from texts_in(value)
