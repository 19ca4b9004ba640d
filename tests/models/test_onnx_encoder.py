"""The onnx backend on the real model: the cosines of torch, whatever shares a batch, and without torch in memory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Run
from tests.models.test_encoder import TEXTS
from wfkit.errors import Unavailable
from wfkit.models.encoder import Encoder
from wfkit.models.exported import Export
from wfkit.models.locate import LocatedModel
from wfkit.models.onnx_encoder import OnnxEncoder, load_onnx_encoder

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def onnx(real_export: Export) -> OnnxEncoder:
    return load_onnx_encoder(real_export)


def test_cosines_are_those_of_torch_and_no_pair_crosses_a_threshold(
    onnx: OnnxEncoder, encoder: Encoder, corpus: Path, run: Run
) -> None:
    """On 120 steps of real workflows, whose 7,140 pairs have cosines of every size."""
    texts = steps_of([corpus / "worfbench" / "alfworld.json"], run)[:120]
    expected, found = (backend.encode(texts) for backend in (encoder, onnx))
    assert found.dtype == np.float32
    expected, found = expected @ expected.T, found @ found.T
    assert np.abs(expected - found).max() < 1e-5
    for threshold in (0.6, 0.8):
        assert ((expected >= threshold) == (found >= threshold)).all()
    assert ((expected >= 0.8).sum() - len(texts)) // 2 > 5  # or nothing was tested


def steps_of(files: list[Path], run: Run) -> list[str]:
    """The distinct steps of goldens in alphabetical order, which puts like ones together."""
    records = [json.loads(line) for line in run("wf-parse", "-q", *files).stdout.splitlines()]
    texts = {node["text"] for record in records for node in record.get("nodes", ())}
    return sorted(texts)


def test_odd_texts_have_the_vectors_of_torch(onnx: OnnxEncoder, encoder: Encoder) -> None:
    texts = [*TEXTS, "\ud800 lone", "\ud83d\ude42", "\0", " \n\t", "OPEN the Door", "naïve café", "</s> <mask>"]
    assert np.abs(onnx.encode(texts) - encoder.encode(texts)).max() < 1e-5


def test_a_vector_does_not_depend_on_what_is_encoded_with_it(onnx: OnnxEncoder) -> None:
    many = [f"{text} {number}" for number in range(12) for text in TEXTS] + TEXTS
    together = dict(zip(many, onnx.encode(many), strict=True))
    for some in (*([text] for text in TEXTS), TEXTS[:2], TEXTS[::-1], many[20:50]):
        assert all(np.array_equal(vector, together[text]) for text, vector in zip(some, onnx.encode(some), strict=True))


@pytest.mark.parametrize("text", ["word " * 5_000, "a" * 100_000, "x y " * 25_000])
def test_a_huge_step_is_read_up_to_the_same_token_as_by_torch(onnx: OnnxEncoder, encoder: Encoder, text: str) -> None:
    assert np.abs(onnx.encode([text]) - encoder.encode([text])).max() < 1e-5


def test_files_that_no_library_can_load_are_unavailable(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"no graph")
    (tmp_path / "tokenizer.json").write_bytes(b"{}")
    with pytest.raises(Unavailable, match=r"^cannot load the encoder in "):
        load_onnx_encoder(Export(tmp_path, 384, 1))


def test_it_says_nothing_loads_no_torch_and_reaches_no_network(real_export: Export, real_model: LocatedModel) -> None:
    program = (
        "import socket, sys\n"
        "def refuse(*_): sys.exit('reached for the network')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from wfkit.models.backend import find_encoder\n"
        "find_encoder(None, 'onnx', wanted_by='graph_f1')().encode(['open the door'])\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'scipy', 'onnx'}\n"
        "sys.exit(repr(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, env=dict(os.environ)
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
