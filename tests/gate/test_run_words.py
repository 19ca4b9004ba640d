import pytest

from wfkit.gate.run_words import baseline_line, coverage_line, waiver_lines


def compared(drop, low, **fields):
    return {
        "metric": "m", "n": 9, "goldens": 9, "baseline_mean": 0.9, "mean": 0.9 - drop, "drop": drop,
        "ci": [low, 0.15], "max_drop": 0.02, "status": "fail", **fields,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("result", "line"),
    [
        (
            compared(0.1, 0.05),
            "dropped by 0.1000, from 0.9000 to 0.8000, 95 % interval of the drop 0.0500 to 0.1500: "
            "more than the 0.02 allowed",
        ),
        # Four decimals would show 0.0200 and 0.0000, which explain nothing.
        (
            compared(0.02001, 0.00001),
            "dropped by 0.02001, from 0.9000 to 0.8800, 95 % interval of the drop 0.00001 to 0.1500: "
            "more than the 0.02 allowed",
        ),
        (
            compared(-0.1, -0.2, status="pass"),
            "rose by 0.1000, from 0.9000 to 1.0000, 95 % interval of the drop -0.2000 to 0.1500: "
            "within the 0.02 allowed",
        ),
        (
            compared(0.5, 0, ci=None, status="unmeasured", reason="one golden"),
            "dropped by 0.5000, from 0.9000 to 0.4000: more than the 0.02 allowed; unmeasured: one golden",
        ),
        (compared(0, 0, status="pass"), "is as before, 0.9000"),
    ],
)
def test_a_drop_with_as_many_digits_as_explain_the_verdict(result, line):
    assert baseline_line(result) == f"baseline: mean m {line}"


@pytest.mark.parametrize(
    ("share", "floor", "status", "end"),
    [
        (0.5, None, "unmeasured", ""),
        (None, 0.9, "unmeasured", ""),
        (0.95, 0.95, "pass", ", 0.95 >= 0.95"),
        (0.94999, 0.95, "unmeasured", ", 0.94999 < 0.95"),
    ],
)
def test_coverage_beside_its_floor(share, floor, status, end):
    coverage = {"expected": 20, "measured": 19, "share": share, "floor": floor, "status": status}
    assert coverage_line(coverage) == f"coverage: 19 of 20 workflows are measured{end}"


def test_waivers_cannot_write_to_the_terminal():
    waiver = {"golden": "g\x1b[2J", "rule": "r\x1b", "reason": "why\nnot", "expires": "2026-12-31", "owner": "\x07"}
    [line] = waiver_lines({"used": [waiver], "unused": [], "expired": []})
    assert line == "waived until 2026-12-31: g\\x1b[2J, r\\x1b: why not (\\x07)"
