"""Which model is meant and where it is: the order of places, what is refused, and the remedy in the message."""

import json
import shutil
from pathlib import Path

import pytest

from wfkit.errors import Unavailable, UsageProblem
from wfkit.models.locate import ModelIdentity, identify, locate
from wfkit.models.verify import WrongDigest

REMEDY = "graph_f1 needs an encoder: pip install 'wfkit[models]' && wf-models fetch tiny-encoder"


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.fixture
def own(tiny, home: Path) -> Path:
    """The small model in the toolkit's own cache."""
    return tiny.unpack(home / "wfkit" / "models" / "tiny-encoder")


@pytest.fixture
def snapshot(tiny, home: Path) -> Path:
    """The small model in the hub's cache, laid out as its library does: links into a folder of blobs."""
    repository = home / "huggingface" / "hub" / "models--nobody--tiny-encoder"
    directory = repository / "snapshots" / "0123abcd"
    for number, (path, content) in enumerate(tiny.contents.items()):
        blob = repository / "blobs" / str(number)
        blob.parent.mkdir(parents=True, exist_ok=True)
        blob.write_bytes(content)
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).symlink_to(blob)
    return directory


@pytest.fixture
def folder(home: Path, tmp_path: Path) -> Path:
    """A model of the user's own."""
    directory = tmp_path / "my model"
    directory.mkdir()
    (directory / "model.safetensors").write_bytes(b"weights")
    (directory / "config.json").write_bytes(b"{}")
    return directory


def test_missing_everywhere_names_the_metric_and_the_remedy(tiny, home: Path) -> None:
    with pytest.raises(Unavailable) as caught:
        locate("tiny-encoder", wanted_by="graph_f1")
    assert str(caught.value) == REMEDY


def test_the_default_model_is_known_without_its_files(home: Path) -> None:
    assert identify().name == "all-mpnet-base-v2"
    assert identify().digest.startswith("78c0197b")


def test_own_cache_comes_before_the_hub_cache(own: Path, snapshot: Path) -> None:
    assert locate("tiny-encoder").directory == own
    shutil.rmtree(own)
    assert locate("tiny-encoder").directory == snapshot


def test_a_folder_comes_before_every_cache(tiny, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tiny.unpack(tmp_path / "copy")
    monkeypatch.setenv("WFKIT_ENCODER", str(copy))
    assert locate().directory == copy
    assert locate("tiny-encoder").directory == own  # the option comes before the variable
    assert locate(str(copy)).identity == locate("tiny-encoder").identity


def test_the_same_model_has_the_same_identity_wherever_it_is(tiny, own: Path, snapshot: Path) -> None:
    assert {locate("tiny-encoder").identity, locate(str(snapshot)).identity, identify("tiny-encoder")} == {
        ModelIdentity("tiny-encoder", tiny.manifest.digest)
    }


@pytest.mark.parametrize("file", ["model.safetensors", "config.json"])
def test_a_damaged_own_copy_is_refused_with_the_remedy(own: Path, snapshot: Path, file: str) -> None:
    locate("tiny-encoder")
    flip(own / file)
    with pytest.raises(WrongDigest) as caught:
        locate("tiny-encoder")
    message = str(caught.value)
    assert f"refused {own / file}: expected sha256" in message
    assert message.endswith("; replace it with: wf-models fetch tiny-encoder")
    assert "\n" not in message


def test_a_damaged_hub_copy_is_passed_over_and_named(snapshot: Path) -> None:
    flip((snapshot / "config.json").resolve())
    with pytest.raises(Unavailable) as caught:
        locate("tiny-encoder", wanted_by="graph_f1")
    assert str(caught.value).startswith(f"{REMEDY} (refused {snapshot / 'config.json'}: expected sha256")
    whole = snapshot.with_name("fedc3210")
    shutil.copytree(snapshot, whole)
    flip(whole / "config.json")  # flipped back
    assert locate("tiny-encoder").directory == whole


@pytest.mark.parametrize("name", ["tiny-encoder", "renamed"])
def test_a_damaged_copy_does_not_pass_as_a_model_of_the_users_own(tiny, home: Path, tmp_path: Path, name: str) -> None:
    copy = tiny.unpack(tmp_path / name)
    flip(copy / "model.safetensors")
    with pytest.raises(WrongDigest, match=r"model\.safetensors: expected sha256"):
        locate(str(copy))


def test_known_weights_with_another_configuration_are_refused(tiny, home: Path, tmp_path: Path) -> None:
    copy = tiny.unpack(tmp_path / "renamed")
    flip(copy / "1_Pooling" / "config.json")
    with pytest.raises(WrongDigest, match=r"1_Pooling/config\.json"):
        locate(str(copy))


def test_a_folder_of_the_users_own_is_known_by_all_that_is_loaded(folder: Path) -> None:
    first = locate(str(folder))
    assert first.directory == folder
    assert first.identity.name == "my model"
    (folder / "README.md").write_text("changes nothing")
    assert locate(str(folder)).identity == first.identity
    digests = {first.identity.digest}
    for changed in ("model.safetensors", "config.json", "sentence_bert_config.json"):
        (folder / changed).write_bytes(b'{"changed": true}')
        digests.add(identify(str(folder)).digest)
    assert len(digests) == 4


def test_pickled_weights_are_refused(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x04")
    with pytest.raises(Unavailable, match=r"pytorch_model\.bin: pickled weights are never loaded"):
        locate(str(folder))


def test_pickled_weights_of_one_module_are_refused(folder: Path) -> None:
    (folder / "2_Dense").mkdir()
    (folder / "2_Dense" / "pytorch_model.bin").write_bytes(b"\x80\x04")
    with pytest.raises(Unavailable, match=r"2_Dense/pytorch_model\.bin: pickled"):
        locate(str(folder))


def test_a_pickle_beside_safetensors_is_left_alone(folder: Path) -> None:
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x04")
    assert locate(str(folder)).directory == folder


def test_code_in_the_folder_is_refused(folder: Path) -> None:
    (folder / "modules.json").write_text(json.dumps([{"idx": 0, "name": "0", "path": "", "type": "evil.Module"}]))
    with pytest.raises(Unavailable, match=r"'evil\.Module' is code from outside the library"):
        locate(str(folder))


@pytest.mark.parametrize("content", ["", "{}{", "[1]", '{"a": 1}', "[{}]"])
def test_an_unreadable_list_of_modules_is_refused(folder: Path, content: str) -> None:
    (folder / "modules.json").write_text(content)
    with pytest.raises(Unavailable, match="not a list of modules"):
        locate(str(folder))


def test_a_folder_without_weights_is_refused(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    with pytest.raises(Unavailable, match=r"holds no model\.safetensors"):
        locate(str(folder))


def test_a_missing_folder_is_unavailable_and_an_unknown_name_is_a_usage_problem(home: Path) -> None:
    with pytest.raises(Unavailable, match="encoder folder /no/such/folder does not exist"):
        locate("/no/such/folder")
    with pytest.raises(UsageProblem, match=r"'mpnet' is neither a folder nor a known model \(all-mpnet-base-v2"):
        identify("mpnet")
