"""wf-perturb as its user runs it: its options, its bad input, and that the same command gives the same bytes."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from wfkit import registry

Run = Callable[..., "CompletedProcess[bytes]"]
Record = dict[str, Any]

TEXTS = (
    "boil the water", "pour 2 cups of it over the tea", "wait for four minutes", "take out the leaves",
    "drink the tea", "wash the cup", "dry the cup", "put the cup away",
)  # fmt: skip
OTHERS = ("buy a cake", "cut the cake into slices", "put the slices on a plate", "carry the plate to the table")
PAPER_TYPES = ("missing_steps", "compressed_steps", "description_changes")


def workflow(record_id: str, size: int, edges: Sequence[Sequence[int]] | None = None, **fields: Any) -> Record:
    """A workflow of the first ``size`` texts, a chain unless ``edges`` are given."""
    joined = [(number, number + 1) for number in range(1, size)] if edges is None else edges
    nodes = [{"id": f"{number}", "text": text} for number, text in enumerate(TEXTS[:size], start=1)]
    edge_ids = [[f"{source}", f"{target}"] for source, target in joined]
    return {"kind": "workflow", "id": record_id, "nodes": nodes, "edges": edge_ids, **fields}


def lines(*records: Record) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def records_of(done: "CompletedProcess[bytes]") -> list[Record]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def texts_of(record: Record) -> list[str]:
    return [node["text"] for node in record["nodes"]]


@pytest.fixture
def donors(tmp_path: Path) -> Path:
    path = tmp_path / "donors.jsonl"
    nodes = [{"id": f"{number}", "text": text} for number, text in enumerate(OTHERS)]
    path.write_bytes(lines({"kind": "workflow", "id": "cake", "nodes": nodes, "edges": []}))
    return path


@pytest.mark.parametrize("severity", ["0", "101", "abc", "", "10,", "1.5", "-3", "10%", "10,30,10"])
def test_a_severity_that_is_none(run: Run, severity: str) -> None:
    done = run("wf-perturb", "--severity", severity, stdin=lines(workflow("tea", 8)))
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert b"--severity" in done.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--type", "compress_steps"), b"unknown type 'compress_steps', did you mean compressed_steps?"),
        (("--type", ","), b"no type given: choose from missing_steps"),
        (("--type", "missing_steps,missing_steps"), b"'missing_steps' is given twice"),
        (("--repeats", "0"), b"--repeats"),
        (("--min-steps", "0"), b"--min-steps"),
        (("--placement", "end"), b"'end' is not one of"),
        (("--type", "added_steps"), b"takes steps of other workflows: name a file with --donors"),
        (("--type", "all"), b"added_steps takes steps of other workflows: name a file with --donors"),
        (("--donors", "absent.jsonl"), b"cannot read absent.jsonl: No such file or directory"),
        (("--donors", "/dev/null"), b"/dev/null holds no workflow (donors)"),
        (("--donors", "-"), b"standard input cannot be both the donors and the input"),
        (("--model", "gpt-4o"), b"need --generator llm"),
        (("--generator", "llm"), b"needs a model: --model MODEL"),
        (("--generator", "llm", "--placement", "tail"), b"a model chooses the steps itself"),
        (("--generator", "llm", "--model", "m", "--cache", "c", "--no-cache"), b"contradict each other"),
    ],
)
def test_wrong_options(run: Run, tmp_path: Path, options: Sequence[str], words: bytes) -> None:
    done = run("wf-perturb", *options, stdin=lines(workflow("tea", 8)), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("severity", "count"),
    [(1, 1), (10, 1), (12, 1), (13, 2), (30, 3), (50, 4), (100, 8)],  # the ceiling of severity * 8 / 100
)
def test_as_many_steps_are_edited_as_the_severity_asks_for(run: Run, severity: int, count: int) -> None:
    done = run(
        "wf-perturb", "--type", "missing_steps,description_changes", "--severity", str(severity),
        stdin=lines(workflow("tea", 8)),
    )  # fmt: skip
    missing, reworded = records_of(done)
    assert (missing["perturbation"]["count"], reworded["perturbation"]["count"]) == (count, count)
    assert len(missing["candidate"]["nodes"]) == 8 - count
    if reworded["candidate"] is not None:
        kept = [one == other for one, other in zip(TEXTS, texts_of(reworded["candidate"]), strict=True)]
        assert kept.count(False) == count


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4])
def test_a_workflow_of_few_steps_is_marked_and_never_damaged_less(run: Run, size: int) -> None:
    done = run("wf-perturb", stdin=lines(workflow("short", size)))
    records = records_of(done)
    assert done.returncode == 0
    assert [one["id"] for one in records] == [
        f"short/{type_name}/{severity}" for type_name in PAPER_TYPES for severity in (10, 30, 50)
    ]
    for one in records:
        assert one["candidate"] is None
        assert one["perturbation"]["inapplicable"] == f"{size} steps are fewer than 5 (--min-steps)"
    assert b"9 more are inapplicable" in done.stderr


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_few_steps_are_damaged_in_full_if_asked(run: Run, size: int) -> None:
    """Of n steps ceil(n / 2) are removed; as many merges are possible only where n - 1 edges are as many."""
    done = run(
        "wf-perturb", "--min-steps", "1", "--severity", "50", "--type", "missing_steps,compressed_steps",
        stdin=lines(workflow("short", size)),
    )  # fmt: skip
    missing, compressed = records_of(done)
    count = -(-size // 2)
    assert len(missing["candidate"]["nodes"]) == size - count
    if size - 1 >= count:
        assert len(compressed["candidate"]["nodes"]) == size - count
    else:
        assert compressed["candidate"] is None
        assert "merges of adjacent steps are possible" in compressed["perturbation"]["inapplicable"]


@pytest.mark.parametrize(
    ("edges", "code", "message"),
    [
        ([(1, 2), (2, 3), (3, 1)], "E-CYCLE", "the steps form a cycle: 1 -> 2 -> 3 -> 1"),
        ([(4, 4)], "E-CYCLE", "the steps form a cycle: 4 -> 4"),
        ([(1, 9)], "E-GHOST", "edge to unknown step '9'"),
    ],
)
def test_a_golden_that_is_no_workflow_is_one_error_record_and_the_next_goes_on(
    run: Run, edges: Sequence[Sequence[int]], code: str, message: str
) -> None:
    done = run("wf-perturb", stdin=lines(workflow("bad", 5, edges), workflow("tea", 8)))
    error, *pairs = records_of(done)
    assert (error["id"], error["code"], error["message"]) == ("bad", code, message)
    assert len(pairs) == 9 and all(one["candidate"] for one in pairs)
    assert done.returncode == 3
    assert f"wf-perturb: -:1: bad: {message}\n".encode() in done.stderr and b"1 error records" in done.stderr


def test_without_edges_nothing_can_be_merged_and_the_rest_can_be_done(run: Run) -> None:
    done = run("wf-perturb", "--severity", "30", stdin=lines(workflow("loose", 8, [])))
    missing, compressed, reworded = records_of(done)
    assert (len(missing["candidate"]["nodes"]), missing["candidate"]["edges"]) == (5, [])
    assert compressed["candidate"] is None
    assert "only 0 merges" in compressed["perturbation"]["inapplicable"]
    assert (len(reworded["candidate"]["nodes"]), reworded["candidate"]["edges"]) == (8, [])


def test_a_fully_parallel_workflow(run: Run) -> None:
    fan = [(1, middle) for middle in range(2, 8)] + [(middle, 8) for middle in range(2, 8)]
    golden = workflow("fan", 8, fan)
    done = run("wf-perturb", "--severity", "50", stdin=lines(golden))
    missing, compressed, reworded = records_of(done)
    assert len(missing["candidate"]["nodes"]) == len(compressed["candidate"]["nodes"]) == 4
    assert reworded["candidate"]["edges"] == golden["edges"]
    checked = run("wf-validate", "-q", stdin=done.stdout)
    assert checked.returncode == 0, checked.stdout


def test_an_error_record_passes_and_other_kinds_are_refused(run: Run) -> None:
    error = {"kind": "error", "id": "e", "filter": "f", "code": "E-X", "message": "m", "where": {}, "input": ""}
    pair = {"kind": "pair", "id": "p", "golden": workflow("p", 5), "candidate": workflow("p", 5)}
    first, second = records_of(done := run("wf-perturb", "-q", stdin=lines(error, pair)))
    assert first == error
    assert (second["code"], second["message"]) == ("E-KIND", "expected workflow, got pair")
    assert done.returncode == 3


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_id_in_two_files_is_an_error_record(run: Run, tmp_path: Path, jobs: str) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_bytes(lines(workflow("tea", 8)))
    done = run("wf-perturb", "-q", "--jobs", jobs, "--severity", "10", "a.jsonl", "b.jsonl", cwd=tmp_path)
    *pairs, error = records_of(done)
    assert len(pairs) == 3
    assert (error["code"], error["where"]["file"], done.returncode) == ("E-DUP-ID", "b.jsonl", 3)


def test_one_golden_and_no_golden(run: Run) -> None:
    one = run("wf-perturb", stdin=lines(workflow("tea", 5)))
    assert (one.returncode, len(records_of(one))) == (0, 9)
    none = run("wf-perturb")
    assert (none.returncode, none.stdout, none.stderr) == (0, b"", b"wf-perturb: pairs made: 0\n")


def test_the_same_command_gives_the_same_bytes_in_any_number_of_processes(run: Run, donors: Path) -> None:
    goldens = lines(*(workflow(f"g{number}", 5 + number % 4) for number in range(12)))
    command = ("wf-perturb", "--type", "all", "--donors", donors, "--repeats", "2")
    first = run(*command, stdin=goldens)
    assert first.returncode == 0 and len(records_of(first)) == 12 * 8 * 3 * 2
    assert run(*command, stdin=goldens).stdout == first.stdout
    workers = run(*command, "--jobs", "2", stdin=goldens)
    assert (workers.stdout, workers.stderr) == (first.stdout, first.stderr)


def test_a_variant_depends_on_its_golden_alone(run: Run) -> None:
    """Neither the other goldens nor their order nor the other types change it; seed and repeat do."""
    tea, other = workflow("tea", 8), workflow("other", 7)
    alone = records_of(run("wf-perturb", stdin=lines(tea)))
    last = records_of(run("wf-perturb", stdin=lines(other, tea)))[9:]
    assert last == alone
    only = records_of(run("wf-perturb", "--type", "compressed_steps", "--severity", "30", stdin=lines(tea)))
    assert only == [one for one in alone if one["id"] == "tea/compressed_steps/30"]
    seeds = {
        json.dumps(one["candidate"]["nodes"])
        for seed in range(3)
        for one in records_of(
            run("wf-perturb", "--type", "missing_steps", "--severity", "30", "--seed", str(seed), stdin=lines(tea))
        )
    }
    assert len(seeds) > 1
    repeats = records_of(
        run("wf-perturb", "--type", "missing_steps", "--severity", "30", "--repeats", "5", stdin=lines(tea))
    )
    assert [one["id"] for one in repeats][:2] == ["tea/missing_steps/30", "tea/missing_steps/30/r2"]
    assert len({json.dumps(one["candidate"]["nodes"]) for one in repeats}) > 1


def test_placement_at_the_tail(run: Run) -> None:
    (pair,) = records_of(
        run(
            "wf-perturb", "--type", "missing_steps", "--severity", "30", "--placement", "tail",
            stdin=lines(workflow("tea", 8)),
        )
    )  # fmt: skip
    assert texts_of(pair["candidate"]) == list(TEXTS[:5])


def test_donors_give_steps_and_too_few_of_them_are_said(run: Run, donors: Path) -> None:
    command = ("wf-perturb", "--type", "added_steps", "--donors", donors)
    added, too_many = records_of(run(*command, "--severity", "50,100", stdin=lines(workflow("tea", 8))))
    assert sorted(set(texts_of(added["candidate"])) - set(TEXTS)) == sorted(OTHERS)  # half of 8 are 4
    assert too_many["candidate"] is None
    assert too_many["perturbation"]["inapplicable"] == (
        "the donors have 4 steps that the workflow lacks, 8 are asked for"
    )


def test_bad_donors_are_left_out_and_told(run: Run, donors: Path) -> None:
    donors.write_bytes(donors.read_bytes() + b'not JSON\n{"kind":"error","id":"e"}\n')
    done = run("wf-perturb", "--type", "added_steps", "--donors", donors, stdin=lines(workflow("tea", 8)))
    assert done.returncode == 0 and all(one["candidate"] for one in records_of(done))
    assert f"2 bad donors are left out, the first is {donors}:2: not JSON" in done.stderr.decode()


@pytest.mark.parametrize("type_name", registry.PERTURBATIONS)
def test_what_is_made_of_any_type_passes_wf_validate(run: Run, donors: Path, type_name: str) -> None:
    nodes = [{**node, "tool": f"tool_{place % 3}"} for place, node in enumerate(workflow("tea", 8)["nodes"])]
    golden = {**workflow("tea", 8), "nodes": nodes}
    made = run("wf-perturb", "-q", "--type", type_name, "--donors", donors, "--severity", "10,30", stdin=lines(golden))
    assert all(one["candidate"] for one in records_of(made))
    checked = run("wf-validate", "-q", "--select", "invalid", stdin=made.stdout)
    assert (checked.returncode, checked.stdout) == (0, b"")
