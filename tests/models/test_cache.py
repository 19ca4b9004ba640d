"""The cache on disk: what was put comes back, and nothing that happens to the file is trusted or stops a run."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.models import cache as cache_module
from wfkit.models.cache import FILE_NAME, EmbeddingCache

ROOT = Path(__file__).resolve().parents[2]
MODEL = "78c0" * 16
TEXTS = ["open the door", "", "\ud800", "請求書を確認する", "a\0b", "a" * 100_000]
VECTORS = {text: np.arange(768, dtype=np.float32) + place for place, text in enumerate(TEXTS)}


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A folder whose cache holds `VECTORS`."""
    cache = EmbeddingCache(tmp_path, pytest.fail)
    cache.put_many(MODEL, VECTORS)
    cache.close()
    return tmp_path


def read(directory: Path, warn: Callable[[str], None] = pytest.fail) -> dict[str, list[float]]:
    cache = EmbeddingCache(directory, warn)
    found = cache.get_many(MODEL, TEXTS)
    cache.close()
    return {text: vector.tolist() for text, vector in found.items()}


def change(directory: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(directory / FILE_NAME)
    with connection:
        connection.execute(statement, values)
    connection.close()


ALL = {text: vector.tolist() for text, vector in VECTORS.items()}


def test_what_was_put_comes_back_from_another_connection(filled: Path) -> None:
    assert read(filled) == ALL


def test_another_model_has_vectors_of_its_own(filled: Path) -> None:
    cache = EmbeddingCache(filled, pytest.fail)
    assert cache.get_many("ffff" * 16, TEXTS) == {}
    cache.put_many("ffff" * 16, {"open the door": np.zeros(3, np.float32)})
    assert cache.get_many("ffff" * 16, TEXTS)["open the door"].tolist() == [0, 0, 0]
    cache.close()
    assert read(filled) == ALL


def test_a_later_vector_replaces_an_earlier_one(filled: Path) -> None:
    cache = EmbeddingCache(filled, pytest.fail)
    cache.put_many(MODEL, {"": np.ones(768, np.float32)})
    assert cache.get_many(MODEL, [""])[""].tolist() == [1.0] * 768
    cache.close()


def test_more_texts_than_one_query_takes(tmp_path: Path) -> None:
    vectors = {f"step {number}": np.full(4, number, np.float32) for number in range(1700)}
    cache = EmbeddingCache(tmp_path, pytest.fail)
    cache.put_many(MODEL, vectors)
    found = cache.get_many(MODEL, [*vectors, "absent"])
    assert {text: vector.tolist() for text, vector in found.items()} == {
        text: vector.tolist() for text, vector in vectors.items()
    }
    cache.close()


@given(
    st.dictionaries(st.text(st.characters(), max_size=8), st.lists(st.floats(width=32, allow_nan=False), min_size=1))
)
def test_any_text_and_any_vector_round_trip(tmp_path_factory: pytest.TempPathFactory, content: dict) -> None:
    vectors = {text: np.array(numbers, np.float32) for text, numbers in content.items()}
    cache = EmbeddingCache(tmp_path_factory.mktemp("cache"), pytest.fail)
    cache.put_many(MODEL, vectors)
    assert {text: vector.tolist() for text, vector in cache.get_many(MODEL, list(vectors)).items()} == {
        text: vector.tolist() for text, vector in vectors.items()
    }
    cache.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE embedding SET vector = substr(vector, 1, 3068)",  # cut by one number
        "UPDATE embedding SET vector = substr(vector, 1, 3071)",  # cut in the middle of a number
        "UPDATE embedding SET vector = x''",
        "UPDATE embedding SET vector = zeroblob(3072)",
        "UPDATE embedding SET vector = 'text', digest = 'text'",
        "UPDATE embedding SET vector = 1.5",
        "UPDATE embedding SET digest = zeroblob(32)",
        # every row takes vector and digest of another: whole by itself and yet wrong
        "UPDATE embedding SET (vector, digest) = (SELECT vector, digest FROM embedding AS o WHERE o.key > embedding.key"
        " UNION ALL SELECT vector, digest FROM embedding AS o WHERE o.key < embedding.key LIMIT 1)",
    ],
)
def test_a_wrong_row_counts_as_missing_and_is_told_once(filled: Path, warnings: list[str], statement: str) -> None:
    change(filled, statement)
    cache = EmbeddingCache(filled, warnings.append)
    for _ in range(2):
        assert cache.get_many(MODEL, TEXTS) == {}
    assert warnings == [f"embedding cache {filled / FILE_NAME} has damaged rows; they are made anew"]
    cache.put_many(MODEL, VECTORS)  # what a caller does with what is missing
    cache.close()
    assert read(filled) == ALL


