"""The json format: canonical records as they are, looser JSON made canonical."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.errors import DataError
from wfkit.formats import json_form
from wfkit.formats.base import ParseOptions, Source
from wfkit.formats.finish import failed_candidate, finish

CANONICAL = {
    "kind": "workflow",
    "nodes": [{"text": "Open", "id": "a", "owner": 1}, {"id": "b", "text": "Close"}],
    "extra": {"z": 1, "y": [2]},
    "edges": [["a", "b"]],
    "id": "w",
    "meta": {},
}


def read(value: Any, **options: Any) -> dict[str, Any]:
    [draft] = json_form.parse(Source(value=value, id="file"), ParseOptions(**options))
    return finish(draft, ParseOptions(**options))


def test_canonical_records_pass_as_they_are() -> None:
    value = copy.deepcopy(CANONICAL)
    assert json_form.is_clean(value)
    assert read(value) is value
    assert value == CANONICAL
    assert list(value) == list(CANONICAL)
    parallel = {**CANONICAL, "edges": []}
    assert read(parallel) is parallel
    against_the_list = {**CANONICAL, "edges": [["b", "a"]]}
    assert read(against_the_list) is against_the_list


def test_what_the_toolkit_wrote_for_a_failed_candidate_passes() -> None:
    record = failed_candidate("w", DataError("x", code="E-NO-NODES"))
    assert read(record) is record
    with pytest.raises(DataError, match="no steps"):
        read(record, strict=True)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "pair"},
        {"id": 3},
        {"nodes": []},
        {"nodes": None},
        {"nodes": [{"id": "a", "text": " "}, {"id": "b", "text": "x"}]},
        {"nodes": [{"id": "a", "text": 1}, {"id": "b", "text": "x"}]},
        {"nodes": [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]},
        {"nodes": [{"id": 1, "text": "x"}, {"id": 2, "text": "y"}], "edges": [[1, 2]]},
        {"nodes": ["a", "b"]},
        {"nodes": [{"id": "START", "text": "x"}, {"id": "b", "text": "x"}], "edges": []},
        {"nodes": [{"id": ["a"], "text": "x"}]},
        {"edges": None},
        {"edges": ["ab"]},
        {"edges": [["a", "x"]]},
        {"edges": [["a", "a"]]},
        {"edges": [["a", "b"], ["b", "a"]]},
        {"edges": [["a", "b"], ["a", "b"]]},
        {"edges": [["a", "b", "a"]]},
        {"edges": [{"a": 1, "b": 2}]},
        {"num_steps": 3},
    ],
)
def test_what_is_not_clean(change: dict[str, Any]) -> None:
    assert json_form.is_clean(CANONICAL)
    assert not json_form.is_clean({**CANONICAL, **change})


AB = [{"id": "1", "text": "Open"}, {"id": "2", "text": "Close"}]


@pytest.mark.parametrize(
    "value",
    [
        {"nodes": ["Open", "Close"], "edges": [[1, 2]]},
        {"nodes": ["Open", "Close"], "edges": [["1", "2"]]},
        {"nodes": ["Open", "Close"], "edges": [["Open", "Close"]]},
        {"nodes": [{"id": 1, "text": "Open"}, {"id": 2, "text": "Close"}], "edges": [[1, "2"]]},
        {"nodes": [{"text": "Open"}, {"text": "Close"}], "edges": ["1->2"]},
        {"nodes": [{"id": "1", "label": "Open"}, {"key": 2, "title": "Close"}], "edges": ["1 → 2"]},
        {"nodes": [{"id": "1", "description": "<b>Open</b>"}, {"id": "2", "text": "Close"}], "edges": [["1", "2"]]},
        {"nodes": AB, "edges": [{"source": "1", "target": "2"}]},
        {"steps": ["Open", "Close"], "edges": [[1, 2]]},
        {"tasks": AB, "edges": ["1->2"]},
        {"nodes": AB, "edges": [{"from": 1, "to": 2}]},
        {"nodes": AB, "edges": [["START", 1], [1, 2], [2, "END"]]},
        {"nodes": AB, "edges": ["start -> 1", "1 => 2", "2 --> end"]},
        {"nodes": ["START", "Open", "Close", "END"], "edges": [[0, 1], [1, 2], [2, 3]]},
        {
            "nodes": [{"id": "__start__"}, *AB, {"id": "__end__"}],
            "edges": [["__start__", 1], [1, 2], [2, "__end__"]],
        },
    ],
)
def test_looser_forms(value: dict[str, Any]) -> None:
    record = read(value)
    assert (record["kind"], record["id"]) == ("workflow", "file")
    assert [(node["id"], node["text"]) for node in record["nodes"]] == [("1", "Open"), ("2", "Close")]
    assert record["edges"] == [["1", "2"]]
    assert "warnings" not in record["meta"]
    assert set(record["meta"]) in (set(), {"start", "end"})


def test_numbering_from_zero() -> None:
    record = read({"nodes": ["Open", "Wait", "Close"], "edges": [[0, 1], [1, 2]]})
    assert [node["id"] for node in record["nodes"]] == ["0", "1", "2"]
    assert record["edges"] == [["0", "1"], ["1", "2"]]


def test_further_fields_survive() -> None:
    value = {
        "owner": "me",
        "id": 12,
        "task": "t",
        "nodes": [{"tool": "x", "id": 1, "text": "Open"}, {"id": 2, "text": "Close", "why": None}],
        "tags": ["z"],
        "edges": [{"source": 1, "target": 2, "label": "yes"}],
        "meta": {"model": "m"},
    }
    before = copy.deepcopy(value)
    assert read(value) == {
        "kind": "workflow",
        "id": "12",
        "task": "t",
        "owner": "me",
        "tags": ["z"],
        "nodes": [{"id": "1", "text": "Open", "tool": "x"}, {"id": "2", "text": "Close", "why": None}],
        "edges": [["1", "2"]],
        "meta": {"model": "m", "edge_attrs": [["1", "2", {"label": "yes"}]]},
    }
    assert value == before  # the input is not changed


def test_a_step_may_be_called_start() -> None:
    value = {
        "nodes": [{"id": "start", "text": "Open the door"}, {"id": "x", "text": "Go in"}],
        "edges": [["start", "x"]],
    }
    assert read(value)["edges"] == [["start", "x"]]


def test_a_list_of_records_keeps_failures_in_place() -> None:
    value = [{"id": "a", "nodes": ["x"]}, {"id": "b", "nodes": 5}, {"nodes": ["y"]}]
    drafts = json_form.parse(Source(value=value, id="file"), ParseOptions())
    assert [draft.id for draft in drafts] == ["a", "b", "file/3"]
    assert [draft.problem and draft.problem.path for draft in drafts] == [None, "$[1].nodes", None]


@pytest.mark.parametrize(
    ("value", "code", "path", "message"),
    [
        ([1], "E-SYNTAX", "$[0]", "expected an object with nodes and edges, got 1"),
        ({"kind": "pair", "nodes": ["a"]}, "E-UNSUPPORTED", "$.kind", "expected workflow, got 'pair'"),
        ({"nodes": {"a": 1}}, "E-SYNTAX", "$.nodes", "nodes is an object of 1, not a list"),
        ({"nodes": []}, "E-NO-NODES", None, "there are no steps"),
        ({"nodes": ["a", "b"]}, "E-NO-EDGES", None, "nothing says"),
        ({"nodes": ["a", "b"], "edges": []}, "E-NO-EDGES", None, "nothing says"),
        ({"nodes": ["a", "b"], "edges": "1->2"}, "E-SYNTAX", "$.edges", "edges is '1->2', not a list"),
        ({"nodes": ["a", "b"], "edges": [[1, 2], [1]]}, "E-SYNTAX", "$.edges[1]", "not a list of 1"),
        ({"nodes": ["a", "b"], "edges": ["1-2"]}, "E-SYNTAX", "$.edges[0]", "not '1-2'"),
        ({"nodes": ["a", "b"], "edges": [{"a": 1}]}, "E-SYNTAX", "$.edges[0]", "not an object of 1"),
        ({"nodes": ["a", "b"], "edges": [[1, None]]}, "E-SYNTAX", "$.edges[0]", "not null"),
        ({"nodes": ["a", "b"], "edges": [[1, 2.5]]}, "E-SYNTAX", "$.edges[0]", "not 2.5"),
        ({"nodes": ["a", "b"], "edges": [[1, 2], [2, 1]]}, "E-CYCLE", None, "1 -> 2 -> 1"),
        ({"nodes": ["a", "a"], "edges": [["a", "a"]]}, "E-DUP-ID", "$.edges[0]", "the text of several steps"),
        ({"nodes": [7]}, "E-SYNTAX", "$.nodes[0]", "a step is 7"),
        ({"nodes": [{"id": 1.5, "text": "x"}]}, "E-SYNTAX", "$.nodes[0].id", "not 1.5"),
        ({"nodes": [{"id": None, "text": "x"}]}, "E-SYNTAX", "$.nodes[0].id", "not null"),
        ({"nodes": [{"id": True, "text": "x"}]}, "E-SYNTAX", "$.nodes[0].id", "not true"),
        ({"nodes": [{"id": "", "text": "x"}]}, "E-SYNTAX", "$.nodes[0].id", "not ''"),
        ({"nodes": [{"id": 1, "text": "x"}, {"text": "y"}]}, "E-SYNTAX", "$.nodes[1]", "no id, but others have"),
        ({"nodes": [{"id": 1, "text": "x"}, {"id": "1", "text": "y"}]}, "E-DUP-ID", "$.nodes[1]", "'1' occurs twice"),
        ({"nodes": [{"id": 1}]}, "E-EMPTY-TEXT", "$.nodes[0]", "step '1' has no text"),
        ({"nodes": [{"id": 1, "text": ["x"]}]}, "E-SYNTAX", "$.nodes[0].text", "the text is a list of 1"),
        ({"nodes": ["a"], "meta": 1}, "E-SYNTAX", "$.meta", "meta is 1"),
        ({"nodes": ["a"], "meta": {"start": "1"}}, "E-SYNTAX", "$.meta.start", "not a list"),
        ({"nodes": ["a"], "task": {}}, "E-SYNTAX", "$.task", "the task is an object of 0"),
        ({"nodes": ["a"] * 10_001}, "E-LIMIT", None, "10,001 steps"),
        ({**CANONICAL, "edges": [["a", "b"], ["b", "a"]]}, "E-CYCLE", None, "a -> b -> a"),
    ],
)
def test_what_is_refused(value: Any, code: str, path: str | None, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read(value)
    assert (caught.value.code, caught.value.path) == (code, path)
    assert message in str(caught.value)


def test_ghosts_in_a_canonical_record() -> None:
    value = {**CANONICAL, "edges": [["a", "b"], ["b", "x"]]}
    assert read(value)["edges"] == [["a", "b"]]
    with pytest.raises(DataError, match="b -> x"):
        read(value, strict=True)


def test_options_reach_canonical_records() -> None:
    value = {**CANONICAL, "edges": [["b", "a"]]}
    assert [node["id"] for node in read(value, order="topo")["nodes"]] == ["b", "a"]
    assert read({**CANONICAL, "edges": []}, order="topo")["edges"] == []


IDS = st.one_of(st.none(), st.integers(0, 3), st.sampled_from(["a", "START", "end"]), st.floats(), st.booleans())
STEPS = st.fixed_dictionaries({}, optional={"id": IDS, "text": st.text("ab", max_size=1)})
NODES = st.one_of(st.text("ab ", max_size=2), STEPS, IDS)
ENDS = st.fixed_dictionaries({"from": IDS, "to": IDS})
EDGES = st.one_of(st.lists(IDS, max_size=3), st.sampled_from(["a->b", "0->1", "x"]), ENDS)
LOOSE = st.fixed_dictionaries(
    {"nodes": st.lists(NODES, max_size=4)},
    optional={"id": IDS, "kind": st.just("workflow"), "edges": st.lists(EDGES, max_size=4), "meta": st.none()},
)


@given(LOOSE)
def test_any_value_gives_a_clean_record_or_a_data_error(value: dict[str, Any]) -> None:
    try:
        record = read(value)
    except DataError as error:
        assert error.code.startswith("E-")
        return
    # What was read is canonical: reading it again changes nothing.
    assert json_form.is_clean(record)
    assert read(record) is record
