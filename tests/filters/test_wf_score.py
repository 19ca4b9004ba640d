"""wf-score as its user runs it, above all where the encoder or its cache is not as it should be.

No test loads the model: where vectors are needed they are put into the cache beforehand, three directions of which
``brew`` stands near ``boil`` (cosine 0.9) and ``drink`` near nothing.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import numpy as np
import pytest

from wfkit.models.cache import FILE_NAME, EmbeddingCache
from wfkit.models.manifest import DEFAULT_MODEL, known

Run = Callable[..., "CompletedProcess[bytes]"]
Record = dict[str, Any]

REMEDY = "pip install 'wfkit[models]' && wf-models fetch all-mpnet-base-v2"


def workflow(record_id: str, *texts: str, **fields: Any) -> Record:
    nodes = [{"id": f"{number}", "text": text} for number, text in enumerate(texts, start=1)]
    edges = [[f"{number}", f"{number + 1}"] for number in range(1, len(texts))]
    return {"kind": "workflow", "id": record_id, "nodes": nodes, "edges": edges, **fields}


def lines(*records: Record) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def records_of(done: "CompletedProcess[bytes]") -> list[Record]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def pair(golden: Record, candidate: Record) -> Record:
    return {"kind": "pair", "id": candidate["id"], "golden": golden, "candidate": candidate}


PAIR = pair(workflow("tea", "boil", "drink"), workflow("tea", "brew", "drink"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without a model; its folder for caches."""
    for variable in ("WFKIT_ENCODER", "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "wfkit"


@pytest.fixture
def cached(home: Path) -> Path:
    """The same machine after a run that left the vectors of three texts in the cache."""
    vectors = np.zeros((3, 768), np.float32)
    vectors[0, 0] = vectors[2, 1] = 1
    vectors[1, [0, 2]] = 0.9, np.sqrt(1 - 0.9**2)
    cache = EmbeddingCache(home, pytest.fail)
    cache.put_many(known(DEFAULT_MODEL).digest, dict(zip(("boil", "brew", "drink"), vectors, strict=True)))
    cache.close()
    return home


def null_line(*metrics: str, wanted_by: str) -> str:
    return f"wf-score: null scores: {', '.join(metrics)}; {wanted_by} needs an encoder: {REMEDY}\n"


def test_without_encoder_and_with_nothing_else_to_measure_nothing_is_read(run: Run, home: Path) -> None:
    done = run("wf-score", "--metrics", "graph_f1,chain_f1", "no-such-file.jsonl")
    assert (done.returncode, done.stdout) == (4, b"")
    assert done.stderr.decode() == f"wf-score: the alignment of steps needs an encoder: {REMEDY}\n"


@pytest.mark.parametrize("options", [(), ("-q",), ("--jobs", "2")])
def test_without_encoder_the_lexical_metrics_are_measured_and_the_end_names_the_remedy(
    run: Run, home: Path, options: Sequence[str]
) -> None:
    other = pair(workflow("b", "boil"), workflow("b", "drink"))
    done = run("wf-score", *options, "--metrics", "chain_f1,bleu,node_f1", stdin=lines(PAIR, other))
    first, second = records_of(done)
    assert done.returncode == 4
    assert first["scores"]["bleu"] > second["scores"]["bleu"] == 0
    for record in (first, second):
        assert record["scores"]["chain_f1"] is record["scores"]["node_f1"] is None
        assert record["reasons"]["node_f1"] == f"unavailable: the alignment of steps needs an encoder: {REMEDY}"
    told = done.stderr.decode()
    assert null_line("chain_f1 2", "node_f1 2", wanted_by="the alignment of steps") in told
    assert told.count("\n") == (1 if "-q" in options else 2)


def test_the_goldens_without_candidate_count_among_the_null_scores(run: Run, home: Path, tmp_path: Path) -> None:
    goldens = tmp_path / "goldens.jsonl"
    goldens.write_bytes(lines(workflow("a", "boil"), workflow("b", "boil")))
    done = run("wf-score", "-q", "--metrics", "bleu,chain_f1", "--golden", goldens, stdin=lines(workflow("a", "boil")))
    assert [record["scores"]["bleu"] for record in records_of(done)] == [1, 0]
    assert (done.returncode, done.stderr.decode()) == (4, null_line("chain_f1 2", wanted_by="chain_f1"))


def test_the_summary_counts_null_scores_by_metric(run: Run, home: Path, tmp_path: Path) -> None:
    run("wf-score", "-q", "--metrics", "bleu,chain_f1", "--summary", tmp_path / "summary", stdin=lines(PAIR))
    assert json.loads((tmp_path / "summary").read_text())["unavailable"] == {"chain_f1": 1}


def test_an_encoder_with_a_wrong_digest_is_refused_even_where_all_texts_are_cached(run: Run, cached: Path) -> None:
    directory = cached / "models" / DEFAULT_MODEL
    directory.mkdir(parents=True)
    (directory / "model.safetensors").write_bytes(b"cut off")
    alone = run("wf-score", "-q", "--metrics", "chain_f1", stdin=lines(PAIR))
    assert (alone.returncode, alone.stdout) == (4, b"")
    assert b"refused" in alone.stderr and b"expected 437971872 bytes, found 7" in alone.stderr
    assert alone.stderr.count(b"\n") == 1
    beside = run("wf-score", "-q", "--metrics", "chain_f1,bleu", stdin=lines(PAIR))
    (record,) = records_of(beside)
    assert beside.returncode == 4 and record["scores"]["chain_f1"] is None and record["scores"]["bleu"] > 0
    assert b"null scores: chain_f1 1; " in beside.stderr and b"refused" in beside.stderr


def test_an_encoder_nobody_knows_is_a_wrong_command_line(run: Run, home: Path) -> None:
    done = run("wf-score", "--encoder", "all-mpnet", stdin=lines(PAIR))
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert b"all-mpnet" in done.stderr


@pytest.mark.parametrize(
    ("threshold", "f1"),
    [
        ("0.8", 1.0),  # brew (0.9) is boil, drink is drink: two of two
        ("0.95", 0.5),  # brew is nothing: 2*1/(2+2)
    ],
)
def test_cached_texts_need_no_model(run: Run, cached: Path, threshold: str, f1: float) -> None:
    done = run("wf-score", "-q", "--metrics", "chain_f1,node_f1", "--align", threshold, stdin=lines(PAIR))
    (record,) = records_of(done)
    assert (done.returncode, done.stderr) == (0, b"")
    assert record["scores"] == {"chain_f1": f1, "node_f1": f1}
    assert record["signatures"]["chain_f1"] == f"wfkit=1|enc=all-mpnet-base-v2@78c0197b|align={threshold}"


def test_a_cache_by_name_is_used_and_none_is_used_if_asked(run: Run, cached: Path, tmp_path: Path) -> None:
    elsewhere = {"XDG_CACHE_HOME": str(tmp_path / "elsewhere")}
    named = run("wf-score", "-q", "--metrics", "chain_f1", "--cache", cached, stdin=lines(PAIR), env=elsewhere)
    assert (named.returncode, records_of(named)[0]["scores"]["chain_f1"]) == (0, 1)
    assert run("wf-score", "-q", "--metrics", "chain_f1", "--no-cache", stdin=lines(PAIR)).returncode == 4
    both = run("wf-score", "--cache", cached, "--no-cache", stdin=lines(PAIR))
    assert (both.returncode, both.stderr) == (2, b"wf-score: --cache and --no-cache contradict each other\n")


def test_a_text_that_is_not_cached_leaves_its_pair_unmeasured_and_the_others_measured(run: Run, cached: Path) -> None:
    unknown = pair(workflow("b", "boil"), workflow("b", "freeze"))
    done = run("wf-score", "-q", "--metrics", "chain_f1", stdin=lines(unknown, PAIR))
    assert [record["scores"]["chain_f1"] for record in records_of(done)] == [None, 1]
    assert (done.returncode, done.stderr.decode()) == (4, null_line("chain_f1 1", wanted_by="chain_f1"))


def test_a_damaged_cache_is_rebuilt_and_never_trusted(run: Run, cached: Path) -> None:
    (cached / FILE_NAME).write_bytes(b"not a database at all" * 500)
    done = run("wf-score", "-q", "--metrics", "chain_f1,bleu", stdin=lines(PAIR))
    rebuilt, null = done.stderr.decode().splitlines()
    assert rebuilt.startswith(f"wf-score: embedding cache {cached / FILE_NAME} is rebuilt: ")
    assert null + "\n" == null_line("chain_f1 1", wanted_by="chain_f1")
    assert (done.returncode, records_of(done)[0]["scores"]["chain_f1"]) == (4, None)


@pytest.mark.parametrize("name", [FILE_NAME, "embeddings.lock"])
def test_a_cache_that_cannot_be_opened_is_told_and_stops_nothing(run: Run, cached: Path, name: str) -> None:
    """A folder stands in the place of a file, which keeps even root from opening it."""
    (cached / name).unlink()
    (cached / name).mkdir()
    done = run("wf-score", "-q", "--metrics", "chain_f1,bleu", stdin=lines(PAIR))
    warning, null = done.stderr.decode().splitlines()
    assert warning.startswith(f"wf-score: embedding cache {cached / FILE_NAME} cannot be used: ")
    assert warning.endswith("; going on without it")
    assert null + "\n" == null_line("chain_f1 1", wanted_by="chain_f1")
    assert (done.returncode, records_of(done)[0]["scores"]["bleu"] > 0) == (4, True)


@pytest.mark.parametrize("directory", ["/proc/self", "/dev/null"])
def test_a_cache_where_nothing_can_be_written_does_not_hide_the_missing_encoder(
    run: Run, home: Path, directory: str
) -> None:
    done = run("wf-score", "-q", "--metrics", "chain_f1,bleu", "--cache", directory, stdin=lines(PAIR))
    assert (done.returncode, done.stderr.decode()) == (4, null_line("chain_f1 1", wanted_by="chain_f1"))


def test_two_candidates_for_a_golden_by_key(run: Run, home: Path, tmp_path: Path) -> None:
    goldens = tmp_path / "goldens.jsonl"
    goldens.write_bytes(lines(workflow("g", "boil", "drink", meta={"task": 7}), workflow("h", "x", meta={"task": 8})))
    candidates = [workflow(name, *texts, meta={"task": 7}) for name, *texts in (("a", "boil", "drink"), ("b", "boil"))]
    command = ("wf-score", "-q", "--metrics", "bleu", "--golden", goldens, "--key", ".meta.task")
    done = run(*command, stdin=lines(*candidates))
    assert [(one["id"], one["golden"]["id"], one.get("group")) for one in records_of(done)] == [
        ("a", "g", "7"), ("b", "g", "7"), ("@h", "h", "8"),
    ]  # fmt: skip
    scores = [one["scores"]["bleu"] for one in records_of(done)]
    assert scores[0] == 1 > scores[1] > scores[2] == 0
    assert done.returncode == 0
    assert run(*command, "--jobs", "2", stdin=lines(*candidates)).stdout == done.stdout


@pytest.mark.parametrize("files", [(), ("-",)])
def test_standard_input_is_either_goldens_or_candidates(run: Run, files: Sequence[str]) -> None:
    done = run("wf-score", "--metrics", "bleu", "--golden", "-", *files, stdin=lines(workflow("a", "boil")))
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == (
        b"wf-score: standard input cannot be both the goldens and the input: name a FILE for one of them\n"
    )


def test_goldens_from_standard_input_beside_a_file_of_candidates(run: Run, tmp_path: Path) -> None:
    candidates = tmp_path / "candidates.jsonl"
    candidates.write_bytes(lines(workflow("a", "boil")))
    command = ("wf-score", "-q", "--metrics", "bleu", "--golden", "-", candidates)
    done = run(*command, stdin=lines(workflow("a", "boil")))
    assert (done.returncode, records_of(done)[0]["scores"]) == (0, {"bleu": 1})
    workers = run(*command, "--jobs", "2", stdin=lines(workflow("a", "boil")))
    assert (workers.returncode, workers.stdout) == (2, b"")
    assert workers.stderr == b"wf-score: with --jobs the goldens must be in a file: - can be read only once\n"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--metrics", ""), b"no metric given"),
        (("--metrics", "bleu,bleu"), b"'bleu' is given twice"),
        (("--metrics", "judge"), b"needs a model: --judge-model MODEL"),
        (("--align", "1.1"), b"--align"),
        (("--max-steps", "0"), b"--max-steps"),
        (("--judge-when", "bleu < 1"), b"need --judge-model MODEL"),
        (("--golden", "absent.jsonl"), b"cannot read absent.jsonl: No such file or directory"),
        (("--golden", "."), b"is a directory"),
        (("--metrics", "bleu", "--golden", "/dev/null", "--key", "a..b"), b"a..b"),
    ],
)
def test_wrong_options(run: Run, tmp_path: Path, options: Sequence[str], words: bytes) -> None:
    done = run("wf-score", *options, stdin=lines(PAIR), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr


def test_a_pair_without_candidate_and_an_error_record_are_no_zeros(run: Run) -> None:
    inapplicable = {**PAIR, "id": "b", "candidate": None, "perturbation": {"inapplicable": "too few steps"}}
    error = {"kind": "error", "id": "e", "filter": "f", "code": "E-X", "message": "m", "where": {}, "input": ""}
    done = run("wf-score", "-q", "--metrics", "bleu,gleu", stdin=lines(inapplicable, error))
    pair_record, error_record = records_of(done)
    assert pair_record["scores"] == {"bleu": None, "gleu": None}
    assert set(pair_record["reasons"].values()) == {"inapplicable: too few steps"}
    assert (done.returncode, error_record) == (3, error)


def test_a_golden_without_candidate_takes_the_id_of_no_candidate(run: Run, home: Path, tmp_path: Path) -> None:
    goldens, candidates = tmp_path / "goldens.jsonl", tmp_path / "candidates.jsonl"
    goldens.write_bytes(lines({**workflow("1", "boil"), "case": "A"}, {**workflow("2", "brew"), "case": "B"}))
    candidates.write_bytes(lines(*({**workflow(name, "boil"), "case": "A"} for name in ("1", "2"))))
    done = run("wf-score", "--metrics", "bleu", "--golden", goldens, "--key", ".case", candidates)
    assert [(pair["id"], pair["golden"]["id"]) for pair in records_of(done)] == [("1", "1"), ("2", "1"), ("@2", "2")]
    gated = run("wf-gate", "--expect", goldens, stdin=done.stdout, cwd=tmp_path)
    assert b"occurs twice" not in gated.stderr


@pytest.mark.parametrize("options", [("-o", "goldens"), ("--summary", "goldens"), ("--summary", "in")])
def test_goldens_and_records_are_not_written_over(run: Run, tmp_path: Path, options: Sequence[str]) -> None:
    for name in ("goldens", "in"):
        (tmp_path / name).write_bytes(lines(workflow("a", "boil")))
    done = run("wf-score", "--metrics", "bleu", "--golden", "goldens", *options, "in", cwd=tmp_path)
    assert done.returncode == 2
    assert b"would overwrite a file that is read or written as well" in done.stderr
    assert (tmp_path / "goldens").read_bytes() == (tmp_path / "in").read_bytes() == lines(workflow("a", "boil"))


def test_what_is_no_number_is_no_bar(run: Run) -> None:
    done = run("wf-score", "--align", "nan", "--metrics", "bleu", stdin=lines(PAIR))
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"nan is no number" in done.stderr
