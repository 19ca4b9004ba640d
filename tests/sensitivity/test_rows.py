import csv
import io

import pytest

from wfkit.gate.policy import DEFAULT_POLICY, load_policy
from wfkit.sensitivity.response import Resampling
from wfkit.sensitivity.rows import as_csv
from wfkit.sensitivity.study import Plan, study


def test_csv_has_a_line_for_every_severity_and_firing(make_pair, columns):
    pairs = [
        make_pair("g,1", "missing_steps", severity, {"judge:m": score, "bleu": None})
        for severity, score in ((10, 0.9), (30, 0.7))
    ]
    seen = columns(pairs)
    records = study(seen, seen.metrics, Plan(load_policy(DEFAULT_POLICY), 10, 30, Resampling(20, 0)), {})
    rows = list(csv.DictReader(io.StringIO(as_csv(records))))
    points = [row for row in rows if row["kind"] == "sensitivity" and not row["by"]]
    assert [(row["metric"], row["severity"], row["mean"]) for row in points] == [
        ("judge:m", "10", "0.9"),
        ("judge:m", "30", "0.7"),
    ]
    assert [float(row["delta_to_next"]) if row["delta_to_next"] else None for row in points] == [
        pytest.approx(1.0),
        None,
    ]
    assert points[0]["low"] == "" and points[0]["null"] == "0"
    firing = [row for row in rows if row["kind"] == "firing" and not row["by"]]
    assert {(row["rule"], row["severity"], row["rate"], row["unmeasured"]) for row in firing} >= {
        ("missing_steps", "10", "", "1"),
    }
    assert {row["too_small"] for row in rows} == {"true"}
    assert {row["stratum"] for row in rows} == {"", "5-7"}
