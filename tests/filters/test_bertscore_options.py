"""BERTScore as the user of wf-score meets it: options, a model that is not there, the local encoder in its place."""

from pathlib import Path

import pytest

from tests.conftest import Run
from tests.filters.test_wf_score import lines, pair, records_of, workflow
from tests.small_models import small_bert, small_roberta

PAIRS = [
    pair(workflow("a", "open the door", "go in", "sit"), workflow("a", "open the door", "walk into it")),
    pair(workflow("b", "boil the water", "pour it"), workflow("b", "drink tea", "", "go")),
    pair(workflow("c", "boil the water"), workflow("c")),
    pair(workflow("d", "go in", "open the door"), workflow("d", "walk into it", "open the door")),
]
LACKING = "model roberta-large is not on this machine: hf download FacebookAI/roberta-large, or name its folder with "


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without a model; its folder for caches."""
    for variable in ("WFKIT_ENCODER", "WFKIT_BACKEND", "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "wfkit"


@pytest.fixture
def options(home: Path, tmp_path: Path) -> tuple[str, ...]:
    """What names a small model, its layer and a baseline."""
    (tmp_path / "baseline.tsv").write_text("LAYER,P,R,F\n2,0.5,0.5,0.5\n")
    model = small_bert(tmp_path / "bert")
    named = ("--bertscore-model", model, "--bertscore-layers", "2", "--bertscore-baseline", tmp_path / "baseline.tsv")
    return ("--metrics", "bertscore", *map(str, named))


def test_without_the_model_the_score_is_null_and_the_rest_is_measured(run: Run, home: Path) -> None:
    done = run("wf-score", "-q", "--metrics", "bleu,bertscore", stdin=lines(*PAIRS))
    assert done.returncode == 4
    for record in records_of(done):
        assert record["scores"]["bertscore"] is None
        assert record["reasons"]["bertscore"] == f"unavailable: {LACKING}--bertscore-model"
        assert "bertscore" not in record["signatures"]
    assert records_of(done)[0]["scores"]["bleu"] > 0
    assert done.stderr.decode() == f"wf-score: null scores: bertscore 4; {LACKING}--bertscore-model\n"


def test_alone_and_without_the_model_nothing_is_read(run: Run, home: Path) -> None:
    done = run("wf-score", "--metrics", "bertscore", "absent.jsonl")
    assert (done.returncode, done.stdout) == (4, b"")
    assert done.stderr.decode() == f"wf-score: {LACKING}--bertscore-model\n"
    both = run("wf-score", "--metrics", "chain_f1,bertscore", "absent.jsonl")
    assert both.returncode == 4
    assert both.stderr.decode().startswith(f"wf-score: {LACKING}--bertscore-model; chain_f1 needs an encoder: ")


def test_all_has_it_and_the_default_has_not(run: Run, home: Path) -> None:
    everything = run("wf-score", "-q", "--metrics", "all", stdin=lines(PAIRS[0]))
    assert "bertscore" in records_of(everything)[0]["scores"] and "judge" not in records_of(everything)[0]["scores"]
    assert "bertscore" not in records_of(run("wf-score", "-q", stdin=lines(PAIRS[0])))[0]["scores"]


def test_scores_do_not_depend_on_batches_workers_or_the_cache(run: Run, home: Path, options: tuple[str, ...]) -> None:
    done = run("wf-score", "-q", *options, "--no-cache", stdin=lines(*PAIRS))
    assert (done.returncode, done.stderr) == (0, b"")
    first, second, third, fourth = (record["scores"]["bertscore"] for record in records_of(done))
    assert 0 < first < 1 and third == 0 and first == fourth  # the same two pairs of steps, in the other order
    assert records_of(done)[1]["details"]["bertscore"] == {"pairs": 2}
    assert second < 0.5  # one of its two steps is empty
    assert not (home / "scores.sqlite3").exists()
    for more in ((), ("--jobs", "2"), ()):
        again = run("wf-score", "-q", *options, *more, stdin=lines(*PAIRS[::-1]))
        assert (again.returncode, again.stderr) == (0, b"")
        assert sorted(again.stdout.splitlines()) == sorted(done.stdout.splitlines())
    assert (home / "scores.sqlite3").exists()


def test_with_goldens_in_a_file(run: Run, home: Path, options: tuple[str, ...], tmp_path: Path) -> None:
    goldens, candidates = tmp_path / "goldens.jsonl", lines(*(one["candidate"] for one in PAIRS[:3]))
    goldens.write_bytes(lines(*(one["golden"] for one in PAIRS)))
    joined = run("wf-score", "-q", *options, "--golden", goldens, stdin=candidates)
    paired = run("wf-score", "-q", *options, stdin=lines(*PAIRS[:3]))
    scores = [record["scores"] for record in records_of(joined)]
    assert scores == [*(record["scores"] for record in records_of(paired)), {"bertscore": 0}]


def test_the_default_runs_where_its_model_is(run: Run, home: Path) -> None:
    """A RoBERTa of 24 layers with random weights lies in its place."""
    small_roberta(home / "models" / "roberta-large")
    done = run("wf-score", "-q", "--metrics", "bertscore", stdin=lines(*PAIRS))
    assert (done.returncode, done.stderr) == (0, b"")
    scores = [record["scores"]["bertscore"] for record in records_of(done)]
    assert scores[2] == 0 and all(score <= 1 for score in scores)
    assert "|model=roberta-large@" in records_of(done)[0]["signatures"]["bertscore"]
    assert "|layer=17|baseline=" in records_of(done)[0]["signatures"]["bertscore"]


def test_the_local_encoder_scores_a_paraphrase_above_another_step(
    run: Run, encoder_is_there: None, tmp_path: Path
) -> None:
    (tmp_path / "baseline.tsv").write_text("LAYER,P,R,F\n8,0.4,0.4,0.4\n")
    near = pair(workflow("n", "boil the water"), workflow("n", "bring the water to the boil"))
    far = pair(workflow("f", "boil the water"), workflow("f", "send the invoice to the manager"))
    done = run(
        "wf-score", "-q", "--metrics", "bertscore", "--no-cache", "--bertscore-model", "all-mpnet-base-v2",
        "--bertscore-layers", "8", "--bertscore-baseline", tmp_path / "baseline.tsv", stdin=lines(near, far),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    close, distant = (record["scores"]["bertscore"] for record in records_of(done))
    assert 1 > close > distant + 0.2


def test_weights_that_cannot_be_loaded_leave_null_scores(run: Run, home: Path, options: tuple[str, ...]) -> None:
    (Path(options[3]) / "model.safetensors").write_bytes(b"not weights")
    done = run("wf-score", "-q", *options, stdin=lines(*PAIRS))
    assert [record["scores"]["bertscore"] for record in records_of(done)] == [None, None, 0, None]
    assert done.returncode == 4
    assert b"null scores: bertscore 3; cannot load the BERTScore model in " in done.stderr


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"--bertscore-layers": "3"}, "has no layer 3"),
        ({"--bertscore-layers": "0"}, "--bertscore-layers"),
        ({"--bertscore-layers": None}, "needs --bertscore-layers N: which of its layers to take"),
        ({"--bertscore-baseline": None}, "name one with --bertscore-baseline FILE"),
        ({"--bertscore-baseline": "absent.tsv"}, "cannot read the BERTScore baseline absent.tsv"),
        ({"--metrics": "bleu"}, "--bertscore-model needs bertscore among the --metrics"),
    ],
)
def test_wrong_options(
    run: Run, home: Path, options: tuple[str, ...], changed: dict[str, str | None], words: str
) -> None:
    named = {**dict(zip(options[::2], options[1::2], strict=True)), **changed}
    arguments = [part for name, value in named.items() if value is not None for part in (name, value)]
    done = run("wf-score", *arguments, stdin=lines(*PAIRS))
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr.decode()


def test_a_model_of_pickles_is_refused(run: Run, home: Path, options: tuple[str, ...]) -> None:
    (Path(options[3]) / "model.safetensors").rename(Path(options[3]) / "pytorch_model.bin")
    done = run("wf-score", *options, stdin=lines(*PAIRS))
    assert (done.returncode, done.stdout) == (4, b"")
    assert b"pytorch_model.bin: pickled weights are never loaded" in done.stderr
