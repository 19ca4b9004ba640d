"""The record schemas: where they are, what a complaint says, and two checkers that must agree."""

import copy
import json
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfkit import schema
from wfkit.errors import DataError

CONFIGURATION = ("policy", "waiver")
KINDS = sorted(path.name.removesuffix(".schema.json") for path in schema.directory().glob("*.schema.json"))


def examples(kind: str) -> list[Any]:
    found = json.loads(schema.text(kind))["examples"]
    assert found
    return found


def complaint(check: schema.Check, value: Any) -> str | None:
    try:
        check(value)
    except DataError as error:
        assert error.code == "E-SCHEMA"
        return error.path
    return None


@pytest.mark.parametrize("kind", KINDS)
def test_every_schema_is_valid_2020_12_and_its_examples_fit(kind: str) -> None:
    whole = schema.bundled(kind)
    assert whole["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert whole["$id"] == f"{kind}.schema.json"
    jsonschema.Draft202012Validator.check_schema(whole)
    for example in examples(kind):
        assert example.get("kind", kind) == kind  # a policy written by hand and an answer of the judge have none
        schema.checker(kind)(example)


def properties(value: Any, place: str) -> list[tuple[str, Any]]:
    """All properties of a schema, however deep."""
    found = []
    if isinstance(value, dict):
        for name, child in value.get("properties", {}).items():
            found.append((f"{place}.{name}", child))
        for key, child in value.items():
            if key not in ("examples", "enum", "const", "default", "$defs", "if"):
                found += properties(child, f"{place}.{key}")
    elif isinstance(value, list):
        for child in value:
            found += properties(child, place)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_every_property_has_a_description(kind: str) -> None:
    whole = json.loads(schema.text(kind))
    assert whole["description"]
    definitions = list(whole.get("$defs", {}).items())
    found = properties(whole, "$") + [one for name, part in definitions for one in properties(part, name)]
    assert found
    assert [place for place, part in found if not part.get("description")] == []


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in CONFIGURATION])
def test_records_may_hold_unknown_properties(kind: str) -> None:
    for example in examples(kind):
        schema.checker(kind)({**example, "something else": [1]})


@pytest.mark.parametrize("kind", CONFIGURATION)
def test_configuration_may_not(kind: str) -> None:
    with pytest.raises(DataError):
        schema.checker(kind)({**examples(kind)[0], "treshold": 1})


@pytest.mark.parametrize(
    ("kind", "value", "path"),
    [
        ("workflow", {"kind": "workflow", "id": "a", "nodes": []}, "$"),
        ("workflow", {"kind": "workflow", "id": 1, "nodes": [], "edges": []}, "$.id"),
        ("workflow", {"kind": "workflow", "id": "a", "nodes": [{"id": "1"}], "edges": []}, "$.nodes[0]"),
        ("workflow", {"kind": "workflow", "id": "a", "nodes": [], "edges": [["1", "2", "3"]]}, "$.edges[0]"),
        ("workflow", {"kind": "workflow", "id": "a", "nodes": [], "edges": [["1", 2]]}, "$.edges[0][1]"),
        ("pair", {"kind": "pair", "id": "a", "golden": {"kind": "workflow"}, "candidate": None}, "$.golden"),
        ("pair", {**examples("pair")[0], "scores": {"bleu": "0.5"}}, "$.scores.bleu"),
        ("pair", {**examples("pair")[0], "reasons": {"bleu": "no idea"}}, "$.reasons.bleu"),
        ("error", {**examples("error")[0], "where": {"file": "f", "line": 0}}, "$.where.line"),
    ],
)
def test_both_checkers_name_the_place(kind: str, value: Any, path: str) -> None:
    assert complaint(schema.checker(kind), value) == path
    assert complaint(schema.checker_with_jsonschema(schema.bundled(kind)), value) == path


def test_a_complaint_is_one_short_line() -> None:
    value = {"kind": "workflow", "id": "a", "nodes": [{"id": "1", "text": ["x\n" * 5000]}], "edges": []}
    with pytest.raises(DataError) as caught:
        schema.checker("workflow")(value)
    assert len(str(caught.value)) < 400
    assert "\n" not in str(caught.value)


def test_integers_of_any_size_are_checked_alike() -> None:
    value = {"kind": "workflow", "id": "a", "nodes": [], "edges": [], "large": 10**40}
    assert complaint(schema.checker("workflow"), value) is None
    assert complaint(schema.checker_with_jsonschema(schema.bundled("workflow")), value) is None


SCALARS = st.sampled_from([None, True, False, 0, 1, -1, 0.5, 1e300, 10**40, "", "a", "1", "undefined: x", [], {}])


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        found += places(child, (*path, key))
    return found


def mutated(value: Any, path: tuple[Any, ...], change: Any) -> Any:
    """A copy whose part at a path is replaced; a change of ... takes it out."""
    if not path:
        return change if change is not ... else {}
    result = copy.deepcopy(value)
    parent = result
    for key in path[:-1]:
        parent = parent[key]
    if change is ...:
        del parent[path[-1]]
    else:
        parent[path[-1]] = change
    return result


@pytest.mark.parametrize("kind", KINDS)
def test_both_checkers_accept_and_refuse_the_same(kind: str) -> None:
    whole = schema.bundled(kind)
    fast, slow = jsonschema_rs.validator_for(whole), jsonschema.Draft202012Validator(whole)
    answers = []

    @settings(max_examples=100, deadline=None)
    @given(st.data())
    def compare(data: st.DataObject) -> None:
        value = data.draw(st.sampled_from(examples(kind)))
        for _ in range(data.draw(st.integers(1, 2))):
            change = data.draw(st.just(...) | SCALARS)
            value = mutated(value, data.draw(st.sampled_from(places(value))), change)
        answer = fast.is_valid(value)
        assert answer == slow.is_valid(value)
        answers.append(answer)

    compare()
    assert True in answers
    assert False in answers
