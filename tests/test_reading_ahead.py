"""What was read ahead comes whole, in order and in bounded parts, with what went wrong behind it."""

import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.errors import UsageProblem
from wfkit.reading_ahead import MOST_LINES, read_ahead
from wfkit.streams import BATCH_BYTES, Line


def line(number: int, size: int = 1) -> Line:
    return Line(b"x" * size, size, "-", number)


@given(st.lists(st.integers(0, 2 * MOST_LINES), max_size=6))
def test_every_line_comes_once_in_order_in_bounded_parts(sizes: list[int]) -> None:
    numbers = iter(range(sum(sizes)))
    batches = [[line(next(numbers)) for _ in range(size)] for size in sizes]
    found = list(read_ahead(batches))
    assert [one.number for part in found for one in part] == list(range(sum(sizes)))
    assert all(0 < len(part) <= MOST_LINES for part in found)


def test_a_line_is_given_while_the_next_has_not_come() -> None:
    more = threading.Event()

    def slow() -> Iterator[list[Line]]:
        yield [line(1)]
        assert more.wait(30)
        yield [line(2)]

    parts = read_ahead(slow())
    assert next(parts) == [line(1)]
    more.set()
    assert next(parts) == [line(2)]


def test_what_comes_in_small_pieces_is_put_together() -> None:
    came = threading.Event()

    def pieces() -> Iterator[list[Line]]:
        for number in range(100):
            yield [line(number)]
        came.set()

    parts = read_ahead(pieces())
    first = next(parts)
    assert came.wait(30)
    assert [*first, *next(parts, [])] == [line(number) for number in range(100)]


@pytest.mark.parametrize(("lines", "size"), [(MOST_LINES, 1), (2, BATCH_BYTES // 2)])
def test_no_more_is_read_than_fills_a_batch(lines: int, size: int) -> None:
    taken = threading.Semaphore(0)
    stop = threading.Event()

    def endless() -> Iterator[list[Line]]:
        number = 0
        while not stop.is_set():
            number += 1
            taken.release()
            yield [line(number, size)]

    parts = read_ahead(endless())
    first = next(parts)
    read = 0
    while taken.acquire(timeout=0.3):
        read += 1
    assert lines <= read <= len(first) + lines + 1  # one is in the hand of the reader
    stop.set()
    list(parts)


def test_a_fault_comes_after_the_lines_before_it() -> None:
    def broken() -> Iterator[list[Line]]:
        yield [line(1)]
        raise UsageProblem("cannot read the input: Input/output error")

    parts = read_ahead(broken())
    assert next(parts) == [line(1)]
    with pytest.raises(UsageProblem, match="Input/output error"):
        next(parts)
