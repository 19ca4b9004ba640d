"""Prices, caps and estimates."""

import random
import threading
from typing import Any

import pytest

from wfkit.errors import UsageProblem
from wfkit.llm.budget import Budget
from wfkit.llm.errors import CapReached
from wfkit.llm.estimate import Estimate
from wfkit.llm.prices import Price, price_of, prices_from
from wfkit.llm.request import Request


def test_prices() -> None:
    prices = prices_from({"gpt-4o": {"input": 2.5, "output": 10}, "gpt-4o@azure": {"input": 0, "output": 1}})
    # The paper: at 2.50 and 10 USD a call of about 2,000 tokens in and 300 out costs 0.005 to 0.01.
    assert prices["gpt-4o"].cost(2000, 300) == pytest.approx(0.008)
    assert price_of(prices, "gpt-4o@azure", "gpt-4o") == Price(0, 1)
    assert price_of(prices, "gpt-4o@plain", "gpt-4o") == Price(2.5, 10)
    assert price_of(prices, "m", "m") is None


@pytest.mark.parametrize(
    "value",
    [
        [], "x", {"m": 1}, {"m": {"input": 1}}, {"m": {"input": 1, "output": 1, "cached": 1}},
        {"m": {"input": -1, "output": 1}}, {"m": {"input": "1", "output": 1}}, {"m": {"input": True, "output": 1}},
        {"m": {"input": float("inf"), "output": 1}}, {"m": {"input": float("nan"), "output": 1}},
    ],
)  # fmt: skip
def test_bad_prices(value: Any) -> None:
    with pytest.raises(UsageProblem):
        prices_from(value)


def test_the_cap_on_calls_is_exact() -> None:
    budget = Budget(max_calls=3)
    for _ in range(3):
        budget.reserve(0)
    with pytest.raises(CapReached, match=r"the cap of 3 calls is reached \(--max-calls\)"):
        budget.reserve(0)
    budget.settle(0, 0)
    with pytest.raises(CapReached):  # a finished call gives nothing back
        budget.reserve(0)
    assert budget.calls == 3


def test_the_cap_on_cost_counts_the_most_that_a_call_can_cost() -> None:
    budget = Budget(max_cost=1.0)
    budget.reserve(0.6)
    budget.settle(0.6, 0.1)
    budget.reserve(0.6)
    budget.settle(0.6, 0.6)
    with pytest.raises(CapReached, match=r"1 USD \(--max-cost\)"):  # 0.7 are spent
        budget.reserve(0.6)
    with pytest.raises(CapReached):  # once reached it stays so: what is left undone is left whole
        budget.reserve(0.1)


def test_a_call_waits_for_those_under_way_before_it_gives_up() -> None:
    budget = Budget(max_cost=1.0)
    budget.reserve(0.6)
    done = []
    thread = threading.Thread(target=lambda: done.append(budget.reserve(0.6)))
    thread.start()
    thread.join(0.05)
    assert not done  # it would be too much, if the first call cost all that it may
    budget.settle(0.6, 0.1)
    thread.join(5)
    assert done == [None]


def test_no_interleaving_exceeds_a_cap() -> None:
    chance = random.Random(1)
    bounds = [chance.uniform(0.01, 0.2) for _ in range(300)]
    budget = Budget(max_calls=200, max_cost=3.0)
    spent, under_way, most, lock = [0.0], [0.0], [0.0], threading.Lock()

    def work(share: list[float]) -> None:
        for bound in share:
            try:
                budget.reserve(bound)
            except CapReached:
                return
            with lock:
                under_way[0] += bound
                most[0] = max(most[0], spent[0] + under_way[0])
            with lock:
                spent[0] += bound / 2
                under_way[0] -= bound
            budget.settle(bound, bound / 2)

    threads = [threading.Thread(target=work, args=(bounds[place::8],)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert budget.calls <= 200
    assert 2.5 < spent[0] <= 3.0
    assert budget.reached is not None


def request(text: str, **more: Any) -> Request:
    return Request("m", (("user", text),), 100, **more)


def test_the_bound_on_tokens_holds_for_any_tokenizer() -> None:
    assert request("añ").most_input_tokens >= len("añ".encode())
    assert request("x" * 4000).estimated_input_tokens == 1004


def test_estimates() -> None:
    estimate = Estimate()
    assert estimate.lines({}) == ["dry run: no calls"]
    estimate.add(request("x" * 3984), 3, 200)  # 3,984 / 4 + 4 = 1,000 tokens
    assert estimate.summary({"m": Price(1, 10)}) == {
        "m": {"calls": 3, "input_tokens": 3000, "output_tokens": 600, "cost_usd": 0.009}
    }
    assert estimate.lines({}) == ["dry run: m: 3 calls, about 3,000 tokens in and 600 out, cost unknown (--prices)"]


def test_everything_that_shapes_an_answer_is_in_its_key() -> None:
    variants = [
        request("a"), request("b"), request("a", seed=1), request("a", temperature=None), request("a", temperature=0.5),
        request("a", schema={"type": "object"}), Request("n", (("user", "a"),), 100),
        Request("m", (("user", "a"),), 99),
        Request("m", (("system", "a"),), 100), Request("m", (("user", "a"), ("user", "a")), 100),
    ]  # fmt: skip
    keys = {one.key(["http://h", ""], repeat) for one in variants for repeat in ("0", "1")}
    keys |= {variants[0].key(["http://other", ""], "0"), variants[0].key(["http://h", "2024"], "0")}
    assert len(keys) == 2 * len(variants) + 2
    assert request("a").key(["http://h", ""], "0") in keys
