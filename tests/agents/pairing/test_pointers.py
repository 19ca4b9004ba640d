"""JSON Pointers and patches: RFC 6901's own examples, sharing of what is untouched, and bad input."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.agents.pairing.differences import differences, same
from wfkit.agents.pairing.pointers import child, covers, get, patched
from wfkit.errors import DataError

DOCUMENT = {"foo": ["bar", "baz"], "": 0, "a/b": 1, "m~n": 8, " ": 7}  # section 5 of the RFC
NO_PLACES = [
    "/foo/01",
    "/foo/٠",
    "/foo/+1",
    "/foo/ 1",
    "/foo/1\n",
    "/foo/²",
    f"/foo/{'0' * 5000}",
    f"/foo/{'9' * 5000}",
]


@pytest.mark.parametrize(
    ("pointer", "value"),
    [("", DOCUMENT), ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1), ("/m~0n", 8), ("/ ", 7)],
)
def test_the_examples_of_the_standard(pointer: str, value: Any) -> None:
    assert get(DOCUMENT, pointer) == value


@pytest.mark.parametrize("pointer", ["/foo/2", "/foo/-", "/foo/x", "/bar", "/foo/0/x", "foo", *NO_PLACES])
def test_a_pointer_that_leads_nowhere(pointer: str) -> None:
    with pytest.raises(DataError, match=r"nothing stands|no.* JSON Pointer"):
        get(DOCUMENT, pointer)


@pytest.mark.parametrize(
    ("patch", "result"),
    [
        ([{"op": "replace", "path": "/a/0", "value": 9}], {"a": [9, 2], "b": {"c": 3}}),
        ([{"op": "add", "path": "/a/1", "value": 9}], {"a": [1, 9, 2], "b": {"c": 3}}),
        ([{"op": "add", "path": "/a/-", "value": 9}], {"a": [1, 2, 9], "b": {"c": 3}}),
        ([{"op": "remove", "path": "/a/0"}, {"op": "remove", "path": "/a/0"}], {"a": [], "b": {"c": 3}}),
        ([{"op": "remove", "path": "/b/c"}], {"a": [1, 2], "b": {}}),
        ([{"op": "add", "path": "/b/d", "value": None}], {"a": [1, 2], "b": {"c": 3, "d": None}}),
    ],
)
def test_the_operations(patch: list[dict[str, Any]], result: Any) -> None:
    document = {"a": [1, 2], "b": {"c": 3}}
    assert patched(document, patch) == result
    assert document == {"a": [1, 2], "b": {"c": 3}}


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "move", "path": "/a", "from": "/b"},
        {"op": "replace", "path": "/x", "value": 1},
        {"op": "remove", "path": "/a/7"},
        {"op": "replace", "path": "/a"},
        {"op": "add", "path": "", "value": 1},
        {"op": "add", "path": "/a/0/x", "value": 1},
        {"op": "replace", "path": "/a/01", "value": 1},
        {"op": "replace", "path": "/a/٠", "value": 1},
        {"op": "add", "path": f"/a/{'9' * 5000}", "value": 1},
        {"op": "remove", "path": "/a/-1"},
        {},
    ],
)
def test_a_bad_operation(operation: dict[str, Any]) -> None:
    with pytest.raises(DataError):
        patched({"a": [1]}, [operation])


def test_what_is_untouched_is_shared() -> None:
    document = {"a": [{"x": 1}, {"y": 2}], "b": {"c": 3}}
    result = patched(document, [{"op": "replace", "path": "/a/0/x", "value": 5}])
    assert result["b"] is document["b"] and result["a"][1] is document["a"][1]


def test_a_pointer_covers_its_own_parts_only() -> None:
    assert covers("/a", "/a") and covers("/a", "/a/b") and not covers("/a", "/ab") and not covers("/a/b", "/a")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, VALUES)
def test_two_values_differ_somewhere_unless_they_are_the_same(one: Any, other: Any) -> None:
    assert (not list(differences(one, other))) == same(one, other)


@given(VALUES)
def test_a_value_does_not_differ_from_a_copy(value: Any) -> None:
    import copy

    assert list(differences(value, copy.deepcopy(value))) == []


@given(st.lists(st.integers(0, 3), max_size=6), st.integers(0, 6), st.integers(4, 9))
def test_an_inserted_element_is_found_where_it_is(values: list[int], place: int, new: int) -> None:
    place = min(place, len(values))
    (one,) = differences(values, [*values[:place], new, *values[place:]])
    assert (one.kind, one.pointer, one.after, one.in_list) == ("added", child("", place), new, True)


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (True, 1), ({"a": 1, "b": 2}, {"b": 2, "a": 1}), ("1", 1)])
def test_equal_is_not_the_same(one: Any, other: Any) -> None:
    assert len(list(differences(one, other))) == 1
