"""BERTScore of pairs of texts from the nearest place: by definition, this process, the cache on disk, the model."""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence

from wfkit.errors import Unavailable
from wfkit.models.bertscore import Setup
from wfkit.models.bertscore_model import BertscoreModel, Pair, load_bertscore
from wfkit.models.cache import EmbeddingCache

DECIMALS = 6
"""Beyond which a score says nothing but how this machine rounds."""

_REMEMBERED_SCORES = 500_000  # Some 200 MB with their texts.


class PairScorer:
    """Scores pairs of texts with one setup, loading the model only for a pair that is nowhere else.

    Threads may share it: one that asks for what is in memory does not wait for another's pairs to be measured.

    Args:
        setup: the model, its layer and its baseline.
        cache: where scores are kept between runs; None for nowhere.
    """

    def __init__(self, setup: Setup, cache: EmbeddingCache | None) -> None:
        self.signature = setup.signature
        self._setup = setup
        self._cache = cache
        self._remembered: OrderedDict[Pair, float] = OrderedDict()
        self._remembering = threading.Lock()
        self._model: BertscoreModel | Unavailable | None = None
        self._measuring = threading.Lock()

    def scores(self, pairs: Sequence[Pair]) -> list[float]:
        """Rescaled F1 of each pair (candidate, golden), at most 1, in the order given.

        The same text scores 1, and a text without a word beside one with words 0; neither is passed to the library.
        Give it the pairs of many workflows at once first: asking again for single ones is answered from memory.

        Raises:
            Unavailable: a pair is in no cache, and the model or its library cannot be used.
        """
        known = {pair: score for pair in dict.fromkeys(pairs) if (score := _by_definition(*pair)) is not None}
        missing = []
        with self._remembering:
            for pair in dict.fromkeys(pairs):
                if pair not in known:
                    if pair in self._remembered:
                        self._remembered.move_to_end(pair)
                        known[pair] = self._remembered[pair]
                    else:
                        missing.append(pair)
        if missing:
            known |= self._kept_or_measured(missing)
        return [known[pair] for pair in pairs]

    def _kept_or_measured(self, pairs: Sequence[Pair]) -> dict[Pair, float]:
        keys = {_key(pair): pair for pair in pairs}
        kept = self._cache.get_many(self.signature, list(keys)) if self._cache else {}
        found = {keys[key]: round(float(vector[0]), DECIMALS) for key, vector in kept.items()}
        missing = [pair for pair in pairs if pair not in found]
        if missing:
            with self._measuring:
                for measured in self._loaded().f1(missing):
                    found |= self._kept(measured)
        with self._remembering:
            self._remembered |= found
            while len(self._remembered) > _REMEMBERED_SCORES:
                self._remembered.popitem(last=False)
        return found

    def _kept(self, measured: Mapping[Pair, float]) -> dict[Pair, float]:
        """Scores as they will be read again, kept at once, so that they are not lost whatever comes."""
        import numpy as np

        if self._cache:
            vectors = {_key(pair): np.array([score], np.float32) for pair, score in measured.items()}
            self._cache.put_many(self.signature, vectors)
        return {pair: round(float(np.float32(score)), DECIMALS) for pair, score in measured.items()}

    def _loaded(self) -> BertscoreModel:
        if self._model is None:
            try:
                self._model = load_bertscore(self._setup)
            except Unavailable as error:
                self._model = error  # Trying again for every record would take as long again.
        if isinstance(self._model, Unavailable):
            raise self._model
        return self._model


def _by_definition(candidate: str, golden: str) -> float | None:
    candidate, golden = candidate.strip(), golden.strip()
    if candidate == golden:
        return 1.0
    return None if candidate and golden else 0.0


def _key(pair: Pair) -> str:
    """One text for two: the length tells where the first ends."""
    return f"{len(pair[0])} {pair[0]}{pair[1]}"
