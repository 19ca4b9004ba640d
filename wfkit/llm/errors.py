"""What can become of a call besides an answer."""

from wfkit.errors import Unavailable


class CapReached(Unavailable):
    """``--max-calls`` or ``--max-cost`` allows no further call in this run."""


class Stopping(Unavailable):
    """The run is being ended; no further call goes out."""


class BadAnswer(Exception):
    """The service answered, but not with what was asked for. Never cached; the call is repeated a few times."""


class Refused(BadAnswer):
    """The model or a content filter declined to answer; asking again is of no use."""


class CallFailed(Exception):
    """One exchange with a service failed.

    Attributes:
        status: the HTTP status; None where no whole response came.
        code: the error code of the response, such as ``context_length_exceeded``; empty where it has none.
        retry_after: seconds that the service asks to wait, None where it does not.
        maybe_billed: whether the service may have made, and billed, an answer that did not arrive.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str = "",
        retry_after: float | None = None,
        maybe_billed: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after = retry_after
        self.maybe_billed = maybe_billed

    @property
    def passing(self) -> bool:
        """Whether the same call may well succeed a little later."""
        if self.code == "insufficient_quota":
            return False
        return self.status is None or self.status in (408, 409, 429) or self.status >= 500

    @property
    def of_the_service(self) -> bool:
        """Whether every other call to this model would fail as well (key, model or quota)."""
        return self.status in (401, 403, 404) or self.code == "insufficient_quota"

    @property
    def is_content_filter(self) -> bool:
        """Whether a content filter refused the prompt (Azure and OpenAI answer 400 then)."""
        return self.status in (400, 403) and "content" in self.code and ("filter" in self.code or "policy" in self.code)

    @property
    def is_too_large(self) -> bool:
        """Whether the prompt does not fit into the model's context."""
        said = str(self).lower()
        told = any(words in said for words in ("context length", "context window", "context size", "n_ctx"))
        return self.code == "context_length_exceeded" or (self.status in (400, 413, 422) and told)
