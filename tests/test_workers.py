"""``--jobs``: the same bytes in the same order, and nothing lost when a worker dies or the user interrupts."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wfkit.streams import Line
from wfkit.workers import Start, _Worker

HERE = Path(__file__).resolve().parent
START = f"import sys; sys.path[:0] = [{str(HERE)!r}, {str(HERE.parent)!r}]; from demo_filter import main; main()"

Demo = Callable[..., "subprocess.CompletedProcess[bytes]"]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", START, *arguments]


def demo(*arguments: str, stdin: bytes = b"", **environment: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        command(*arguments),
        input=stdin, capture_output=True, timeout=60, check=False, env={**os.environ, **environment},
    )  # fmt: skip


def records(*fields: dict[str, Any]) -> bytes:
    made = [
        {"kind": "workflow", "id": f"{number}", "nodes": [], "edges": [], **one} for number, one in enumerate(fields)
    ]
    return b"".join(json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in made)


def ids(output: bytes) -> list[str]:
    return [json.loads(line)["id"] for line in output.splitlines()]


def children_of(process: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{process}/task").iterdir():
        found += [int(word) for word in (task / "children").read_text().split()]
    return found


def gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def wait_until(holds: Callable[[], bool], seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.02)
    return False


def test_the_output_is_the_same_with_workers() -> None:
    slow_first = [{"do": "sleep", "seconds": 0.3}] + [{}] * 400
    bad = [{"do": "refuse"}, {"id": "3"}, {"nodes": 7}, {"id": "5", "do": "refuse"}, {"id": "5"}]
    stdin = records(*slow_first, *bad) + b"{\n" + records(*[{"id": f"x{number}"} for number in range(300)])
    alone, together = demo(stdin=stdin), demo("--jobs", "3", stdin=stdin)
    assert together.stdout == alone.stdout
    assert (alone.returncode, together.returncode) == (3, 3)
    assert len(alone.stdout.splitlines()) == 401 + 5 + 1 + 300
    assert [line for line in together.stderr.splitlines() if b"read," not in line and b"noise" not in line] == [
        line for line in alone.stderr.splitlines() if b"read," not in line and b"noise" not in line
    ]


def test_a_worker_that_is_killed_from_outside_loses_no_record(tmp_path: Path) -> None:
    deeds: list[dict[str, Any]] = [{}] * 40
    deeds[17] = {"do": "kill once", "marker": str(tmp_path / "marker")}
    run = demo("--jobs", "2", stdin=records(*deeds))
    assert (run.returncode, ids(run.stdout)) == (0, [f"{number}" for number in range(40)])
    assert (tmp_path / "marker").exists()
    assert b"Traceback" not in run.stderr


def test_a_record_that_kills_its_worker_is_an_error_record_and_the_rest_go_on() -> None:
    deeds: list[dict[str, Any]] = [{}] * 12
    deeds[3] = deeds[8] = {"do": "kill"}
    run = demo("--jobs", "2", stdin=records(*deeds))
    assert ids(run.stdout) == [f"{number}" for number in range(12)]
    errors = [json.loads(line) for line in run.stdout.splitlines() if json.loads(line)["kind"] == "error"]
    assert [(error["id"], error["code"], error["where"]["line"]) for error in errors] == [
        ("3", "E-WORKER", 4), ("8", "E-WORKER", 9),
    ]  # fmt: skip
    assert run.returncode == 3
    assert b"Traceback" not in run.stderr


def test_a_bug_in_a_worker_keeps_the_finished_records_and_is_told_in_one_line() -> None:
    stdin = records({}, {}, {}, {"do": "bug"}, {})
    run = demo("--jobs", "2", stdin=stdin)
    assert (run.returncode, ids(run.stdout)) == (70, ["0", "1", "2"])
    (line,) = [line for line in run.stderr.splitlines() if b"noise" not in line]
    assert b"this is a bug of ours" in line
    assert b"ZeroDivisionError: two lines" in line
    debug = demo("--jobs", "2", stdin=stdin, WFKIT_DEBUG="1")
    assert b'raise ZeroDivisionError("two lines' in debug.stderr


def test_what_only_fails_in_a_worker_is_told_with_its_own_code() -> None:
    run = demo("--jobs", "2", "--refuse-in-worker", stdin=records({}))
    assert (run.returncode, run.stdout) == (2, b"")
    assert run.stderr.endswith(b"wf-demo: not in a worker\n")
    assert demo("--refuse-in-worker", stdin=records({})).returncode == 0


def test_a_worker_cannot_write_between_the_records() -> None:
    run = demo("--jobs", "2", stdin=records({"do": "print"}, {}))
    assert ids(run.stdout) == ["0", "1"]
    assert run.stderr.count(b"noise on descriptor 1") == 1


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_finished_record_is_written_while_upstream_is_idle(jobs: str) -> None:
    process = subprocess.Popen(
        command("--jobs", jobs), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdin
    assert process.stdout
    with process:
        for number in range(3):
            process.stdin.write(records({"id": f"record {number}"}))
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == f"record {number}"  # blocks for ever if held back
        process.stdin.close()
    assert process.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_keeps_finished_records_and_leaves_no_worker(number: int, jobs: str) -> None:
    process = subprocess.Popen(
        command("--jobs", jobs), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    assert process.stdin
    assert process.stdout
    process.stdin.write(records({}, {}))
    process.stdin.flush()
    first = process.stdout.readline() + process.stdout.readline()
    process.stdin.write(records({"id": "slow", "do": "sleep", "seconds": 60}))
    process.stdin.flush()
    workers = children_of(process.pid)
    assert bool(workers) == (jobs == "2")
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # as a terminal does it: to all of them
    else:
        process.send_signal(number)
    rest, complaints = process.communicate(timeout=20)
    assert process.returncode == 130
    assert ids(first + rest) == ["0", "1"]
    assert [line for line in complaints.splitlines() if b"noise" not in line] == [b"wf-demo: interrupted"]
    assert all(wait_until(lambda worker=worker: gone(worker)) for worker in workers)


def test_workers_end_with_their_parent_whatever_ends_it() -> None:
    process = subprocess.Popen(
        command("--jobs", "2"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdin
    assert process.stdout
    with process:
        process.stdin.write(records({}))
        process.stdin.flush()
        process.stdout.readline()
        workers = children_of(process.pid)
        assert len(workers) >= 2
        process.kill()
    assert all(wait_until(lambda worker=worker: gone(worker)) for worker in workers)


def test_an_input_that_fails_later_keeps_what_was_read_before(tmp_path: Path) -> None:
    good = tmp_path / "good.jsonl"
    good.write_bytes(records({}, {}))
    run = demo("--jobs", "2", str(good), "/proc/self/mem")  # which can be opened but not read
    assert (run.returncode, ids(run.stdout)) == (2, ["0", "1"])
    assert b"cannot read the input" in run.stderr


def test_a_worker_whose_answer_nobody_takes_ends_in_silence(capfd: pytest.CaptureFixture[str]) -> None:
    raw = records({}).strip()
    worker = _Worker(Start("tests.demo_filter", {"refuse_in_worker": False}, True))
    worker.take(0, [Line(raw, len(raw), "-", 1)])
    assert worker.connection.poll(60)
    worker.connection.close()  # with the answer in it: the worker's next word is refused as a reset
    worker.process.join(60)
    assert worker.process.exitcode == 0
    assert capfd.readouterr().err == "noise while the filter is built\n"  # and nothing else
