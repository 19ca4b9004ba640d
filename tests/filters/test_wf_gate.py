"""wf-gate as its user runs it: which exit code wins, what it expects, and whose rules count."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Run = Callable[..., "CompletedProcess[bytes]"]
Record = dict[str, Any]

GOOD = {"chain_f1": 1.0, "graph_f1": 1.0, "kendall_tau": 1.0, "bleu": 1.0, "gleu": 1.0}
FAILING = {**GOOD, "chain_f1": 0.5, "graph_f1": 0.5}
REVIEWED = {**GOOD, "gleu": 0.5}
UNMEASURED = {**GOOD, "kendall_tau": None}
ERROR = {"kind": "error", "id": "e", "filter": "f", "code": "E-X", "message": "m", "where": {}, "input": ""}
OWN_POLICY = '{"version":1,"rules":[{"name":"%s","primary":{"any_of":["bleu"],"below":%s},"action":"fail"}]}'


def workflow(record_id: str) -> Record:
    return {"kind": "workflow", "id": record_id, "nodes": [{"id": "1", "text": "boil"}], "edges": []}


def scored(record_id: str, scores: Record, golden: str | None = None) -> Record:
    return {
        "kind": "pair",
        "id": record_id,
        "golden": workflow(golden or record_id),
        "candidate": workflow(record_id),
        "scores": scores,
        "reasons": {name: "unavailable: no encoder" for name, value in scores.items() if value is None},
    }


def lines(*records: Record) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def records_of(done: "CompletedProcess[bytes]") -> list[Record]:
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def goldens(tmp_path: Path) -> Path:
    path = tmp_path / "goldens.jsonl"
    path.write_bytes(lines(workflow("a"), workflow("b")))
    return path


@pytest.mark.parametrize(
    ("records", "options", "code"),
    [
        ([scored("a", GOOD)], (), 0),
        ([scored("a", REVIEWED)], (), 0),
        ([scored("a", REVIEWED)], ("--fail-on", "review"), 1),
        ([scored("a", UNMEASURED)], (), 4),
        ([scored("a", UNMEASURED), scored("b", FAILING)], (), 1),
        ([ERROR, scored("a", FAILING)], (), 1),
        ([ERROR, scored("a", UNMEASURED)], (), 3),
        ([ERROR, scored("a", REVIEWED)], ("--fail-on", "review"), 1),
        ([ERROR], (), 3),
        ([], (), 4),
    ],
    ids=[
        "pass", "review", "review asked for", "unmeasured", "fail before unmeasured", "fail before error",
        "error before unmeasured", "review before error", "error alone", "nothing",
    ],
)  # fmt: skip
def test_the_exit_code_is_the_gravest_answer(
    run: Run, records: list[Record], options: Sequence[str], code: int
) -> None:
    done = run("wf-gate", *options, stdin=lines(*records))
    assert done.returncode == code
    assert records_of(done)[-1]["kind"] == "summary"


@pytest.mark.parametrize(
    ("records", "code", "missing"),
    [
        ([scored("a", GOOD), scored("b", GOOD)], 0, []),
        ([scored("a", GOOD), scored("b1", GOOD, golden="b"), scored("b2", GOOD, golden="b")], 0, []),
        ([scored("a", GOOD)], 4, ["b"]),
        ([scored("a", FAILING)], 1, ["b"]),
        ([scored("a", GOOD), {**ERROR, "id": "b"}], 3, []),
        ([scored("a", GOOD), ERROR], 3, ["b"]),
        ([], 4, ["a", "b"]),
    ],
    ids=["all", "two of one", "one missing", "missing and failed", "error in its place", "other error", "nothing"],
)
def test_what_is_expected_and_does_not_come_is_missing(
    run: Run, goldens: Path, records: list[Record], code: int, missing: list[str]
) -> None:
    done = run("wf-gate", "--expect", goldens, stdin=lines(*records))
    assert done.returncode == code
    assert records_of(done)[-1]["expected"]["missing"] == missing


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", b"holds no golden: there is nothing to expect"),
        (b"not JSON\n", b"expected.jsonl:1: not JSON"),
        (b"[1]\n", b"expected.jsonl:1: not a workflow record with an id"),
        (b'{"kind":"workflow"}\n', b"expected.jsonl:1: not a workflow record with an id"),
        (None, b"cannot read expected.jsonl: No such file or directory"),
    ],
)
def test_expectations_that_say_nothing_are_refused(
    run: Run, tmp_path: Path, content: bytes | None, words: bytes
) -> None:
    if content is not None:
        (tmp_path / "expected.jsonl").write_bytes(content)
    done = run("wf-gate", "--expect", "expected.jsonl", stdin=lines(scored("a", GOOD)), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr


def test_standard_input_is_either_expected_or_judged(run: Run, tmp_path: Path) -> None:
    stream = lines(scored("a", GOOD))
    done = run("wf-gate", "--expect", "-", stdin=stream)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"standard input cannot be both the goldens and the input" in done.stderr
    (tmp_path / "scored.jsonl").write_bytes(stream)
    assert run("wf-gate", "--expect", "-", tmp_path / "scored.jsonl", stdin=stream).returncode == 0


@pytest.mark.parametrize(
    ("require", "codes"),
    [
        ("primary", [1, 0, 1]),
        ("both", [0, 0, 1]),
        ("either", [1, 1, 1]),
    ],
)
def test_require_overrides_the_policy(run: Run, tmp_path: Path, require: str, codes: list[int]) -> None:
    """Of three pairs bleu is low in the first, gleu in the second, both in the third."""
    policy = tmp_path / "policy.json"
    rule = {
        "name": "r",
        "primary": {"any_of": ["bleu"], "below": 0.7},
        "secondary": {"any_of": ["gleu"], "below": 0.7},
        "action": "fail",
    }
    policy.write_text(json.dumps({"version": 1, "rules": [rule]}))
    command = ("wf-gate", "-q", "--policy", policy, "--require", require)
    answers = [
        run(*command, stdin=lines(scored("a", {"bleu": bleu, "gleu": gleu}))).returncode
        for bleu, gleu in ((0.5, 0.9), (0.9, 0.5), (0.5, 0.5))
    ]
    assert answers == codes


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version":1,"rules":[]}', OWN_POLICY % ("r", "NaN"), OWN_POLICY % ("r", '"x"')]
)
def test_a_policy_that_is_none(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "policy.json").write_text(text)
    done = run("wf-gate", "--policy", "policy.json", stdin=lines(scored("a", GOOD)), cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)


def test_records_keep_everything_and_come_in_order(run: Run) -> None:
    pairs = [scored(f"p{number}", FAILING if number % 3 else GOOD) | {"own": [number]} for number in range(50)]
    done = run("wf-gate", stdin=lines(*pairs))
    *judged, summary = records_of(done)
    assert [{**one, "verdict": None} for one in judged] == [{**one, "verdict": None} for one in pairs]
    assert [one["verdict"]["status"] for one in judged] == ["fail" if number % 3 else "pass" for number in range(50)]
    assert summary["status"] == {"fail": 33, "unmeasured": 0, "review": 0, "waived": 0, "pass": 17}
    again = run("wf-gate", stdin=lines(*pairs))
    assert (again.stdout, again.stderr) == (done.stdout, done.stderr)


def test_the_gate_judges_its_own_output_anew(run: Run, tmp_path: Path) -> None:
    first = run("wf-gate", "-q", stdin=lines(scored("a", FAILING)))
    (tmp_path / "policy.json").write_text(OWN_POLICY % ("r", "0.1"))
    pair_line = first.stdout.splitlines(keepends=True)[0]
    second = run("wf-gate", "-q", "--policy", tmp_path / "policy.json", stdin=pair_line)
    assert (first.returncode, second.returncode) == (1, 0)
    assert records_of(second)[0]["verdict"]["status"] == "pass"


def test_quiet_leaves_the_table_out_but_not_the_answer(run: Run) -> None:
    told, quiet = (run("wf-gate", *options, stdin=lines(scored("a", FAILING))) for options in ((), ("-q",)))
    assert (told.returncode, told.stdout) == (quiet.returncode, quiet.stdout)
    assert told.stderr and not quiet.stderr
