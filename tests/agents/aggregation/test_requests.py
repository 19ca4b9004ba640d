from math import isnan

import pytest

from wfkit.agents.aggregation.requests import read_requests
from wfkit.errors import DataError, UsageProblem


def test_columns_are_sorted_by_id(short):
    records = [
        short.asked("b", "t2", "tools/incorrect", edit="add_fake_tool"),
        short.asked("a", "t9", edit={"operation": "remove_tool"}, noop_score=1),
        short.asked("c", "t1", "context/redundant", status="inapplicable"),
    ]
    requests = read_requests(records)
    assert requests.positions == {"a": 0, "b": 1, "c": 2}
    assert [requests.task.names[code] for code in requests.task.codes] == ["t9", "t2", "t1"]
    assert requests.task.names == ["t1", "t2", "t9"]
    assert list(requests.target) == [0, 3, 2]
    assert list(requests.type) == [0, 2, 1]
    assert list(requests.constructed) == [1, 1, 0]
    assert requests.operation.names == ["add_fake_tool", "remove_tool"]
    assert list(requests.operation.codes) == [1, 0, -1]
    assert requests.noop_score[0] == 1
    assert isnan(requests.noop_score[1])
    backwards = read_requests(reversed(records))
    assert (backwards.positions, backwards.task, backwards.operation) == (
        requests.positions,
        requests.task,
        requests.operation,
    )


def test_fields_to_group_by(short):
    records = [
        short.asked("a", edit={"level": "value"}, generator="rules"),
        short.asked("b", edit={"level": 2}),
        short.asked("c", edit="x", generator=True),
    ]
    by = read_requests(records, (".edit.level", "generator")).by
    assert by[".edit.level"].names == ["2", "value"]
    assert list(by[".edit.level"].codes) == [1, 0, -1]
    assert by["generator"].names == ["rules", "true"]
    assert list(by["generator"].codes) == [0, -1, 1]


def test_error_records_are_counted(short):
    assert read_requests([{"kind": "error", "id": "x"}, short.asked("a")]).error_records == 1


@pytest.mark.parametrize("records", [[], [{"kind": "error"}]])
def test_an_empty_list_is_refused(records):
    with pytest.raises(UsageProblem, match="the list of requests is empty"):
        read_requests(records)


def test_a_repeated_id_is_refused(short):
    with pytest.raises(UsageProblem, match="the pair p1 twice"):
        read_requests([short.asked("p1"), short.asked("p1")])


def test_two_scales_of_one_benchmark_are_refused(short):
    with pytest.raises(UsageProblem, match="benchmark b has two scales, binary and unit"):
        read_requests([short.asked("p1"), short.asked("p2", scale="unit")])


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("id", "", "id should be a text"),
        ("id", 3, "id should be a text"),
        ("task", None, "task should be a text"),
        ("benchmark", None, "benchmark should be a text"),
        ("status", None, "status should be a text"),
        ("scale", "percent", "scale should be one of binary, unit"),
        ("target", "weather", "target should be one of user"),
        ("target", ["user"], "target should be one of user"),
        ("type", None, "type should be one of missing"),
        ("noop_score", 0.5, "binary scale"),
        ("noop_score", 2, "from 0 to 1"),
    ],
)
def test_a_malformed_request_is_a_data_error(short, field, value, message):
    with pytest.raises(DataError, match=message):
        read_requests([short.asked("p1") | {field: value}])
