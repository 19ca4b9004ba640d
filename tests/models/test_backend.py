"""Which backend encodes, what is refused, and that a named one is never replaced by the other."""

import subprocess
import sys
from pathlib import Path

import pytest

from wfkit.errors import Unavailable, UsageProblem
from wfkit.models.backend import find_encoder
from wfkit.models.encoder import TorchEncoder
from wfkit.models.onnx_encoder import OnnxEncoder

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("backend", "kind"), [("auto", OnnxEncoder), ("onnx", OnnxEncoder), ("torch", TorchEncoder)])
def test_onnx_is_taken_where_an_export_is_there_unless_torch_is_named(real_export, backend: str, kind: type) -> None:
    assert isinstance(find_encoder(None, backend, wanted_by="graph_f1")(), kind)


def test_the_variable_counts_where_no_backend_is_named(real_export, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WFKIT_BACKEND", "torch")
    assert isinstance(find_encoder(None, None, wanted_by="graph_f1")(), TorchEncoder)
    assert isinstance(find_encoder(None, "onnx", wanted_by="graph_f1")(), OnnxEncoder)
    monkeypatch.setenv("WFKIT_BACKEND", "tensorflow")
    with pytest.raises(UsageProblem, match=r"^unknown backend 'tensorflow': choose from auto, torch, onnx$"):
        find_encoder(None, None, wanted_by="graph_f1")


def test_without_an_export_auto_is_torch_and_onnx_is_unavailable(own_small: Path) -> None:
    assert isinstance(find_encoder(str(own_small), "auto", wanted_by="graph_f1")(), TorchEncoder)
    with pytest.raises(Unavailable, match="graph_f1 needs an encoder in ONNX form: wf-models export small, where"):
        find_encoder(str(own_small), "onnx", wanted_by="graph_f1")


@pytest.mark.parametrize(
    ("hidden", "backend", "words"),
    [
        ("onnxruntime", "onnx", "graph_f1 needs onnxruntime: pip install 'wfkit[onnx]'"),
        ("tokenizers", "onnx", "graph_f1 needs tokenizers: pip install 'wfkit[onnx]'"),
        ("onnxruntime tokenizers", "onnx", "graph_f1 needs onnxruntime and tokenizers: pip install 'wfkit[onnx]'"),
        ("sentence_transformers", "torch", "graph_f1 needs sentence-transformers: pip install 'wfkit[models]'"),
        ("onnxruntime", "auto", "TorchEncoder"),
        ("sentence_transformers", "auto", "OnnxEncoder"),
    ],
)
def test_a_library_that_is_not_installed(real_export, hidden: str, backend: str, words: str) -> None:
    """In a process of its own, whose finder does not know the packages."""
    program = (
        "import sys\n"
        "class Hiding:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in hidden: raise ModuleNotFoundError(name)\n"
        "hidden = sys.argv[1].split()\n"
        "import importlib.util\n"
        "real = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name in hidden else real(name, *rest)\n"
        "sys.meta_path.insert(0, Hiding())\n"
        "from wfkit.models.backend import find_encoder\n"
        "try: print(find_encoder(None, sys.argv[2], wanted_by='graph_f1').func.__name__)\n"
        "except Exception as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, hidden, backend], cwd=ROOT, capture_output=True, text=True)
    loaders = {"TorchEncoder": "load_encoder", "OnnxEncoder": "load_onnx_encoder"}
    assert (done.stdout, done.stderr) == (f"{loaders.get(words, words)}\n", "")
