"""Which model is meant, and where its files are on this machine. Nothing here reaches a network.

A model is looked for in this order: the folder given by the user (the option or ``WFKIT_ENCODER``), the toolkit's own
cache, the model hub's cache. Where it is in none of them the error names the remedy.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wfkit.errors import Unavailable, UsageProblem
from wfkit.models.manifest import DEFAULT_MODEL, MODELS, WEIGHTS, Manifest, known
from wfkit.models.places import hub_directory, models_directory
from wfkit.models.verify import WrongDigest, check, remembered_sha256_of

ENVIRONMENT_VARIABLE = "WFKIT_ENCODER"

# What a folder of weights, configuration and vocabulary consists of; documentation and exports are not loaded.
_LOADED_SUFFIXES = {".safetensors", ".json", ".txt", ".model"}


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """What embeddings depend on: a name for people and a digest (SHA-256 in hex) for caches and signatures.

    For a known model the digest is that of its weights; for a folder of the user's it covers the weights, the
    configuration and the vocabulary, because each of them changes the embeddings.
    """

    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class LocatedModel:
    """A model whose files were found and verified."""

    identity: ModelIdentity
    directory: Path


def identify(choice: str | None = None) -> ModelIdentity:
    """Say which model is meant, without needing the files of a known one.

    Args:
        choice: a known name or a folder; by default what ``WFKIT_ENCODER`` says, else all-mpnet-base-v2.

    Raises:
        UsageProblem: neither a known name nor a folder.
        Unavailable: the folder is missing, not a loadable model or (`WrongDigest`) a damaged copy of a known one.
    """
    choice = _chosen(choice)
    if choice in MODELS:
        return ModelIdentity(choice, MODELS[choice].digest)
    return _located_folder(choice).identity


def locate(choice: str | None = None, *, wanted_by: str = "this metric") -> LocatedModel:
    """Find and verify a model's files.

    Args:
        choice: as for `identify`.
        wanted_by: what cannot be measured without it, for the message.

    Raises:
        UsageProblem: neither a known name nor a folder.
        Unavailable: not on this machine (the remedy is named), or (`WrongDigest`) not the files of the manifest.
    """
    choice = _chosen(choice)
    return _located_known(known(choice), wanted_by) if choice in MODELS else _located_folder(choice)


def _chosen(choice: str | None) -> str:
    return choice or os.environ.get(ENVIRONMENT_VARIABLE) or DEFAULT_MODEL


def _located_known(manifest: Manifest, wanted_by: str) -> LocatedModel:
    identity = ModelIdentity(manifest.name, manifest.digest)
    own = models_directory() / manifest.name
    if os.path.isdir(own):
        try:
            check(own, manifest)
        except WrongDigest as error:
            raise WrongDigest(f"{error}; replace it with: wf-models fetch {manifest.name}") from error
        return LocatedModel(identity, own)
    refused = ""
    for snapshot in _hub_snapshots(manifest):
        try:
            check(snapshot, manifest)
        except WrongDigest as error:
            refused = f" ({error})"
        else:
            return LocatedModel(identity, snapshot)
    raise Unavailable(
        f"{wanted_by} needs an encoder: pip install 'wfkit[models]' && wf-models fetch {manifest.name}{refused}"
    )


def _hub_snapshots(manifest: Manifest) -> Iterator[Path]:
    """The snapshots in the hub's cache that hold the weights, in the order of their names."""
    repository = hub_directory() / f"models--{manifest.repository.replace('/', '--')}"
    for weights in sorted((repository / "snapshots").glob(f"*/{WEIGHTS}")):
        yield weights.parent


def _located_folder(choice: str) -> LocatedModel:
    directory = Path(os.path.expanduser(choice))
    if not os.path.isdir(directory):
        if directory.name == choice:
            raise UsageProblem(f"encoder {choice!r} is neither a folder nor a known model ({', '.join(MODELS)})")
        raise Unavailable(f"encoder folder {choice} does not exist")
    directory = directory.resolve()
    try:
        _refuse_code_and_pickles(directory)
        digests = {
            path.relative_to(directory).as_posix(): remembered_sha256_of(path)
            for path in _files(directory)
            if path.suffix in _LOADED_SUFFIXES
        }
    except OSError as error:
        raise Unavailable(f"encoder folder {choice} cannot be read: {error}") from error
    for manifest in MODELS.values():
        if _claims_to_be(manifest, directory, digests):
            check(directory, manifest)
            return LocatedModel(ModelIdentity(manifest.name, manifest.digest), directory)
    listing = "".join(f"{digest}  {path}\n" for path, digest in sorted(digests.items()))
    return LocatedModel(ModelIdentity(directory.name, hashlib.sha256(listing.encode()).hexdigest()), directory)


def _claims_to_be(manifest: Manifest, directory: Path, digests: dict[str, str]) -> bool:
    """Whether a folder has a known model's name, its weights, or all of its other files: then it must be that model.

    Otherwise a damaged copy would pass as a model of the user's own.
    """
    others = all(digests.get(file.path) == file.sha256 for file in manifest.files if file.path != WEIGHTS)
    return directory.name == manifest.name or digests.get(WEIGHTS) == manifest.digest or others


def _refuse_code_and_pickles(directory: Path) -> None:
    """Accept only folders that can be loaded from safetensors by the library's own classes."""
    files = list(_files(directory))
    with_weights = {path.parent for path in files if path.suffix == ".safetensors"}
    for path in files:
        if path.suffix in {".bin", ".pt", ".pth", ".pkl"} and path.parent not in with_weights:
            raise Unavailable(f"refused {path}: pickled weights are never loaded; convert them to {WEIGHTS}")
    if not with_weights:
        raise Unavailable(f"encoder folder {directory} holds no {WEIGHTS}")
    modules = directory / "modules.json"
    if not modules.is_file():
        return
    try:
        types = [str(module["type"]) for module in json.loads(modules.read_bytes())]
    except (ValueError, TypeError, KeyError) as error:
        raise Unavailable(f"refused {modules}: not a list of modules") from error
    for type_name in types:
        if not type_name.startswith("sentence_transformers."):
            raise Unavailable(f"refused {modules}: module {type_name!r} is code from outside the library")


def _files(directory: Path) -> Iterator[Path]:
    """Every file below a folder but hidden ones (a hub download keeps its notes in such a folder)."""
    for path in sorted(directory.rglob("*")):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(directory).parts):
            yield path
