"""Making the ONNX form: whole or not at all, equal to its model, and refused as soon as a byte is another."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.small_models import small_encoder
from wfkit.errors import Unavailable
from wfkit.models.backend import find_encoder
from wfkit.models.encoder import load_encoder
from wfkit.models.export import export
from wfkit.models.exported import export_directory, find_export
from wfkit.models.locate import ModelIdentity, locate
from wfkit.models.onnx_encoder import load_onnx_encoder
from wfkit.models.parity import check_parity
from wfkit.models.verify import WrongDigest, forget

ROOT = Path(__file__).resolve().parents[2]
TEXTS = ["open the door", "walk over to the door and open it", "", "zzz", "boil " * 200]


@pytest.fixture(scope="module")
def once(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The export of the small encoder, in a cache of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("exports")))
        return export(locate(str(small)), progress=lambda line: None)


@pytest.fixture
def made(once: Path, own_small: Path) -> Path:
    """A copy of it where it belongs on a machine that has the small encoder alone."""
    return Path(shutil.copytree(once, export_directory(locate(str(own_small)).identity)))


def test_an_export_gives_the_vectors_of_its_model_and_needs_it_no_more(own_small: Path, made: Path) -> None:
    model = locate(str(own_small))
    expected = load_encoder(model).encode(TEXTS)
    assert made == export_directory(model.identity)
    assert made.name == f"small-{model.identity.digest[:8]}.onnx"
    shutil.rmtree(own_small)
    found = find_export(model.identity)
    assert found is not None
    assert np.abs(load_onnx_encoder(found).encode(TEXTS) - expected).max() < 1e-6


def test_it_leaves_nothing_beside_it(once: Path) -> None:
    assert sorted(path.name for path in once.iterdir()) == ["export.json", "model.onnx", "tokenizer.json"]
    assert [path.name for path in once.parent.iterdir() if not path.name.endswith(".lock")] == [once.name]


def test_a_whole_one_is_left_alone(own_small: Path, made: Path) -> None:
    before = (made / "model.onnx").stat().st_mtime_ns
    assert export(locate(str(own_small)), progress=pytest.fail) == made
    assert (made / "model.onnx").stat().st_mtime_ns == before


def test_notes_name_the_model_and_what_made_it(own_small: Path, made: Path) -> None:
    notes = json.loads((made / "export.json").read_text())
    identity = locate(str(own_small)).identity
    assert (notes["model"], notes["digest"], notes["maximum_tokens"]) == ("small", identity.digest, 64)
    assert notes["made_by"].startswith("torch 2.")


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a byte of the graph": (lambda made: flip(made / "model.onnx"), "expected sha256 "),
    "a byte of the tokenizer": (lambda made: flip(made / "tokenizer.json"), "expected sha256 "),
    "a graph that is cut off": (lambda made: os.truncate(made / "model.onnx", 100), " bytes, found 100"),
    "no graph": (lambda made: (made / "model.onnx").unlink(), "found No such file"),
    "no notes": (lambda made: (made / "export.json").unlink(), "export.json cannot be read"),
    "other notes": (lambda made: (made / "export.json").write_text("[]"), "not the notes of an export"),
    "notes cut off": (lambda made: os.truncate(made / "export.json", 40), "not the notes of an export"),
    "notes without a digest": (lambda made: (made / "export.json").write_text('{"digest": "00"}'), "not the notes"),
}


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("backend", ["auto", "onnx"])
def test_a_damaged_export_is_refused(own_small: Path, made: Path, kind: str, backend: str) -> None:
    damage, words = DAMAGE[kind]
    damage(made)
    with pytest.raises(WrongDigest, match=r"^refused .*; make it again with: wf-models export small$") as caught:
        find_encoder(str(own_small), backend, wanted_by="graph_f1")
    assert words in str(caught.value)


def test_a_damaged_export_is_replaced_on_request(own_small: Path, made: Path) -> None:
    flip(made / "model.onnx")
    said: list[str] = []
    export(locate(str(own_small)), progress=said.append)
    assert said[0].startswith("replacing what is there: refused ")
    assert find_export(locate(str(own_small)).identity) is not None


def test_the_export_of_another_model_is_refused(own_small: Path, made: Path, tmp_path: Path) -> None:
    other = locate(str(small_encoder(tmp_path / "another" / "small", seed=1)))
    shutil.copytree(made, export_directory(other.identity))
    with pytest.raises(WrongDigest, match=f"made from a model with sha256 {locate(str(own_small)).identity.digest}"):
        find_encoder(str(other.directory), "auto", wanted_by="graph_f1")


def test_a_graph_that_gives_something_else_is_no_encoder(own_small: Path, made: Path) -> None:
    """A whole export, by its own notes, of a graph whose vectors are of no unit length."""
    import onnx

    graph = onnx.load(made / "model.onnx")
    last = graph.graph.node[-1]
    doubled = onnx.helper.make_node("Add", [last.output[0] + "_", last.output[0] + "_"], [last.output[0]])
    last.output[0] += "_"
    graph.graph.node.append(doubled)
    onnx.save(graph, made / "model.onnx")
    notes = json.loads((made / "export.json").read_text())
    content = (made / "model.onnx").read_bytes()
    notes["files"]["model.onnx"] = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (made / "export.json").write_text(json.dumps(notes))
    with pytest.raises(Unavailable, match="not of unit length"):
        find_encoder(str(own_small), "onnx", wanted_by="graph_f1")().encode(TEXTS)


def test_backends_that_disagree_are_told_apart(own_small: Path, tmp_path: Path) -> None:
    one = load_encoder(locate(str(own_small)))
    assert check_parity(one, one) == 0
    other = load_encoder(locate(str(small_encoder(tmp_path / "another" / "small", seed=1))))
    with pytest.raises(Unavailable, match=r"^the backends disagree: cosines differ by up to \d"):
        check_parity(one, other)


def test_a_killed_export_leaves_nothing_that_is_taken_for_one(own_small: Path, home: Path) -> None:
    """Killed between its two files; the next one removes what it left."""
    program = (
        "import os, sys\n"
        "from wfkit.models import export\n"
        "export._measured = lambda path: os._exit(9)\n"
        "from wfkit.models.locate import locate\n"
        "export.export(locate(sys.argv[1]), progress=print)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, own_small], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 9, done.stderr
    model = locate(str(own_small))
    assert find_export(model.identity) is None
    made = export(model, progress=lambda line: None)
    assert [path.name for path in made.parent.iterdir() if not path.name.endswith(".lock")] == [made.name]


def test_where_nothing_can_be_written_it_says_so(own_small: Path, home: Path) -> None:
    """A file stands in the place of the folder, which keeps even root from making it."""
    (home / "wfkit").mkdir(parents=True)
    (home / "wfkit" / "models").write_text("")
    with pytest.raises(Unavailable, match=r"^cannot store .*small-[0-9a-f]{8}\.onnx: "):
        export(locate(str(own_small)), progress=lambda line: None)


def test_the_name_of_a_folder_cannot_lead_out_of_the_cache(home: Path) -> None:
    assert export_directory(ModelIdentity("../a b", "0123456789")).name == ".._a_b-01234567.onnx"


def test_what_was_verified_once_is_not_read_again_unless_forgotten(own_small: Path, made: Path) -> None:
    identity = locate(str(own_small)).identity
    status = (made / "model.onnx").stat()
    content = bytearray((made / "model.onnx").read_bytes())
    content[100] ^= 1
    (made / "model.onnx").write_bytes(content)
    os.utime(made / "model.onnx", ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(WrongDigest):  # the time of its last status change cannot be set
        find_export(identity)
    forget()
    with pytest.raises(WrongDigest):
        find_export(identity)
