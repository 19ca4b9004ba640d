"""examples/engines/parallel.sh: GNU parallel gives the bytes of one run, and a worker that fails is not overlooked."""

import shutil
from pathlib import Path

import pytest

from tests.engines.conftest import DIES_ON_ONE_SHARD, ENGINES, LENIENT, SCORE, Command, spoilt, without_places

PARALLEL = ("bash", ENGINES / "parallel.sh")
MERGE = ("wf-sensitivity", "--replicates", "20")

pytestmark = pytest.mark.skipif(shutil.which("parallel") is None, reason="GNU parallel is not here")


def jobs(log: Path) -> int:
    return len(log.read_text().splitlines()) - 1  # the first line is a heading


@pytest.mark.parametrize("hosts", [":", "2/:"], ids=["local", "sshlogin"])
@pytest.mark.parametrize(
    "command",
    [SCORE, ("wf-validate", "-q"), ("wf-perturb", "-q", "--severity", "20"), ("wf-parse", "-q", "--candidates")],
    ids=lambda command: command[0],
)
def test_the_bytes_are_those_of_one_run(
    execute: Command, goldens: bytes, pairs: bytes, tmp_path: Path, command: tuple[str, ...], hosts: str
) -> None:
    data, block = (goldens, "3k") if command[0] in ("wf-perturb", "wf-parse") else (pairs, "25k")
    serial = execute(*command, stdin=data)
    log = tmp_path / "jobs"
    sharded = execute(*PARALLEL, *command, stdin=data, BLOCK=block, HOSTS=hosts, PARALLEL=f"--joblog {log}")
    assert (sharded.returncode, sharded.stderr) == (0, b"")
    assert serial.returncode == 0 and sharded.stdout == serial.stdout
    assert jobs(log) > 1


def test_arguments_reach_the_filter_as_they_are(execute: Command, pairs: bytes) -> None:
    done = execute(
        *PARALLEL, "sh", "-c", 'cat >/dev/null; printf "%s|" "$@"', "_", "a b", "$HOME", "'", "é;", stdin=pairs
    )
    assert done.stdout.decode() == "a b|$HOME|'|é;|"


def test_error_records_are_no_failure_and_are_not_lost(execute: Command, pairs: bytes, tmp_path: Path) -> None:
    serial = execute(*SCORE, stdin=spoilt(pairs))
    sharded = execute(*PARALLEL, *SCORE, stdin=spoilt(pairs), BLOCK="25k")
    assert (serial.returncode, sharded.returncode) == (3, 0)
    assert without_places(sharded.stdout) == without_places(serial.stdout)
    assert without_places(sharded.stdout)[17]["kind"] == "error"
    (tmp_path / "policy.json").write_bytes(LENIENT)
    gates = [execute("wf-gate", "--policy", "policy.json", stdin=done.stdout) for done in (serial, sharded)]
    assert [gate.returncode for gate in gates] == [3, 3]
    assert without_places(gates[0].stdout) == without_places(gates[1].stdout)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("sh", "-c", DIES_ON_ONE_SHARD, "_"), 137),
        (("no-such-filter",), 127),
        (("wf-score", "--no-such-option"), 2),
        (("sh", "-c", "cat; exit 7"), 7),
    ],
    ids=["killed", "absent", "usage", "failed"],
)
def test_a_worker_that_fails_stops_the_job_with_its_code(
    execute: Command, pairs: bytes, command: tuple[str, ...], code: int
) -> None:
    done = execute(*PARALLEL, *command, stdin=pairs, BLOCK="25k")
    assert done.returncode == code
    assert len(done.stdout) < len(pairs)


def test_the_gate_misses_what_a_failed_worker_did_not_write(execute: Command, pairs: bytes, tmp_path: Path) -> None:
    """Even where nobody looks at the exit code, as in a pipe without pipefail."""
    (tmp_path / "pairs.jsonl").write_bytes(pairs)
    (tmp_path / "policy.json").write_bytes(LENIENT)
    whole = execute(*SCORE, stdin=pairs).stdout
    cut = execute(*PARALLEL, "sh", "-c", DIES_ON_ONE_SHARD, "_", stdin=whole, BLOCK="25k").stdout
    codes = [
        execute("wf-gate", "-q", "--policy", "policy.json", "--expect", "pairs.jsonl", stdin=data).returncode
        for data in (whole, cut)
    ]
    assert codes == [0, 4]


def test_an_empty_input_stays_empty(execute: Command) -> None:
    done = execute(*PARALLEL, *SCORE)
    assert (done.returncode, done.stdout) == (0, b"")


def test_the_states_of_all_jobs_fold_to_the_report_of_one_run(execute: Command, pairs: bytes, tmp_path: Path) -> None:
    scored = execute(*SCORE, stdin=pairs).stdout
    serial = execute(*MERGE, stdin=scored)
    log = tmp_path / "jobs"
    states = execute(
        *PARALLEL, "wf-sensitivity", "-q", "--partial", stdin=scored, BLOCK="25k", PARALLEL=f"--joblog {log}"
    )
    merged = execute(*MERGE, "--merge", stdin=states.stdout)
    assert (states.returncode, states.stderr) == (0, b"")
    assert (merged.returncode, merged.stdout, merged.stderr) == (0, serial.stdout, serial.stderr)
    assert states.stdout.count(b'"kind":"sensitivity_state"') == jobs(log) > 1
