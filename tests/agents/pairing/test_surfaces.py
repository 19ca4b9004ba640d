"""Where surfaces stand: native objects of several kinds, parts of arrays, and pointers that are wrong."""

from types import SimpleNamespace
from typing import Any

import pytest

from wfkit.agents.pairing import surfaces
from wfkit.errors import DataError


def test_without_pointers_the_members_of_public_are_the_surfaces() -> None:
    found = surfaces.pointers_of({"public": {"user": "u", "tools": [], "more": 1}})
    assert found == {"user": ("/user",), "tools": ("/tools",)}


@pytest.mark.parametrize(
    ("pointers", "words"),
    [
        ({"user": ["/messages/9/content"]}, "where nothing is"),
        ({"user": ["/messages/5"], "context": ["/messages"]}, "overlaps"),
    ],
)
def test_pointers_that_are_wrong(pointers: dict[str, Any], words: str, short: SimpleNamespace) -> None:
    with pytest.raises(DataError, match=words):
        surfaces.pointers_of(short.desk(pointers=pointers))


PARTS = [
    {"type": "text", "text": "one"},
    {"type": "image_url", "image_url": {"url": "x"}},
    {"type": "text", "text": ""},
]


@pytest.mark.parametrize(
    ("value", "target", "found"),
    [
        ("one", "user", [("/x", "one")]),
        ("  ", "user", []),
        (["one", "two"], "user", [("/x/0", "one"), ("/x/1", "two")]),
        ({"reason": "one", "known": "two"}, "user", [("/x/reason", "one"), ("/x/known", "two")]),
        ([[{"role": "user", "content": "one"}]], "user", [("/x/0/0/content", "one")]),
        ([{"role": "user", "content": PARTS}], "user", [("/x/0/content/0/text", "one")]),
        (
            [{"role": "tool", "content": "one"}, {"role": "assistant", "content": "two"}],
            "context",
            [("/x/1/content", "two")],
        ),
        ([{"role": "system", "content": "one"}], "procedure", [("/x/0/content", "one")]),
        ([{"role": "assistant", "content": None, "tool_calls": []}], "context", []),
        (7, "user", []),
    ],
)
def test_the_texts_of_a_surface(value: Any, target: str, found: list[tuple[str, str]]) -> None:
    passages = surfaces.passages({"x": value}, ["/x"], target)
    assert [(passage.pointer, passage.text) for passage in passages] == found


@pytest.mark.parametrize(
    ("pointers", "room"),
    [
        (["/x"], ("/x", 0, 3)),
        (["/x/1"], ("/x", 1, 2)),
        (["/x/0", "/x/1"], ("/x", 0, 2)),
        (["/x/0", "/x/2"], None),
        (["/y"], None),
    ],
)
def test_where_elements_can_be_put(pointers: list[str], room: tuple[str, int, int] | None) -> None:
    assert surfaces.room({"x": [1, 2, 3], "y": "text"}, pointers) == room
