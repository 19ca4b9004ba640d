"""The client, its cache, its pool and its transport, where a whole filter would show less."""

import http.server
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.llm.stand_in import Response, StandIn, completion, failure
from wfkit.errors import Unavailable
from wfkit.llm.budget import Budget
from wfkit.llm.cache import FILE_NAME, AnswerCache
from wfkit.llm.client import Client, Settings
from wfkit.llm.endpoints import Endpoints
from wfkit.llm.errors import BadAnswer, Stopping
from wfkit.llm.pool import Pool
from wfkit.llm.prices import Price
from wfkit.llm.reply import Reply, reply_from_body, reply_from_cache
from wfkit.llm.request import Request
from wfkit.llm.transport import retry_after

HELLO = Request("m", (("user", "hello"),), 50)


def text_of(reply: Reply) -> str:
    if reply.text == "bad":
        raise BadAnswer("bad")
    return reply.text


def client_of(server: StandIn, cache: AnswerCache | None = None, **settings: Any) -> Client:
    return Client(
        Endpoints({}, server.environment),
        settings=Settings(**{"retries": 2, "timeout": 5, "seconds_to_end": 1, **settings}),
        budget=Budget(),
        prices={"m": Price(1, 2)},
        cache=cache,
    )


def warn(line: str) -> None:
    raise AssertionError(line)


def test_errors_are_never_cached(tmp_path: Path) -> None:
    script = [completion("bad"), completion("bad"), completion("bad"), completion("good")]
    with StandIn(script) as server:
        client = client_of(server, AnswerCache(tmp_path, warn))
        with pytest.raises(Unavailable, match="no usable answer in 3 calls: bad"):
            client.ask(HELLO, "0", text_of)
        assert client.ask(HELLO, "0", text_of).value == "good"
        assert client.ask(HELLO, "0", text_of).cached
        assert not client.ask(HELLO, "1", text_of).cached  # another repeat is another call
        assert len(server.calls) == 5
        client.stop()
    rows = sqlite3.connect(tmp_path / FILE_NAME).execute("SELECT reply FROM answer").fetchall()
    assert len(rows) == 2
    assert "sk-test-secret" not in str(rows)


def test_equal_requests_at_the_same_time_are_one_call(tmp_path: Path) -> None:
    with StandIn([Response(completion("good").body, delay=0.1)]) as server:
        client = client_of(server, AnswerCache(tmp_path, warn), jobs=8)
        futures = [client.submit(HELLO, ["0"], text_of)[0] for _ in range(20)]
        answers = [future.result() for future in futures]
        assert len(server.calls) == 1
        assert sum(answer.cached for answer in answers) == 19
        assert client.spent.summary() == {
            "m": {
                "calls": 1, "failed_calls": 0, "input_tokens": 100, "output_tokens": 20, "cost_usd": 0.00014,
                "calls_of_unknown_cost": 0,
            }
        }  # fmt: skip
        client.stop()


def test_a_claim_is_lost_with_the_run() -> None:
    stopping = threading.Event()
    with pytest.raises(Stopping):
        _wait_for_a_claim_of_another_process(stopping)


