"""How far judges agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.judge_report import JudgeReport, told_of, weighted_kappa


@pytest.mark.parametrize(
    ("table", "kappa"),
    [
        ([[2, 0], [0, 3]], 1.0),
        ([[0, 2], [2, 0]], -1.0),
        ([[1, 1], [1, 1]], 0.0),
        ([[4, 0], [0, 0]], None),  # one level throughout: chance alone would agree
        ([[0, 0], [0, 0]], None),
        # Rows 3, 1, columns 2, 2: expected (3·2 + 1·2) / 4 = 2 disagreements, observed 1 → 1 − 1/2.
        ([[2, 1], [0, 1]], 0.5),
        # Distance 2 counts four times: rows 1 0 1, columns 0 1 1; expected (1 + 4 + 1 + 0) / 2 = 3, observed 1 → 2/3.
        ([[0, 1, 0], [0, 0, 0], [0, 0, 1]], 2 / 3),
    ],
)
def test_weighted_kappa(table: list[list[int]], kappa: float | None) -> None:
    assert weighted_kappa(table) == (None if kappa is None else pytest.approx(kappa))


@given(st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=4, max_size=4))
def test_kappa_is_bounded_and_symmetric(table: list[list[int]]) -> None:
    kappa = weighted_kappa(table)
    other = weighted_kappa([list(column) for column in zip(*table, strict=True)])
    if kappa is None:
        assert other is None
    else:
        assert -1 - 1e-9 <= kappa <= 1
        assert other == pytest.approx(kappa)


def record(score: float | None, reason: str | None = None, cost: float | None = 0.5) -> dict[str, object]:
    usage = {"calls": 3, "input_tokens": 10, "output_tokens": 5, "cost_usd": cost}
    found: dict[str, object] = {"scores": {"judge": score}, "reasons": {"judge": reason} if reason else {}}
    return found | ({"judge": {"samples": [1], "spread": 2, "cached": 1, "usage": usage}} if score is not None else {})


def test_one_judge() -> None:
    report = JudgeReport(["judge"])
    for one in (record(0.5), record(0.5), record(None, "skipped: no"), record(None, "unavailable: no")):
        report.add(told_of(one, ["judge"]))
    report.add(told_of({"kind": "error"}, ["judge"]))
    assert report.summary() == {
        "judges": {
            "judge": {
                "judged": 2, "skipped": 1, "unavailable": 1, "inapplicable": 0, "calls": 6, "cached": 2,
                "input_tokens": 20, "output_tokens": 10, "cost_usd": 1.0, "mean_spread": 2.0,
            }
        },
        "agreement": [],
    }  # fmt: skip


def test_a_cost_that_is_unknown_once_is_unknown_in_all() -> None:
    report = JudgeReport(["judge"])
    report.add(told_of(record(0.5), ["judge"]))
    report.add(told_of(record(0.5, cost=None), ["judge"]))
    assert report.summary()["judges"]["judge"]["cost_usd"] is None
