"""Candidates beside goldens: each golden and each candidate ends in exactly one place."""

from collections.abc import Sequence
from typing import Any

import pytest

from wfkit.errors import DataError, UsageProblem
from wfkit.joining import GoldenTable, key_of, parse_key


def workflow(record_id: str, **fields: Any) -> dict[str, Any]:
    return {"kind": "workflow", "id": record_id, "nodes": [], "edges": [], **fields}


@pytest.mark.parametrize(
    ("record", "path", "expected"),
    [
        ({"id": "a"}, ["id"], "a"),
        ({"meta": {"task": 7}}, ["meta", "task"], "7"),
        ({"meta": {"task": True}}, ["meta", "task"], None),
        ({"meta": {"task": 1.5}}, ["meta", "task"], None),
        ({"meta": "task"}, ["meta", "task"], None),
        ({}, ["id"], None),
    ],
)
def test_key_of(record: dict[str, Any], path: Sequence[str], expected: str | None) -> None:
    assert key_of(record, path) == expected


def test_parse_key() -> None:
    assert parse_key(".meta.task") == parse_key("meta.task") == ("meta", "task")


@pytest.mark.parametrize("key", ["", ".", "..id", "a..b", "a."])
def test_a_key_with_an_empty_part_is_refused(key: str) -> None:
    with pytest.raises(UsageProblem, match="--key"):
        parse_key(key)


def test_a_candidate_meets_the_golden_with_its_id() -> None:
    table = GoldenTable([workflow("a"), workflow("b")], ["id"])
    (pair,) = table.pairs(workflow("b", extra=1))
    assert pair == {"kind": "pair", "id": "b", "golden": workflow("b"), "candidate": workflow("b", extra=1)}


def test_every_combination_of_a_group_is_one_pair() -> None:
    goldens = [workflow("g1", task="t"), workflow("g2", task="t"), workflow("g3", task="u")]
    table = GoldenTable(goldens, ["task"])
    ids = [(pair["id"], pair["group"]) for one in ("c1", "c2") for pair in table.pairs(workflow(one, task="t"))]
    assert ids == [("c1@g1", "t"), ("c1@g2", "t"), ("c2@g1", "t"), ("c2@g2", "t")]
    assert [pair["id"] for pair in table.pairs(workflow("c3", task="u"))] == ["c3"]


def test_a_candidate_without_a_golden_is_refused() -> None:
    with pytest.raises(DataError, match="no golden has id 'x'") as caught:
        GoldenTable([workflow("a")], ["id"]).pairs(workflow("x"))
    assert caught.value.code == "E-NO-GOLDEN"


def test_a_candidate_of_a_bad_golden_is_told_what_is_wrong_with_it() -> None:
    with pytest.raises(DataError, match="no golden has id 'x' that can be used: the steps form a cycle"):
        GoldenTable([workflow("a")], ["id"], {"x": "the steps form a cycle"}).pairs(workflow("x"))


def test_no_value_at_the_key_is_refused_on_both_sides() -> None:
    with pytest.raises(DataError, match=r"candidate has no value at \.meta\.task"):
        GoldenTable([workflow("a", meta={"task": "t"})], ["meta", "task"]).pairs(workflow("c"))
    with pytest.raises(DataError, match=r"golden has no value at \.meta\.task"):
        GoldenTable([workflow("a")], ["meta", "task"])


def test_goldens_that_met_nobody_get_an_empty_candidate() -> None:
    table = GoldenTable([workflow("a"), workflow("b"), workflow("c")], ["id"])
    table.meet(["b"])
    pairs = list(table.without_candidate())
    assert [pair["id"] for pair in pairs] == ["a", "c"]
    assert all(pair["candidate"]["nodes"] == [] for pair in pairs)
    assert all(pair["candidate"]["meta"]["error"].startswith("E-NO-CANDIDATE") for pair in pairs)


def test_a_group_is_met_by_its_key_and_a_golden_by_its_id() -> None:
    table = GoldenTable([workflow("g1", task="t"), workflow("g2", task="u"), workflow("g3", task="v")], ["task"])
    table.meet(["t", "g3"])  # a candidate of the task t; an error record with the id g3
    assert [pair["id"] for pair in table.without_candidate()] == [
        "@g2"
    ]  # no candidate of an id of its own can be called so by chance
