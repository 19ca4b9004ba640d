"""Asks models: from the cache where it has the answer, else under the caps, with retries, a bounded number at once."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from typing import Any, Generic, TypeVar

from wfkit.errors import Unavailable
from wfkit.llm.budget import Budget
from wfkit.llm.cache import AnswerCache
from wfkit.llm.endpoints import Endpoints
from wfkit.llm.errors import BadAnswer, CallFailed, Refused, Stopping
from wfkit.llm.pool import Pool
from wfkit.llm.prices import Price, price_of
from wfkit.llm.reply import Reply, reply_from_body
from wfkit.llm.request import Request
from wfkit.llm.service import Service
from wfkit.llm.transport import NO_PACKAGE, Transport

Value = TypeVar("Value")
Accept = Callable[[Reply], Value]

BAD_ANSWERS = 3
"""How often a call is made in all while its answers are bad."""


@dataclass(frozen=True, slots=True)
class Answer(Generic[Value]):
    """What `Client.ask` found: what the caller's ``accept`` made of the reply, and where the reply came from."""

    value: Value
    reply: Reply
    cached: bool


class Ready(Generic[Value]):
    """An answer, or the reason why there is none, that nobody has to wait for; at a fraction of a future's cost."""

    __slots__ = ("_outcome",)

    def __init__(self, outcome: Answer[Value] | Unavailable) -> None:
        self._outcome = outcome

    def result(self) -> Answer[Value]:
        """The answer, or raises the reason."""
        if isinstance(self._outcome, Unavailable):
            raise self._outcome
        return self._outcome


Awaited = Ready[Value] | Future[Answer[Value]]


@dataclass(frozen=True)
class Settings:
    """How calls are made.

    Attributes:
        timeout: seconds without an answer after which a call has failed.
        retries: how often a call is repeated after a passing failure.
        jobs: how many calls are under way at the same time.
        seconds_to_end: how long `Client.stop` waits for the calls under way, which are being paid for.
    """

    timeout: float = 60.0
    retries: int = 5
    jobs: int = 4
    seconds_to_end: float = 5.0


