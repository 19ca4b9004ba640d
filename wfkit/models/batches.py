"""Texts in batches of like length, such that a text's vector does not depend on what else is encoded with it."""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from wfkit.errors import Unavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Enough tokens in one batch to keep the processor busy, few enough for its caches.
_TOKENS_PER_BATCH = 1024

# (up to so many tokens, texts are padded to a multiple of this). Wider, more padding; narrower, more and smaller
# batches: long texts are few, and one that is alone is encoded twice.
_WIDTH_STEPS = ((24, 2), (48, 4), (128, 16), (sys.maxsize, 64))


def encode_in_batches(
    texts: Sequence[str],
    tokenize: Callable[[list[str]], list[list[int]]],
    forward: "Callable[[list[list[int]], int], NDArray[np.float32]]",
    widest: int,
    at_once: int = 1,
) -> "NDArray[np.float32]":
    """Encode each distinct text once, those of like length together.

    The width to which a text is padded follows from the text alone, so that its vector does not depend on what
    shares its batch: the same text has the same vector whatever else is encoded with it.

    Args:
        texts: at least one.
        tokenize: gives the token numbers of each text, at most ``widest`` of them.
        forward: gives the vectors of such lists, padded to the width that it is told: (n, dimension) float32.
        widest: the most tokens that the model reads.
        at_once: how many batches are encoded at the same time, each by a thread of its own.

    Returns:
        (n, dimension) float32, rows of unit length in the order of ``texts``.

    Raises:
        Unavailable: the model gave something that is not a vector of unit length.
    """
    import numpy as np

    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    tokens = tokenize([encodable(text) for text in places])

    def encoded(batch: list[int], width: int) -> "Iterable[tuple[int, NDArray[np.float32]]]":
        # A lone row takes another path through the matrix library, with other rounding, so it is never alone.
        vectors = forward([tokens[place] for place in (batch if len(batch) > 1 else batch * 2)], width)
        if vectors.ndim != 2 or not np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3):
            raise Unavailable("the encoder gave vectors that are not of unit length: its weights are unusable")
        return zip(batch, vectors, strict=False)

    # The widest, which take longest, first, so that the threads end at about the same time.
    work = reversed(list(batches([len(numbers) for numbers in tokens], widest)))
    rows: dict[int, NDArray[np.float32]] = {}
    with ThreadPoolExecutor(at_once) as threads:
        for part in threads.map(lambda one: encoded(*one), work):
            rows |= part
    return np.stack([rows[places[text]] for text in texts])


def batches(lengths: Sequence[int], widest: int) -> Iterator[tuple[list[int], int]]:
    """Group the places of texts by the width they are padded to, ascending, and cut each group by the token budget."""
    alike = defaultdict(list)
    for place, length in enumerate(lengths):
        step = next(step for most, step in _WIDTH_STEPS if length <= most)
        alike[min(-(-length // step) * step, widest)].append(place)
    for width, places in sorted(alike.items()):
        size = max(1, _TOKENS_PER_BATCH // width)
        for start in range(0, len(places), size):
            yield places[start : start + size], width


def encodable(text: str) -> str:
    """Lone surrogates, which are no text for a tokenizer, become U+FFFD; pairs become the character they mean."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
