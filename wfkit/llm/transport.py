"""One exchange with one service, over the openai package; no retries, no cache, no memory."""

import json
import threading
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from wfkit.errors import Unavailable
from wfkit.llm.endpoints import Endpoint
from wfkit.llm.errors import CallFailed

if TYPE_CHECKING:
    import openai

CONNECT_SECONDS = 10.0
NO_PACKAGE = "language models need the openai package: pip install 'wfkit[llm]'"


class Transport:
    """Sends bodies to services and gives back what they answered as text.

    Args:
        timeout: seconds without a byte of the answer after which a call has failed.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._clients: dict[Endpoint, openai.OpenAI] = {}
        self._opening = threading.Lock()

    def exchange(self, endpoint: Endpoint, body: Mapping[str, Any]) -> tuple[str, float]:
        """Send one chat completion request.

        Returns:
            the body of the response, whatever it is, and the seconds it took.

        Raises:
            CallFailed: no whole response with status 200 came.
            Unavailable: the openai package is not installed.
        """
        client = self._client(endpoint)
        import openai

        started = time.perf_counter()
        try:
            text: str = client.post("/chat/completions", cast_to=str, body=dict(body))
        except openai.APITimeoutError:
            raise CallFailed(f"no answer within {self._timeout:g} s", maybe_billed=True) from None
        except openai.APIConnectionError as error:
            raise _connection_failure(error) from None
        except openai.APIStatusError as error:
            raise _status_failure(endpoint, error) from None
        return text, time.perf_counter() - started

    def close(self) -> None:
        """Close all connections."""
        with self._opening:
            for client in self._clients.values():
                client.close()
            self._clients.clear()

    def _client(self, endpoint: Endpoint) -> "openai.OpenAI":
        with self._opening:
            if endpoint not in self._clients:
                self._clients[endpoint] = _open(endpoint, self._timeout)
            return self._clients[endpoint]


def _open(endpoint: Endpoint, timeout: float) -> "openai.OpenAI":
    try:
        import openai
    except ImportError:
        raise Unavailable(NO_PACKAGE) from None
    patience = openai.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS))
    # A redirect would carry the prompt, and on Azure the key, to somewhere else.
    connections = openai.DefaultHttpxClient(follow_redirects=False)
    if endpoint.api_version is None:
        return openai.OpenAI(
            api_key=endpoint.key,
            base_url=endpoint.base_url,
            max_retries=0,  # one layer of retries, ours
            timeout=patience,
            http_client=connections,
        )
    return openai.AzureOpenAI(
        azure_endpoint=endpoint.base_url,
        api_version=endpoint.api_version,
        api_key=None if endpoint.is_token else endpoint.key,
        azure_ad_token=endpoint.key if endpoint.is_token else None,
        max_retries=0,
        timeout=patience,
        http_client=connections,
    )


def _connection_failure(error: Exception) -> CallFailed:
    """Only names of exceptions are told: their texts may hold the address."""
    cause = error.__cause__
    name = type(cause).__name__ if cause is not None else type(error).__name__
    if name == "ConnectError":
        return CallFailed("cannot be reached (connection refused or unknown host)")
    if name == "ConnectTimeout":
        return CallFailed("cannot be reached (no connection in time)")
    return CallFailed(f"the connection broke ({name})", maybe_billed=True)


def _status_failure(endpoint: Endpoint, error: "openai.APIStatusError") -> CallFailed:
    headers = error.response.headers
    message, code = _told(error.response.text)
    text = f"HTTP {error.status_code}" + (f": {endpoint.redacted(message)}" if message else "")
    return CallFailed(text, status=error.status_code, code=code, retry_after=retry_after(headers))


def _told(body: str) -> tuple[str, str]:
    """The message and the code of an error response, in any of the forms that services use."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return body, ""
    error = value.get("error", value) if isinstance(value, dict) else value
    if not isinstance(error, dict):
        return str(error), ""
    inner = error.get("innererror")
    codes = [error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, dict) else None]
    code = next((code for code in codes if isinstance(code, str) and code), "")
    message = error.get("message", error.get("detail", ""))
    return message if isinstance(message, str) else json.dumps(message), code


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a response asks to wait, from ``retry-after-ms`` or ``retry-after`` (seconds or a date)."""
    try:
        return max(0.0, float(headers["retry-after-ms"]) / 1000)
    except (KeyError, ValueError):
        pass
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
