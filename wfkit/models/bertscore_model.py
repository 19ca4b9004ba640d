"""The model behind BERTScore: tokens, embeddings and greedy matching of `bert_score`, one result whatever the batch.

The library pads the texts of a batch to the longest, where a padded place lifts a negative similarity to 0, and sorts
them by way of a set, so that its scores depend on what else is scored and on the seed of Python's hashes. Here each
distinct text is embedded once, padded to a width that follows from the text alone, and each pair is matched by itself,
without padding; a test holds the scores equal to those that the library gives to single pairs.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from wfkit.errors import Unavailable
from wfkit.models.batches import batches, encodable
from wfkit.models.bertscore import Setup
from wfkit.models.offline import stay_offline

if TYPE_CHECKING:
    import torch

Pair = tuple[str, str]

_MOST_TOKENS = 512  # What roberta-large reads; also for tokenizers that know no limit.
_TOKENS_IN_MEMORY = 50_000  # Of embeddings: 200 MB for roberta-large.


class _Embedded(NamedTuple):
    """A text's tokens: (tokens, dimension) float32, and the weight of each, 0 for those that mark the ends."""

    vectors: "torch.Tensor"
    weights: "torch.Tensor"


class BertscoreModel:
    """A loaded model, made by `load_bertscore`."""

    def __init__(self, model: Any, tokenizer: Any, baseline: float) -> None:
        import torch

        self._model = model
        self._tokenizer = tokenizer
        self._baseline = baseline
        ends = [number for number in (tokenizer.sep_token_id, tokenizer.cls_token_id) if number is not None]
        self._ends = torch.tensor(ends, dtype=torch.long)

    def f1(self, pairs: Sequence[Pair]) -> Iterator[dict[Pair, float]]:
        """Rescaled F1 of pairs (candidate, golden), some at a time, so that the memory needed has a bound.

        1 is the same text, 0 the mean of unrelated sentences; less is possible. A text without a token gets 0.

        Raises:
            Unavailable: the library failed.
        """
        tokens = {text: self._tokens(text) for text in dict.fromkeys(text for pair in pairs for text in pair)}
        for some in _blocks(pairs, {text: len(numbers) for text, numbers in tokens.items()}):
            texts = dict.fromkeys(text for pair in some for text in pair)
            try:
                embedded = self._embedded({text: tokens[text] for text in texts})
                yield {pair: self._matched(embedded[pair[0]], embedded[pair[1]]) for pair in some}
            except Exception as error:  # Whatever the library says of a model that it cannot run.
                raise Unavailable(f"bertscore cannot run its model: {error}") from error

    def _tokens(self, text: str) -> list[int]:
        from bert_score.utils import sent_encode

        text = encodable(text).strip()
        # The library itself fails on the empty text.
        numbers: list[int] = sent_encode(self._tokenizer, text) if text else []
        return numbers

    def _embedded(self, tokens: Mapping[str, list[int]]) -> dict[str, _Embedded]:
        import torch
        from bert_score.utils import bert_encode

        nothing = _Embedded(torch.empty(0, 0), torch.empty(0))
        embedded = {text: nothing for text, numbers in tokens.items() if not numbers}
        texts = [text for text, numbers in tokens.items() if numbers]
        for places, width in batches([len(tokens[text]) for text in texts], _MOST_TOKENS):
            some = [texts[place] for place in places]
            # A lone row takes another path through the matrix library, with other rounding, so it is never alone.
            rows = [tokens[text] for text in (some if len(some) > 1 else some * 2)]
            padding = self._tokenizer.pad_token_id or 0  # Masked, so that any number will do.
            numbers = torch.tensor([row + [padding] * (width - len(row)) for row in rows])
            mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
            vectors = bert_encode(self._model, numbers, attention_mask=mask)
            for place, text in enumerate(some):
                length = len(tokens[text])
                ends = torch.isin(numbers[place, :length], self._ends)
                embedded[text] = _Embedded(vectors[place, :length], (~ends).float())
        return embedded

    def _matched(self, candidate: _Embedded, golden: _Embedded) -> float:
        from bert_score.utils import greedy_cos_idf

        if not candidate.weights.any() or not golden.weights.any():
            return 0.0
        # It divides in place: copies, for a text stands in several pairs.
        sides = [
            (one.vectors[None].clone(), (one.weights >= 0)[None], one.weights[None].clone())
            for one in (golden, candidate)
        ]
        _, _, f1 = greedy_cos_idf(*sides[0], *sides[1])
        return (float(f1) - self._baseline) / (1 - self._baseline)


def load_bertscore(setup: Setup) -> BertscoreModel:
    """Load a model's first layers, on the processor, from safetensors alone.

    Raises:
        Unavailable: a library is not installed, or cannot load this model.
    """
    stay_offline()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # The library imports plotting, which has things to say.
            import bert_score.utils  # noqa: F401
        from transformers import AutoModel, AutoTokenizer, GPT2Tokenizer, RobertaTokenizer
        from transformers.utils.logging import disable_progress_bar
    except ImportError as error:
        raise Unavailable(f"bertscore needs bert-score: pip install 'wfkit[models]' ({error})") from error
    disable_progress_bar()
    directory, here = str(setup.model.directory), {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = AutoTokenizer.from_pretrained(directory, use_fast=False, **here)
        if isinstance(tokenizer, GPT2Tokenizer | RobertaTokenizer):
            # The library asks for it with each text, which newer versions of transformers do not heed.
            tokenizer = AutoTokenizer.from_pretrained(directory, use_fast=False, add_prefix_space=True, **here)
        tokenizer.model_max_length = min(tokenizer.model_max_length, _MOST_TOKENS)
        model = AutoModel.from_pretrained(
            directory, num_hidden_layers=setup.layers, use_safetensors=True, **here
        ).float()
    except Exception as error:  # Whatever the library says of a folder that it cannot load.
        raise Unavailable(f"cannot load the BERTScore model in {directory}: {error}") from error
    return BertscoreModel(model.eval(), tokenizer, setup.baseline)


def _blocks(pairs: Sequence[Pair], lengths: Mapping[str, int]) -> Iterator[list[Pair]]:
    """Cut pairs into blocks whose texts fit into memory; those of one golden text stay together as far as that goes."""
    block: list[Pair] = []
    texts: set[str] = set()
    tokens = 0
    for pair in sorted(pairs, key=lambda pair: (pair[1], pair[0])):
        more = sum(lengths[text] for text in {*pair} - texts)
        if block and tokens + more > _TOKENS_IN_MEMORY:
            yield block
            block, texts, tokens = [], set(), 0
            more = sum(lengths[text] for text in {*pair})
        block.append(pair)
        texts.update(pair)
        tokens += more
    if block:
        yield block
