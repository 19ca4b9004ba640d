"""Wilson's interval: published values, by hand, by law and against statsmodels."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfkit.wilson import wilson_interval

COUNTS = st.integers(1, 10_000).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total)))


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),  # these four: Newcombe 1998, table I, method 3
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (20, 20, 0.8389, 1.0),
        # z = 1.96: centre (p + z²/2n)/(1 + z²/n), half z·sqrt(p(1−p)/n + z²/4n²)/(1 + z²/n)
        (89, 90, 0.9397, 0.9980),  # the paper's 98.9 %
        (0, 10, 0.0, 0.2775),  # z²/(n + z²) = 3.8415/13.8415
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (1, 1, 0.2065, 1.0),  # 1/(1 + 3.8415)
        (27, 30, 0.7438, 0.9654),  # 27 of 30 never flagged an error
    ],
)
def test_known_intervals(count: int, total: int, low: float, high: float) -> None:
    assert wilson_interval(count, total) == (pytest.approx(low, abs=6e-5), pytest.approx(high, abs=6e-5))


@given(COUNTS)
def test_it_holds_the_share_and_stays_within_0_and_1(counts: tuple[int, int]) -> None:
    count, total = counts
    low, high = wilson_interval(count, total)
    assert 0 <= low <= count / total <= high <= 1


@settings(deadline=None, max_examples=40)
@given(COUNTS)
def test_it_is_equal_to_statsmodels(counts: tuple[int, int]) -> None:
    from statsmodels.stats.proportion import proportion_confint

    assert wilson_interval(*counts) == pytest.approx(proportion_confint(*counts, method="wilson"), abs=1e-9)
