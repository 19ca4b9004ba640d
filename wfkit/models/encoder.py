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
    transformer.max_seq_length = min(transformer.max_seq_length or MAXIMUM_TOKENS, MAXIMUM_TOKENS)
    return TorchEncoder(transformer)


class TorchEncoder:
    """The reference backend, made by `load_encoder`."""

    def __init__(self, transformer: "SentenceTransformer") -> None:
        self._transformer = transformer

    def encode(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Encode each distinct text once, in batches of texts with equally many tokens.

        Without padding a text's vector does not depend on what shares its batch, so that the same text has the same
        vector whatever else is encoded with it. A text is truncated at `MAXIMUM_TOKENS`; the empty text is encoded
        like any other (as the two tokens that mark its ends).

        Args:
            texts: at least one.

        Returns:
            (n, dimension) float32, rows of unit length in the order of ``texts``.

        Raises:
            Unavailable: the model gave something that is not a vector of unit length.
        """
        import numpy as np

        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        distinct = [_encodable(text) for text in places]
        rows: dict[int, NDArray[np.float32]] = {}
        for batch in _batches(self._token_counts(distinct)):
            # A lone row takes another path through the matrix library, with other rounding, so it is never alone.
            inputs = [distinct[place] for place in (batch if len(batch) > 1 else batch * 2)]
            vectors = self._transformer.encode(
                inputs, batch_size=len(inputs), normalize_embeddings=True, show_progress_bar=False
            ).astype(np.float32, copy=False)
            if not np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3):
                raise Unavailable("the encoder gave vectors that are not of unit length: its weights are unusable")
            for place, vector in zip(batch, vectors, strict=False):
                rows[place] = vector
        return np.stack([rows[places[text]] for text in texts])

    def _token_counts(self, texts: Sequence[str]) -> list[int]:
        tokens = self._transformer.tokenizer(
            list(texts), truncation=True, max_length=self._transformer.max_seq_length, padding=False
        )
        return [len(ids) for ids in tokens["input_ids"]]


def _batches(token_counts: Sequence[int]) -> Iterator[list[int]]:
    """Group the places of texts with equally many tokens, `_TOKENS_PER_BATCH` tokens at most in a group of several."""
    alike = defaultdict(list)
    for place, count in enumerate(token_counts):
        alike[count].append(place)
    for count, places in sorted(alike.items()):
        size = max(1, _TOKENS_PER_BATCH // max(1, count))
        for start in range(0, len(places), size):
            yield places[start : start + size]


def _encodable(text: str) -> str:
    """Lone surrogates, which are no text for a tokenizer, become U+FFFD; pairs become the character they mean."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
