"""The sentence encoder on torch, the reference backend: sentence-transformers on verified safetensors.

Importing this module is cheap; `load_encoder` imports the model libraries, which takes seconds.
"""

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from wfkit.errors import Unavailable
from wfkit.models.locate import LocatedModel, ModelIdentity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sentence_transformers import SentenceTransformer

MAXIMUM_TOKENS = 384  # What sentence-transformers sets for all-mpnet-base-v2; the rest of a longer text is not read.

# Enough tokens in one batch to keep the processor busy, few enough for its caches.
_TOKENS_PER_BATCH = 1024

# Texts are padded to a multiple of this. Wider, more padding; narrower, more and smaller batches.
_WIDTH_STEP = 4


class Encoder(Protocol):
    """Turns texts into vectors; every backend has this interface and the same signature."""

    def encode(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """One row of unit length for each text, in the order given: (n, dimension) float32."""


def encoder_signature(identity: ModelIdentity) -> str:
    """What a score says about its encoder, such as ``enc=all-mpnet-base-v2@78c0197b``.

    A folder's name is reduced to letters, digits, dots, dashes and underscores, so that signatures stay easy to split.
    """
    return f"enc={re.sub(r'[^A-Za-z0-9._-]', '_', identity.name)}@{identity.digest[:8]}"


def load_encoder(model: LocatedModel) -> Encoder:
    """Load a model's weights, on the processor: the same bytes everywhere matter more than speed on some machines.

    Raises:
        Unavailable: the library is not installed, or cannot load this model.
    """
    # The libraries read these when they are imported. The model is on this machine: nothing may ask a hub about it.
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
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
    """The reference backend, made by `load_encoder`."""

    def __init__(self, transformer: "SentenceTransformer") -> None:
        self._transformer = transformer

    def encode(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Encode each distinct text once, those of like length together.

        The width to which a text is padded follows from the text alone, so that its vector does not depend on what
        shares its batch: the same text has the same vector whatever else is encoded with it. A text is truncated at
        `MAXIMUM_TOKENS`; the empty text is encoded like any other (as the two tokens that mark its ends).

        Args:
            texts: at least one.

        Returns:
            (n, dimension) float32, rows of unit length in the order of ``texts``.

        Raises:
            Unavailable: the model gave something that is not a vector of unit length.
        """
        import numpy as np

        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        tokens = self._tokens([_encodable(text) for text in places])
        rows: dict[int, NDArray[np.float32]] = {}
        for batch, width in _batches([len(ids) for ids in tokens], self._transformer.max_seq_length):
            # A lone row takes another path through the matrix library, with other rounding, so it is never alone.
            vectors = self._forward([tokens[place] for place in (batch if len(batch) > 1 else batch * 2)], width)
            if not np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3):
                raise Unavailable("the encoder gave vectors that are not of unit length: its weights are unusable")
            rows |= zip(batch, vectors, strict=False)
        return np.stack([rows[places[text]] for text in texts])

    def _tokens(self, texts: list[str]) -> list[list[int]]:
        transformer = self._transformer
        tokens = transformer.tokenizer(texts, truncation=True, max_length=transformer.max_seq_length, padding=False)
        ids: list[list[int]] = tokens["input_ids"]
        return ids

    def _forward(self, tokens: list[list[int]], width: int) -> "NDArray[np.float32]":
        import torch

        features = self._transformer.tokenizer.pad(
            {"input_ids": tokens}, padding="max_length", max_length=width, return_tensors="pt"
        )
        with torch.inference_mode():
            vectors = self._transformer(dict(features))["sentence_embedding"]
            normalised: NDArray[np.float32] = torch.nn.functional.normalize(vectors, dim=1).numpy()
        return normalised


def _batches(lengths: Sequence[int], widest: int) -> Iterator[tuple[list[int], int]]:
    """Group the places of texts by the width they are padded to, ascending, and cut each group by the token budget."""
    alike = defaultdict(list)
    for place, length in enumerate(lengths):
        alike[min(-(-length // _WIDTH_STEP) * _WIDTH_STEP, widest)].append(place)
    for width, places in sorted(alike.items()):
        size = max(1, _TOKENS_PER_BATCH // width)
        for start in range(0, len(places), size):
            yield places[start : start + size], width


def _encodable(text: str) -> str:
    """Lone surrogates, which are no text for a tokenizer, become U+FFFD; pairs become the character they mean."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
