"""A real HTTP server on loopback that answers like a language model's, or in any broken way that a test asks for.

Run as a program it serves the stand-in judge and generator of `tests.llm.behaviour` until its standard input ends.
"""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Response:
    """What goes back over the socket.

    Attributes:
        body: a JSON value, or text or bytes as they are.
        delay: seconds before anything is sent.
        cut: send only so many bytes of the body, then reset the connection.
        silent: reset the connection without a byte.
    """

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: int | None = None
    silent: bool = False

    def payload(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


@dataclass
class Call:
    """One request that came in."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    started: float
    ended: float = 0.0

    @property
    def prompt(self) -> str:
        return self.body["messages"][-1]["content"]


Answer = Callable[[Call], Response]


def completion(
    text: str | None, *, finish: str = "stop", usage: tuple[int, int] | None = (100, 20), **more: Any
) -> Response:
    """A chat completion with one choice; ``more`` goes into its message."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **more}}
    body: dict[str, Any] = {"id": "c", "object": "chat.completion", "model": "stand-in-1", "choices": [choice]}
    if usage is not None:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return Response(body)


def failure(status: int, message: str = "no", code: str | None = None, **headers: str) -> Response:
    """An error in the form of OpenAI; header names are written with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response({"error": {"message": message, "type": "error", "code": code}}, status, named)


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class StandIn:
    """The server, in a thread of its own.

    Args:
        answer: a function of the call, or a list of responses to be given one after the other, the last for ever.
    """

    def __init__(self, answer: Answer | Sequence[Response], port: int = 0) -> None:
        self._script = None if callable(answer) else list(answer)
        self._answer = answer if callable(answer) else self._next
        self.calls: list[Call] = []
        self.connections = 0
        self.most_at_once = 0
        self._now = 0
        self._port = port
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> "StandIn":
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead a filter here and nowhere else."""
        return {
            "OPENAI_BASE_URL": self.url, "OPENAI_API_KEY": "sk-test-secret", "NO_PROXY": "127.0.0.1",
            "AZURE_OPENAI_ENDPOINT": "", "AZURE_OPENAI_API_KEY": "",
        }  # fmt: skip

    def _next(self, _call: Call) -> Response:
        assert self._script is not None
        return self._script.pop(0) if len(self._script) > 1 else self._script[0]

    def _serve(self) -> None:
        self._loop.run_until_complete(self._run())
        self._loop.close()

    async def _run(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", self._port, backlog=256)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        rest = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:]) if name}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        call = Call(head[0].split()[1], headers, json.loads(body or b"{}"), time.perf_counter())
        self.calls.append(call)
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            response = self._answer(call)
            if response.delay:
                await asyncio.sleep(response.delay)
        finally:
            self._now -= 1
        call.ended = time.perf_counter()
        if response.silent:
            writer.transport.abort()
            return False
        payload = response.payload()
        lines = [f"HTTP/1.1 {response.status} X", "content-type: application/json", f"content-length: {len(payload)}"]
        lines += [f"{name}: {value}" for name, value in response.headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode() + payload[: response.cut])
        await writer.drain()
        if response.cut is not None:
            writer.transport.abort()
        return response.cut is None
