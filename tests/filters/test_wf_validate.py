"""wf-validate as its user runs it: what it says of workflows and pairs, and of the decisions of a person."""

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Run = Callable[..., "CompletedProcess[bytes]"]
Record = dict[str, Any]

TEXTS = ("boil the water", "pour 2 cups of it", "wait for four minutes", "take out the leaves", "drink the tea")
MERGED = ("print the label, then attach it", "drop off the parcel")


def workflow(record_id: str, *texts: str, edges: Sequence[Sequence[int]] | None = None, **fields: Any) -> Record:
    joined = [(number, number + 1) for number in range(1, len(texts))] if edges is None else edges
    nodes = [{"id": f"{number}", "text": text} for number, text in enumerate(texts, start=1)]
    edge_ids = [[f"{source}", f"{target}"] for source, target in joined]
    return {"kind": "workflow", "id": record_id, "nodes": nodes, "edges": edge_ids, **fields}


def outside_pair(type_name: str, severity: Any, golden: Sequence[str], candidate: Sequence[str]) -> Record:
    """A pair of a program that says no more than it must."""
    return {
        "kind": "pair",
        "id": "p",
        "golden": workflow("g", *golden),
        "candidate": workflow("c", *candidate),
        "perturbation": {"type": type_name, "severity": severity},
    }


def lines(*records: Record) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def records_of(done: "CompletedProcess[bytes]") -> list[Record]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def failing(record: Record) -> dict[str, str | None]:
    """The checks that failed, and what was said; warnings are marked."""
    checks = record["validation"]["checks"]
    return {f"{one['name']}{'?' if 'level' in one else ''}": one.get("message") for one in checks if not one["ok"]}


@pytest.fixture
def pairs(run: Run) -> bytes:
    """Nine good pairs of each of four goldens, of two sources."""
    goldens = [workflow(f"g{number}", *TEXTS, source=f"s{number % 2}") for number in range(4)]
    return bytes(run("wf-perturb", "-q", stdin=lines(*goldens)).stdout)


@pytest.mark.parametrize(
    ("texts", "edges", "valid", "names"),
    [
        (TEXTS[:1], None, True, set()),
        (TEXTS[:4], None, True, set()),
        (TEXTS, [(1, 2), (1, 3), (1, 4), (1, 5)], True, set()),
        (TEXTS, [], True, {"one_component?"}),
        (TEXTS, [(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)], False, {"acyclic"}),
        (TEXTS, [(1, 9)], False, {"known_edge_ends", "one_component?"}),
        ((), [], False, {"has_steps"}),
    ],
    ids=["one step", "four steps", "parallel", "no edges", "cycle", "unknown step", "no steps"],
)
def test_workflows(run: Run, texts: Sequence[str], edges: Any, valid: bool, names: set[str]) -> None:
    done = run("wf-validate", stdin=lines(workflow("w", *texts, edges=edges)))
    (record,) = records_of(done)
    assert (record["validation"]["valid"], done.returncode) == (valid, 0 if valid else 1)
    assert set(failing(record)) >= {name for name in names if not name.endswith("?")}
    assert set(failing(record)) <= names
    assert done.stderr.decode().endswith("1 valid, 0 invalid\n" if valid else "0 valid, 1 invalid\n")


@pytest.mark.parametrize(
    ("pair", "names"),
    [
        (outside_pair("missing_steps", 20, TEXTS, TEXTS[:4]), set()),
        (outside_pair("missing_steps", 30, TEXTS, TEXTS[:4]), {"node_count", "change_count"}),  # ceil(1.5) = 2
        (outside_pair("missing_steps", 20, TEXTS, [*TEXTS[:3], "drink it"]), {"change_count", "unchanged_verbatim"}),
        (outside_pair("missing_steps", 20, TEXTS, TEXTS[1::-1] + TEXTS[2:4]), {"order_kept"}),
        (outside_pair("melted_steps", 20, TEXTS, TEXTS), {"known_type"}),
        (
            outside_pair(
                "compressed_steps", 30, ["print the label", "attach it", "drop off the parcel"], MERGED
            ),
            set(),
        ),
        (  # the drop-off is gone
            outside_pair(
                "compressed_steps", 30, ["print the label", "attach it", "drop off the parcel"],
                ["print the label", "attach it"],
            ),
            {"content_retained", "change_count"},
        ),
    ],
    ids=["good", "too weak", "reworded too", "moved too", "unknown type", "merged", "merged with a loss"],
)  # fmt: skip
def test_pairs_of_an_outside_program_are_checked_as_strictly(run: Run, pair: Record, names: set[str]) -> None:
    done = run("wf-validate", "-q", stdin=lines(pair))
    (record,) = records_of(done)
    assert set(failing(record)) >= names
    assert (record["validation"]["valid"], done.returncode) == ((False, 1) if names else (True, 0))


