import pytest

from wfkit.agents.aggregation.page import _octave, _Scale, _span, page
from wfkit.agents.aggregation.report import aggregate
from wfkit.agents.aggregation.settings import Settings


@pytest.mark.parametrize(
    ("ratio", "place"), [(1, 50), (2, 62.5), (0.25, 25), (16, 100), (1000, 100), (1 / 16, 0), (0, 0)]
)
def test_ratios_stand_on_a_scale_of_doublings(ratio, place):
    assert _octave(ratio) == place


def test_a_scale_holds_zero_and_all_values_and_has_few_ticks():
    scale = _Scale([0.2, 0.4])
    assert (scale.place(0), scale.place(0.4), scale.place(0.2)) == (0, 100, 50)
    assert [tick["label"] for tick in scale.ticks()] == ["0", "0.1", "0.2", "0.3", "0.4"]
    wide = _Scale([-7.0, 1.0])
    assert (wide.low, wide.high, wide.place(-7.0)) == (-1, 1, 0)
    assert [tick["label"] for tick in wide.ticks()] == ["-1", "-0.5", "0", "0.5", "1"]


def test_an_end_that_is_not_known_is_the_end_of_the_axis():
    mark = _span("line", [None, 0.5], lambda value: 100 * value)
    assert (mark["left"], mark["width"]) == (0, 50)


def test_the_page_of_one_pair(short):
    request = short.asked("p1", benchmark="<b>&co")
    text = page(aggregate(short.read([request], [short.graded(request, 1, 0)]), Settings(replicates=10)))
    assert "&lt;b&gt;&amp;co" in text and "<b>&co" not in text
    assert "1 of 1 requests scored on both sides" in text
