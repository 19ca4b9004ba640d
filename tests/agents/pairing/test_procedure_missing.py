"""procedure/missing: which items of a text can be dropped, and that long texts take no longer than their length."""

import contextlib
import gc
import time
from collections.abc import Iterator

import pytest

from wfkit.agents.pairing.edit import Inapplicable
from wfkit.agents.pairing.editors import procedure_missing
from wfkit.agents.pairing.view import View

REMARK = "This is a remark.\n"


def view_of(procedure: str) -> View:
    return View({"id": "i", "public": {"procedure": procedure}, "private": {}})


def dropped(procedure: str) -> list[str]:
    """The places of a procedure, as the texts that stand there."""
    return [
        procedure[span.start : span.end]
        for _, span in (place.detail for place in procedure_missing.places(view_of(procedure)))
    ]


def test_items_come_first_and_sentences_outside_of_them_follow() -> None:
    procedure = (
        "Never send two of them. Always ask first.\n"
        "- Call the user if it fails. Only then stop.\n"
        "  1. Wait until it is done.\n"
        "Refund only what was paid. Thank them.\n"
        "* When in doubt, ask."
    )
    assert dropped(procedure) == [
        "- Call the user if it fails. Only then stop.",
        "  1. Wait until it is done.",
        "* When in doubt, ask.",
        "Never send two of them.",
        "Refund only what was paid.",
    ]


@pytest.fixture
def no_collection() -> Iterator[None]:
    """Searches for cycles, which depend on whatever ran before, stay out of the time."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collection")
@pytest.mark.parametrize("line", ["- a\n", "- Never do this again.\n", "Never do this again.\n", f"- a\n{REMARK}"])
def test_the_time_grows_with_the_length(line: str) -> None:
    def seconds(count: int) -> float:
        view = view_of(line * count)
        started = time.process_time()
        with contextlib.suppress(Inapplicable):
            procedure_missing.places(view)
        return time.process_time() - started

    # The shortest of several runs, in turns: whatever else the machine does only makes some of them longer.
    runs = [(seconds(2_000), seconds(8_000)) for _ in range(7)]
    assert min(long for _, long in runs) < 8 * min(short for short, _ in runs)
