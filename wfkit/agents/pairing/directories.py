"""Instances that are directories: the variant is a copy in which only the target's file differs."""

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from wfkit.agents.pairing.pointers import child
from wfkit.errors import DataError

Record = dict[str, Any]


def with_public(instance: Record) -> Record:
    """The instance with the texts of its files as its public object, each surface at ``/files/NAME``.

    Raises:
        DataError: ``E-DIRECTORY``, a file is not there, leads out of the directory or is no UTF-8 text.
    """
    directory = instance["directory"]
    root = Path(directory["path"])
    files, pointers = {}, {}
    for target, name in directory["files"].items():
        files[name] = _text(root, name)
        pointers[target] = [child("/files", name)]
    return {**instance, "public": {"files": files}, "pointers": pointers}


def _text(root: Path, name: str) -> str:
    if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
        raise DataError(f"{name} leads out of the directory", code="E-DIRECTORY", path="$.directory.files")
    try:
        path = root / name
        if path.is_symlink():
            raise DataError(f"{path} is a link", code="E-DIRECTORY", path="$.directory.files")
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise DataError(f"cannot read {root / name}: {error.strerror}", code="E-DIRECTORY") from None
    except UnicodeDecodeError:
        raise DataError(f"{root / name} is no UTF-8 text", code="E-DIRECTORY") from None


def with_copies(pair: Record, directory: Mapping[str, Any], variants: Path) -> Record:
    """The accepted pair with a directory for each side, named by the side's opaque id, and what differs in them.

    Raises:
        DataError: ``E-DIRECTORY``, a copy cannot be written or another one is there already, or more than the target's
            file differs.
    """
    root = Path(directory["path"])
    places = {}
    for side in ("clean", "perturbed"):
        places[side] = variants / pair[side]["id"]
        _copy(root, places[side], pair[side]["public"]["files"])
    before, after = _digests(places["clean"]), _digests(places["perturbed"])
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    grader = {name: digest for name, digest in before.items() if _is_of(name, directory.get("grader", ()))}
    wanted = directory["files"][pair["target"]]
    if changed != [wanted] or any(after.get(name) != digest for name, digest in grader.items()):
        raise DataError(f"{', '.join(changed)} differ instead of {wanted} alone", code="E-DIRECTORY")
    result = {**pair, "files": {"changed": changed, "grader": grader}}
    for side, place in places.items():
        result[side] = {**pair[side], "public": {"directory": str(place), **pair[side]["public"]}}
    return result


def _copy(root: Path, place: Path, files: Mapping[str, str]) -> None:
    """A copy under another name that appears when it is complete."""
    unfinished = place.with_name(f"{place.name}.{os.getpid()}.partial")
    try:
        shutil.copytree(root, unfinished, symlinks=True)
        for name, text in files.items():
            (unfinished / name).write_bytes(text.encode("utf-8"))
        if place.exists():
            if _digests(place) != _digests(unfinished):
                raise DataError(f"{place} is there already and is another one", code="E-DIRECTORY")
            return
        unfinished.rename(place)
    except OSError as error:
        problem = error.strerror or str(error).splitlines()[0][:200]
        raise DataError(f"cannot copy {root} to {place}: {problem}", code="E-DIRECTORY") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _digests(root: Path) -> dict[str, str]:
    """SHA-256 of every file, by its path in the directory; of a link, of where it leads."""
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder, name)
            content = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
            found[path.relative_to(root).as_posix()] = hashlib.sha256(content).hexdigest()
    return dict(sorted(found.items()))


def _is_of(name: str, places: Any) -> bool:
    return any(name == place.rstrip("/") or name.startswith(f"{place.rstrip('/')}/") for place in places)
