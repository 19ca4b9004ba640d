"""Instances that are directories: the variant is a copy in which only the target's file differs."""

import hashlib
import os
import posixpath
import shutil
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from wfkit.agents.pairing.pairing import failed
from wfkit.agents.pairing.pointers import child
from wfkit.errors import DataError

Record = dict[str, Any]


def with_public(instance: Record) -> Record:
    """The instance with the texts of its files as its public object, each surface at ``/files/NAME``.

    Names are normalised: ``./a//b.md`` is ``a/b.md``.

    Raises:
        DataError: ``E-DIRECTORY``, a file is not there, leads out of the directory or is no UTF-8 text, or a file or
            folder of the grader is not there or leads out of it.
    """
    directory = instance["directory"]
    if "\0" in directory["path"]:
        raise DataError("U+0000 stands in the path", code="E-DIRECTORY", path="$.directory.path")
    root = Path(directory["path"])
    files, pointers = {}, {}
    for target, name in _files(directory).items():
        files[name] = _text(root, name)
        pointers[target] = [child("/files", name)]
    for name in _grader(directory):
        _check_is_there(root, name)
    return {**instance, "public": {"files": files}, "pointers": pointers}


def _files(directory: Mapping[str, Any]) -> dict[str, str]:
    """The normalised name of each target's file."""
    return {target: _normal(name, "files") for target, name in directory["files"].items()}


def _grader(directory: Mapping[str, Any]) -> list[str]:
    """The normalised names of the grader's files and folders."""
    return [_normal(name, "grader") for name in directory.get("grader", ())]


def _normal(name: str, member: str) -> str:
    """A relative path in its shortest form, so that two ways to write it are one name."""
    normal = posixpath.normpath(name)
    if not name or "\0" in name:
        problem = "U+0000 stands in a path" if name else "a path is empty"
    elif posixpath.isabs(normal) or normal.split("/")[0] == "..":
        problem = f"{name} leads out of the directory"
    else:
        return normal
    raise DataError(problem, code="E-DIRECTORY", path=f"$.directory.{member}")


def _text(root: Path, name: str) -> str:
    path = root / name
    _refuse_links(root, path, "files")
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}", code="E-DIRECTORY") from None
    except UnicodeDecodeError:
        raise DataError(f"{path} is no UTF-8 text", code="E-DIRECTORY") from None


def _check_is_there(root: Path, name: str) -> None:
    """Refuse a name of the grader that no digest could stand for."""
    path = root / name
    _refuse_links(root, path.parent, "grader")  # a link itself is digested, what stands behind one is not
    if not os.path.lexists(path):
        raise DataError(f"the grader's {name} is not in {root}", code="E-DIRECTORY", path="$.directory.grader")


def _refuse_links(root: Path, path: Path, member: str) -> None:
    """Refuse a path that goes through a link: reading and writing there would leave the directory."""
    try:
        for place in (path, *path.parents):
            if not place.is_relative_to(root) or place == root:
                return
            if place.is_symlink():
                raise DataError(f"{place} is a link", code="E-DIRECTORY", path=f"$.directory.{member}")
    except OSError as error:
        problem = f"cannot read {path}: {error.strerror}"
        raise DataError(problem, code="E-DIRECTORY", path=f"$.directory.{member}") from None


def with_copies(pair: Record, directory: Mapping[str, Any], variants: Path) -> Record:
    """The accepted pair with a directory for each side, named by the side's opaque id, and what differs in them.

    Raises:
        DataError: ``E-DIRECTORY``, a copy cannot be written or another one is there already, or more than the target's
            file differs.
    """
    root = Path(directory["path"])
    names = _files(directory)
    places = {}
    for side in ("clean", "perturbed"):
        places[side] = variants / pair[side]["id"]
        _copy(root, places[side], _texts(pair[side]["public"], names.values()))
    before, after = _digests(places["clean"]), _digests(places["perturbed"])
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    owned = _grader(directory)
    grader = {name: digest for name, digest in before.items() if _is_of(name, owned)}
    wanted = names[pair["target"]]
    if wanted in grader:
        raise DataError(f"{wanted} is the grader's and may not change", code="E-DIRECTORY")
    if changed != [wanted]:
        found = f"{', '.join(changed)} differ" if changed else "nothing differs"
        raise DataError(f"{found} instead of {wanted} alone", code="E-DIRECTORY")
    result = {**pair, "files": {"changed": changed, "grader": grader}}
    for side, place in places.items():
        result[side] = {**pair[side], "public": {"directory": str(place), **pair[side]["public"]}}
    return result


def without_copies(pair: Record, reason: str) -> Record:
    """The pair as rejected: its candidate had been accepted, but its directories could not be made."""
    attempts = [*pair["attempts"][:-1], failed(pair, reason)]
    rejected: Record = {}
    for key, value in pair.items():
        if key == "status":
            rejected |= {"status": "rejected", "reason": reason}
        elif key != "accepted_unverified":  # only an accepted pair has let something through
            rejected[key] = value
    return {**rejected, "attempts": attempts}


def _texts(public: Mapping[str, Any], names: Collection[str]) -> dict[str, str]:
    """The texts of a side by their files; a candidate from elsewhere may bring along anything."""
    files = public.get("files")
    if not isinstance(files, dict) or any(name not in names or not isinstance(files[name], str) for name in files):
        raise DataError("the files of the pair are not those of the instance", code="E-DIRECTORY")
    return files


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
        problem = problem.replace(unfinished.name, place.name)  # the reason of a pair is the same in every process
        raise DataError(f"cannot copy {root} to {place}: {problem}", code="E-DIRECTORY") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _digests(root: Path) -> dict[str, str]:
    """SHA-256 of every file, by its path in the directory; of a link, of where it leads."""
    found = {}
    for folder, folders, names in os.walk(root):
        links = [name for name in folders if Path(folder, name).is_symlink()]
        for name in [*names, *links]:
            path = Path(folder, name)
            content = os.fsencode(os.readlink(path)) if path.is_symlink() else path.read_bytes()
            found[path.relative_to(root).as_posix()] = hashlib.sha256(content).hexdigest()
    return dict(sorted(found.items()))


def _is_of(name: str, places: Iterable[str]) -> bool:
    return any(place in (".", name) or name.startswith(f"{place}/") for place in places)
