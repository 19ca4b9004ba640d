"""Detection by content: one fit, several, none."""

from typing import Any

import pytest

from wfkit.errors import DataError
from wfkit.formats.base import Source
from wfkit.formats.detect import detect
from wfkit.registry import FORMATS

KNOWN = {name: FORMATS[name] for name in ("json", "worf")}
CHAT = {"id": "a", "conversations": [{"role": "assistant", "content": "Node:\n1: a\nEdge: (START,1)"}]}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (Source(text="Node:\n1: a\nEdge: (START,1) (1,END)"), "worf"),
        (Source(text="Here you are:\n\n**Nodes**\n\n1. a\n"), "worf"),
        (Source(value="Node:\n1: a"), "worf"),
        (Source(value=CHAT), "worf"),
        (Source(value=[CHAT, CHAT]), "worf"),
        (Source(value={"id": "a", "workflow": "I am sorry."}), "worf"),
        (Source(value={"choices": [{"message": {"content": "x"}}]}), "worf"),
        (Source(value={"kind": "workflow"}), "json"),
        (Source(value={"kind": "workflow", "nodes": [], "edges": [], "messages": []}), "json"),
        (Source(value={"nodes": ["a"]}), "json"),
        (Source(value=[{"nodes": ["a"], "edges": []}]), "json"),
        (Source(value={"nodes": 5}), "json"),  # and then says what is wrong with it
    ],
)
def test_one_format_fits(source: Source, name: str) -> None:
    assert detect(source, KNOWN) == name


def test_two_formats_fit() -> None:
    source = Source(value={"nodes": ["a"], "edges": [], "workflow": "Node:\n1: a"})
    with pytest.raises(DataError, match="fits json and worf; choose one with --from") as caught:
        detect(source, KNOWN)
    assert caught.value.code == "E-AMBIGUOUS"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (Source(text=""), "nothing to read"),
        (Source(text=" \n"), "nothing to read"),
        (Source(text="Dear all"), "no known format fits"),
        (Source(text="\x00\x7f" * 50), "no known format fits"),
        (Source(text="graph TD\n  A --> B"), "no known format fits"),
        (Source(value=[]), "no known format fits"),
        (Source(value=5), "no known format fits"),
        (Source(value={"nodes": [], "connections": {}}), "no known format fits"),
        (Source(value={"kind": "pair", "golden": {}}), "expected workflow, got pair"),
        (Source(value={"kind": ["pair"]}), "no known format fits"),
    ],
)
def test_no_format_fits(source: Source, message: str) -> None:
    with pytest.raises(DataError) as caught:
        detect(source, KNOWN)
    assert caught.value.code == "E-UNSUPPORTED"
    assert message in str(caught.value)


@pytest.mark.parametrize("value", [None, 1, [1], [[]], {}, {"choices": 1}, {"response": 1}, {"role": 1, "content": 2}])
def test_detection_never_raises_anything_else(value: Any) -> None:
    with pytest.raises(DataError):
        detect(Source(value=value), KNOWN)
