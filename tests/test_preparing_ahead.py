"""While the results of a batch are taken the next is prepared, and no more than that; whatever ends it is told."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit import preparing_ahead
from wfkit.engine import Result
from wfkit.errors import UsageProblem
from wfkit.jsonl import dumps
from wfkit.preparing_ahead import prepare_ahead
from wfkit.reading_ahead import MOST_LINES
from wfkit.streams import Line

ROOT = Path(__file__).resolve().parents[1]


def batch(*numbers: int) -> list[Line]:
    return [Line(b"x", 1, "-", number) for number in numbers]


def result(line: Line) -> Result:
    return Result(str(line.number), (), (), ())


def results(lines: Sequence[Line]) -> Iterator[Result]:
    return map(result, lines)


@given(st.lists(st.integers(0, 5), max_size=8))
def test_every_batch_comes_once_in_order_with_its_results(sizes: list[int]) -> None:
    batches = [batch(*range(size)) for size in sizes]
    given_back = [(lines, list(found)) for lines, found in prepare_ahead(iter(batches), results)]
    assert given_back == [(lines, [result(line) for line in lines]) for lines in batches]


def test_the_next_batch_is_prepared_while_the_results_of_one_are_taken() -> None:
    second = threading.Event()

    def process(lines: Sequence[Line]) -> Iterator[Result]:
        if lines[0].number == 2:
            second.set()
        return results(lines)

    processed = prepare_ahead(iter([batch(1), batch(2)]), process)
    next(processed)
    assert second.wait(30)
    assert next(processed)[0] == batch(2)


def test_a_batch_is_given_while_the_next_has_not_come() -> None:
    more = threading.Event()

    def slow() -> Iterator[list[Line]]:
        yield batch(1)
        assert more.wait(30)
        yield batch(2)

    processed = prepare_ahead(slow(), results)
    assert next(processed)[0] == batch(1)
    more.set()
    assert next(processed)[0] == batch(2)


def test_no_more_than_one_batch_waits() -> None:
    prepared = threading.Semaphore(0)

    def process(lines: Sequence[Line]) -> Iterator[Result]:
        prepared.release()
        return results(lines)

    processed = prepare_ahead((batch(number) for number in range(10)), process)
    next(processed)
    assert prepared.acquire(timeout=30)
    assert prepared.acquire(timeout=30)
    assert not prepared.acquire(timeout=0.2)
    processed.close()


def test_what_goes_wrong_is_raised_after_the_batches_before_it() -> None:
    def process(lines: Sequence[Line]) -> Iterator[Result]:
        if lines[0].number == 2:
            raise UsageProblem("broken")
        return results(lines)

    processed = prepare_ahead(iter([batch(1), batch(2), batch(3)]), process)
    assert next(processed)[0] == batch(1)
    with pytest.raises(UsageProblem, match="broken"):
        next(processed)


def test_input_that_breaks_is_raised_after_the_batches_before_it() -> None:
    def broken() -> Iterator[list[Line]]:
        yield batch(1)
        raise UsageProblem("cannot read the input")

    processed = prepare_ahead(broken(), results)
    assert next(processed)[0] == batch(1)
    with pytest.raises(UsageProblem, match="cannot read"):
        next(processed)


def test_a_thread_that_waits_ends_with_its_batches() -> None:
    processed = prepare_ahead((batch(number) for number in range(10)), results)
    next(processed)
    processed.close()
    assert not preparing_ahead.at_work()
    assert len(list(prepare_ahead(iter([batch(1)]), results))) == 1
    assert not preparing_ahead.at_work()


def test_a_thread_within_a_library_is_known_to_be_at_work() -> None:
    begun, end = threading.Event(), threading.Event()

    def process(lines: Sequence[Line]) -> Iterator[Result]:
        if lines[0].number == 2:
            begun.set()
            assert end.wait(30)
        return results(lines)

    processed = prepare_ahead(iter([batch(1), batch(2)]), process)
    next(processed)
    assert begun.wait(30)
    processed.close()
    assert preparing_ahead.at_work()
    end.set()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and thread.daemon:
            thread.join(30)
    assert not preparing_ahead.at_work()


@pytest.mark.usefixtures("encoder_is_there")
@pytest.mark.parametrize("backend", ["auto", "torch"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)])
def test_a_run_that_is_ended_while_texts_are_encoded_ends_at_once(
    backend: str, number: int, code: int, tmp_path: Path
) -> None:
    pairs = tmp_path / "pairs.jsonl"
    # The first batch has few texts; those of the others take minutes.
    pairs.write_bytes(b"".join(line_of(number) for number in range(10_000)))
    options = ["--metrics=graph_f1", "--no-cache", f"--backend={backend}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "wfkit.filters.wf_score", *options, pairs],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ),
    )  # fmt: skip
    assert b'"id":"0"' in process.stdout.readline()
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (code, b"" if code < 0 else b"wf-score: interrupted\n")


def line_of(number: int) -> bytes:
    return dumps(pair(number, 0 if number < MOST_LINES else number)) + b"\n"


def pair(number: int, topic: int) -> dict:
    def side(verb: str) -> dict:
        nodes = [{"id": str(place), "text": f"{verb} pump {topic + place} of plant {topic}"} for place in range(4)]
        return {"kind": "workflow", "id": str(number), "nodes": nodes, "edges": [["0", "1"], ["1", "2"], ["2", "3"]]}

    return {"kind": "pair", "id": str(number), "golden": side("open"), "candidate": side("close")}
