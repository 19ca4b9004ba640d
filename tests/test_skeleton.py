"""What every filter owes the shell: descriptors, pipes, signals, output files, exit codes, start to end."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
START = f"import sys; sys.path[:0] = [{str(HERE)!r}, {str(ROOT)!r}]; from demo_filter import main; main()"

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]
Done = subprocess.CompletedProcess


def demo(*arguments: str, stdin: bytes = b"", **environment: str) -> "Done[bytes]":
    """Run the filter of ``demo_filter.py``, which does what each record says."""
    return subprocess.run(
        [sys.executable, "-c", START, *arguments],
        input=stdin, capture_output=True, timeout=60, check=False, env={**os.environ, **environment},
    )  # fmt: skip


def shell(line: str, cwd: Path, **environment: str) -> "Done[bytes]":
    """Run a line of bash in which $PARSE, $GATE and $DEMO are filters and records.jsonl is a file of records."""
    filters = {
        "PARSE": f"{sys.executable} {ROOT}/bin/wf-parse",
        "GATE": f"{sys.executable} {ROOT}/bin/wf-gate",
        "PYTHON": sys.executable,
        "START": START,
    }
    return subprocess.run(
        ["bash", "-c", line], cwd=cwd, capture_output=True, timeout=300, check=False, stdin=subprocess.DEVNULL,
        env={**os.environ, **filters, **environment},
    )  # fmt: skip


def records(*fields: dict[str, Any]) -> bytes:
    made = [
        {"kind": "workflow", "id": f"{number}", "nodes": [{"id": "1", "text": "boil"}], "edges": [], **one}
        for number, one in enumerate(fields)
    ]
    return b"".join(json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in made)


def ids(output: bytes) -> list[str]:
    return [json.loads(line)["id"] for line in output.splitlines()]


def quiet(complaints: bytes) -> list[bytes]:
    return [line for line in complaints.splitlines() if b"noise" not in line]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "records.jsonl").write_bytes(records(*[{"padding": "x" * 900}] * 500))
    return tmp_path


# --- readers and writers ---------------------------------------------------------------------------------------------


def test_a_reader_that_leaves_is_no_failure_and_no_noise_100_times(folder: Path) -> None:
    done = shell('for i in {1..100}; do $PARSE records.jsonl | head -1; echo "${PIPESTATUS[0]}"; done', folder)
    assert done.stderr == b""
    lines = done.stdout.splitlines()
    assert set(lines[1::2]) == {b"141"}
    assert len(set(lines[0::2])) == 1
    assert len(lines) == 200


@pytest.mark.parametrize("line", ["$PARSE --jobs 2 records.jsonl", "$PARSE --to worf records.jsonl", "$PARSE --list"])
def test_other_readers_that_leave(line: str, folder: Path) -> None:
    done = shell(f'for i in 1 2 3; do {line} | (exec <&-; sleep 0.5); echo "${{PIPESTATUS[0]}}"; done', folder)
    assert (done.stdout.split(), done.stderr) == ([b"141"] * 3, b"")


def test_a_gate_whose_reader_left_never_says_no(folder: Path) -> None:
    done = shell('$GATE records.jsonl 2>/dev/null | (exec <&-; sleep 0.5); echo "${PIPESTATUS[0]}"', folder)
    assert done.stdout == b"141\n"


@pytest.mark.parametrize("line", ["--help", "--schema"])
def test_help_and_the_like_survive_a_reader_that_left_and_a_full_disk(line: str, tmp_path: Path) -> None:
    done = shell(
        f'$PARSE {line} | (exec <&-; sleep 1); echo "${{PIPESTATUS[0]}}"; $PARSE {line} >/dev/full; echo $?', tmp_path
    )
    assert done.stdout.split() == [b"141", b"4"]
    assert done.stderr == b"wf-parse: cannot write the output: No space left on device\n"


def test_a_full_disk_is_told(folder: Path) -> None:
    done = shell("$PARSE records.jsonl > /dev/full; echo $?; $PARSE records.jsonl -o /dev/full; echo $?", folder)
    assert done.stdout.split() == [b"4", b"4"]
    assert done.stderr == b"wf-parse: cannot write the output: No space left on device\n" * 2


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("$PARSE <&-", 2, b"wf-parse: standard input is closed: name a FILE or pipe records in\n"),
        ("$PARSE records.jsonl >&-", 2, b"wf-parse: standard output is closed: write to a file with -o FILE\n"),
        ("$PARSE --list <&- > /dev/null", 0, b""),
        ("$PARSE -q records.jsonl <&- > /dev/null", 0, b""),
        ("$PARSE -q records.jsonl -o out >&- && test -s out", 0, b""),
        ("$PARSE records.jsonl 2>&- > /dev/null", 0, b""),
        ("echo '{' | $PARSE 2>&- > /dev/null", 3, b""),
        ("echo '{' | $PARSE 2>/dev/full > /dev/null", 3, b""),
        ("$PARSE absent 2>&-", 2, b""),
    ],
)  # fmt: skip
def test_closed_descriptors(line: str, code: int, message: bytes, folder: Path) -> None:
    done = shell(line, folder)
    assert (done.returncode, done.stderr) == (code, message)
    assert done.stdout == b""


def test_a_terminal_is_told_what_is_awaited() -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, f"{ROOT}/bin/wf-gate"], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr
        told = process.stderr.readline()
        os.write(ours, b"\x04")  # Ctrl-D
        process.communicate(timeout=30)
    os.close(ours)
    os.close(theirs)
    assert told == b"wf-gate: waiting for scored pair records on standard input (Ctrl-D ends it)\n"
    assert process.returncode == 4


def test_progress_shows_on_a_terminal_only_and_never_if_quiet() -> None:
    slow = records(*[{"do": "sleep", "seconds": 0.15}] * 4)
    assert b"\r" not in demo(stdin=slow).stderr
    assert b"records, " in demo("--progress", stdin=slow).stderr
    assert b"\r" not in demo("--progress", "-q", stdin=slow).stderr


def test_nothing_foreign_can_write_between_the_records() -> None:
    done = demo(stdin=records({"do": "print"}, {}))
    assert ids(done.stdout) == ["0", "1"]
    for noise in (b"while the filter is built", b"from print", b"on descriptor 1", b"from a child"):
        assert done.stderr.count(b"noise " + noise) == 1


def test_the_locale_does_not_matter(tmp_path: Path) -> None:
    text = "Node:\n1: café 水 \u2028 x\nEdge: (START,1) (1,END)\n".encode()
    (tmp_path / "é.txt").write_bytes(text)
    outputs = [
        shell("$PARSE -q é.txt; echo {é | $PARSE -q", tmp_path, LC_ALL=locale, PYTHONIOENCODING=encoding)
        for locale, encoding in (("C", ""), ("C.UTF-8", ""), ("POSIX", "ascii"))
    ]
    assert len({done.stdout for done in outputs}) == 1
    assert "café 水 \\u2028 x".encode().replace(b"\\u2028", "\u2028".encode()) in outputs[0].stdout
    assert '"id":"é"'.encode() in outputs[0].stdout


# --- exit codes ------------------------------------------------------------------------------------------------------


def test_a_bug_is_one_line_and_code_70_and_keeps_the_finished_records() -> None:
    stdin = records({}, {}, {"do": "bug"}, {})
    done = demo(stdin=stdin)
    assert (done.returncode, ids(done.stdout)) == (70, ["0", "1"])
    assert quiet(done.stderr) == [
        b"wf-demo: this is a bug of ours: ZeroDivisionError: two lines (WFKIT_DEBUG=1 shows the traceback)"
    ]
    debug = demo(stdin=stdin, WFKIT_DEBUG="1")
    assert debug.returncode == 70
    assert b"Traceback" in debug.stderr
    assert b"in step" in debug.stderr


def test_a_library_that_leaves_cannot_fake_success() -> None:
    done = demo(stdin=records({}, {"do": "leave"}))
    assert (done.returncode, ids(done.stdout)) == (70, ["0"])


def test_stopping_at_the_first_error_leaves_no_output_file(folder: Path) -> None:
    stdin = records({}, {"do": "refuse"}, {})
    assert ids(demo("--on-error", "fail", stdin=stdin).stdout) == ["0"]
    done = demo("--on-error", "fail", "-o", str(folder / "out"), stdin=stdin)
    assert (done.returncode, quiet(done.stderr)) == (3, [b"wf-demo: -:2: 1: refused"])
    assert [path.name for path in folder.iterdir()] == ["records.jsonl"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_end_from_outside_leaves_no_half_written_file(number: int, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", START, "-o", str(tmp_path / "out")],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin
    process.stdin.write(records({}, {"id": "slow", "do": "sleep", "seconds": 60}))
    process.stdin.flush()
    while not (partial := list(tmp_path.iterdir())):
        time.sleep(0.01)
    assert partial[0].name.startswith("out.")
    process.send_signal(number)
    _, complaints = process.communicate(timeout=20)
    assert (process.returncode, quiet(complaints)) == (130, [b"wf-demo: interrupted"])
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_while_the_reader_is_slow_neither_cuts_nor_repeats_a_record(folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, f"{ROOT}/bin/wf-parse", str(folder / "records.jsonl")],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout
    first = os.read(process.stdout.fileno(), 100)  # the pipe is full, the filter waits within a record
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    rest, complaints = process.communicate(timeout=20)
    assert (process.returncode, complaints) == (130, b"wf-parse: interrupted\n")
    whole = first + rest
    assert whole.endswith(b"\n")
    assert ids(whole) == [f"{number}" for number in range(len(whole.splitlines()))]
    assert 0 < len(whole.splitlines()) < 500


def test_an_ignored_interrupt_stays_ignored(tmp_path: Path) -> None:
    line = 'trap \'\' INT; (sleep 0.1; echo \'{"id":"a","nodes":["x"],"edges":[]}\') | $PARSE -q & '
    done = shell(line + "sleep 0.05; kill -INT %1 2>/dev/null; wait; echo done", tmp_path)
    assert done.stdout.endswith(b"}\ndone\n")


# --- output files ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1"])
def test_names_of_standard_output_are_standard_output(name: str, run: Run) -> None:
    done = run("wf-parse", "-q", "-o", name, stdin=records({}))
    assert (ids(done.stdout), done.returncode) == (["0"], 0)


def test_a_summary_may_go_to_standard_output_beside_an_output_file(run: Run, tmp_path: Path) -> None:
    done = run("wf-parse", "-q", "-o", tmp_path / "out", "--summary", "/dev/stdout", stdin=records({}, {"id": "0"}))
    summary = json.loads(done.stdout)
    assert {**summary, "timing": None} == {
        "kind": "summary", "filter": "wf-parse", "version": summary["version"],
        "read": 2, "written": 2, "errors": 1, "timing": None,
    }  # fmt: skip
    assert ids((tmp_path / "out").read_bytes()) == ["0", "0"]


def test_the_input_may_be_the_output(run: Run, folder: Path) -> None:
    before = (folder / "records.jsonl").read_bytes()
    done = run("wf-parse", "-q", "-o", folder / "records.jsonl", folder / "records.jsonl")
    assert done.returncode == 0
    assert (folder / "records.jsonl").read_bytes() == before


def test_a_summary_that_cannot_be_written_is_a_wrong_command_line(run: Run) -> None:
    done = run("wf-parse", "-q", "--summary", "/absent/summary", stdin=records({}))
    assert (done.returncode, ids(done.stdout)) == (2, ["0"])
    assert done.stderr == b"wf-parse: cannot write /absent/summary: No such file or directory\n"


# --- the real filters ------------------------------------------------------------------------------------------------


def test_real_goldens_give_the_same_bytes_with_workers(corpus: Path, run: Run) -> None:
    files = [corpus / "worfbench" / f"{name}.json" for name in ("alfworld", "wikihow")]
    alone, together = run("wf-parse", "-q", *files), run("wf-parse", "-q", "--jobs", "3", *files)
    assert alone.returncode in (0, 3)
    assert len(alone.stdout.splitlines()) > 100
    assert together.stdout == alone.stdout
    assert together.returncode == alone.returncode
    assert run("wf-parse", "-q", stdin=alone.stdout).stdout == alone.stdout  # and pass unchanged from then on


def test_100_000_records_through_the_gate_in_little_memory(tmp_path: Path) -> None:
    side = '{"kind":"workflow","id":"g","nodes":[{"id":"1","text":"a"}],"edges":[]}'
    scores = '"scores":{"chain_f1":1,"graph_f1":1,"kendall_tau":1,"bleu":1,"gleu":1}'
    with open(tmp_path / "pairs.jsonl", "w") as file:
        for number in range(100_000):
            file.write(f'{{"kind":"pair","id":"p{number}","golden":{side},"candidate":{side},{scores}}}\n')

    def measured(lines: int) -> int:
        gate = f"subprocess.run([sys.executable, {str(ROOT / 'bin' / 'wf-gate')!r}, '-q'], stdin=f, stdout=-3)"
        script = (
            "import resource, subprocess, sys; f = subprocess.Popen(['head', '-n', sys.argv[1], sys.argv[2]], "
            f"stdout=-1).stdout; assert {gate}.returncode == 0; "
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, str(lines), str(tmp_path / "pairs.jsonl")], capture_output=True, check=True
        )
        return int(done.stdout) * 1024

    few, many = measured(1000), measured(100_000)
    assert many < 80_000_000
    # An id takes about 200 bytes as a digest in a set; the records have 300 as text, and would take 2,000 as values.
    assert (many - few) / 99_000 < 400
