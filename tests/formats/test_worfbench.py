"""The published goldens of WorFBench and real model answers, whole: counts, and every odd row by hand."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from wfkit.errors import DataError
from wfkit.formats import worf
from wfkit.formats.base import ParseOptions, Source
from wfkit.formats.detect import detect
from wfkit.formats.finish import finish
from wfkit.formats.json_form import is_clean
from wfkit.registry import FORMATS
from wfkit.workflow import from_record, topological_order, transitive_closure

Goldens = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def goldens(corpus: Path) -> Goldens:
    """The records of each file, in order, read strictly."""
    result = {}
    for file in sorted((corpus / "worfbench").glob("*.json")):
        source = Source(value=json.loads(file.read_text(encoding="utf-8")), name=file.name, id=file.stem)
        assert detect(source, {name: FORMATS[name] for name in ("json", "worf")}) == "worf"
        options = ParseOptions(strict=True)
        result[file.stem] = [finish(draft, options) for draft in worf.parse(source, options)]
    return result


def shape(record: dict[str, Any]) -> tuple[int, str]:
    """The number of steps and the edges between them as one string."""
    return len(record["nodes"]), " ".join(f"{source}-{target}" for source, target in record["edges"])


def chain(count: int) -> tuple[int, str]:
    return count, " ".join(f"{step}-{step + 1}" for step in range(1, count))


def test_every_golden_is_read(goldens: Goldens) -> None:
    counts = {name: len(records) for name, records in goldens.items()}
    assert counts == {"alfworld": 312, "lumos": 489, "toolalpaca": 93, "toolbench": 114, "webshop": 133, "wikihow": 262}
    records = [record for records in goldens.values() for record in records]
    assert len({record["id"] for record in records}) == len(records) == 1403
    assert all(is_clean(record) for record in records)
    assert all(record["task"] and "list you can" not in record["task"] for record in records)
    assert all("conversations" not in record and record["source"] in counts for record in records)


def test_the_census(goldens: Goldens) -> None:
    """Counts that were also taken with a plain pattern over the whole text, row by row."""
    records = [record for records in goldens.values() for record in records]
    warned = Counter(warning.split(":")[0] for record in records for warning in record["meta"].get("warnings", []))
    # 37 goldens have prose right under their last step, one has its explanation among the steps.
    assert warned == {"W-TRAILING": 38, "W-START-MISMATCH": 34, "W-DUP-EDGE": 2, "W-ISOLATED": 2}
    assert sum(not record["meta"]["start"] for record in records) == 2
    assert sum(not record["meta"]["end"] for record in records) == 1
    last = [record["nodes"][-1]["text"] for record in records]
    assert sum(text.rstrip(".!") == "Finished" for text in last) == 9  # 15 in all nine files of the benchmark
    assert sum(len(record["nodes"]) == 1 for record in records) == 21
    assert sum(len({node["text"] for node in record["nodes"]}) < len(record["nodes"]) for record in records) == 45


# Rows whose layout is regular in their meaning: a chain of so many steps.
CHAINS = {
    "lumos": {33: 3, 156: 3, 188: 4, 191: 3, 234: 4, 262: 5, 282: 2, 286: 2, 459: 3},
    "toolbench": {0: 2, 51: 2},
    "wikihow": {8: 5, 12: 9, 14: 14, 22: 4, 28: 12, 31: 9, 40: 8, 42: 6, 70: 2, 102: 7, 119: 12, 143: 7, 148: 7}
    | {154: 5, 159: 3, 165: 10, 199: 8, 219: 6, 253: 6, 255: 6, 260: 10, 261: 12},
}
# Rows of steps that are all independent.
PARALLEL = {
    "toolbench": {13: 3},
    "wikihow": {9: 7, 27: 13, 33: 4, 74: 5, 78: 4, 85: 5, 114: 4, 200: 3, 206: 4, 214: 9, 221: 4},
}
OTHERS = {
    ("lumos", 159): (4, "1-3 2-3 3-4"),
    ("lumos", 189): (4, ""),  # only (4,END) was written
    ("lumos", 235): (4, "2-3 2-4 3-4"),
    ("lumos", 260): (4, ""),
    ("lumos", 349): (3, "1-3 2-3"),
    ("lumos", 467): (3, "1-2 2-3"),
    ("toolbench", 56): (4, "1-2 1-3 1-4"),
    ("wikihow", 46): (6, "1-3 2-3 3-4 4-5 5-6"),
    ("wikihow", 64): (5, "1-2 1-3 1-4 2-5 3-5 4-5"),
    ("wikihow", 130): (4, "1-2 2-4 1-3 3-4"),
    ("wikihow", 136): (5, "1-2 1-3 1-4 1-5"),
    ("wikihow", 181): (4, "1-2 2-3 2-4"),
    ("wikihow", 220): (6, "1-2 2-3 2-4 2-5 2-6"),
    ("wikihow", 227): (3, "1-2 1-3"),
    ("wikihow", 232): (4, "1-2 1-3 3-4 2-4"),
    ("wikihow", 239): (4, "1-2 1-3 1-4"),
}


def test_odd_rows(goldens: Goldens) -> None:
    expected = {(name, row): chain(count) for name, rows in CHAINS.items() for row, count in rows.items()}
    expected |= {(name, row): (count, "") for name, rows in PARALLEL.items() for row, count in rows.items()}
    expected |= OTHERS
    assert {key: shape(goldens[key[0]][key[1]]) for key in expected} == expected


def test_the_text_of_odd_rows(goldens: Goldens) -> None:
    assert [node["text"] for node in goldens["lumos"][282]["nodes"]] == [
        "Calculate the total pieces of bread after the first duck ate.",
        "Calculate the total pieces of bread thrown in the pond.",
    ]
    assert goldens["wikihow"][8]["nodes"][-1]["text"] == "Evaluate the training program."
    assert goldens["wikihow"][42]["nodes"][-1]["text"] == "Finished."
    assert goldens["wikihow"][199]["nodes"][4]["text"] == "Press : to move the cursor to the question box."
    assert goldens["wikihow"][0]["nodes"][2]["text"].startswith("Heat your jade roller at 105 to 110 °F (41 to 43 °C)")


def test_what_is_written_reads_back_the_same(goldens: Goldens) -> None:
    for record in (record for records in goldens.values() for record in records):
        [draft] = worf.parse(Source(text=worf.write(record)), ParseOptions())
        back = finish(draft, ParseOptions())
        assert back["nodes"] == record["nodes"]
        assert back["edges"] == record["edges"]


def test_fifty_goldens_have_an_edge_that_a_longer_path_implies(goldens: Goldens) -> None:
    changed = 0
    for record in (record for records in goldens.values() for record in records):
        [draft] = worf.parse(Source(text=worf.write(record)), ParseOptions())
        fewer = finish(draft, ParseOptions(reduce=True))
        assert precedence(fewer) == precedence(record)
        changed += len(fewer["edges"]) < len(record["edges"])
    assert changed == 50  # 56 in all nine files of the benchmark


def precedence(record: dict[str, Any]) -> list[int]:
    """For each step the set of all steps that come after it."""
    workflow = from_record(record)
    return transitive_closure(len(workflow.steps), workflow.edges, topological_order(workflow))


def test_real_answers_of_a_model(corpus: Path) -> None:
    """Twelve answers of GPT-3.5; two join steps that they never listed."""
    lines = (corpus / "worfbench-pred" / "gpt-3.5-turbo.excerpt.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    records, refused = {}, {}
    for row in rows:
        [draft] = worf.parse(Source(value=row), ParseOptions())
        records[row["id"]] = finish(draft, ParseOptions())
        try:
            finish(draft, ParseOptions(strict=True))
        except DataError as error:
            refused[row["id"]] = (error.code, str(error))
    assert [len(records[row["id"]]["nodes"]) for row in rows] == [10, 17, 8, 8, 8, 3, 2, 2, 5, 2, 3, 3]
    assert refused == {"wikihow_1": ("E-GHOST", "edge to a step that is not listed: 3 -> 11, 7 -> 12")}
    assert shape(records["wikihow_1"]) == chain(10)
    # The second line of edges leaves the chain at 4 and 6, and never reaches END.
    assert shape(records["wikihow_2"]) == (17, chain(10)[1] + " 4-11 6-12 12-13 13-14 14-15 15-16 16-17")
    assert records["wikihow_2"]["meta"]["warnings"] == ["W-START-MISMATCH: END joins 10, the leaves are 10, 11, 17"]
    assert shape(records["wikihow_4"]) == (8, "1-2 1-3 2-3 3-4 4-5 3-6 4-6 5-7 6-7 7-8")
    assert shape(records["toolalpaca_597"]) == (5, "1-2 1-3 1-4 1-5")
