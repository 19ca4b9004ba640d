"""examples/engines/dask_bag.py: a Dask bag gives the bytes of one run, and a worker that fails is an exception."""

import sys
from pathlib import Path

import pytest

from tests.engines.conftest import DIES_ON_ONE_SHARD, ENGINES, LENIENT, SCORE, Command, spoilt

pytest.importorskip("dask.bag", reason="dask is not here: pip install 'wfkit[dev]'")

DASK = (sys.executable, ENGINES / "dask_bag.py", "shards/*.jsonl")


def cut(data: bytes, folder: Path) -> list[Path]:
    """The lines in three shards, one of them empty."""
    lines = data.splitlines(keepends=True)
    (folder / "shards").mkdir()
    files = []
    for number, part in enumerate((lines[:1], [], lines[1:])):
        files.append(folder / "shards" / f"{number}.jsonl")
        files[-1].write_bytes(b"".join(part))
    return [file.relative_to(folder) for file in files]


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_scores_and_error_records_are_the_bytes_of_one_run(
    execute: Command, pairs: bytes, tmp_path: Path, scheduler: str
) -> None:
    files = cut(spoilt(pairs), tmp_path)
    serial = execute(*SCORE, *files)
    sharded = execute(*DASK, *SCORE, SCHEDULER=scheduler)
    assert (serial.returncode, sharded.returncode) == (3, 3), sharded.stderr
    assert sharded.stdout == serial.stdout and sharded.stdout.count(b"\n") == 31
    (tmp_path / "policy.json").write_bytes(LENIENT)
    gates = [execute("wf-gate", "--policy", "policy.json", stdin=done.stdout) for done in (serial, sharded)]
    assert gates[0].returncode == gates[1].returncode == 3
    assert gates[0].stdout == gates[1].stdout


@pytest.mark.parametrize(
    "command", [("wf-validate", "-q"), ("wf-perturb", "-q", "--severity", "20")], ids=lambda command: command[0]
)
def test_other_map_filters(
    execute: Command, goldens: bytes, pairs: bytes, tmp_path: Path, command: tuple[str, ...]
) -> None:
    files = cut(goldens if command[0] == "wf-perturb" else pairs, tmp_path)
    serial, sharded = execute(*command, *files), execute(*DASK, *command)
    assert (sharded.returncode, sharded.stdout) == (serial.returncode, serial.stdout) and serial.stdout


def test_the_states_of_all_shards_fold_to_the_report_of_one_run(execute: Command, pairs: bytes, tmp_path: Path) -> None:
    files = cut(execute(*SCORE, stdin=pairs).stdout, tmp_path)
    serial = execute("wf-sensitivity", "--replicates", "20", *files)
    states = execute(*DASK, "wf-sensitivity", "-q", "--partial")
    merged = execute("wf-sensitivity", "--replicates", "20", "--merge", stdin=states.stdout)
    assert (states.returncode, merged.returncode, merged.stdout) == (0, 0, serial.stdout)


@pytest.mark.parametrize(
    ("command", "scheduler", "words"),
    [
        (("sh", "-c", DIES_ON_ONE_SHARD, "_"), "threads", b"died with <Signals.SIGKILL: 9>"),
        (("no-such-filter",), "threads", b"No such file or directory: 'no-such-filter'"),
        (("wf-score", "--no-such-option"), "threads", b"returned non-zero exit status 2"),
        (("sh", "-c", "kill -9 $PPID"), "processes", b"terminated abruptly"),
    ],
    ids=["filter-killed", "absent", "usage", "worker-killed"],
)
def test_a_worker_that_fails_is_an_exception_and_nothing_is_written(
    execute: Command, pairs: bytes, tmp_path: Path, command: tuple[str, ...], scheduler: str, words: bytes
) -> None:
    cut(pairs, tmp_path)
    done = execute(*DASK, *command, SCHEDULER=scheduler)
    assert (done.returncode, done.stdout) == (1, b"")
    assert words in done.stderr


def test_no_shard(execute: Command) -> None:
    done = execute(*DASK, *SCORE)
    assert done.returncode == 1 and b"no shard is called" in done.stderr
