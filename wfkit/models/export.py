"""Make the ONNX form of an encoder, once, where torch is installed."""

import hashlib
import os
import shutil
import warnings
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from wfkit.errors import Unavailable
from wfkit.models.encoder import TorchEncoder, load_encoder
from wfkit.models.exported import GRAPH, NOTES, TOKENIZER, export_directory, notes_on, verified
from wfkit.models.locate import LocatedModel
from wfkit.models.manifest import ModelFile
from wfkit.models.onnx_encoder import load_onnx_encoder
from wfkit.models.parity import check_parity
from wfkit.models.staging import Progress, staged
from wfkit.models.verify import WrongDigest

_OPERATORS = 17
_PACKAGES = ("sentence_transformers", "torch", "onnx", "onnxruntime", "tokenizers")


def export(model: LocatedModel, *, progress: Progress) -> Path:
    """Export a model's graph and tokenizer and return their folder; an export that is there and whole is left alone.

    The folder appears in one step, and only after the export gave the same cosines as the model on `parity.TEXTS`.

    Raises:
        Unavailable: a library is missing or cannot export this model, the result differs, or it could not be stored.
    """
    lacking = [name for name in _PACKAGES if find_spec(name) is None]
    if lacking:
        raise Unavailable(f"the export needs {', '.join(lacking)}: pip install 'wfkit[models]'")
    target = export_directory(model.identity)
    try:
        with staged(target, progress) as staging:
            if target.is_dir():
                try:
                    return verified(target, model.identity).directory
                except WrongDigest as error:
                    progress(f"replacing what is there: {error}")
            made = staging / target.name
            made.mkdir()
            progress(f"exporting {model.directory}")
            encoder = load_encoder(model)
            _write(encoder, made, model)
            progress("comparing with the model")
            difference = check_parity(encoder, load_onnx_encoder(verified(made, model.identity)))
            progress(f"cosines differ by at most {difference:.1e}")
            shutil.rmtree(target, ignore_errors=True)
            os.rename(made, target)
            verified(target, model.identity)  # so that its digests are known to the first run that needs it
    except OSError as error:
        raise Unavailable(f"cannot store {target}: {error.strerror or error}") from error
    return target


def _write(encoder: TorchEncoder, directory: Path, model: LocatedModel) -> None:
    tokenizer = encoder.transformer.tokenizer
    if not hasattr(tokenizer, "backend_tokenizer") or tokenizer.pad_token_id is None:
        raise Unavailable(f"the tokenizer in {model.directory} has no form that the onnx backend can read")
    _write_graph(encoder, directory / GRAPH)
    tokenizer.backend_tokenizer.save(str(directory / TOKENIZER))
    files = {name: _measured(directory / name) for name in (GRAPH, TOKENIZER)}
    made_by = ", ".join(f"{package} {version(package)}" for package in ("torch", "sentence-transformers", "onnx"))
    notes = notes_on(model.identity, files, encoder.transformer.max_seq_length, tokenizer.pad_token_id, made_by)
    (directory / NOTES).write_bytes(notes)


def _write_graph(encoder: TorchEncoder, path: Path) -> None:
    """Everything from token numbers to the vector of unit length, for any number of texts of any width."""
    import torch

    class Graph(torch.nn.Module):  # type: ignore[misc]  # torch is not typed here
        def __init__(self) -> None:
            super().__init__()
            self.transformer = encoder.transformer

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            vectors = self.transformer({"input_ids": input_ids, "attention_mask": attention_mask})
            return torch.nn.functional.normalize(vectors["sentence_embedding"], dim=1)

    example = torch.ones(2, 8, dtype=torch.long)
    texts_and_width = {0: "texts", 1: "width"}
    with torch.inference_mode(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # The tracer's doubts; `check_parity` is what decides.
        try:
            torch.onnx.export(
                Graph().eval(),
                (example, example),
                str(path),
                dynamo=False,  # The newer exporter needs a package more.
                opset_version=_OPERATORS,
                input_names=["input_ids", "attention_mask"],
                output_names=["vectors"],
                dynamic_axes={
                    "input_ids": texts_and_width, "attention_mask": texts_and_width, "vectors": {0: "texts"},
                },
            )  # fmt: skip
        except OSError:
            raise
        except Exception as error:  # Whatever the library says of a model that it cannot export.
            reason = str(error).strip().splitlines() or [type(error).__name__]
            raise Unavailable(f"the encoder cannot be exported: {reason[0]}") from error


def _measured(path: Path) -> ModelFile:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return ModelFile(path.name, path.stat().st_size, digest)
