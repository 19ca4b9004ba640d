"""The report options of wf-gate as a CI job uses them: files beside the stream, whatever the verdict is."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from junitparser import Error, JUnitXml

Run = Callable[..., "CompletedProcess[bytes]"]
Record = dict[str, Any]

GOOD = {"chain_f1": 1.0, "graph_f1": 1.0, "kendall_tau": 1.0, "bleu": 1.0, "gleu": 1.0}
FAILING = {**GOOD, "chain_f1": 0.5, "graph_f1": 0.5}
ERROR = {
    "kind": "error", "id": "e", "filter": "wf-score", "code": "E-X", "message": "it is broken",
    "where": {"file": "candidates.jsonl", "line": 9}, "input": "",
}  # fmt: skip
STEPS = [{"id": "1", "text": "boil"}, {"id": "2", "text": "pour"}]
FILES = ("junit", "markdown", "html", "sarif")


def workflow(name: str, **fields: Any) -> Record:
    return {"kind": "workflow", "id": name, "nodes": STEPS, "edges": [["1", "2"]], **fields}


def scored(name: str, scores: Record, **fields: Any) -> Record:
    candidate = {**workflow(name, **fields), "nodes": STEPS[:1], "edges": []} if scores is FAILING else workflow(name)
    matched = [[node["id"], node["id"], 1.0] for node in candidate["nodes"]]
    alignment = {"matched": matched, "missing": [], "extra": []}
    return {
        "kind": "pair", "id": name, "golden": workflow(name), "candidate": candidate, "scores": scores,
        "alignment": alignment,
    }  # fmt: skip


def lines(*records: Record) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def all_reports(folder: Path) -> list[str]:
    return [word for kind in FILES for word in (f"--{kind}", str(folder / kind))]


def places(path: Path) -> list[tuple[str, int]]:
    results = json.loads(path.read_bytes())["runs"][0]["results"]
    found = [result["locations"][0]["physicalLocation"] for result in results]
    return [(place["artifactLocation"]["uri"], place["region"]["startLine"]) for place in found]


@pytest.mark.parametrize(
    ("records", "code", "told"),
    [
        ([scored("a", GOOD)], 0, ""),
        ([scored("a", GOOD), scored("b", FAILING)], 1, "golden step 2 «pour» has no counterpart"),
        ([ERROR], 3, "it is broken"),
        ([scored("a", GOOD), ERROR], 3, "it is broken"),
        ([], 4, "o workflow was judged"),
    ],
    ids=["pass", "fail", "only errors", "error", "nothing"],
)
def test_reports_are_written_whatever_the_verdict_is(
    run: Run, tmp_path: Path, records: list[Record], code: int, told: str
) -> None:
    plain = run("wf-gate", stdin=lines(*records))
    done = run("wf-gate", *all_reports(tmp_path), stdin=lines(*records))
    assert (done.returncode, done.stdout, done.stderr) == (code, plain.stdout, plain.stderr)
    for kind in FILES:
        text = (tmp_path / kind).read_text()
        assert told in text, kind


def test_nothing_is_green_where_nothing_was_judged(run: Run, tmp_path: Path) -> None:
    run("wf-gate", "--junit", str(tmp_path / "junit"), stdin=b"")
    [case] = next(iter(JUnitXml.fromfile(str(tmp_path / "junit"))))
    assert isinstance(case.result[0], Error)


def test_a_cut_stream_is_told_in_every_report(run: Run, tmp_path: Path) -> None:
    goldens = tmp_path / "goldens.jsonl"
    goldens.write_bytes(lines(workflow("a"), workflow("never_came")))
    cut = lines(scored("a", GOOD)) + lines(scored("b", GOOD))[:80]
    done = run("wf-gate", "--expect", goldens, "--annotations", "github", *all_reports(tmp_path), stdin=cut)
    assert done.returncode == 3
    for kind in FILES:
        text = (tmp_path / kind).read_text().replace("\\_", "_")
        assert "no candidate came for this golden" in text and "never_came" in text, kind
        assert "-:2" in text or '"startLine":2' in text or kind in ("markdown", "html"), kind
    assert b"::error title=never_came::no candidate came for this golden" in done.stderr


@pytest.mark.parametrize(("scores", "code"), [(FAILING, 1), (GOOD, 2)], ids=["fail", "pass"])
@pytest.mark.parametrize("kind", FILES)
def test_a_path_that_cannot_be_written_changes_no_verdict(
    run: Run, tmp_path: Path, kind: str, scores: Record, code: int
) -> None:
    others = [name for name in FILES if name != kind]
    names = [word for name in others for word in (f"--{name}", str(tmp_path / name))]
    done = run("wf-gate", f"--{kind}", tmp_path / "no" / "folder", *names, stdin=lines(scored("a", scores)))
    assert done.returncode == code
    complaint = f"wf-gate: --{kind}: cannot write {tmp_path}/no/folder: No such file or directory\n"
    assert complaint.encode() in done.stderr
    assert [json.loads(line)["kind"] for line in done.stdout.splitlines()] == ["pair", "summary"]
    assert all((tmp_path / name).exists() for name in others)


def test_quiet_hides_no_complaint(run: Run, tmp_path: Path) -> None:
    done = run("wf-gate", "-q", "--html", tmp_path, stdin=lines(scored("a", GOOD)))
    assert done.stderr == f"wf-gate: --html: cannot write {tmp_path}: Is a directory\n".encode()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--junit", "-"), "--junit -: standard output carries the records; name a file"),
        (("--html", "/dev/stdout"), "--html /dev/stdout: standard output carries the records; name a file"),
        (("--junit", "x", "--html", "./x"), "--html ./x would overwrite a file that is read or written as well"),
        (("--junit", ""), "--junit: cannot write : the name is empty"),
    ],
)
def test_no_report_goes_where_it_would_spoil_something(
    run: Run, tmp_path: Path, options: tuple[str, ...], complaint: str
) -> None:
    done = run("wf-gate", *options, stdin=lines(scored("a", GOOD)), cwd=tmp_path)
    assert done.returncode == 2
    assert complaint in done.stderr.decode()


@pytest.mark.parametrize("options", [
    ("--junit", "in.jsonl", "in.jsonl"), ("--bless", "in.jsonl", "in.jsonl"),
    ("--junit", "waivers.yaml", "--waivers", "waivers.yaml", "in.jsonl"),
    ("--summary", "x", "--junit", "./x", "in.jsonl"), ("-o", "x", "--junit", "x", "in.jsonl"),
])  # fmt: skip
def test_nothing_that_is_read_or_written_is_written_over(run: Run, tmp_path: Path, options: tuple[str, ...]) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(scored("a", GOOD)))
    (tmp_path / "waivers.yaml").write_text("[]\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = run("wf-gate", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert b"would overwrite a file that is read or written as well" in done.stderr
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_baseline_may_replace_the_one_it_was_compared_with(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(scored("a", GOOD)))
    assert run("wf-gate", "--bless", "base.jsonl", "in.jsonl", cwd=tmp_path).returncode == 0
    done = run("wf-gate", "--baseline", "base.jsonl", "--bless", "base.jsonl", "in.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_job_summary_is_appended_to_and_every_other_file_replaced(run: Run, tmp_path: Path) -> None:
    summary, other = tmp_path / "summary.md", tmp_path / "other.md"
    for path in (summary, other):
        path.write_text("before\n")
    for path in (summary, other):
        done = run(
            "wf-gate", "--markdown", path, stdin=lines(scored("a", GOOD)), env={"GITHUB_STEP_SUMMARY": str(summary)}
        )
        assert done.returncode == 0
    assert summary.read_text() == f"before\n{other.read_text()}"
    assert other.read_text().startswith("## Workflow gate")


def test_a_job_summary_never_grows_beyond_what_github_takes(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    limit, records = 1 << 20, lines(*(scored(f"flow {number}", FAILING) for number in range(40)))
    path.write_bytes(b"x" * (limit - 5_000))
    done = run("wf-gate", "--markdown", path, stdin=records, env={"GITHUB_STEP_SUMMARY": str(path)})
    assert done.returncode == 1
    assert limit - 5_000 < path.stat().st_size <= limit
    assert re.search(rb"_\d+ sections left out", path.read_bytes())
    path.write_bytes(b"x" * limit)
    done = run("wf-gate", "--markdown", path, stdin=records, env={"GITHUB_STEP_SUMMARY": str(path)})
    assert (done.returncode, path.stat().st_size) == (1, limit)
    assert b"is full: GitHub takes 1,048,576 bytes of a step" in done.stderr


def test_a_finding_stands_at_its_golden_its_origin_or_its_line(run: Run, tmp_path: Path) -> None:
    goldens, pairs, sarif = tmp_path / "goldens.jsonl", tmp_path / "scored.jsonl", tmp_path / "sarif"
    goldens.write_bytes(b"\n" + lines(workflow("b"), workflow("a")))
    named = scored("c", FAILING, meta={"origin": {"file": "flows/c.py", "line": 12}})
    pairs.write_bytes(lines(scored("good", GOOD)) + b"\n" + lines(scored("a", FAILING), named))
    run("wf-gate", "--sarif", sarif, "scored.jsonl", cwd=tmp_path)
    assert places(sarif) == [("scored.jsonl", 3), ("flows/c.py", 12)]
    run("wf-gate", "--sarif", sarif, "--expect", "goldens.jsonl", "scored.jsonl", cwd=tmp_path)
    assert places(sarif) == [("goldens.jsonl", 3), ("flows/c.py", 12), ("goldens.jsonl", 1)]
    run("wf-gate", "--sarif", sarif, stdin=pairs.read_bytes())
    assert places(sarif) == [("stdin", 3), ("flows/c.py", 12)]


def test_wf_parse_keeps_where_a_candidate_stood(run: Run, tmp_path: Path) -> None:
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "a.jsonl").write_bytes(lines(workflow("good"), {**workflow("bad"), "nodes": [], "edges": []}))
    (tmp_path / "flows" / "tea.txt").write_text("Node:\n1: burn\nEdge: (START,1) (1,END)\n")
    (tmp_path / "goldens.jsonl").write_bytes(lines(workflow("good"), workflow("bad"), workflow("tea")))
    rule = {"name": "words", "primary": {"any_of": ["bleu"], "below": 0.5}, "action": "fail"}
    (tmp_path / "policy.json").write_text(json.dumps({"version": 1, "rules": [rule]}))
    parsed = run("wf-parse", "-q", "--origin", "--candidates", "flows/a.jsonl", "flows/tea.txt", cwd=tmp_path)
    assert parsed.returncode == 0, parsed.stderr
    options = ("--metrics", "bleu", "--golden", "goldens.jsonl")
    scored = run("wf-score", "-q", *options, stdin=parsed.stdout, cwd=tmp_path)
    assert scored.returncode == 0, scored.stderr
    done = run("wf-gate", "--policy", "policy.json", "--sarif", "sarif", stdin=scored.stdout, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert sorted(places(tmp_path / "sarif")) == [("flows/a.jsonl", 2), ("flows/tea.txt", 1)]


def test_lines_are_found_in_long_streams(run: Run, tmp_path: Path) -> None:
    pairs, sarif = tmp_path / "scored.jsonl", tmp_path / "sarif"
    failing = {7, 255, 256, 257, 900}
    pairs.write_bytes(lines(*(scored(f"flow {n}", FAILING if n in failing else GOOD) for n in range(1, 1001))))
    run("wf-gate", "--sarif", sarif, "scored.jsonl", cwd=tmp_path)
    assert places(sarif) == [("scored.jsonl", number) for number in sorted(failing)]


def test_lines_are_found_where_the_id_comes_last(run: Run, tmp_path: Path) -> None:
    records = [scored("first", GOOD), scored("second", FAILING), scored("third", FAILING)]
    late = [{**{key: value for key, value in record.items() if key != "id"}, "id": record["id"]} for record in records]
    (tmp_path / "scored.jsonl").write_bytes(lines(*late))
    run("wf-gate", "--sarif", "sarif", "scored.jsonl", cwd=tmp_path)
    assert places(tmp_path / "sarif") == [("scored.jsonl", 2), ("scored.jsonl", 3)]


def test_annotations_are_lines_of_their_own_on_stderr(run: Run) -> None:
    done = run("wf-gate", "-q", "--annotations", "github", stdin=lines(scored("a", FAILING)))
    assert done.stderr.decode().startswith("::error title=a%3A missing_steps::graph_f1 0.500 < 0.75, chain_f1 0.500")
    assert b"::" not in done.stdout


def test_a_symbolic_link_stays_one(run: Run, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real")
    run("wf-gate", "--junit", link, stdin=lines(scored("a", GOOD)))
    assert link.is_symlink() and (tmp_path / "real").read_text().startswith("<?xml")


def test_the_same_input_gives_the_same_reports(run: Run, tmp_path: Path) -> None:
    written = []
    for seed in ("1", "2"):
        run("wf-gate", *all_reports(tmp_path), stdin=lines(scored("a", FAILING)), env={"PYTHONHASHSEED": seed})
        written.append([(tmp_path / kind).read_bytes() for kind in FILES])
    assert written[0] == written[1]


def test_one_degraded_golden_of_twenty_fails_the_check_and_is_waived_in_one_line(run: Run, tmp_path: Path) -> None:
    stream = lines(*(scored(f"flow {number}", FAILING if number == 7 else GOOD) for number in range(20)))
    failed = run("wf-gate", *all_reports(tmp_path), stdin=stream)
    assert failed.returncode == 1
    summary = (tmp_path / "markdown").read_text()
    assert "- 1 of 20 workflows failed" in summary
    assert (
        "| ❌ failed | flow 7 | graph\\_f1 0.500 &lt; 0.75, chain\\_f1 0.500 &lt; 0.75 "
        "(the pattern points to missing\\_steps); golden step 2 «pour» has no counterpart |"
    ) in summary.splitlines()
    waivers = tmp_path / "waivers.jsonl"
    waivers.write_text('{"golden":"flow 7","rule":"missing_steps","reason":"pouring is gone","expires":"2027-01-31"}\n')
    again = run(
        "wf-gate", "--waivers", waivers, "--today", "2027-01-30", "--annotations", "github", *all_reports(tmp_path),
        stdin=stream,
    )  # fmt: skip
    assert again.returncode == 0
    assert again.stderr.startswith(
        b"::notice title=flow 7%3A missing_steps::missing_steps waived until 2027-01-31: pouring"
    )
    for kind in FILES:
        text = (tmp_path / kind).read_text().replace("\\_", "_")
        assert "missing_steps waived until 2027-01-31: pouring is gone (it was: fail)" in text, kind
    document = JUnitXml.fromfile(str(tmp_path / "junit"))
    assert (document.failures, document.errors, document.skipped) == (0, 0, 1)


CASES = Path(__file__).resolve().parents[1] / "cases" / "wf-gate"


@pytest.mark.parametrize(
    "case", ["repeats", "several-goldens", "waived", "undefined-is-left-out", "not-applicable-pair"]
)
def test_junit_is_red_exactly_where_the_exit_code_is_not_0(run: Run, tmp_path: Path, case: str) -> None:
    command = shlex.split((CASES / case / "cmd").read_text().splitlines()[-1])
    done = run(*command, "--junit", tmp_path / "junit", cwd=CASES / case)
    document = JUnitXml.fromfile(str(tmp_path / "junit"))
    assert bool(document.failures or document.errors) == (done.returncode != 0)
