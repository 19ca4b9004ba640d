"""What BERTScore measures with: the default's arguments, the places where models lie, and what is refused."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from tests.small_models import LAYERS, small_bert
from wfkit.errors import Unavailable, UsageProblem
from wfkit.models.bertscore import DEFAULT_LAYERS, DEFAULT_MODEL, find_setup

BASELINE = "LAYER,P,R,F\n0,0.5,0.5,0.5\n1,0.2,0.2,0.25\n2,0.1,0.1,0.125\n"


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model; not to be changed."""
    return small_bert(tmp_path_factory.mktemp("models") / "bert")


@pytest.fixture
def baseline(tmp_path: Path) -> str:
    path = tmp_path / "baseline.tsv"
    path.write_text(BASELINE)
    return str(path)


def place(model: Path, *parts: str | Path) -> Path:
    return Path(shutil.copytree(model, Path(*parts)))


def test_the_default_is_what_the_library_takes_for_english() -> None:
    from bert_score.utils import lang2model, model2layers

    assert lang2model["en"] == DEFAULT_MODEL
    assert model2layers[DEFAULT_MODEL] == DEFAULT_LAYERS == 17


def test_the_default_takes_the_shipped_baseline_of_its_layer(bert: Path, home: Path) -> None:
    """With a model of another content in its place, which the signature tells by its digest."""
    directory = place(bert, home, "wfkit", "models", DEFAULT_MODEL)
    config = json.loads((directory / "config.json").read_text())
    (directory / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 24}))
    setup = find_setup()
    assert (setup.layers, setup.baseline) == (17, 0.83122575)  # the file's row 17, column F
    import bert_score

    shipped = Path(bert_score.__file__).parent / "rescale_baseline" / "en" / "roberta-large.tsv"
    digest = hashlib.sha256(shipped.read_bytes()).hexdigest()[:8]
    assert f"|model=roberta-large@{setup.model.identity.digest[:8]}|layer=17|baseline={digest}" in setup.signature
    assert setup.signature.startswith("wfkit=1|bert_score=0.3.")
    assert "|transformers=" in setup.signature


def test_a_missing_model_is_unavailable_and_never_another_one(bert: Path, home: Path, baseline: str) -> None:
    place(bert, home, "wfkit", "models", "roberta-base")
    with pytest.raises(Unavailable, match=r"^model roberta-large is not on this machine: hf download FacebookAI/rob"):
        find_setup()
    with pytest.raises(Unavailable, match=r"^model nobody/small is not on this machine: hf download nobody/small, or"):
        find_setup("nobody/small", 2, baseline)


@pytest.mark.parametrize("repository", ["FacebookAI/roberta-large", "roberta-large"])
def test_the_default_is_found_in_the_hubs_cache_at_its_main_revision(bert: Path, home: Path, repository: str) -> None:
    folder = home / "huggingface" / "hub" / f"models--{repository.replace('/', '--')}"
    old, new = (place(bert, folder, "snapshots", name) for name in ("0aaa", "fbbb"))
    for directory, layers in ((old, 20), (new, 24)):
        config = json.loads((directory / "config.json").read_text())
        (directory / "config.json").write_text(json.dumps({**config, "num_hidden_layers": layers}))
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("fbbb")
    setup = find_setup()
    assert (setup.model.directory, setup.model.identity.name) == (new, "roberta-large")


def test_the_toolkits_own_place_comes_before_the_hubs(bert: Path, home: Path, baseline: str) -> None:
    own = place(bert, home, "wfkit", "models", "nobody", "small")
    place(bert, home, "huggingface", "hub", "models--nobody--small", "snapshots", "0aaa")
    assert find_setup("nobody/small", 2, baseline).model.directory == own


def test_a_folder_and_what_its_signature_says(bert: Path, home: Path, baseline: str) -> None:
    setup = find_setup(str(bert), 2, baseline)
    digest = hashlib.sha256(BASELINE.encode()).hexdigest()[:8]
    assert (setup.layers, setup.baseline, setup.model.directory) == (2, 0.125, bert)
    assert setup.signature.endswith(f"|model=bert@{setup.model.identity.digest[:8]}|layer=2|baseline={digest}")


