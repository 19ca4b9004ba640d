"""Digests of model files: computed, compared with a manifest, and remembered while a file stays as it was."""

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from wfkit.errors import Unavailable
from wfkit.models.manifest import Manifest, ModelFile
from wfkit.models.places import cache_directory


class WrongDigest(Unavailable):
    """A model file is not the one that the manifest names; it is never loaded."""


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's content in hex.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def remembered_sha256_of(path: Path) -> str:
    """Like `sha256_of`, but read again only if the file changed since the last time.

    What was computed is kept in ``verified.json`` in the cache directory with the file's size and times of change.
    Where those notes are missing, damaged or not writable the digest is computed anew, which is slow and not wrong.

    Raises:
        OSError: the file cannot be read.
    """
    notes = _notes()
    status = path.stat()
    # The time of the last status change is there because a program can set the modification time at will.
    state = [status.st_size, status.st_mtime_ns, status.st_ctime_ns]
    key = str(path.resolve())
    noted = _read(notes).get(key)
    if isinstance(noted, list) and len(noted) == 4 and noted[:3] == state and isinstance(noted[3], str):
        return noted[3]
    digest = sha256_of(path)
    _write(notes, _read(notes) | {key: [*state, digest]})
    return digest


def forget() -> None:
    """Drop what is remembered, so that every file is read again the next time it is needed."""
    with contextlib.suppress(OSError):
        _notes().unlink()


def check(directory: Path, manifest: Manifest, *, digest_of: Callable[[Path], str] = remembered_sha256_of) -> None:
    """Compare every file that a manifest names with the one in a model's folder.

    Raises:
        WrongDigest: a file is missing or differs; one line with the file, what was expected and what was found.
    """
    check_files(directory, manifest.files, digest_of=digest_of)


def check_files(
    directory: Path, files: Iterable[ModelFile], *, digest_of: Callable[[Path], str] = remembered_sha256_of
) -> None:
    """Compare files in a folder with what they should be.

    Raises:
        WrongDigest: as for `check`.
    """
    for file in files:
        path = directory / file.path
        try:
            size = path.stat().st_size
            if size != file.size:
                raise WrongDigest(f"refused {path}: expected {file.size} bytes, found {size}")
            digest = digest_of(path)
        except OSError as error:
            raise WrongDigest(f"refused {path}: expected sha256 {file.sha256}, found {error.strerror}") from error
        if digest != file.sha256:
            raise WrongDigest(f"refused {path}: expected sha256 {file.sha256}, found {digest}")


def _notes() -> Path:
    return cache_directory() / "verified.json"


def _read(notes: Path) -> dict[str, object]:
    try:
        content = json.loads(notes.read_bytes())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _write(notes: Path, content: dict[str, object]) -> None:
    # Of two processes that write at once the last one wins; the other's file is then read once more.
    try:
        notes.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=notes.parent, prefix=".verified-")
    except OSError:
        return
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=1)
        os.replace(temporary, notes)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
