import pytest

from wfkit.agents.aggregation.gate import judge


def record(degradation=0.1, coverage=0.8, bounds=(0.0, 0.3), **group):
    key = {"benchmark": "b", "model": "m"} | group
    return {"group": key, "degradation": degradation, "coverage": coverage, "clean": 0.5} | {
        "bounds": {"degradation": list(bounds)}
    }


@pytest.mark.parametrize(
    ("max_degradation", "min_coverage", "worst_bound", "status"),
    [
        (0.1, None, False, "pass"),  # equal passes
        (0.09, None, False, "fail"),
        (0.1, None, True, "fail"),
        (0.3, None, True, "pass"),
        (0.5, 0.8, True, "pass"),
        (0.5, 0.81, False, "fail"),
        (None, 0.8, False, "pass"),
    ],
)
def test_limits(max_degradation, min_coverage, worst_bound, status):
    (answer,) = judge([record()], max_degradation=max_degradation, min_coverage=min_coverage, worst_bound=worst_bound)
    assert answer.status == status


def test_the_reason_names_coverage_and_bounds():
    (answer,) = judge([record()], max_degradation=0.05, min_coverage=None, worst_bound=False)
    assert answer.reason == "degradation on the common set 0.1, coverage 0.8, bounds [0, 0.3]: above 0.05"
    (answer,) = judge([record(bounds=(None, 0.3))], max_degradation=0.5, min_coverage=None, worst_bound=True)
    assert answer.reason == "worst bound of the degradation 0.3, coverage 0.8, bounds [none, 0.3]"


def test_what_could_not_be_measured_never_passes():
    unknown = record(degradation=None, coverage=0.0, bounds=(None, None))
    for worst_bound in (False, True):
        (answer,) = judge([unknown], max_degradation=1.0, min_coverage=None, worst_bound=worst_bound)
        assert answer.status == "unmeasured"
    (answer,) = judge([unknown], max_degradation=1.0, min_coverage=0.5, worst_bound=False)
    assert answer.status == "fail"


def test_every_model_of_every_benchmark_is_judged_and_nothing_else():
    records = [record(model="a"), record(model="b", benchmark="c"), record(type="missing")]
    records.append({"group": {"benchmark": "b"}})
    answers = judge(records, max_degradation=1.0, min_coverage=None, worst_bound=False)
    assert [answer.group for answer in answers] == [
        {"benchmark": "b", "model": "a"},
        {"benchmark": "c", "model": "b"},
    ]
