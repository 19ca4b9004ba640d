"""The nearest place first: the definition, memory, the cache, the model; and a cache that is not as it should be."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.small_models import small_bert
from wfkit.errors import Unavailable
from wfkit.models import pair_scorer
from wfkit.models.bertscore import Setup, find_setup
from wfkit.models.cache import EmbeddingCache
from wfkit.models.pair_scorer import PairScorer

ROOT = Path(__file__).resolve().parents[2]
PAIRS = [("open the door", "close the door"), ("walk", "open it"), ("pour", "pour"), ("walk", "open it")]


@pytest.fixture(scope="module")
def setup(tmp_path_factory: pytest.TempPathFactory) -> Setup:
    folder = tmp_path_factory.mktemp("models")
    (folder / "baseline.tsv").write_text("LAYER,P,R,F\n2,0.5,0.5,0.5\n")
    return find_setup(str(small_bert(folder / "bert")), 2, str(folder / "baseline.tsv"))


@pytest.fixture
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_scorer, "load_bertscore", lambda setup: pytest.fail("the model was loaded"))


def cache(directory: Path, warn=pytest.fail) -> EmbeddingCache:
    return EmbeddingCache(directory, warn, "score")


def filled(setup: Setup, directory: Path) -> list[float]:
    """Leave the scores of `PAIRS` in a cache, which no process has open then."""
    kept = cache(directory)
    try:
        return PairScorer(setup, kept).scores(PAIRS)
    finally:
        kept.close()


@pytest.mark.parametrize(
    ("candidate", "golden", "score"),
    [
        ("open", "open", 1.0),
        (" open\n", "open", 1.0),  # the library strips each text
        ("", "", 1.0),
        ("", " \t", 1.0),
        ("", "open", 0.0),
        ("open", " ", 0.0),
    ],
)
def test_equal_and_empty_texts_need_no_model(setup: Setup, no_model: None, candidate, golden, score) -> None:
    assert PairScorer(setup, None).scores([(candidate, golden)]) == [score]


def test_no_pairs(setup: Setup, no_model: None) -> None:
    assert PairScorer(setup, None).scores([]) == []


def test_scores_come_in_the_order_of_the_pairs(setup: Setup) -> None:
    scorer = PairScorer(setup, None)
    first, second, third, fourth = scorer.scores(PAIRS)
    assert third == 1 and second == fourth
    assert scorer.scores(PAIRS[:2][::-1]) == [second, first]
    assert first != second
    assert all(score == round(score, 6) < 1 for score in (first, second))


def test_a_second_run_takes_all_from_the_cache_and_a_new_pair_from_the_model(
    setup: Setup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = PairScorer(setup, None).scores(PAIRS)
    assert PairScorer(setup, cache(tmp_path)).scores(PAIRS) == expected
    asked = []
    real = pair_scorer.BertscoreModel.f1
    monkeypatch.setattr(pair_scorer.BertscoreModel, "f1", lambda self, pairs: asked.append(pairs) or real(self, pairs))
    again = PairScorer(setup, cache(tmp_path))
    assert again.scores(PAIRS) == expected
    again.scores([*PAIRS, ("walk", "close")])
    again.scores([*PAIRS, ("walk", "close")])
    assert asked == [[("walk", "close")]]


def test_scores_are_kept_by_content(setup: Setup, tmp_path: Path) -> None:
    """By both texts, where the one ends and the other begins, and by everything in the signature."""
    kept = cache(tmp_path)
    one = PairScorer(setup, kept)
    one.scores([("walk to", "the door")])
    assert set(kept.get_many(setup.signature, ["7 walk tothe door"])) == {"7 walk tothe door"}
    assert kept.get_many(setup.signature, ["5 walk tothe door"]) == {}
    assert kept.get_many(setup.signature.replace("layer=2", "layer=1"), ["7 walk tothe door"]) == {}


def test_a_run_whose_pairs_are_all_cached_imports_no_model_library(setup: Setup, tmp_path: Path) -> None:
    PairScorer(setup, cache(tmp_path)).scores(PAIRS)
    program = (
        "import sys\nfrom pathlib import Path\n"
        "from wfkit.models.bertscore import find_setup\nfrom wfkit.models.cache import EmbeddingCache\n"
        "from wfkit.models.pair_scorer import PairScorer\n"
        "setup = find_setup(sys.argv[1], 2, sys.argv[2])\n"
        f"PairScorer(setup, EmbeddingCache(Path(sys.argv[3]), print, 'score')).scores({PAIRS!r})\n"
        "print({'torch', 'transformers', 'bert_score', 'matplotlib', 'pandas', 'scipy'} & set(sys.modules))\n"
    )
    folder = setup.model.directory
    command = [sys.executable, "-c", program, folder, folder.parent / "baseline.tsv", tmp_path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "set()\n", "")


def test_what_was_measured_is_kept_though_the_rest_fails(
    setup: Setup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks_off(self, pairs):
        yield {pairs[0]: 0.25}
        raise Unavailable("the library failed")

    monkeypatch.setattr(pair_scorer.BertscoreModel, "f1", breaks_off)
    with pytest.raises(Unavailable):
        PairScorer(setup, cache(tmp_path)).scores(PAIRS)
    monkeypatch.undo()
    assert PairScorer(setup, cache(tmp_path)).scores(PAIRS[:1]) == [0.25]


def test_a_model_that_cannot_be_loaded_is_tried_once(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def fails(setup):
        tried.append(setup)
        raise Unavailable("no")

    monkeypatch.setattr(pair_scorer, "load_bertscore", fails)
    scorer = PairScorer(setup, None)
    for _ in range(3):
        with pytest.raises(Unavailable, match=r"^no$"):
            scorer.scores(PAIRS)
    assert len(tried) == 1


def test_memory_is_bounded(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_scorer, "_REMEMBERED_SCORES", 1)
    scorer = PairScorer(setup, None)
    assert scorer.scores(PAIRS) == PairScorer(setup, None).scores(PAIRS)
    assert list(scorer._remembered) == [("walk", "open it")]


def test_a_cache_of_another_version_is_rebuilt(setup: Setup, tmp_path: Path) -> None:
    expected = filled(setup, tmp_path)
    with sqlite3.connect(tmp_path / "scores.sqlite3") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    warnings: list[str] = []
    assert PairScorer(setup, cache(tmp_path, warnings.append)).scores(PAIRS) == expected
    path = tmp_path / "scores.sqlite3"
    assert warnings == [f"score cache {path} is rebuilt: it has version 99, not 1"]


def test_a_damaged_score_is_not_trusted(setup: Setup, tmp_path: Path) -> None:
    expected = filled(setup, tmp_path)
    with sqlite3.connect(tmp_path / "scores.sqlite3") as connection:
        connection.execute("UPDATE embedding SET vector = x'0000803f'")
    connection.close()
    warnings: list[str] = []
    assert PairScorer(setup, cache(tmp_path, warnings.append)).scores(PAIRS) == expected
    assert warnings == [f"score cache {tmp_path / 'scores.sqlite3'} has damaged rows; they are made anew"]


def test_a_cache_locked_by_another_process_stops_nothing(setup: Setup, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("wfkit.models.cache._BUSY_SECONDS", 0.2)
    filled(setup, tmp_path)
    holder = sqlite3.connect(tmp_path / "scores.sqlite3", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    warnings: list[str] = []
    assert len(PairScorer(setup, cache(tmp_path, warnings.append)).scores([*PAIRS, ("a", "b")])) == 5
    holder.close()
    assert len(warnings) == 1
    assert warnings[0].endswith("cannot be written: database is locked; nothing more is added to it")


def test_a_disk_without_room_stops_nothing(setup: Setup, tmp_path: Path) -> None:
    """A limit on the size of files stands for the full disk; the signal it sends is ignored, as Python does."""
    program = (
        "import resource, sys\nfrom pathlib import Path\n"
        "from wfkit.models.cache import EmbeddingCache\nimport numpy as np\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        "kept = EmbeddingCache(Path(sys.argv[1]), print, 'score')\n"
        "kept.put_many('d', {str(number): np.ones(1, np.float32) for number in range(5_000)})\n"
        "kept.put_many('d', {'one': np.ones(1, np.float32)})\n"
    )
    done = subprocess.run([sys.executable, "-c", program, tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"score cache {tmp_path / 'scores.sqlite3'} cannot be ")
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize("directory", ["/proc/self", "/dev/null"])
def test_a_place_where_nothing_can_be_written_stops_nothing(setup: Setup, directory: str) -> None:
    warnings: list[str] = []
    expected = PairScorer(setup, None).scores(PAIRS)
    assert PairScorer(setup, cache(Path(directory), warnings.append)).scores(PAIRS) == expected
    assert len(warnings) == 1
    assert os.path.join(directory, "scores.sqlite3") in warnings[0]