def test_edits_that_claim_something_else_are_not_believed(run: Run) -> None:
    pair = outside_pair("missing_steps", 20, TEXTS, TEXTS)
    pair["perturbation"] |= {"count": 0, "edits": [{"op": "remove", "nodes": ["5"]}]}
    pair["validation"] = {"valid": True, "checks": []}
    done = run("wf-validate", stdin=lines(pair))
    assert {"node_count", "change_count"} <= set(failing(records_of(done)[0]))
    assert b"missing_steps 20: 1 of 1 invalid (" in done.stderr and b"node count off by +1: 1" in done.stderr
    assert done.returncode == 1


def test_swapped_golden_and_candidate(run: Run, pairs: bytes) -> None:
    swapped = [
        {**one, "golden": one["candidate"], "candidate": one["golden"]} for one in map(json.loads, pairs.splitlines())
    ]
    done = run("wf-validate", "-q", stdin=lines(*swapped))
    assert done.returncode == 1
    for record in records_of(done):
        expected = f"golden '{record['id']}' was made from '{record['candidate']['id']}': they are swapped"
        assert failing(record)["not_swapped"] == expected


@pytest.mark.parametrize("severity", [0, 101, "abc", None])
def test_a_severity_that_is_none_is_a_bad_record(run: Run, severity: Any) -> None:
    pair = outside_pair("missing_steps", severity, TEXTS, TEXTS[:4])
    checked = run("wf-validate", "-q", stdin=lines(pair))
    (error,) = records_of(checked)
    assert (error["code"], error["where"]["path"], checked.returncode) == (
        "E-SCHEMA", "$.perturbation.severity", 3,
    )  # fmt: skip
    unchecked = run("wf-validate", "-q", "--no-check", stdin=lines(pair))
    (record,) = records_of(unchecked)
    assert unchecked.returncode == (3 if record["kind"] == "error" else 1)
    assert record["kind"] == "error" or "known_severity" in failing(record)


def test_inapplicable_pairs_are_neither_valid_nor_invalid(run: Run) -> None:
    made = run("wf-perturb", "-q", stdin=lines(workflow("short", *TEXTS[:4]))).stdout
    done = run("wf-validate", stdin=made)
    assert done.returncode == 0
    assert [set(one["validation"]) for one in records_of(done)] == [{"checks", "inapplicable"}] * 9
    assert b"0 valid, 0 invalid, 9 inapplicable" in done.stderr
    for wanted in ("valid", "invalid"):
        assert run("wf-validate", "--select", wanted, stdin=made).stdout == b""


def test_select_writes_a_part_and_counts_all(run: Run, pairs: bytes) -> None:
    bad = outside_pair("missing_steps", 30, TEXTS, TEXTS)
    stream = pairs + lines(bad)
    everything = run("wf-validate", stdin=stream)
    valid = run("wf-validate", "--select", "valid", stdin=stream)
    invalid = run("wf-validate", "--select", "invalid", stdin=stream)
    assert everything.stdout == valid.stdout + invalid.stdout
    assert [one["id"] for one in records_of(invalid)] == ["p"]
    assert everything.stderr == valid.stderr == invalid.stderr
    assert everything.stderr.endswith(b"36 valid, 1 invalid\n")
    assert {everything.returncode, valid.returncode, invalid.returncode} == {1}


def test_what_is_valid_stays_as_it_is_but_for_what_was_found(run: Run, pairs: bytes) -> None:
    done = run("wf-validate", stdin=pairs)
    assert done.returncode == 0
    for before, after in zip(map(json.loads, pairs.splitlines()), records_of(done), strict=True):
        assert list(after) == [*before, "validation"]
        assert {**after, "validation": None} == {**before, "validation": None}
    assert run("wf-validate", stdin=pairs).stdout == done.stdout
    assert run("wf-validate", stdin=done.stdout).stdout == done.stdout


def test_error_records_repeated_ids_and_other_kinds(run: Run, pairs: bytes, tmp_path: Path) -> None:
    error = {"kind": "error", "id": "e", "filter": "f", "code": "E-X", "message": "m", "where": {}, "input": ""}
    (tmp_path / "a.jsonl").write_bytes(pairs + lines(error))
    (tmp_path / "b.jsonl").write_bytes(pairs.splitlines(keepends=True)[0] + lines({"kind": "policy"}))
    done = run("wf-validate", "-q", "a.jsonl", "b.jsonl", cwd=tmp_path)
    assert [one.get("code") for one in records_of(done)] == [None] * 36 + ["E-X", "E-DUP-ID", "E-KIND"]
    assert records_of(done)[36] == error
    told = run("wf-validate", "a.jsonl", "b.jsonl", cwd=tmp_path)
    assert told.stderr.endswith(b"36 valid, 0 invalid, 3 error records\n")
    assert done.returncode == 3


def test_invalid_goes_before_error_records_in_the_exit_code(run: Run) -> None:
    error = {"kind": "error", "id": "e", "filter": "f", "code": "E-X", "message": "m", "where": {}, "input": ""}
    assert run("wf-validate", "-q", stdin=lines(workflow("w"), error)).returncode == 1


