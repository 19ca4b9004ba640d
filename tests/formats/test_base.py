"""The adapter interface: sources, several values of one source, labels of visual tools."""

import time
from typing import Any

import pytest

from wfkit.errors import DataError
from wfkit.formats.base import Draft, Source, clean_text, id_of, read_each


def test_plain_text_of_a_source() -> None:
    assert Source(text="a").plain_text() == "a"
    assert Source(text='"a"', value="a").plain_text() == "a"
    assert Source(text="[1]", value=[1]).plain_text() is None
    assert Source().plain_text() is None


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Do <b>it</b> now", "Do it now"),
        ("Do<br>it<br/>now\nor&nbsp;later\u00a0", "Do it now or later"),
        ("<p>One</p><p>Two</p>", "One Two"),
        ("R&amp;D &lt;draft&gt;", "R&D <draft>"),
        ("if a < b and c > d", "if a < b and c > d"),
        ("cafe\u0301", "caf\u00e9"),
        ("", ""),
    ],
)
def test_labels_become_plain_text(text: str, plain: str) -> None:
    assert clean_text(text) == plain


def test_labels_are_cleaned_in_linear_time() -> None:
    begin = time.process_time()
    clean_text("<a " * 100_000)
    assert time.process_time() - begin < 5


@pytest.mark.parametrize(
    ("value", "expected"), [({"id": "a"}, "a"), ({"id": 3}, "3"), ({"id": ""}, "d"), ({"id": True}, "d"), ({}, "d")]
)
def test_ids_are_strings_or_integers(value: dict[str, Any], expected: str) -> None:
    assert id_of(value, "d") == expected


def test_a_bad_value_among_several_keeps_its_place() -> None:
    def read(value: Any, default_id: str) -> Draft:
        if value == 2 or isinstance(value, dict):
            raise DataError("bad", code="E-SYNTAX", path=None if value == 2 else "$.nodes")
        return Draft(default_id)

    drafts = read_each(Source(id="file"), read, [1, 2, {"id": "own"}])
    assert [draft.id for draft in drafts] == ["file/1", "file/2", "own"]
    assert [draft.problem and draft.problem.path for draft in drafts] == [None, "$[1]", "$[2].nodes"]
