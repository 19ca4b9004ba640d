"""The torch backend on the real model: like the library's own answer, and the same whatever shares a batch."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from wfkit.errors import Unavailable
from wfkit.models.encoder import Encoder, TorchEncoder, encoder_signature, load_encoder
from wfkit.models.locate import LocatedModel, ModelIdentity

ROOT = Path(__file__).resolve().parents[2]
TEXTS = [
    "open the door",
    "Boil 500 ml of water.",
    "go",
    "Extract the customer records from the warehouse, join them with the orders, and save the result",
    "",
    "prüfe die Rechnung – 請求書を確認する 🙂",
    "walk over to the door and open it",
]


def test_cosines_are_those_of_the_library(encoder: Encoder) -> None:
    assert isinstance(encoder, TorchEncoder)
    expected = encoder.transformer.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    vectors = encoder.encode(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), 768)
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-6
    assert np.abs(vectors @ vectors.T - expected @ expected.T).max() < 1e-5  # the parity that backends promise


def test_a_vector_does_not_depend_on_what_is_encoded_with_it(encoder: Encoder) -> None:
    many = [f"{text} {number}" for number in range(12) for text in TEXTS] + TEXTS
    together = dict(zip(many, encoder.encode(many), strict=True))
    for text in TEXTS:
        assert np.array_equal(encoder.encode([text])[0], together[text]), text
    for some in (TEXTS[:2], TEXTS[::-1], many[20:50]):
        assert all(
            np.array_equal(vector, together[text]) for text, vector in zip(some, encoder.encode(some), strict=True)
        )


def test_repeated_texts_have_one_vector(encoder: Encoder) -> None:
    vectors = encoder.encode(["go", "open the door", "go"])
    assert np.array_equal(vectors[0], vectors[2])
    assert not np.array_equal(vectors[0], vectors[1])


def test_texts_that_are_long_or_strange_have_vectors_too(encoder: Encoder) -> None:
    texts = ["a" * 100_000, "word " * 5_000, "word " * 6_000, "\ud800 lone", "\ud83d\ude42", "🙂", "\0", " \n\t"]
    vectors = encoder.encode(texts)
    assert np.isfinite(vectors).all()
    assert np.array_equal(vectors[1], vectors[2])  # alike in their first 384 tokens, which is all that is read
    assert np.array_equal(vectors[4], vectors[5])  # a pair of surrogates is the character it means


def test_a_signature_holds_name_and_digest_and_stays_easy_to_split() -> None:
    assert encoder_signature(ModelIdentity("all-mpnet-base-v2", "78c0197b6159")) == "enc=all-mpnet-base-v2@78c0197b"
    assert encoder_signature(ModelIdentity("my|model = ü", "0123456789")) == "enc=my_model____@01234567"


def test_a_folder_that_cannot_be_loaded_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(Unavailable, match="cannot load the encoder in"):
        load_encoder(LocatedModel(ModelIdentity("mine", "00"), tmp_path))


def test_the_libraries_print_nothing_on_standard_output_and_reach_no_hub(real_model: LocatedModel) -> None:
    program = (
        "import socket, sys\n"
        "def refuse(*_): sys.exit('reached for the network')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from wfkit.models.encoder import load_encoder\n"
        "from wfkit.models.locate import locate\n"
        "load_encoder(locate()).encode(['open the door'])\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False,
        env={name: value for name, value in os.environ.items() if not name.startswith(("HF_", "TRANSFORMERS_"))},
    )  # fmt: skip
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "")