def test_nothing_is_no_success(run: Run) -> None:
    done = run("wf-validate")
    assert (done.returncode, done.stdout) == (4, b"")
    assert b"nothing to measure: the input is empty" in done.stderr


def test_the_summary(run: Run, pairs: bytes, tmp_path: Path) -> None:
    run(
        "wf-validate",
        "-q",
        "--summary",
        tmp_path / "s",
        stdin=pairs + lines(outside_pair("missing_steps", 20, TEXTS, TEXTS)),
    )
    summary = json.loads((tmp_path / "s").read_text())
    assert (summary["read"], summary["valid"], summary["invalid"]) == (37, 36, 1)
    (stratum,) = [one for one in summary["strata"] if one["failures"]]
    assert (stratum["type"], stratum["severity"], stratum["node_count_difference"]) == (
        "missing_steps",
        "20",
        {"+1": 1},
    )


def test_a_sample_goes_to_a_person_and_the_decisions_come_back(run: Run, pairs: bytes, tmp_path: Path) -> None:
    sample = tmp_path / "sample.csv"
    command = ("wf-validate", "-q", "--inspect", sample, "--sample", "3")
    assert run(*command, stdin=pairs).returncode == 0
    with sample.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["type"], row["severity"]) for row in rows].count(("missing_steps", "30")) == 3
    assert len(rows) == 27 and {row["source"] for row in rows} == {"s0", "s1"}
    assert all(row["decision"] == "" and row["question"].endswith("?") for row in rows)

    shuffled = b"".join(reversed(pairs.splitlines(keepends=True)))
    before = sample.read_bytes()
    assert run(*command, stdin=shuffled).returncode == 0
    assert sample.read_bytes() == before
    run(*command, "--seed", "1", stdin=pairs)
    assert sample.read_bytes() != before

    for row in rows:
        row["decision"] = "no" if row["id"] == rows[0]["id"] else "yes" if row["type"] != "missing_steps" else ""
    with sample.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    done = run("wf-validate", "--compliance", sample)
    assert (done.returncode, done.stderr) == (0, b"")
    told = done.stdout.decode().splitlines()
    assert told[0].startswith("compressed_steps 10: 2 of 3 comply (66.7 %, 95 % interval 20.8 to 93.9 %)")  # Wilson
    assert told[-2] == "missing_steps 50: nothing decided, 3 undecided"
    assert told[-1].startswith("all: 17 of 18 comply (94.4 %, 95 % interval 74.2 to 99.0 %), 9 undecided")
    by_type = run("wf-validate", "--compliance", sample, "--by", "type").stdout.decode().splitlines()
    assert [line.partition(":")[0] for line in by_type] == [
        "compressed_steps", "description_changes", "missing_steps", "all",
    ]  # fmt: skip


def test_a_formula_in_a_text_is_none_in_the_sample(run: Run, tmp_path: Path) -> None:
    pair = outside_pair("missing_steps", 20, TEXTS, TEXTS[:4]) | {"id": "=cmd()"}
    run("wf-validate", "-q", "--inspect", tmp_path / "s.csv", stdin=lines(pair))
    with (tmp_path / "s.csv").open(newline="") as file:
        assert next(csv.DictReader(file))["id"] == "'=cmd()"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, b"cannot read decisions.csv: No such file or directory"),
        (b"", b"has no column 'decision'"),
        (b"id,type,severity\n", b"has no column 'decision'"),
        (b"id,type,decision\np,missing_steps,yes\n", b"has no column 'severity'"),
        (b"id,type,severity,decision\np,missing_steps,10,maybe\n", b"row 1: decision 'maybe' is neither yes nor no"),
        (b"id,type,severity,decision\np,missing_steps\n", b"row 1 has no column 'decision'"),
        (b"id,type,severity,decision\n\xff,missing_steps,10,yes\n", b"decisions.csv: 'utf-8' codec"),
    ],
    ids=["absent", "empty", "no decisions", "no stratum", "maybe", "short row", "no text"],
)
def test_bad_decisions(run: Run, tmp_path: Path, content: bytes | None, words: bytes) -> None:
    if content is not None:
        (tmp_path / "decisions.csv").write_bytes(content)
    done = run("wf-validate", "--compliance", "decisions.csv", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert words in done.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--select", "good"), b"'good' is not one of"),
        (("--sample", "0"), b"--sample"),
        (("--by", ","), b"--by names no field"),
        (("--inspect", "absent/sample.csv"), b"cannot write absent/sample.csv: No such file or directory"),
        (("--jobs", "2"), b"No such option"),
    ],
)
def test_wrong_options(run: Run, pairs: bytes, tmp_path: Path, options: Sequence[str], words: bytes) -> None:
    done = run("wf-validate", "-q", *options, stdin=pairs, cwd=tmp_path)
    assert done.returncode == 2 and words in done.stderr