def test_each_part_of_the_setup_changes_the_signature(bert: Path, home: Path, baseline: str, tmp_path: Path) -> None:
    other = place(bert, tmp_path, "other", "bert")
    (other / "vocab.txt").write_text((other / "vocab.txt").read_text().replace("boil", "bake"))
    another = tmp_path / "another.tsv"
    another.write_text(BASELINE.replace("0.25", "0.26"))
    choices = [(bert, 2, baseline), (bert, 1, baseline), (bert, 2, str(another)), (other, 2, baseline)]
    signatures = [find_setup(str(model), layers, name).signature for model, layers, name in choices]
    assert len(set(signatures)) == len(choices)


def test_a_flipped_byte_is_another_model(bert: Path, home: Path, baseline: str, tmp_path: Path) -> None:
    """There is no manifest of a model of the user's own: the signature tells it, and no cached score is taken."""
    directory = place(bert, tmp_path, "copy", "bert")
    before = find_setup(str(directory), 2, baseline).signature
    content = bytearray((directory / "model.safetensors").read_bytes())
    content[-1_000] ^= 1
    (directory / "model.safetensors").write_bytes(content)
    assert find_setup(str(directory), 2, baseline).signature != before


def test_a_model_with_pickles_alone_is_refused(bert: Path, home: Path, baseline: str) -> None:
    directory = place(bert, home, "wfkit", "models", DEFAULT_MODEL)
    (directory / "model.safetensors").rename(directory / "pytorch_model.bin")
    with pytest.raises(Unavailable, match=r"^refused .*pytorch_model.bin: pickled weights are never loaded"):
        find_setup()


@pytest.mark.parametrize(
    ("layers", "content", "words"),
    [
        (None, BASELINE, "needs --bertscore-layers N"),
        (LAYERS + 1, "LAYER,P,R,F\n5,0,0,0\n", "--bertscore-layers 5: bert has 4 layers"),
        (3, BASELINE, "has no layer 3"),
        (2, "LAYER,P,R,F\n2,0,0,1\n", "is not between -1 and 1 at layer 2"),
        (2, "LAYER,P,R,F\n2,0,0,nan\n", "is not between -1 and 1 at layer 2"),
        (2, "LAYER,P,R,F\n2,0,0,much\n", "is no BERTScore baseline"),
        (2, "LAYER,P,R,F\n2,0\n", "is no BERTScore baseline"),
        (2, "LAYER,P,R\n2,0,0\n", "is no BERTScore baseline"),
        (2, "", "has no layer 2"),
    ],
)
def test_wrong_layers_and_baselines(
    bert: Path, home: Path, tmp_path: Path, layers: int | None, content: str, words: str
) -> None:
    path = tmp_path / "baseline.tsv"
    path.write_text(content)
    with pytest.raises(UsageProblem) as caught:
        find_setup(str(bert), layers, str(path))
    assert words in str(caught.value)


def test_a_missing_baseline_is_an_error_and_not_a_score_without_one(bert: Path, home: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"bert-score has no baseline for .*: name one with --bertscore-baseline"):
        find_setup(str(bert), 2)
    with pytest.raises(UsageProblem, match="no baseline for all-mpnet-base-v2"):
        find_setup("all-mpnet-base-v2", 8)
    for name in (tmp_path / "absent.tsv", tmp_path):
        with pytest.raises(UsageProblem, match=r"^cannot read the BERTScore baseline"):
            find_setup(None, None, str(name))


def test_a_folder_that_does_not_say_how_many_layers_it_has(bert: Path, home: Path, tmp_path: Path, baseline: str):
    directory = place(bert, tmp_path, "copy")
    for content in ("{}", "[", '{"num_hidden_layers": null}'):
        (directory / "config.json").write_text(content)
        with pytest.raises(Unavailable, match="does not say how many layers the model has"):
            find_setup(str(directory), 2, baseline)


def test_a_name_is_no_way_out_of_the_library(home: Path) -> None:
    with pytest.raises(UsageProblem, match="no baseline for"):
        find_setup("../en/roberta-large", 17)
