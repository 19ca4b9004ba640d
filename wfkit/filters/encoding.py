"""The encoder of the filters that compare texts, behind the cache that their options name."""

from typing import TYPE_CHECKING

from wfkit.errors import Unavailable

if TYPE_CHECKING:
    from wfkit.models.embedder import Embedder


def open_embedder(filter_name: str, encoder: str, cache: str | None, wanted_by: str) -> "Embedder":
    """The encoder behind its cache.

    Args:
        filter_name: who tells of problems with the cache.
        encoder: a known model's name or a folder.
        cache: the folder of the cache, empty for the usual one, None for none.
        wanted_by: what cannot be measured without the encoder, for the message.

    Raises:
        UsageProblem: neither a known name nor a folder.
        Unavailable: nothing could be measured: no model or no library, and no cache that may hold every text.
    """
    from importlib.util import find_spec
    from pathlib import Path

    from wfkit import streams
    from wfkit.models.cache import FILE_NAME, EmbeddingCache
    from wfkit.models.embedder import Embedder
    from wfkit.models.locate import locate
    from wfkit.models.places import cache_directory
    from wfkit.models.verify import WrongDigest

    directory = None if cache is None else Path(cache) if cache else cache_directory()
    kept = None if directory is None else EmbeddingCache(directory, lambda line: streams.tell(f"{filter_name}: {line}"))
    try:
        locate(encoder, wanted_by=wanted_by)
        if find_spec("sentence_transformers") is None:
            raise Unavailable(f"{wanted_by} needs sentence-transformers: pip install 'wfkit[models]'")
    except Unavailable as error:
        if isinstance(error, WrongDigest) or directory is None or not (directory / FILE_NAME).exists():
            raise
    return Embedder(encoder, cache=kept, wanted_by=wanted_by)
