"""Command lines that would write over a file that they read or write for something else."""

from pathlib import Path

import pytest

from wfkit import shared_files
from wfkit.errors import UsageProblem


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"golden": "g", "output": "./g"}, "--output ./g"),
        ({"files": ("a", "b"), "summary": "b"}, "--summary b"),
        ({"requested": ("r", "s"), "html": "s"}, "--html s"),
        ({"output": "x", "junit": "x"}, "--output x"),
        ({"episodes": ("e",), "episodes_out": "e"}, "--episodes-out e"),
        ({"policy_file": "p", "calibrate": "p"}, "--calibrate p"),
    ],
)
def test_the_option_that_would_write_over_is_named(
    options: dict[str, str | tuple[str, ...]], option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageProblem, match=f"^{option} would overwrite a file that is read or written as well$"):
        shared_files.refuse(options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"files": ("a",), "output": "a"},  # appears when the input is at its end
        {"baseline": "b", "bless": "b"},
        {"golden": "g", "files": ("g",)},  # both read
        {"golden": "g", "output": "o", "summary": "s"},
        {"output": "/dev/null", "summary": "/dev/null"},
        {"output": None, "summary": None, "requested": ()},
        {"output": "", "summary": ""},  # refused where they are opened
    ],
)
def test_what_may_be(
    options: dict[str, str | tuple[str, ...] | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shared_files.refuse(options)


def test_links_to_one_file_are_one_file(tmp_path: Path) -> None:
    (tmp_path / "goldens").touch()
    (tmp_path / "link").symlink_to(tmp_path / "goldens")
    with pytest.raises(UsageProblem):
        shared_files.refuse({"golden": str(tmp_path / "goldens"), "output": str(tmp_path / "link")})
