"""Which library encodes: torch, the reference, or onnxruntime, which is lighter and starts faster.

Both give the same vectors but for rounding (`wfkit.models.parity`), so neither is part of a score's signature and both
share one cache.
"""

import os
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

from wfkit.errors import Unavailable, UsageProblem
from wfkit.models.encoder import Encoder, load_encoder
from wfkit.models.exported import find_export, required_export
from wfkit.models.locate import identify, locate
from wfkit.models.onnx_encoder import load_onnx_encoder

BACKENDS = ("auto", "torch", "onnx")
ENVIRONMENT_VARIABLE = "WFKIT_BACKEND"


def find_encoder(choice: str | None, backend: str | None, *, wanted_by: str) -> Callable[[], Encoder]:
    """Find an encoder's files, verified, and the library that runs them; calling the result loads it.

    Args:
        choice: the encoder, as for `locate`.
        backend: ``torch``, ``onnx``, or ``auto``: onnx where an export and its libraries are there, else torch. By
            default what ``WFKIT_BACKEND`` says, else auto. One that is named is never replaced by the other.
        wanted_by: what cannot be measured without it, for the message.

    Raises:
        UsageProblem: no such backend; neither a known encoder nor a folder.
        Unavailable: files or libraries are not on this machine (the remedy is named), or (`WrongDigest`) a file is
            not what it should be.
    """
    backend = backend or os.environ.get(ENVIRONMENT_VARIABLE) or "auto"
    if backend not in BACKENDS:
        raise UsageProblem(f"unknown backend {backend!r}: choose from {', '.join(BACKENDS)}")
    onnx = None if backend == "torch" else _onnx(choice, backend == "onnx", wanted_by)
    return onnx or _torch(choice, wanted_by)


def _onnx(choice: str | None, required: bool, wanted_by: str) -> Callable[[], Encoder] | None:
    lacking = [package for package in ("onnxruntime", "tokenizers") if find_spec(package) is None]
    if lacking:
        if required:
            raise Unavailable(f"{wanted_by} needs {' and '.join(lacking)}: pip install 'wfkit[onnx]'")
        return None
    identity = identify(choice)
    export = required_export(identity, wanted_by) if required else find_export(identity)
    return None if export is None else partial(load_onnx_encoder, export)


def _torch(choice: str | None, wanted_by: str) -> Callable[[], Encoder]:
    model = locate(choice, wanted_by=wanted_by)
    if find_spec("sentence_transformers") is None:
        raise Unavailable(f"{wanted_by} needs sentence-transformers: pip install 'wfkit[models]'")
    return partial(load_encoder, model)