class Client:
    """One run's access to language models; safe to use from several threads."""

    def __init__(
        self,
        endpoints: Endpoints,
        *,
        settings: Settings,
        budget: Budget,
        prices: Mapping[str, Price],
        cache: AnswerCache | None,
    ) -> None:
        self._endpoints = endpoints
        self._settings = settings
        self._budget = budget
        self._prices = prices
        self._cache = cache
        self._transport = Transport(settings.timeout)
        self._services: dict[str, Service] = {}
        self._opening = threading.Lock()
        self._stopping = threading.Event()
        self.pool = Pool(settings.jobs)
        self.spent = Spending()

    def lacking(self, model: str) -> str | None:
        """What is missing on this machine so that a model cannot even be asked; None if nothing is."""
        if find_spec("openai") is None:
            return NO_PACKAGE
        try:
            self._service(model)
        except Unavailable as error:
            return str(error)
        return None

    def endpoint_name(self, model: str) -> str:
        """The profile that a model names; empty for the endpoint of the environment."""
        return self._endpoints.split(model)[1]

    def price(self, model: str) -> Price | None:
        """The price of a model, where it is known."""
        return price_of(self._prices, model, self._endpoints.split(model)[0])

    def cost(self, model: str, reply: Reply) -> float | None:
        """US dollars for one reply; None where the price or the usage is not known."""
        price = self.price(model)
        if price is None or reply.input_tokens is None or reply.output_tokens is None:
            return None
        return price.cost(reply.input_tokens, reply.output_tokens)

    def cached(self, request: Request, repeats: Sequence[str], accept: Accept[Value]) -> list[Answer[Value] | None]:
        """The answers that the cache has, None where it has none; never makes a call."""
        if self._cache is None:
            return [None] * len(repeats)
        replies = self._cache.get([self._key(request, repeat) for repeat in repeats])
        return [None if reply is None else _accepted(reply, accept) for reply in replies]

    def submit(self, request: Request, repeats: Sequence[str], accept: Accept[Value]) -> "list[Awaited[Value]]":
        """`ask` for each repeat, on threads of the pool; what the cache has is there at once. Never raises."""
        try:
            found = self.cached(request, repeats, accept)
        except Unavailable as error:
            return [Ready(error)] * len(repeats)
        return [
            self.pool.submit(partial(self.ask, request, repeat, accept)) if answer is None else Ready(answer)
            for repeat, answer in zip(repeats, found, strict=True)
        ]

    def ask(self, request: Request, repeat: str, accept: Accept[Value]) -> Answer[Value]:
        """Ask a model, unless the cache has its answer.

        Args:
            repeat: tells this call from other calls of the same request, such as the number of the sample.
            accept: makes a value of the reply, or raises `BadAnswer`, or `Refused` where asking again is of no use.
                What it raises for is never cached.

        Raises:
            Unavailable: no key, no service, no usable answer after all retries, a cap was reached, the run is ending.
        """
        if self._cache is None:
            return self._asked(request, accept)
        key = self._key(request, repeat)
        with self._cache.claim(key, self._stopping):
            (found,) = self.cached(request, [repeat], accept)
            if found is not None:
                return found
            answer = self._asked(request, accept)
            self._cache.put(key, answer.reply)
            return answer

    def stop(self) -> int:
        """End the run: no further call goes out; those under way are waited for a little, so that none is paid twice.

        Returns:
            how many calls are still under way.
        """
        self._stopping.set()
        left = self.pool.stop(self._settings.seconds_to_end)
        if not left:
            self._transport.close()
            if self._cache is not None:
                self._cache.close()
        return left

    def _key(self, request: Request, repeat: str) -> bytes:
        return request.key(self._service(request.model).endpoint.identity, repeat)

    def _service(self, model: str) -> Service:
        with self._opening:
            if model not in self._services:
                self._services[model] = Service(model, self._endpoints.split(model)[0], self._endpoints.find(model))
            return self._services[model]

    def _asked(self, request: Request, accept: Accept[Value]) -> Answer[Value]:
        service = self._service(request.model)
        if service.dialect.proven:
            return self._retried(service, request, accept)
        with service.dialect.first:  # the first to come finds out how the service wants to be asked
            if not service.dialect.proven:
                return self._retried(service, request, accept)
        return self._retried(service, request, accept)

    def _retried(self, service: Service, request: Request, accept: Accept[Value]) -> Answer[Value]:
        failures = bad_answers = calls = 0
        not_before = 0.0
        while True:
            service.wait_for_turn(not_before, self._stopping)
            body, left_out = service.dialect.body(request, service.bare_model)
            calls += 1
            try:
                reply = self._exchange(service, request, body)
                reply = replace(reply, calls=calls, left_out=left_out)
                answer = Answer(accept(reply), reply, cached=False)
                service.answered()
                return answer
            except Refused as refusal:
                service.answered()
                raise Unavailable(f"{service.model}: {refusal}") from None
            except BadAnswer as fault:
                bad_answers += 1
                if bad_answers >= BAD_ANSWERS:
                    raise Unavailable(f"{service.model}: no usable answer in {bad_answers} calls: {fault}") from None
            except CallFailed as failure:
                if failure.is_content_filter:
                    refusal_reply = Reply("", ending="refused", input_tokens=0, output_tokens=0, calls=calls)
                    service.answered()
                    try:
                        return Answer(accept(refusal_reply), refusal_reply, cached=False)
                    except BadAnswer as refusal:
                        raise Unavailable(f"{service.model}: {refusal}") from None
                if service.dialect.adapt(failure, body):
                    continue
                failures += 1
                if not failure.passing or failures > self._settings.retries:
                    raise service.given_up(failure, calls) from None
                not_before = service.pause(failure, failures, request.digest)

    def _exchange(self, service: Service, request: Request, body: Mapping[str, Any]) -> Reply:
        """One call under the caps."""
        price = self.price(request.model)
        most = price.cost(request.most_input_tokens, request.max_output_tokens) if price else 0.0
        if self._stopping.is_set():
            raise Stopping("the run was ended")
        self._budget.reserve(most)
        charged = most  # unless it is known better
        try:
            text, seconds = self._transport.exchange(service.endpoint, body)
            reply = replace(reply_from_body(text), seconds=round(seconds, 3))
            cost = self.cost(request.model, reply)
            charged = most if cost is None else cost
            self.spent.add(request.model, reply, cost)
            return reply
        except CallFailed as failure:
            charged = most if failure.maybe_billed else 0.0
            self.spent.add_failure(request.model)
            raise
        except BadAnswer:
            self.spent.add_failure(request.model)
            raise
        finally:
            self._budget.settle(most, charged)


def _accepted(reply: Reply, accept: Accept[Value]) -> Answer[Value] | None:
    """An answer of the cache; None where it was accepted by an older version only."""
    try:
        return Answer(accept(reply), reply, cached=True)
    except BadAnswer:
        return None


class Spending:
    """What the calls of this run used, by model; cached answers are not among them."""

    def __init__(self) -> None:
        self._by_model: dict[str, dict[str, Any]] = {}
        self._change = threading.Lock()

    def add(self, model: str, reply: Reply, cost: float | None) -> None:
        """Count one answer."""
        with self._change:
            used = self._of(model)
            used["calls"] += 1
            used["input_tokens"] += reply.input_tokens or 0
            used["output_tokens"] += reply.output_tokens or 0
            used["cost_usd"] += cost or 0.0
            used["calls_of_unknown_cost"] += cost is None

    def add_failure(self, model: str) -> None:
        """Count one call that brought no answer."""
        with self._change:
            used = self._of(model)
            used["calls"] += 1
            used["failed_calls"] += 1

    def summary(self) -> dict[str, dict[str, Any]]:
        """By model: calls (failed ones and retries included), tokens, and the cost of the calls whose cost is known."""
        with self._change:
            return {model: {**used, "cost_usd": round(used["cost_usd"], 6)} for model, used in self._by_model.items()}

    def _of(self, model: str) -> dict[str, Any]:
        empty = {
            "calls": 0, "failed_calls": 0, "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0,
            "calls_of_unknown_cost": 0,
        }  # fmt: skip
        return self._by_model.setdefault(model, empty)