def test_one_wrong_row_leaves_the_others(filled: Path, warnings: list[str]) -> None:
    change(filled, "UPDATE embedding SET vector = zeroblob(3072) WHERE key = ?", cache_module._key(MODEL, ""))
    assert read(filled, warnings.append) == {text: vector for text, vector in ALL.items() if text}
    assert len(warnings) == 1


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda path: path.write_bytes(b"not a database at all, but long enough" * 99), "not a database"),
        (lambda path: os.truncate(path, path.stat().st_size // 2), "malformed"),
        (lambda path: path.write_bytes(path.read_bytes()[:8192] + b"\xff" * 40_000), "malformed"),
    ],
)
def test_a_damaged_file_is_rebuilt(filled: Path, warnings: list[str], damage: Callable, reason: str) -> None:
    damage(filled / FILE_NAME)
    cache = EmbeddingCache(filled, warnings.append)
    found = cache.get_many(MODEL, TEXTS)
    cache.put_many(MODEL, VECTORS)
    cache.close()
    assert found == {}
    assert len(warnings) == 1
    assert f"{FILE_NAME} is rebuilt: " in warnings[0] and reason in warnings[0]
    assert read(filled) == ALL


@pytest.mark.parametrize("version", [2, 99, -1])
def test_a_file_of_another_version_is_rebuilt(filled: Path, warnings: list[str], version: int) -> None:
    change(filled, f"PRAGMA user_version = {version}")
    assert read(filled, warnings.append) == {}
    assert warnings == [f"embedding cache {filled / FILE_NAME} is rebuilt: it has version {version}, not 1"]
    cache = EmbeddingCache(filled, pytest.fail)
    cache.put_many(MODEL, VECTORS)
    cache.close()
    assert read(filled) == ALL


def test_an_empty_file_is_a_new_cache(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).touch()
    assert read(tmp_path) == {}


def test_a_file_in_use_is_not_deleted_under_the_other_process(
    filled: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "_BUSY_SECONDS", 0.1)
    other = EmbeddingCache(filled, pytest.fail)
    other.get_many(MODEL, TEXTS)
    change(filled, "PRAGMA user_version = 2")
    before = (filled / FILE_NAME).stat().st_ino
    assert read(filled, warnings.append) == {}
    assert len(warnings) == 1 and "another process is using it; going on without it" in warnings[0]
    assert (filled / FILE_NAME).stat().st_ino == before
    other.close()


def test_a_folder_that_cannot_be_made_means_no_cache(tmp_path: Path, warnings: list[str]) -> None:
    (tmp_path / "file").write_text("")
    cache = EmbeddingCache(tmp_path / "file" / "cache", warnings.append)
    for _ in range(2):
        assert cache.get_many(MODEL, TEXTS) == {}
        cache.put_many(MODEL, VECTORS)
    assert len(warnings) == 1
    assert "cannot be used: " in warnings[0] and warnings[0].endswith("; going on without it")


def test_a_locked_file_means_no_cache(tmp_path: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "_BUSY_SECONDS", 0.05)
    holder = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    assert read(tmp_path, warnings.append) == {}
    holder.close()
    assert len(warnings) == 1 and "locked" in warnings[0]


def test_a_writer_that_keeps_the_file_leaves_it_readable(
    filled: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "_BUSY_SECONDS", 0.05)
    holder = sqlite3.connect(filled / FILE_NAME, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    cache = EmbeddingCache(filled, warnings.append)
    cache.put_many(MODEL, {"new": np.ones(4, np.float32)})
    cache.put_many(MODEL, {"new": np.ones(4, np.float32)})
    assert set(cache.get_many(MODEL, [*TEXTS, "new"])) == set(TEXTS)
    cache.close()
    holder.close()
    assert len(warnings) == 1 and "cannot be written: database is locked" in warnings[0]


def in_a_process(program: str, *arguments: object, **options: object) -> "subprocess.Popen[str]":
    preamble = (
        "import sys\nimport numpy as np\nfrom pathlib import Path\nfrom wfkit.models.cache import EmbeddingCache\n"
        "directory, number = Path(sys.argv[1]), int(sys.argv[2])\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", preamble + program, *map(str, arguments)],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options,
    )  # fmt: skip


