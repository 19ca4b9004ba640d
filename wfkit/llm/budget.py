"""The caps of a run, exact also when many calls go out at the same time."""

import threading

from wfkit.llm.errors import CapReached


class Budget:
    """Counts calls and money before they are spent.

    A call reserves the most that it can cost and gives back the difference afterwards, so the cap can never be
    exceeded; where the rest might still do once calls under way have settled, `reserve` waits for them.

    Args:
        max_calls: calls in this run, retries included; None for no cap.
        max_cost: US dollars in this run; None for no cap.
    """

    def __init__(self, max_calls: int | None = None, max_cost: float | None = None) -> None:
        self._max_calls = max_calls
        self._max_cost = max_cost
        self._calls = 0
        self._charged = 0.0
        self._reserved = 0.0
        self._under_way = 0
        self._reached: str | None = None
        self._changed = threading.Condition()

    @property
    def calls(self) -> int:
        """How many calls went out."""
        return self._calls

    @property
    def reached(self) -> str | None:
        """Which cap was reached, in words; None as long as none was."""
        return self._reached

    def reserve(self, most: float) -> None:
        """Count one call that can cost ``most`` US dollars (0 where there is no cap on cost).

        Raises:
            CapReached: a cap leaves no room for it; from then on for every call, so that what is left undone is left
                whole.
        """
        with self._changed:
            while True:
                if self._reached is None and self._max_calls is not None and self._calls >= self._max_calls:
                    self._reached = f"the cap of {self._max_calls:,} calls is reached (--max-calls)"
                if self._reached is not None:
                    raise CapReached(self._reached)
                if self._max_cost is None or self._charged + self._reserved + most <= self._max_cost:
                    break
                if not self._under_way:
                    self._reached = f"the next call could exceed the cap of {self._max_cost:g} USD (--max-cost)"
                    continue
                self._changed.wait()
            self._calls += 1
            self._reserved += most
            self._under_way += 1

    def settle(self, most: float, charged: float) -> None:
        """Replace a reservation of ``most`` by what the call was charged in the end."""
        with self._changed:
            self._under_way -= 1
            self._reserved = self._reserved - most if self._under_way else 0.0
            self._charged += charged
            self._changed.notify_all()
