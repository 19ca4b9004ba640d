"""Vectors for texts from the nearest place: this process, the cache on disk, the encoder."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wfkit.models.backend import find_encoder
from wfkit.models.cache import EmbeddingCache
from wfkit.models.encoder import Encoder, encoder_signature
from wfkit.models.locate import identify

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# About 3 KB each at 768 dimensions. With a cache, what was forgotten is read again; without one it is encoded again.
_REMEMBERED_BESIDE_A_CACHE = 2_048
_REMEMBERED_ALONE = 50_000

# Texts: many, so that those of like length are many; not all, so that a run that is ended keeps what it has encoded.
_ENCODED_AT_ONCE = 512


class Embedder:
    """Embeds texts with one model, loading it only when a text is found neither in memory nor in the cache.

    Because a known model's digest is known, even its files need not be there until then. Threads may share it: one that
    asks for what is in memory or in the cache does not wait for another's texts to be encoded.
    """

    def __init__(
        self,
        choice: str | None = None,
        *,
        cache: EmbeddingCache | None,
        backend: str | None = None,
        wanted_by: str = "this metric",
        remembered_vectors: int | None = None,
    ) -> None:
        """Use a known model's name or a folder, by default what ``WFKIT_ENCODER`` says, else all-mpnet-base-v2.

        Args:
            choice: the model.
            cache: where vectors are kept between runs; None for nowhere.
            backend: as for `find_encoder`.
            wanted_by: what cannot be measured without the model, for the message.
            remembered_vectors: how many of the vectors used last stay in memory; None for three times as many as were
                asked for at once, at least some thousands, or tens of thousands where no cache can be written.

        Raises:
            UsageProblem: neither a known name nor a folder.
            Unavailable: the folder is not a loadable model.
        """
        self._choice = choice
        self._cache = cache
        self._backend = backend
        self._wanted_by = wanted_by
        self._remembered_vectors = remembered_vectors
        self._most_at_once = 0
        self._identity = identify(choice)
        self._remembered: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._remembering = threading.Lock()
        self._encoder: Encoder | None = None
        self._encoding = threading.Lock()

    @property
    def signature(self) -> str:
        """The encoder's part of a score's signature, such as ``enc=all-mpnet-base-v2@78c0197b``."""
        return encoder_signature(self._identity)

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """One row of unit length for each text, in the order given: (n, dimension) float32, (0, 0) for no texts.

        Give it the texts of many workflows at once first: what is missing is then encoded in full batches, and asking
        again for single workflows is answered from memory. The empty text has a vector like any other.

        Raises:
            Unavailable: a text is in no cache and the model or its library is missing, or its files are wrong.
        """
        import numpy as np

        if not texts:
            return np.empty((0, 0), dtype=np.float32)
        vectors = self._vectors(texts)
        return np.stack([vectors[text] for text in texts])

    def _vectors(self, texts: Sequence[str]) -> "dict[str, NDArray[np.float32]]":
        found = {}
        missing = []
        distinct = dict.fromkeys(texts)
        with self._remembering:
            self._most_at_once = max(self._most_at_once, len(distinct))
            for text in distinct:
                vector = self._remembered.get(text)
                if vector is None:
                    missing.append(text)
                else:
                    self._remembered.move_to_end(text)
                    found[text] = vector
        if missing:
            fresh = self._kept_or_encoded(missing)
            found |= fresh
            with self._remembering:
                self._remembered |= fresh
                while len(self._remembered) > self._capacity():
                    self._remembered.popitem(last=False)
        return found

    def _capacity(self) -> int:
        if self._remembered_vectors:
            return self._remembered_vectors
        beside_a_cache = self._cache is not None and self._cache.keeps
        fewest = _REMEMBERED_BESIDE_A_CACHE if beside_a_cache else _REMEMBERED_ALONE
        # Of three batches: those of the second are the oldest once the first was used one by one and the third came.
        return max(fewest, 3 * self._most_at_once)

    def _kept_or_encoded(self, texts: Sequence[str]) -> "dict[str, NDArray[np.float32]]":
        digest = self._identity.digest
        kept = self._cache.get_many(digest, texts) if self._cache else {}
        missing = [text for text in texts if text not in kept]
        for start in range(0, len(missing), _ENCODED_AT_ONCE):
            some = missing[start : start + _ENCODED_AT_ONCE]
            with self._encoding:
                rows = self._loaded_encoder().encode(some)
            # A copy of each row, because a view would keep the whole matrix in memory.
            encoded = {text: row.copy() for text, row in zip(some, rows, strict=True)}
            if self._cache:
                self._cache.put_many(digest, encoded)
            kept |= encoded
        return kept

    def _loaded_encoder(self) -> Encoder:
        if self._encoder is None:
            self._encoder = find_encoder(self._choice, self._backend, wanted_by=self._wanted_by)()
        return self._encoder
