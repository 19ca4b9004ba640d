import csv
import io
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.errors import DataError
from wfkit.validation.inspection import Sample, compliance
from wfkit.wilson import wilson_interval

Record = dict[str, Any]
BY = ("type", "severity")


def pair(number: int, severity: int = 30, source: str = "wikihow", **fields: Any) -> Record:
    def workflow(*texts: str) -> Record:
        nodes = [{"id": str(n), "text": text} for n, text in enumerate(texts, start=1)]
        return {"id": "g", "source": source, "nodes": nodes, "edges": [["1", "2"]]}

    return {
        "kind": "pair",
        "id": f"g{number}",
        "golden": workflow("boil", "pour", "drink"),
        "candidate": workflow("boil", "drink"),
        "perturbation": {"type": "missing_steps", "severity": severity},
    } | fields


def drawn(records: list[Record], size: int = 10, by: tuple[str, ...] = BY, seed: int = 0) -> list[dict[str, str]]:
    sample = Sample(size, by, seed)
    for record in records:
        sample.add(record)
    return sample.rows()


def test_ten_of_each_stratum_whatever_the_order() -> None:
    records = [pair(number, severity) for number in range(100) for severity in (10, 30, 50)]
    rows = drawn(records)
    assert [row["severity"] for row in rows] == ["10"] * 10 + ["30"] * 10 + ["50"] * 10
    shuffled = records[:]
    random.Random(1).shuffle(shuffled)
    assert drawn(shuffled) == rows
    assert drawn(records, seed=1) != rows
    # A smaller sample is the beginning of a larger one.
    assert drawn(records, size=3)[:3] == rows[:3]


def test_every_source_has_its_turn() -> None:
    records = [pair(number) for number in range(1000)] + [pair(2000, source="os"), pair(2001, source="webshop")]
    assert sorted(row["source"] for row in drawn(records)) == ["os", "webshop", *["wikihow"] * 8]


def test_each_pair_of_a_source_is_as_likely() -> None:
    records = [pair(number) for number in range(20)]
    times = dict.fromkeys((record["id"] for record in records), 0)
    for seed in range(400):
        for row in drawn(records, size=5, seed=seed):
            times[row["id"]] += 1
    # 100 each on average, with a standard deviation of sqrt(400 * 1/4 * 3/4) = 8.7.
    assert all(60 < count < 140 for count in times.values())


def test_a_row() -> None:
    assert drawn([pair(1)]) == [
        {
            "id": "g1",
            "type": "missing_steps",
            "severity": "30",
            "source": "wikihow",
            "golden": "  1: boil\n* 2: pour\n  3: drink\nEdges: (1,2)",
            "candidate": "  1: boil\n  2: drink\nEdges: (1,2)",
            "question": "Are 1 steps gone and nothing added?",
            "decision": "",
            "note": "",
        }
    ]


def test_what_is_not_drawn_and_what_is_drawn_all_the_same() -> None:
    inapplicable = pair(1, candidate=None)
    assert drawn([inapplicable, {"kind": "workflow", "id": "w"}, {"kind": "error"}]) == []
    foreign = pair(1, perturbation={"type": "typos", "severity": "high"})
    assert drawn([foreign])[0]["question"] == "Is the candidate what it should be?"
    plain = pair(1)
    del plain["perturbation"]
    assert drawn([plain])[0]["type"] == ""


def test_other_strata_and_formulas() -> None:
    records = [pair(1, source="=1+1"), pair(2, source="b", team="x")]
    rows = drawn(records, by=("source", "team"))
    assert list(rows[0]) == ["id", "source", "team", "golden", "candidate", "question", "decision", "note"]
    assert [(row["source"], row["team"]) for row in rows] == [("'=1+1", ""), ("b", "x")]


@given(st.permutations(range(12)), st.integers(1, 5))
def test_pairs_with_the_same_id_do_not_depend_on_their_order_either(order: list[int], size: int) -> None:
    records = [
        pair(number // 3, note=number, golden=pair(0)["golden"] | {"edges": [[str(number)] * 2]}) for number in order
    ]
    assert drawn(records, size) == drawn(sorted(records, key=lambda record: record["note"]), size)


def test_decisions_read_back_from_a_csv() -> None:
    rows = drawn([pair(number, severity) for number in range(4) for severity in (10, 30)])
    for row, decision in zip(rows, ["yes", "Y", " no ", "", "1", "pass", "TRUE", "0"], strict=True):
        row["decision"] = decision
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    file.seek(0)
    found = compliance(csv.DictReader(file), BY)
    assert (found["passed"], found["failed"], found["undecided"], found["rate"]) == (5, 2, 1, 5 / 7)
    assert (found["low"], found["high"]) == wilson_interval(5, 7)
    first, second = found["strata"]
    assert (first["type"], first["severity"], first["passed"], first["failed"], first["undecided"]) == (
        "missing_steps", "10", 2, 1, 1,
    )  # fmt: skip
    assert (second["severity"], second["passed"], second["failed"], second["rate"]) == ("30", 3, 1, 0.75)


def test_nothing_decided() -> None:
    nothing = {"passed": 0, "failed": 0, "undecided": 0, "rate": None, "low": None, "high": None}
    assert compliance([], BY) == {**nothing, "strata": []}
    row = {"type": "a", "severity": "1", "decision": ""}
    assert compliance([row], BY) == {
        **nothing, "undecided": 1, "strata": [{"type": "a", "severity": "1", **nothing, "undecided": 1}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"type": "a", "severity": "1", "decision": "maybe"}, "row 1: decision 'maybe' is neither yes nor no"),
        ({"type": "a", "decision": "yes"}, "row 1 has no column 'severity'"),
        ({"type": "a", "severity": "1"}, "row 1 has no column 'decision'"),
        ({"type": "a", "severity": "1", "decision": None}, "row 1 has no column 'decision'"),  # a short line
    ],
)
def test_bad_decisions(row: dict[str, str | None], message: str) -> None:
    with pytest.raises(DataError, match=message):
        compliance([row], BY)
