"""The sentence encoder on torch, the reference backend: sentence-transformers on verified safetensors.

Importing this module is cheap; `load_encoder` imports the model libraries, which takes seconds.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from wfkit.errors import Unavailable
from wfkit.models.batches import encode_in_batches
from wfkit.models.locate import LocatedModel, ModelIdentity
from wfkit.models.offline import stay_offline

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sentence_transformers import SentenceTransformer

MAXIMUM_TOKENS = 384  # What sentence-transformers sets for all-mpnet-base-v2; the rest of a longer text is not read.


class Encoder(Protocol):
    """Turns texts into vectors; every backend has this interface and the same signature."""

    def encode(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """One row of unit length for each text, in the order given: (n, dimension) float32."""


def encoder_signature(identity: ModelIdentity) -> str:
    """What a score says about its encoder, such as ``enc=all-mpnet-base-v2@78c0197b``.

    A folder's name is reduced to letters, digits, dots, dashes and underscores, so that signatures stay easy to split.
    """
    return f"enc={re.sub(r'[^A-Za-z0-9._-]', '_', identity.name)}@{identity.digest[:8]}"


def load_encoder(model: LocatedModel) -> "TorchEncoder":
    """Load a model's weights, on the processor: the same bytes everywhere matter more than speed on some machines.

    Raises:
        Unavailable: the library is not installed, or cannot load this model.
    """
    stay_offline()
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils.logging import disable_progress_bar
    except ImportError as error:
        raise Unavailable(f"the encoder needs sentence-transformers: pip install 'wfkit[models]' ({error})") from error
    disable_progress_bar()
    try:
        transformer = SentenceTransformer(
            str(model.directory),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        ).float()
    except Exception as error:  # Whatever the library says of a folder that it cannot load.
        raise Unavailable(f"cannot load the encoder in {model.directory}: {error}") from error
    if transformer.default_prompt_name is not None:
        raise Unavailable(f"the encoder in {model.directory} puts a prompt before each text, which is not supported")
    transformer.max_seq_length = min(transformer.max_seq_length or MAXIMUM_TOKENS, MAXIMUM_TOKENS)
    return TorchEncoder(transformer)


class TorchEncoder:
    """The reference backend, made by `load_encoder`; ``transformer`` is the library's own model."""

    def __init__(self, transformer: "SentenceTransformer") -> None:
        self.transformer = transformer

    def encode(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Encode texts as `encode_in_batches` does, each truncated at `MAXIMUM_TOKENS`.

        The empty text is encoded like any other (as the two tokens that mark its ends).
        """
        return encode_in_batches(texts, self._tokens, self._forward, self.transformer.max_seq_length)

    def _tokens(self, texts: list[str]) -> list[list[int]]:
        transformer = self.transformer
        tokens = transformer.tokenizer(texts, truncation=True, max_length=transformer.max_seq_length, padding=False)
        ids: list[list[int]] = tokens["input_ids"]
        return ids

    def _forward(self, tokens: list[list[int]], width: int) -> "NDArray[np.float32]":
        import torch

        features = self.transformer.tokenizer.pad(
            {"input_ids": tokens}, padding="max_length", max_length=width, return_tensors="pt"
        )
        with torch.inference_mode():
            vectors = self.transformer(dict(features))["sentence_embedding"]
            normalised: NDArray[np.float32] = torch.nn.functional.normalize(vectors, dim=1).numpy()
        return normalised
