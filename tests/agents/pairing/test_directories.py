"""Instances that are directories: copies in which only the target's file differs."""

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


def instance(root: Path, **files: str) -> Record:
    directory = {"path": str(root), "files": files or {"user": "instruction.md"}, "grader": ["tests/", "verify.sh"]}
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
    [("../secret", "leads out"), ("/etc/passwd", "leads out"), ("nothing.md", "cannot read"), ("link.md", "link")],
)
def test_a_file_that_must_not_be_read(name: str, words: str, task: Path) -> None:
    (task / "link.md").symlink_to("/etc/passwd")
    with pytest.raises(DataError, match=words):
        directories.with_public(instance(task, user=name))


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
