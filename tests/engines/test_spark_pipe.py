"""examples/engines/spark_pipe.py: RDD.pipe gives the bytes of one run, and a worker that fails fails the job.

pyspark brings half a gigabyte and needs Java, so that it stays out of the development environment: `make test-spark`.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.engines.conftest import DIES_ON_ONE_SHARD, ENGINES, SCORE, Command, spoilt, without_places

PYTHON = Path(os.environ.get("WFKIT_SPARK", "")).absolute() / "bin" / "python"

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif("WFKIT_SPARK" not in os.environ, reason="takes minutes: make test-spark"),
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java, which is not here"),
]


def spark(execute: Command, *command: str) -> "subprocess.CompletedProcess[bytes]":
    """The recipe on pairs.jsonl in three parts."""
    return execute(
        PYTHON, ENGINES / "spark_pipe.py", "pairs.jsonl", "scored", *command,
        PARTS="3", PYSPARK_PYTHON=str(PYTHON), SPARK_LOCAL_IP="127.0.0.1",
    )  # fmt: skip


def test_the_parts_joined_are_the_bytes_of_one_run(execute: Command, pairs: bytes, tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_bytes(pairs)
    done = spark(execute, *SCORE)
    assert done.returncode == 0, done.stderr.decode()
    parts = sorted((tmp_path / "scored").glob("part-*"))
    assert len(parts) >= 3 and (tmp_path / "scored" / "_SUCCESS").exists()
    assert b"".join(part.read_bytes() for part in parts) == execute(*SCORE, stdin=pairs).stdout


def test_error_records_are_no_failure_and_are_not_lost(execute: Command, pairs: bytes, tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_bytes(spoilt(pairs))
    done = spark(execute, *SCORE)
    assert done.returncode == 0, done.stderr.decode()
    joined = b"".join(part.read_bytes() for part in sorted((tmp_path / "scored").glob("part-*")))
    serial = execute(*SCORE, stdin=spoilt(pairs))
    assert serial.returncode == 3
    assert without_places(joined) == without_places(serial.stdout)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("sh", "-c", DIES_ON_ONE_SHARD, "_"), b"exited with error code 137"),
        (("no-such-filter",), b"exited with error code 127"),
    ],
    ids=["killed", "absent"],
)
def test_a_worker_that_fails_fails_the_job(
    execute: Command, pairs: bytes, tmp_path: Path, command: tuple[str, ...], words: bytes
) -> None:
    (tmp_path / "pairs.jsonl").write_bytes(pairs)
    done = spark(execute, *command)
    assert done.returncode == 1 and words in done.stderr
    assert not (tmp_path / "scored" / "_SUCCESS").exists()
