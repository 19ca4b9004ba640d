"""One model at one endpoint as a run gets to know it: how to speak to it, when to wait, and when to give it up."""

import threading
import time

from wfkit.errors import Unavailable
from wfkit.llm.dialect import Dialect
from wfkit.llm.endpoints import Endpoint
from wfkit.llm.errors import CallFailed, Stopping

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
LONGEST_ASKED_PAUSE = 300.0
FAILURES_IN_A_ROW = 3
"""After so many calls that failed for good one after another the service counts as down."""


class Service:
    """One model at one endpoint.

    A service that fails for good, or asks for a longer pause than anyone waits for, is not asked again in this run:
    a thousand records must not each wait for it in vain.
    """

    def __init__(self, model: str, bare_model: str, endpoint: Endpoint) -> None:
        self.model = model
        self.bare_model = bare_model
        self.endpoint = endpoint
        self.dialect = Dialect()
        self._not_before = 0.0
        self._failed_in_a_row = 0
        self._down: str | None = None
        self._change = threading.Lock()

    def wait_for_turn(self, not_before: float, stopping: threading.Event) -> None:
        """Wait until a call may go out that must not do so before ``not_before`` (on the monotonic clock).

        Raises:
            Unavailable: it is down.
            Stopping: the run ended meanwhile.
        """
        while True:
            if self._down is not None:
                raise Unavailable(self._down)
            if stopping.is_set():
                raise Stopping("the run was ended")
            rest = max(not_before, self._not_before) - time.monotonic()
            if rest <= 0:
                return
            stopping.wait(min(rest, 1.0))

    def answered(self) -> None:
        """Note that a call was answered."""
        self._failed_in_a_row = 0
        self.dialect.proven = True

    def pause(self, failure: CallFailed, failures: int, digest: bytes) -> float:
        """Put off a failed call for as long as the service asks, or else twice as long after each failure.

        Where the service has too much to do, all other calls are put off as well.

        Args:
            failures: how often this call has failed.
            digest: spreads the calls, so that they do not all come back at the same moment.

        Returns:
            when the call may be repeated, on the monotonic clock.
        """
        asked = failure.retry_after
        if asked is None:
            asked = min(FIRST_PAUSE * 2 ** (failures - 1), LONGEST_PAUSE) * (0.75 + digest[0] / 1024)
        elif asked > LONGEST_ASKED_PAUSE:
            self._down = f"{self.model}: asks to wait {asked:,.0f} s ({failure})"
        until = time.monotonic() + asked
        if failure.status in (429, 503):
            with self._change:
                self._not_before = max(self._not_before, until)
        return until

    def given_up(self, failure: CallFailed, calls: int) -> Unavailable:
        """The error of a call that is not repeated any more; may take the service down."""
        times = f" ({calls} calls)" if calls > 1 else ""
        reason = f"{self.model}: {failure}{times}"
        if failure.is_too_large:
            reason = f"{self.model}: the workflow is larger than the model's context ({failure})"
        with self._change:
            self._failed_in_a_row += failure.passing
            unknown = not self.dialect.proven and failure.passing
            if failure.of_the_service or unknown or self._failed_in_a_row >= FAILURES_IN_A_ROW:
                self._down = reason
        return Unavailable(reason)
