"""The encoder of the filters that compare texts, behind the cache that their options name."""

from typing import TYPE_CHECKING

from wfkit.errors import Unavailable

if TYPE_CHECKING:
    from wfkit.models.cache import EmbeddingCache
    from wfkit.models.embedder import Embedder


def open_embedder(
    filter_name: str, encoder: str, cache: str | None, wanted_by: str, backend: str | None = None
) -> "Embedder":
    """The encoder behind its cache.

    Args:
        filter_name: who tells of problems with the cache.
        encoder: a known model's name or a folder.
        cache: the folder of the cache, empty for the usual one, None for none.
        wanted_by: what cannot be measured without the encoder, for the message.
        backend: what encodes: ``auto``, ``torch`` or ``onnx``; by default what ``WFKIT_BACKEND`` says.

    Raises:
        UsageProblem: neither a known name nor a folder; an unknown backend.
        Unavailable: nothing could be measured: no model or no library, and no cache that may hold every text.
    """
    from wfkit.models.backend import find_encoder
    from wfkit.models.embedder import Embedder
    from wfkit.models.verify import WrongDigest

    kept = open_cache(filter_name, cache)
    try:
        find_encoder(encoder, backend, wanted_by=wanted_by)
    except Unavailable as error:
        if isinstance(error, WrongDigest) or kept is None or not kept.exists():
            raise
    return Embedder(encoder, cache=kept, backend=backend, wanted_by=wanted_by)


def open_cache(filter_name: str, cache: str | None, holds: str = "embedding") -> "EmbeddingCache | None":
    """The cache in a folder, empty for the usual one; None for none."""
    from pathlib import Path

    from wfkit import streams
    from wfkit.models.cache import EmbeddingCache
    from wfkit.models.places import cache_directory

    if cache is None:
        return None
    directory = Path(cache) if cache else cache_directory()
    return EmbeddingCache(directory, lambda line: streams.tell(f"{filter_name}: {line}"), holds)
