"""How texts are put together: each once, with those of its own width, within the budget of tokens."""

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
    assert seen == [([(1,), (2,)], 2), ([(0,) * 5, (0,) * 5], 6)]


@pytest.mark.parametrize("bad", [np.zeros((2, 3), np.float32), np.full((2, 3), np.nan, np.float32), np.ones((2, 2, 1))])
def test_what_is_no_vector_of_unit_length_is_refused(bad) -> None:
    with pytest.raises(Unavailable, match="not of unit length"):
        encode_in_batches(["a", "b"], lambda texts: [[1] for _ in texts], lambda tokens, width: bad, 384)


def test_surrogates_become_characters() -> None:
    assert encodable("\ud83d\ude42 \ud800 é") == "🙂 \ufffd é"
