"""What calls cost: an editable file of prices, ``{"MODEL": {"input": USD per million tokens, "output": …}}``."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from wfkit.errors import UsageProblem


class Price(NamedTuple):
    """US dollars per million tokens."""

    input: float
    output: float

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """US dollars for so many tokens."""
        return (input_tokens * self.input + output_tokens * self.output) / 1e6


def prices_from(value: Any) -> dict[str, Price]:
    """Read the content of a price file.

    Raises:
        UsageProblem: it does not have the form above; the message names the model at fault.
    """
    if not isinstance(value, dict):
        raise UsageProblem('prices are an object: {"MODEL": {"input": USD per million tokens, "output": …}}')
    prices = {}
    for model, price in value.items():
        if not isinstance(price, dict) or set(price) != {"input", "output"} or not all(map(_is_price, price.values())):
            raise UsageProblem(f'the price of {model!r} is {{"input": USD per million tokens, "output": …}}, both ≥ 0')
        prices[model] = Price(float(price["input"]), float(price["output"]))
    return prices


def _is_price(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf


def price_of(prices: Mapping[str, Price], model: str, bare: str) -> Price | None:
    """The price of a model, by its name with the endpoint or else without it; None where it is not known."""
    return prices.get(model, prices.get(bare))
