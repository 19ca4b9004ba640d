"""The drawing of a metric's scores: bins, bars, and the facts below it."""

import re
from xml.etree import ElementTree

import pytest

from wfkit.gate.reports.histogram import BINS, Bar, figure


def drawn(text: str) -> list[tuple[str, float, float]]:
    """Kind, left edge and height of each rectangle."""
    return [
        (one.attrib["class"], float(one.attrib["x"]), float(one.attrib["height"]))
        for one in ElementTree.fromstring(text).iter("rect")
    ]


def test_each_score_is_in_its_bin() -> None:
    # 25 bins over 0 to 1, 11.36 wide from x = 28: 0.5 is in bin 12, 1.0 in the last one.
    found = drawn(figure("m", [1.0, 1.0], [0.5], 0, []))
    assert found == [("bar-other", 164.3, 45.0), ("bar-pass", 300.6, 90.0)]
    assert BINS == 25


def test_passed_and_others_of_one_bin_are_stacked() -> None:
    heights = {kind: height for kind, _, height in drawn(figure("m", [0.5, 0.5], [0.5], 0, []))}
    assert heights == {"bar-pass": 60.0, "bar-other": 30.0}


@pytest.mark.parametrize(
    ("passed", "others", "nulls", "bars", "facts"),
    [
        ([1.0], [0.5], 0, [Bar(0.75, "fail")], "2 measured, lowest 0.5, median 0.75, 1 below 0.75"),
        ([], [], 3, [Bar(0.75, "fail")], "0 measured, 3 not measured, 0 below 0.75"),
        ([0.75], [], 0, [Bar(0.75, "fail")], "1 measured, lowest 0.75, median 0.75, 0 below 0.75"),
        ([-1.0, 12], [], 1, [], "2 measured, 1 not measured, lowest -1, median 5.5"),
    ],
)
def test_the_facts(passed: list[float], others: list[float], nulls: int, bars: list[Bar], facts: str) -> None:
    text = figure("m", passed, others, nulls, bars)
    assert ElementTree.fromstring(text).findtext("figcaption") == facts
    assert ("svg" in text) == bool(passed or others)


def test_the_axis_holds_scores_and_bars_beyond_0_to_1() -> None:
    labels = [one.text for one in ElementTree.fromstring(figure("m", [-2.0], [], 0, [Bar(3.0, "review")])).iter("text")]
    assert labels == ["-2", "3", "1", "review below 3"]


def test_a_line_stands_at_the_bar() -> None:
    text = figure("m", [1.0], [], 0, [Bar(0.75, "fail")])
    assert re.search(r'class="bar-line" x1="241.0"', text)  # 28 + 0.75 * 284