def test_a_full_disk_ends_writing_and_nothing_else(filled: Path) -> None:
    # A limit on the size of files makes the system refuse the write, as a full disk does.
    process = in_a_process(
        "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "cache = EmbeddingCache(directory, print)\n"
        "cache.put_many('m', {str(n): np.ones(768, np.float32) for n in range(200)})\n"
        "cache.put_many('m', {'1': np.ones(768, np.float32)})\n"
        f"print(len(cache.get_many({MODEL!r}, ['open the door', ''])))\n",
        filled, 0,
    )  # fmt: skip
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    warning, found = out.splitlines()
    assert "cannot be written: " in warning and found == "2"
    assert read(filled) == ALL


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone may become a user without rights")
def test_a_folder_without_the_right_to_write_means_no_cache(filled: Path) -> None:
    for path in (filled, *filled.parents):
        if path.stat().st_uid == os.geteuid() and path.is_relative_to("/tmp") and path != Path("/tmp"):
            path.chmod(0o755)
    program = (
        "import os\nos.setuid(65534)\ncache = EmbeddingCache(directory, print)\n"
        "cache.put_many('m', {'a': np.ones(4, np.float32)})\nprint(cache.get_many('m', ['a']))\n"
    )
    process = in_a_process(program, filled, 0)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert out.splitlines()[-1] == "{}"
    assert "cannot be" in out.splitlines()[0]
    assert read(filled) == ALL


def test_several_processes_write_and_read_at_once(tmp_path: Path) -> None:
    program = (
        "cache = EmbeddingCache(directory, lambda line: sys.exit(line))\n"
        "for turn in range(20):\n"
        "    cache.put_many('m', {f'{number}-{turn}-{n}': np.full(768, n, np.float32) for n in range(10)})\n"
        "    cache.put_many('m', {f'shared-{turn}': np.full(768, turn, np.float32)})\n"
        "    found = cache.get_many('m', [f'{number}-{turn}-{n}' for n in range(10)])\n"
        "    assert [vector[0] for vector in found.values()] == [int(text.split('-')[2]) for text in found]\n"
        "    assert len(found) == 10\n"
        "cache.close()\n"
    )
    processes = [in_a_process(program, tmp_path, number) for number in range(4)]
    for process in processes:
        assert process.communicate(timeout=120) == ("", "")
        assert process.returncode == 0
    cache = EmbeddingCache(tmp_path, pytest.fail)
    texts = [f"{number}-{turn}-{n}" for number in range(4) for turn in range(20) for n in range(10)]
    assert len(cache.get_many("m", [*texts, *(f"shared-{turn}" for turn in range(20))])) == 820
    cache.close()


def test_several_threads_share_a_cache(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path, pytest.fail)

    def work(number: int) -> None:
        for turn in range(20):
            texts = {f"{number}-{turn}-{n}": np.full(768, n, np.float32) for n in range(10)}
            cache.put_many("m", texts)
            found = cache.get_many("m", list(texts))
            assert {text: vector[0] for text, vector in found.items()} == {text: one[0] for text, one in texts.items()}

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    cache.close()


def test_several_processes_that_meet_damage_rebuild_it_once(filled: Path) -> None:
    (filled / FILE_NAME).write_bytes(b"not a database at all" * 500)
    program = (
        "cache = EmbeddingCache(directory, print)\n"
        "cache.put_many('m', {str(number): np.ones(768, np.float32)})\n"
        "assert str(number) in cache.get_many('m', [str(number)])\n"
        "cache.close()\n"
    )
    processes = [in_a_process(program, filled, number) for number in range(4)]
    outputs = [process.communicate(timeout=60) for process in processes]
    assert [err for _, err in outputs] == [""] * 4
    lines = [line for out, _ in outputs for line in out.splitlines()]
    assert len(lines) == 1 and "is rebuilt: " in lines[0]
    cache = EmbeddingCache(filled, pytest.fail)
    assert len(cache.get_many("m", ["0", "1", "2", "3"])) == 4
    cache.close()


def test_reading_imports_no_model_library_and_an_empty_cache_not_even_numpy(filled: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom wfkit.models.cache import EmbeddingCache\n"
        "cache = EmbeddingCache(Path(sys.argv[1]), print)\n"
        "assert not cache.get_many('m', ['absent']) and 'numpy' not in sys.modules\n"
        f"assert cache.get_many({MODEL!r}, ['']) and 'numpy' in sys.modules\n"
        "print({'torch', 'transformers', 'sentence_transformers', 'scipy'} & set(sys.modules))\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program, filled], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "set()\n", "")
