"""Instances that are directories: copies in which only the target's file differs."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from wfkit import schema
from wfkit.agents.pairing import directories
from wfkit.errors import DataError

Record = dict[str, Any]


@pytest.fixture
def task(tmp_path: Path) -> Path:
    root = tmp_path / "task"
    (root / "tests").mkdir(parents=True)
    (root / "instruction.md").write_text("Mend the function in mend.py.\r\nIt fails.\n", newline="")
    (root / "tests" / "test_mend.py").write_text("def test(): ...\n")
    (root / "verify.sh").write_text("pytest\n")
    (root / "verify.sh").chmod(0o755)
    return root


def instance(root: Path, grader: Sequence[str] = ("tests/", "verify.sh"), **files: str) -> Record:
    directory = {"path": str(root), "files": files or {"user": "instruction.md"}, "grader": list(grader)}
    record = {"kind": "instance", "id": "code-1", "benchmark": "code", "task": "1", "scale": "binary"}
    return {**record, "directory": directory, "private": {}}


def test_only_the_file_of_the_target_differs(task: Path, tmp_path: Path, short: SimpleNamespace) -> None:
    record = instance(task)
    (pair,) = short.pairs(directories.with_public(record), "user/redundant")
    pair = directories.with_copies(pair, record["directory"], tmp_path / "variants")
    schema.checker("ap_pair")(pair)
    clean, perturbed = (Path(pair[side]["public"]["directory"]) for side in ("clean", "perturbed"))
    assert (clean.name, perturbed.name) == (pair["clean"]["id"], pair["perturbed"]["id"])
    assert (clean / "instruction.md").read_bytes() == (task / "instruction.md").read_bytes()
    text = (perturbed / "instruction.md").read_bytes()
    assert text != (task / "instruction.md").read_bytes() and b"Mend the function in mend.py.\r\n" in text
    for name in ("tests/test_mend.py", "verify.sh"):
        assert (perturbed / name).read_bytes() == (task / name).read_bytes()
    assert (perturbed / "verify.sh").stat().st_mode & 0o111
    assert pair["files"]["changed"] == ["instruction.md"]
    assert set(pair["files"]["grader"]) == {"tests/test_mend.py", "verify.sh"}
    again = directories.with_copies(pair, record["directory"], tmp_path / "variants")
    assert again["files"] == pair["files"]  # the same again is no error


def test_the_other_families_have_no_surface(task: Path, short: SimpleNamespace) -> None:
    found = short.pairs(directories.with_public(instance(task)), "tools/missing", "procedure/missing")
    assert [pair["status"] for pair in found] == ["inapplicable"] * 2


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../secret", "leads out"),
        ("tests/../../secret", "leads out"),
        ("..", "leads out"),
        ("/etc/passwd", "leads out"),
        ("nothing.md", "cannot read"),
        ("tests", "cannot read"),
        (f"{'x' * 300}/ask.md", "cannot read"),
        ("link.md", "link"),
        ("folder/ask.md", "folder is a link"),
        ("instruction.md\0", "U\\+0000"),
        ("", "empty"),
    ],
)
def test_a_file_that_must_not_be_read(name: str, words: str, task: Path) -> None:
    (task / "link.md").symlink_to("/etc/passwd")
    elsewhere = task.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "ask.md").write_text("Mend it.\n")
    (task / "folder").symlink_to(elsewhere)
    with pytest.raises(DataError, match=words) as caught:
        directories.with_public(instance(task, user=name))
    assert caught.value.code == "E-DIRECTORY"


def test_a_path_with_a_zero_character_is_no_directory(task: Path) -> None:
    record = instance(task)
    record["directory"]["path"] += "\0"
    with pytest.raises(DataError, match=r"U\+0000"):
        directories.with_public(record)


def test_two_ways_to_write_a_path_are_one(task: Path, tmp_path: Path, short: SimpleNamespace) -> None:
    plain = instance(task)
    (expected,) = short.pairs(directories.with_public(plain), "user/redundant")
    expected = directories.with_copies(expected, plain["directory"], tmp_path / "variants")
    record = instance(task, ["./tests", "./verify.sh", "tests/../verify.sh"], user="./tests/..//instruction.md")
    (pair,) = short.pairs(directories.with_public(record), "user/redundant")
    assert directories.with_copies(pair, record["directory"], tmp_path / "variants") == expected
    assert set(expected["files"]["grader"]) == {"tests/test_mend.py", "verify.sh"}


def test_one_file_cannot_be_two_surfaces(task: Path, short: SimpleNamespace) -> None:
    record = instance(task, user="instruction.md", context="./instruction.md")
    with pytest.raises(DataError, match="overlaps"):
        short.pairs(directories.with_public(record), "user/redundant")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("typo.sh", "the grader's typo.sh is not in"),
        ("tests/typo.py", "the grader's tests/typo.py is not in"),
        ("verify.sh/tests", "is not in"),
        ("../verify.sh", r"\.\./verify.sh leads out"),
        ("/bin/sh", "/bin/sh leads out"),
        ("folder/verify.sh", "folder is a link"),
        ("verify.sh\0", r"U\+0000"),
        ("", "empty"),
    ],
)
def test_a_file_of_the_grader_that_cannot_be_digested(name: str, words: str, task: Path) -> None:
    (task / "folder").symlink_to(task)
    with pytest.raises(DataError, match=words) as caught:
        directories.with_public(instance(task, ["tests", name]))
    assert caught.value.path == "$.directory.grader"


def test_links_of_the_grader_are_digested(task: Path, tmp_path: Path, short: SimpleNamespace) -> None:
    (task / "folder").symlink_to("tests")
    (task / "nowhere").symlink_to("nothing")
    (task / "empty").mkdir()
    record = instance(task, ["folder", "nowhere", "empty"])
    (pair,) = short.pairs(directories.with_public(record), "user/redundant")
    pair = directories.with_copies(pair, record["directory"], tmp_path / "variants")
    assert list(pair["files"]["grader"]) == ["folder", "nowhere"]


@pytest.mark.parametrize("grader", [".", "instruction.md", "./instruction.md"])
def test_a_file_of_the_grader_is_never_edited(grader: str, task: Path, tmp_path: Path, short: SimpleNamespace) -> None:
    record = instance(task, [grader])
    (pair,) = short.pairs(directories.with_public(record), "user/redundant")
    with pytest.raises(DataError, match=r"instruction\.md is the grader's"):
        directories.with_copies(pair, record["directory"], tmp_path / "variants")


@pytest.mark.parametrize("files", [None, {"../mine.txt": "x"}, {"instruction.md": 7}])
def test_only_files_of_the_instance_are_written(files: Any, task: Path, tmp_path: Path, short: SimpleNamespace) -> None:
    record = instance(task)
    (pair,) = short.pairs(directories.with_public(record), "user/redundant")
    pair["perturbed"]["public"] = {} if files is None else {"files": files}
    with pytest.raises(DataError, match="not those of the instance"):
        directories.with_copies(pair, record["directory"], tmp_path / "variants")
    assert not list(tmp_path.rglob("mine.txt"))


def test_a_pair_without_copies_reads_as_a_rejected_one(task: Path, short: SimpleNamespace) -> None:
    (pair,) = short.pairs(directories.with_public(instance(task)), "user/redundant")
    waived = {**pair, "accepted_unverified": ["native"], "attempts": [{"status": "invalid"}, {"status": "accepted"}]}
    rejected = directories.without_copies(waived, "the disk is full")
    schema.checker("ap_pair")(rejected)
    keys = list(pair)
    keys.insert(keys.index("status") + 1, "reason")
    assert list(rejected) == keys
    assert (rejected["status"], rejected["reason"]) == ("rejected", "the disk is full")
    first, last = rejected["attempts"]
    assert first == {"status": "invalid"}
    assert list(last) == ["status", "edit", "envelope", "checks", "reason"]
    assert pair["status"] == "accepted"  # the record that came in stays as it is


def test_a_file_that_is_no_text(task: Path) -> None:
    (task / "instruction.md").write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="UTF-8"):
        directories.with_public(instance(task))


def test_a_copy_never_replaces_another_one(task: Path, tmp_path: Path, short: SimpleNamespace) -> None:
    record = instance(task)
    (pair,) = short.pairs(directories.with_public(record), "user/redundant")
    place = tmp_path / "variants" / pair["clean"]["id"]
    place.mkdir(parents=True)
    (place / "mine.txt").write_text("mine")
    with pytest.raises(DataError, match="there already"):
        directories.with_copies(pair, record["directory"], tmp_path / "variants")
    assert (place / "mine.txt").read_text() == "mine"
    assert [path.name for path in (tmp_path / "variants").iterdir()] == [place.name]
