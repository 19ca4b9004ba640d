"""What the tests of formats share: reading as `wf-parse` does it, and drawings made by hand."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from wfkit.errors import DataError
from wfkit.formats.base import ParseOptions, Source
from wfkit.formats.finish import finish
from wfkit.formats.read import read
from wfkit.registry import FORMATS
from wfkit.sources import row_of
from wfkit.streams import Line

Record = dict[str, Any]
Parse = Callable[..., list[Record]]


def parse(given: str | dict[str, Any] | list[Any] | Path, wanted: str = "auto", **options: Any) -> list[Record]:
    """The records of a text, a decoded value or a file; what cannot be read is ``{"problem": DataError}``."""
    if isinstance(given, Path):
        rows = [given.read_bytes()]
        if given.suffix == ".jsonl":
            rows = rows[0].splitlines()
        sources = [
            row_of(Line(raw, len(raw), str(given), 1), text_path=None, id_path=None, given_id=None).source
            for raw in rows
        ]
    elif isinstance(given, str):
        sources = [Source(text=given, id="t")]
    else:
        sources = [Source(value=given, id="t")]
    chosen = ParseOptions(**options)
    records = []
    for source in sources:
        for draft in read(source, wanted, FORMATS, chosen):
            try:
                records.append(finish(draft, chosen))
            except DataError as error:
                records.append({"id": draft.id, "problem": error})
    return records


def drawn(record: Record) -> tuple[dict[str, str], set[tuple[str, str]]]:
    """The steps of a record, id to text, and its edges."""
    if "problem" in record:
        raise record["problem"]
    assert len({tuple(edge) for edge in record["edges"]}) == len(record["edges"])
    return {node["id"]: node["text"] for node in record["nodes"]}, {(a, b) for a, b in record["edges"]}


NODE = re.compile(r"(?P<name>\w+) \[(?P<id>[^\]]+)\](?: (?P<text>.*))?$")


def drawing(text: str) -> tuple[dict[str, str], set[tuple[str, str]]]:
    """A drawing made by hand: lines ``name [id] text`` (no text: the id), lines of edges ``name-name-name``."""
    ids: dict[str, str] = {}
    texts: dict[str, str] = {}
    edges: set[tuple[str, str]] = set()
    for line in filter(None, map(str.strip, text.splitlines())):
        node = NODE.match(line)
        if node:
            ids[node["name"]] = node["id"]
            texts[node["id"]] = node["text"] or node["id"]
        else:
            for edge in line.split():
                chain = edge.split("-")
                edges |= {(ids[a], ids[b]) for a, b in pairwise(chain)}
    return texts, edges


@pytest.fixture(name="parse")
def parse_fixture() -> Parse:
    return parse


@pytest.fixture(name="drawn")
def drawn_fixture() -> Callable[[Record], Any]:
    return drawn


@pytest.fixture(name="drawing")
def drawing_fixture() -> Callable[[str], Any]:
    return drawing
