"""The nearest place first: memory, the cache on disk, the encoder."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from wfkit.errors import Unavailable
from wfkit.models.cache import EmbeddingCache
from wfkit.models.embedder import Embedder
from wfkit.models.encoder import Encoder
from wfkit.models.manifest import DEFAULT_MODEL, known

ROOT = Path(__file__).resolve().parents[2]
DIGEST = known(DEFAULT_MODEL).digest
NUMBERS = {text: np.full(768, place, np.float32) for place, text in enumerate(["a", "b", "c", "d", ""])}


@pytest.fixture
def cache(home: Path, tmp_path: Path) -> EmbeddingCache:
    """A cache that knows the texts of `NUMBERS`, on a machine without any model."""
    cache = EmbeddingCache(tmp_path / "embeddings", pytest.fail)
    cache.put_many(DIGEST, NUMBERS)
    yield cache
    cache.close()


def test_cached_texts_need_no_model(cache: EmbeddingCache) -> None:
    embedder = Embedder(cache=cache)
    assert embedder.embed(["b", "", "a", "b"])[:, 0].tolist() == [1, 4, 0, 1]
    assert embedder.signature == "enc=all-mpnet-base-v2@78c0197b"


def test_no_texts_give_an_empty_matrix(cache: EmbeddingCache) -> None:
    assert Embedder(cache=cache).embed([]).shape == (0, 0)


@pytest.mark.parametrize("with_cache", [True, False])
def test_a_text_that_is_nowhere_names_the_remedy(cache: EmbeddingCache, with_cache: bool) -> None:
    embedder = Embedder(cache=cache if with_cache else None, wanted_by="graph_f1")
    with pytest.raises(Unavailable, match=r"^graph_f1 needs an encoder: .* wf-models fetch all-mpnet-base-v2$"):
        embedder.embed(["new"])


def test_memory_answers_before_the_disk(cache: EmbeddingCache) -> None:
    embedder = Embedder(cache=cache)
    embedder.embed(["a", "b"])
    cache.put_many(DIGEST, {"a": np.full(768, 99, np.float32)})
    assert embedder.embed(["a"])[0, 0] == 0


def test_memory_is_bounded_and_keeps_what_was_used_last(cache: EmbeddingCache) -> None:
    embedder = Embedder(cache=cache, remembered_vectors=2)
    assert embedder.embed(["a", "b", "c", "d"])[:, 0].tolist() == [0, 1, 2, 3]  # more than it remembers
    embedder.embed(["c"])  # so that d is the one to go
    embedder.embed(["a"])
    cache.put_many(DIGEST, {text: np.full(768, 99, np.float32) for text in "abcd"})
    assert embedder.embed(["c", "a"])[:, 0].tolist() == [2, 0]
    assert embedder.embed(["d"])[:, 0].tolist() == [99]


def test_what_is_encoded_is_kept_for_the_next_run(
    encoder: Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WFKIT_ENCODER", raising=False)
    cache = EmbeddingCache(tmp_path, pytest.fail)
    cache.put_many(DIGEST, {"known": np.ones(768, np.float32)})
    vectors = Embedder(DEFAULT_MODEL, cache=cache, backend="torch").embed(["open the door", "known", "close it"])
    cache.close()
    assert vectors[1].tolist() == [1.0] * 768
    assert np.array_equal(vectors[[0, 2]], encoder.encode(["open the door", "close it"]))
    again = EmbeddingCache(tmp_path, pytest.fail)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))  # no model from here on
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "empty"))
    assert np.array_equal(Embedder(DEFAULT_MODEL, cache=again).embed(["open the door", "known", "close it"]), vectors)
    again.close()


class Made:
    """An encoder of the test: vectors of ones, and whatever is to happen before."""

    def __init__(self, before: Callable[[Sequence[str]], None]) -> None:
        self._before = before

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self._before(texts)
        return np.ones((len(texts), 768), np.float32)


@pytest.fixture
def encoding(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Sequence[str]], None]], None]:
    """Have texts encoded by an encoder that first does something."""

    def use(before: Callable[[Sequence[str]], None]) -> None:
        monkeypatch.setattr("wfkit.models.embedder.find_encoder", lambda *_, **__: lambda: Made(before))

    return use


def test_what_is_cached_does_not_wait_for_what_another_thread_encodes(cache: EmbeddingCache, encoding) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def before(texts: Sequence[str]) -> None:
        begun.set()
        assert go_on.wait(30)

    encoding(before)
    embedder = Embedder(cache=cache)
    with ThreadPoolExecutor(1) as other:
        new = other.submit(embedder.embed, ["new", "a"])
        assert begun.wait(30)
        assert embedder.embed(["b", "a"])[:, 0].tolist() == [1, 0]
        go_on.set()
        assert new.result()[:, 0].tolist() == [1, 0]
    assert embedder.embed(["new"])[0, 0] == 1


def test_texts_that_were_encoded_before_the_end_of_a_run_are_kept(cache: EmbeddingCache, encoding) -> None:
    seen: list[str] = []

    def before(texts: Sequence[str]) -> None:
        if seen:
            raise KeyboardInterrupt
        seen.extend(texts)

    encoding(before)
    texts = [f"text {number}" for number in range(2_000)]
    with pytest.raises(KeyboardInterrupt):
        Embedder(cache=cache).embed(texts)
    assert 0 < len(seen) < len(texts)
    assert set(cache.get_many(DIGEST, texts)) == set(seen)


def test_a_batch_stays_in_memory_while_the_one_before_it_is_used_and_the_next_is_made(
    cache: EmbeddingCache, encoding
) -> None:
    encoding(lambda texts: None)
    embedder = Embedder(cache=cache)
    first, second, third = ([f"{side} {number}" for number in range(2_000)] for side in ("one", "two", "three"))
    embedder.embed(first)
    embedder.embed(second)
    for text in first:
        embedder.embed([text])
    embedder.embed(third)
    cache.put_many(DIGEST, {text: np.full(768, 99, np.float32) for text in second})
    assert {embedder.embed([text])[0, 0] for text in second} == {1}


def test_cached_texts_import_no_model_library(cache: EmbeddingCache, tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom wfkit.models.cache import EmbeddingCache\n"
        "from wfkit.models.embedder import Embedder\n"
        "print(Embedder(cache=EmbeddingCache(Path(sys.argv[1]), print)).embed(['b', ''])[:, 0].tolist())\n"
        "print({'torch', 'transformers', 'sentence_transformers', 'scipy'} & set(sys.modules))\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "embeddings"],
        cwd=ROOT, capture_output=True, text=True, check=False, env=dict(os.environ),
    )  # fmt: skip
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "[1.0, 4.0]\nset()\n", "")