def _wait_for_a_claim_of_another_process(stopping: threading.Event) -> None:
    import subprocess
    import sys
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        cache = AnswerCache(Path(folder), warn)
        key = HELLO.key(["a"], "0")
        assert cache.get([key]) == [None]
        holder = (
            "import sys, threading, pathlib; from wfkit.llm.cache import AnswerCache; "
            f"cache = AnswerCache(pathlib.Path({folder!r}), print); "
            f"key = bytes.fromhex({key.hex()!r}); cache.get([key])\n"
            "with cache.claim(key, threading.Event()): print('held', flush=True); sys.stdin.read()"
        )
        root = str(Path(__file__).resolve().parents[2])
        with subprocess.Popen(
            [sys.executable, "-c", holder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"held\n"
            threading.Timer(0.2, stopping.set).start()
            started = time.monotonic()
            try:
                with cache.claim(key, stopping):
                    raise AssertionError("two processes hold one claim")
            finally:
                assert time.monotonic() - started >= 0.15
                process.kill()
                process.wait()
                with cache.claim(key, threading.Event()):  # the system has taken it back
                    pass
                cache.close()


def test_stopping_waits_for_calls_under_way_and_cancels_the_rest(tmp_path: Path) -> None:
    with StandIn([Response(completion("good").body, delay=0.2)]) as server:
        client = client_of(server, AnswerCache(tmp_path, warn), jobs=2)
        client.ask(HELLO, "first", text_of)
        futures = client.submit(HELLO, [str(number) for number in range(10)], text_of)
        time.sleep(0.1)
        assert client.stop() == 0
        assert [future.done() and not future.cancelled() for future in futures] == [True] * 2 + [False] * 8
        assert len(server.calls) == 3
    again = AnswerCache(tmp_path, warn)
    keys = [HELLO.key([server.url, ""], str(number)) for number in range(10)]
    assert [reply is not None for reply in again.get(keys)] == [True] * 2 + [False] * 8
    again.close()


def test_stopping_does_not_wait_for_ever() -> None:
    with StandIn([Response(completion("good").body, delay=2)]) as server:
        client = client_of(server, seconds_to_end=0.1)
        client.submit(HELLO, ["0"], text_of)
        time.sleep(0.3)
        assert client.stop() == 1


def test_a_redirect_is_not_followed() -> None:
    with StandIn([completion("stolen")]) as thief, StandIn([Response("", 307, {"location": thief.url})]) as server:
        client = client_of(server)
        with pytest.raises(Unavailable, match="HTTP 307"):
            client.ask(HELLO, "0", text_of)
        client.stop()
        assert thief.calls == []


def test_a_busy_service_puts_off_every_call() -> None:
    times: list[float] = []

    def answer(_call: Any) -> Response:
        times.append(time.monotonic())
        return failure(429, retry_after="0.5") if len(times) == 2 else completion("good")

    with StandIn(answer) as server:
        client = client_of(server, jobs=4)
        client.ask(HELLO, "first", text_of)
        (refused,) = client.submit(HELLO, ["a"], text_of)
        time.sleep(0.2)
        (late,) = client.submit(HELLO, ["b"], text_of)
        assert (refused.result().value, late.result().value) == ("good", "good")
        assert min(times[2:]) - times[1] >= 0.45
        client.stop()


def test_a_server_of_the_standard_library_will_do() -> None:
    """HTTP/1.0, a connection for each call, no content type: nothing that a completion needs."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(completion("plain").payload())

        def log_message(self, *_: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        environment = {"OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1", "OPENAI_API_KEY": "x"}
        client = Client(Endpoints({}, environment), settings=Settings(), budget=Budget(), prices={}, cache=None)
        assert client.ask(HELLO, "0", text_of).value == "plain"
        client.stop()
        server.shutdown()


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-1"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "x", "retry-after": "9"}, 9.0),
    ],
)
def test_how_long_a_service_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_replies() -> None:
    reply = reply_from_body(
        '{"model": "gpt-4o-2024-11-20", "system_fingerprint": "fp", "choices": [{"message": {"content": "hi"}, '
        '"finish_reason": "stop"}, 7], "usage": {"prompt_tokens": 3, "completion_tokens": true}}'
    )
    expected = Reply("hi", model="gpt-4o-2024-11-20", fingerprint="fp", input_tokens=3)
    assert reply == expected
    assert reply_from_cache(reply.dumps()) == reply
    for broken in ("", "[]", "{}", '{"text": 1}', reply.dumps().replace("fingerprint", "finger")):
        assert reply_from_cache(broken) is None


@pytest.mark.parametrize(
    "body",
    ["", "null", "[]", "{}", '{"choices": null}', '{"choices": {}}', '{"choices": [null]}', '{"choices": [{}]}',
     '{"choices": [{"message": {"content": 7}}]}', '{"choices": [{"message": []}]}', "[" * 100_000],
)  # fmt: skip
def test_bodies_without_an_answer(body: str) -> None:
    with pytest.raises(BadAnswer):
        reply_from_body(body)


def test_the_pool_keeps_its_bound_and_passes_exceptions_on() -> None:
    pool, now, most, lock = Pool(3), [0], [0], threading.Lock()

    def work(number: int) -> int:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.01)
        with lock:
            now[0] -= 1
        if number == 5:
            raise ValueError(number)
        return number

    futures = [pool.submit(lambda number=number: work(number)) for number in range(12)]
    results = [future.exception() or future.result() for future in futures]
    assert [result for result in results if not isinstance(result, ValueError)] == [n for n in range(12) if n != 5]
    assert most[0] == 3
    assert pool.stop(1) == 0
