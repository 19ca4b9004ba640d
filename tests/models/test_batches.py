"""How texts are put together: each once, with those of its own width, within the budget of tokens."""

import threading
import time

import numpy as np
import pytest

from wfkit.errors import Unavailable
from wfkit.models.batches import batches, encodable, encode_in_batches


def test_batches_hold_each_text_once_at_its_own_width_within_the_budget() -> None:
    lengths = [3, 384, 8, 9, 384, 5, 1, 384, *[12] * 200]
    found = list(batches(lengths, 384))
    assert sorted(place for places, _ in found for place in places) == list(range(len(lengths)))
    for places, width in found:
        assert len(places) * width <= 1024
        assert all(0 <= width - lengths[place] <= 1 for place in places)


@pytest.mark.parametrize(
    ("length", "width"),
    [(1, 2), (2, 2), (24, 24), (25, 28), (48, 48), (49, 64), (128, 128), (129, 192), (383, 384), (384, 384)],
)
def test_the_width_follows_from_the_length_alone(length: int, width: int) -> None:
    assert list(batches([length], 384)) == [([0], width)]


def test_a_width_never_exceeds_what_the_model_reads() -> None:
    assert list(batches([77, 60], 77)) == [([1], 64), ([0], 77)]


def test_each_text_is_encoded_once_and_never_alone() -> None:
    seen = []

    def forward(tokens, width):
        seen.append(([tuple(numbers) for numbers in tokens], width))
        return np.eye(8, dtype=np.float32)[[numbers[0] for numbers in tokens]]

    vectors = encode_in_batches(
        ["b", "aaaaa", "b", "c"], lambda texts: [[ord(letter) - 97 for letter in text] for text in texts], forward, 384
    )
    assert vectors.argmax(axis=1).tolist() == [1, 0, 1, 2]
    assert seen == [([(0,) * 5, (0,) * 5], 6), ([(1,), (2,)], 2)]


def test_as_many_batches_as_asked_for_are_encoded_at_once() -> None:
    together = threading.Barrier(3)

    def forward(tokens, width):
        together.wait(30)  # breaks unless three come
        return np.eye(9, dtype=np.float32)[[len(numbers) for numbers in tokens]]

    texts = ["a" * length for length in (1, 4, 8)]
    assert encode_in_batches(texts, lengths_alone, forward, 384, at_once=3).argmax(axis=1).tolist() == [1, 4, 8]


def test_what_goes_wrong_with_one_batch_ends_the_others() -> None:
    begun = []

    def forward(tokens, width):
        begun.append(width)
        time.sleep(0.05 if len(begun) > 1 else 0)
        raise Unavailable("the encoder failed")

    texts = ["a" * length for length in range(1, 300)]
    with pytest.raises(Unavailable, match="the encoder failed"):
        encode_in_batches(texts, lengths_alone, forward, 384)
    assert len(begun) < len({width for _, width in batches(range(1, 300), 384)})


def lengths_alone(texts: list[str]) -> list[list[int]]:
    return [[1] * len(text) for text in texts]


@pytest.mark.parametrize("bad", [np.zeros((2, 3), np.float32), np.full((2, 3), np.nan, np.float32), np.ones((2, 2, 1))])
def test_what_is_no_vector_of_unit_length_is_refused(bad) -> None:
    with pytest.raises(Unavailable, match="not of unit length"):
        encode_in_batches(["a", "b"], lambda texts: [[1] for _ in texts], lambda tokens, width: bad, 384)


def test_surrogates_become_characters() -> None:
    assert encodable("\ud83d\ude42 \ud800 é") == "🙂 \ufffd é"
