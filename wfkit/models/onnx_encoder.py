"""The sentence encoder without torch: onnxruntime and tokenizers on what `wf-models export` made.

Importing this module is cheap; `load_onnx_encoder` imports the libraries, which takes a fraction of a second.
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wfkit.errors import Unavailable
from wfkit.models.batches import encode_in_batches
from wfkit.models.exported import GRAPH, TOKENIZER, Export

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

_ERRORS_ONLY = 3
_MOST_THREADS = 16  # The texts of a call make some 30 batches, and each that is encoded takes memory.


def load_onnx_encoder(export: Export) -> "OnnxEncoder":
    """Load an export, on the processor.

    Raises:
        Unavailable: a library is not installed, or cannot load this export.
    """
    try:
        from onnxruntime import InferenceSession, SessionOptions, set_default_logger_severity
        from tokenizers import Tokenizer
    except ImportError as error:
        raise Unavailable(
            f"the onnx backend needs onnxruntime and tokenizers: pip install 'wfkit[onnx]' ({error})"
        ) from error
    set_default_logger_severity(_ERRORS_ONLY)
    # Threads that share the work of one batch wait for each other after every operation, and for whatever else runs on
    # the machine, such as the scoring of the batch before. So each works at a batch of its own.
    options = SessionOptions()
    options.intra_op_num_threads = 1
    try:
        session = InferenceSession(str(export.directory / GRAPH), options, providers=["CPUExecutionProvider"])
        tokenizer = Tokenizer.from_file(str(export.directory / TOKENIZER))
    except Exception as error:  # Whatever the libraries say of files that they cannot load.
        raise Unavailable(f"cannot load the encoder in {export.directory}: {error}") from error
    # A model's own file may carry a padding and a truncation that are not those of the encoder.
    tokenizer.no_padding()
    tokenizer.enable_truncation(export.maximum_tokens)
    return OnnxEncoder(session, tokenizer, export)


class OnnxEncoder:
    """The backend without torch, made by `load_onnx_encoder`."""

    def __init__(self, session: "InferenceSession", tokenizer: "Tokenizer", export: Export) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._export = export

    def encode(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Encode texts as `encode_in_batches` does, each truncated like those of the torch backend."""
        return encode_in_batches(texts, self._tokens, self._forward, self._export.maximum_tokens, _threads())

    def _tokens(self, texts: list[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self._tokenizer.encode_batch(texts)]

    def _forward(self, tokens: list[list[int]], width: int) -> "NDArray[np.float32]":
        import numpy as np

        numbers = np.full((len(tokens), width), self._export.padding, dtype=np.int64)
        mask = np.zeros((len(tokens), width), dtype=np.int64)
        for row, one in enumerate(tokens):
            numbers[row, : len(one)] = one
            mask[row, : len(one)] = 1
        try:
            (vectors,) = self._session.run(None, {"input_ids": numbers, "attention_mask": mask})
        except Exception as error:  # The library has a class of its own for each kind of failure.
            raise Unavailable(f"the encoder in {self._export.directory} failed: {error}") from error
        found: NDArray[np.float32] = vectors
        return found


def _threads() -> int:
    """One for each processor that this process may use."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, _MOST_THREADS)
