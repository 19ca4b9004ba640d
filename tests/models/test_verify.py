"""Digests: compared with the manifest, remembered while a file stays as it was, never trusted longer."""

import json
import os
from pathlib import Path

import pytest

from wfkit.models.verify import WrongDigest, check, forget, remembered_sha256_of, sha256_of

# sha256 of the three bytes "abc", from FIPS 180-2, appendix B.1.
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.fixture
def abc(tmp_path: Path, home: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    return path


def test_digest_of_a_known_text(abc: Path) -> None:
    assert sha256_of(abc) == remembered_sha256_of(abc) == remembered_sha256_of(abc) == ABC


def test_a_remembered_digest_is_used(abc: Path, home: Path) -> None:
    remembered_sha256_of(abc)
    notes = home / "wfkit" / "verified.json"
    content = json.loads(notes.read_text())
    content[str(abc)][3] = "what was noted"  # so that we see that the file is not read again
    notes.write_text(json.dumps(content))
    assert remembered_sha256_of(abc) == "what was noted"
    forget()
    assert remembered_sha256_of(abc) == ABC


def test_a_change_is_noticed_even_if_size_and_time_are_restored(abc: Path) -> None:
    before = abc.stat()
    remembered_sha256_of(abc)
    abc.write_bytes(b"abd")
    os.utime(abc, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert remembered_sha256_of(abc) == sha256_of(abc) != ABC


@pytest.mark.parametrize(
    "notes", [b"", b"[]", b"{", b"\xff\x00", b'{"FILE": 3}', b'{"FILE": [3, 1]}', b'{"FILE": [3]}']
)
def test_damaged_notes_are_ignored_and_written_anew(abc: Path, home: Path, notes: bytes) -> None:
    path = home / "wfkit" / "verified.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(notes.replace(b"FILE", str(abc).encode()))
    assert remembered_sha256_of(abc) == ABC
    assert json.loads(path.read_bytes())[str(abc)][3] == ABC


def test_notes_that_cannot_be_written_do_no_harm(abc: Path, home: Path) -> None:
    home.write_text("a file where the folder should be")
    assert remembered_sha256_of(abc) == ABC


def test_a_whole_model_passes(tiny, home: Path, tmp_path: Path) -> None:
    check(tiny.unpack(tmp_path / "model"), tiny.manifest)


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "1_Pooling/config.json"])
def test_one_flipped_bit_in_any_file_is_refused(tiny, home: Path, tmp_path: Path, file: str) -> None:
    directory = tiny.unpack(tmp_path / "model")
    check(directory, tiny.manifest)  # remembers the good digests
    content = bytearray((directory / file).read_bytes())
    content[7] ^= 1
    (directory / file).write_bytes(content)
    expected = next(entry.sha256 for entry in tiny.manifest.files if entry.path == file)
    with pytest.raises(WrongDigest) as caught:
        check(directory, tiny.manifest)
    assert str(caught.value) == (
        f"refused {directory / file}: expected sha256 {expected}, found {sha256_of(directory / file)}"
    )


def test_a_cut_file_is_refused_by_its_size(tiny, home: Path, tmp_path: Path) -> None:
    directory = tiny.unpack(tmp_path / "model")
    os.truncate(directory / "model.safetensors", 1000)
    with pytest.raises(WrongDigest, match="expected 1024 bytes, found 1000"):
        check(directory, tiny.manifest)


def test_a_missing_file_is_refused(tiny, home: Path, tmp_path: Path) -> None:
    directory = tiny.unpack(tmp_path / "model")
    (directory / "config.json").unlink()
    with pytest.raises(WrongDigest, match=r"config\.json: expected sha256 [0-9a-f]{64}, found No such file"):
        check(directory, tiny.manifest)
