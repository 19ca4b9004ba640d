"""wf-parse as its user runs it: where input comes from, how it is called, and that the way changes nothing."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from wfkit import registry

Run = Callable[..., "CompletedProcess[bytes]"]

TEA = """Node:
1: boil the water
2: put the tea in a cup
3: pour the water over it
Edge: (START,1) (START,2) (1,3) (2,3) (3,END)
"""
MERMAID = "flowchart TD\n  a[boil the water] --> b[drink it]\n"
DOCUMENT = '[{"id":"x","nodes":["boil","drink"],"edges":[[1,2]]},\n {"id":"y","nodes":["wait"],"edges":[]}]\n'


def records_of(done: "CompletedProcess[bytes]") -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tea.txt").write_text(TEA)
    (tmp_path / "water.mmd").write_text(MERMAID)
    (tmp_path / "two.json").write_text(DOCUMENT)
    return tmp_path


FILES = ("tea.txt", "water.mmd", "two.json")


def test_files_of_several_formats_in_their_order(run: Run, folder: Path) -> None:
    done = run("wf-parse", *FILES, cwd=folder)
    assert done.returncode == 0
    assert [one["id"] for one in records_of(done)] == ["tea", "water", "x", "y"]
    backwards = run("wf-parse", *reversed(FILES), cwd=folder)
    assert sorted(backwards.stdout.splitlines()) == sorted(done.stdout.splitlines())


@pytest.mark.parametrize("options", [("--jobs", "2"), ("-o", "out.jsonl"), ("--from", "auto")])
def test_neither_processes_nor_the_place_of_the_output_change_a_byte(
    run: Run, folder: Path, options: Sequence[str]
) -> None:
    plain = run("wf-parse", "-q", *FILES, cwd=folder)
    done = run("wf-parse", "-q", *options, *FILES, cwd=folder)
    written = (folder / "out.jsonl").read_bytes() if "-o" in options else done.stdout
    assert (done.returncode, written, done.stderr) == (0, plain.stdout, b"")


def test_what_was_parsed_is_parsed_to_itself(run: Run, folder: Path) -> None:
    once = run("wf-parse", "-q", *FILES, cwd=folder).stdout
    assert run("wf-parse", "-q", stdin=once).stdout == once
    assert run("wf-parse", "-q", "--strict", "--from", "json", stdin=once).stdout == once


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [("tea.txt", None, "tea"), ("a.b.txt", None, "a.b"), ("tea.txt", "mine", "mine")],
)
def test_a_text_is_called_after_its_file_or_as_it_is_told(
    run: Run, folder: Path, name: str, given: str | None, expected: str
) -> None:
    (folder / name).write_text(TEA)
    done = run("wf-parse", *(("--id", given) if given else ()), name, cwd=folder)
    assert [one["id"] for one in records_of(done)] == [expected]


def test_the_same_name_in_two_folders_is_told(run: Run, folder: Path) -> None:
    (folder / "b").mkdir()
    (folder / "b" / "tea.txt").write_text(TEA)
    done = run("wf-parse", "-q", "tea.txt", "b/tea.txt", cwd=folder)
    first, second = records_of(done)
    assert (first["kind"], second["code"], second["where"]["file"]) == ("workflow", "E-DUP-ID", "b/tea.txt")
    assert done.returncode == 3


def test_text_goes_to_text_and_back(run: Run, folder: Path) -> None:
    once = run("wf-parse", "-q", "tea.txt", cwd=folder)
    (folder / "again").mkdir()
    (folder / "again" / "tea.txt").write_bytes(run("wf-parse", "-q", "--to", "worf", stdin=once.stdout).stdout)
    assert run("wf-parse", "-q", "again/tea.txt", cwd=folder).stdout == once.stdout


def test_list_names_every_format(run: Run) -> None:
    done = run("wf-parse", "--list")
    told = [line.split()[0] for line in done.stdout.decode().splitlines()]
    assert (done.returncode, done.stderr) == (0, b"")
    assert sorted(told) == sorted(registry.FORMATS)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--strict", "--candidates"), b"choose one"),
        (("--from", "wurf"), b"unknown format 'wurf'"),
        (("--to", "xml"), b"'xml' is not one of"),
        (("--text", "title"), b"not 'title'"),
        (
            ("--map", "nodes=.a,depends_on=.b", "--from", "json"),
            b"--map describes a format of its own: leave out --from",
        ),
        (("--map", "what"), b"what"),
        (("--text-field", "a..b"), b"a..b"),
        (("--order", "random"), b"--order"),
        (("absent.txt",), b"cannot read absent.txt: No such file or directory"),
    ],
)
def test_wrong_options(run: Run, tmp_path: Path, options: Sequence[str], words: bytes) -> None:
    done = run("wf-parse", *options, stdin=TEA.encode(), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr


def test_a_golden_that_cannot_be_read_is_an_error_and_a_candidate_an_empty_workflow(run: Run, folder: Path) -> None:
    (folder / "bad.txt").write_text("I cannot help with that.\n")
    golden = run("wf-parse", "bad.txt", "tea.txt", cwd=folder)
    assert [one["kind"] for one in records_of(golden)] == ["error", "workflow"]
    candidate = run("wf-parse", "--candidates", "bad.txt", "tea.txt", cwd=folder)
    empty, good = records_of(candidate)
    assert (golden.returncode, candidate.returncode) == (3, 0)
    assert (empty["id"], empty["nodes"], good["id"]) == ("bad", [], "tea")
    assert empty["meta"]["error"].startswith("E-")


def test_a_part_of_the_corpus_is_parsed_alike_by_one_process_and_by_two(run: Run, corpus: Path) -> None:
    (smallest, *_) = sorted((corpus / "worfbench").glob("*.json*"), key=lambda path: path.stat().st_size)
    one, two = (run("wf-parse", "-q", "--jobs", jobs, smallest) for jobs in ("1", "2"))
    assert one.stdout and (one.returncode, one.stdout, one.stderr) == (two.returncode, two.stdout, two.stderr)
    parsed = b"".join(line + b"\n" for line in one.stdout.splitlines() if b'"kind":"error"' not in line)
    assert run("wf-parse", "-q", stdin=parsed).stdout == parsed
