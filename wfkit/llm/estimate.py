"""What a run would cost, counted without making a call."""

from collections.abc import Mapping
from typing import Any

from wfkit.llm.prices import Price
from wfkit.llm.request import Request


class Estimate:
    """Adds up the calls that a run would make."""

    def __init__(self) -> None:
        self._by_model: dict[str, dict[str, int]] = {}

    def add(self, request: Request, calls: int, output_tokens: int) -> None:
        """Count ``calls`` calls of one request, each answered with about so many tokens."""
        counted = self._by_model.setdefault(request.model, {"calls": 0, "input_tokens": 0, "output_tokens": 0})
        counted["calls"] += calls
        counted["input_tokens"] += calls * request.estimated_input_tokens
        counted["output_tokens"] += calls * output_tokens

    def summary(self, prices: Mapping[str, Price | None]) -> dict[str, dict[str, Any]]:
        """By model: calls, estimated tokens and estimated US dollars, None where the price is not known."""
        told: dict[str, dict[str, Any]] = {}
        for model, counted in self._by_model.items():
            price = prices.get(model)
            cost = None if price is None else price.cost(counted["input_tokens"], counted["output_tokens"])
            told[model] = {**counted, "cost_usd": None if cost is None else round(cost, 6)}
        return told

    def lines(self, prices: Mapping[str, Price | None]) -> list[str]:
        """The same in words, one line a model."""
        lines = []
        for model, told in self.summary(prices).items():
            cost = "cost unknown (--prices)" if told["cost_usd"] is None else f"about {told['cost_usd']:.4f} USD"
            lines.append(
                f"dry run: {model}: {told['calls']:,} calls, about {told['input_tokens']:,} tokens in "
                f"and {told['output_tokens']:,} out, {cost}"
            )
        return lines or ["dry run: no calls"]
