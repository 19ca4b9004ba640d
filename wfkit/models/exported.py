"""Encoders in ONNX form on this machine: where they are and whether they are whole and of the right model.

An export is a folder beside the models, complete in itself: the graph, the tokenizer, and ``export.json`` with the
digests of both and the digest of the model that they were made from. Copied to another machine it needs neither the
model nor torch.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wfkit.errors import Unavailable
from wfkit.models.locate import ModelIdentity
from wfkit.models.manifest import ModelFile
from wfkit.models.places import models_directory
from wfkit.models.verify import WrongDigest, check_files

GRAPH = "model.onnx"
TOKENIZER = "tokenizer.json"
NOTES = "export.json"


@dataclass(frozen=True, slots=True)
class Export:
    """A verified export.

    Attributes:
        directory: holds the graph and the tokenizer.
        maximum_tokens: where a text is truncated.
        padding: the number of the token that fills short texts.
    """

    directory: Path
    maximum_tokens: int
    padding: int


def export_directory(identity: ModelIdentity) -> Path:
    """Where a model's export is kept; it need not exist."""
    name = re.sub(r"[^A-Za-z0-9._-]", "_", identity.name)
    return models_directory() / f"{name}-{identity.digest[:8]}.onnx"


def find_export(identity: ModelIdentity) -> Export | None:
    """The export of a model, or None if there is none.

    Raises:
        WrongDigest: there is one, and it is damaged or of another model; the remedy is named.
    """
    directory = export_directory(identity)
    if not directory.is_dir():
        return None
    try:
        return verified(directory, identity)
    except WrongDigest as error:
        raise WrongDigest(f"{error}; make it again with: wf-models export {identity.name}") from error


def required_export(identity: ModelIdentity, wanted_by: str) -> Export:
    """The export of a model.

    Raises:
        Unavailable: there is none (the remedy is named), or (`WrongDigest`) it is damaged or of another model.
    """
    export = find_export(identity)
    if export is None:
        raise Unavailable(
            f"{wanted_by} needs an encoder in ONNX form: wf-models export {identity.name}, where wfkit[models] is"
            " installed"
        )
    return export


def verified(directory: Path, identity: ModelIdentity) -> Export:
    """The export in a folder, once every file of it was compared with its notes.

    Raises:
        WrongDigest: a file is missing or differs, or the notes speak of another model.
    """
    path = directory / NOTES
    try:
        notes = json.loads(path.read_bytes())
        digest, numbers = str(notes["digest"]), (int(notes["maximum_tokens"]), int(notes["padding"]))
        files = [_file(name, notes["files"][name]) for name in (GRAPH, TOKENIZER)]
    except OSError as error:
        raise WrongDigest(f"refused {directory}: {NOTES} cannot be read ({error.strerror})") from error
    except (ValueError, TypeError, KeyError) as error:
        raise WrongDigest(f"refused {path}: not the notes of an export") from error
    if digest != identity.digest:
        raise WrongDigest(f"refused {directory}: made from a model with sha256 {digest}, not {identity.digest}")
    check_files(directory, files)
    return Export(directory, *numbers)


def notes_on(
    identity: ModelIdentity, files: Mapping[str, ModelFile], maximum_tokens: int, padding: int, made_by: str
) -> bytes:
    """The content of ``export.json``."""
    value = {
        "model": identity.name,
        "digest": identity.digest,
        "maximum_tokens": maximum_tokens,
        "padding": padding,
        "made_by": made_by,
        "files": {name: {"size": file.size, "sha256": file.sha256} for name, file in files.items()},
    }
    return json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n"


def _file(name: str, noted: Any) -> ModelFile:
    return ModelFile(name, int(noted["size"]), str(noted["sha256"]))
