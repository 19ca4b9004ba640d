"""A command that speaks JSON lines: how it answers, and every way in which it can fail."""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from wfkit.agents.command import CommandEnded, CommandFailed, CommandGarbled, CommandTimeout, LineCommand


def python(tmp_path: Path, body: str) -> str:
    script = tmp_path / "command.py"
    head = "import json, os, subprocess, sys, time\nfor line in sys.stdin:\n    got = json.loads(line)\n"
    script.write_text(head + body)
    return f"exec {sys.executable} {script}"


ECHO = "    print(json.dumps({'id': got['id'], 'pid': os.getpid()}), flush=True)\n"


@pytest.fixture
def commands() -> Iterator[list[LineCommand]]:
    made: list[LineCommand] = []
    yield made
    for command in made:
        command.stop()


def started(commands: list[LineCommand], line: str, timeout: float = 10.0) -> LineCommand:
    commands.append(LineCommand(line, timeout=timeout, name="verifier"))
    return commands[-1]


def test_one_process_answers_many_messages(tmp_path: Path, commands: list[LineCommand]) -> None:
    command = started(commands, python(tmp_path, ECHO))
    assert not command.running
    answers = [command.ask({"id": number}) for number in range(5)]
    assert [answer["id"] for answer in answers] == [0, 1, 2, 3, 4]
    assert len({answer["pid"] for answer in answers}) == 1


def test_a_message_larger_than_a_pipe_and_an_answer_as_large(tmp_path: Path, commands: list[LineCommand]) -> None:
    command = started(commands, python(tmp_path, "    print(json.dumps(got), flush=True)\n"))
    message = {"id": "x", "text": "ä" * 300_000}
    assert command.ask(message) == message


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ("    time.sleep(60)\n", CommandTimeout, "gave no answer within 0.5 s"),
        ("    print('half a line', end='', flush=True); time.sleep(60)\n", CommandTimeout, "no answer within"),
        ("    sys.stderr.write('a\\nno key\\n'); sys.exit(3)\n", CommandEnded, r"exit code 3 \(stderr: no key\)"),
        ("    os.kill(os.getpid(), 9)\n", CommandEnded, "ended by signal 9"),
        ("    print('maybe', flush=True)\n", CommandGarbled, "not JSON.*«maybe»"),
        ("    print('[1]', flush=True)\n", CommandGarbled, "not a JSON object"),
        ('    print(\'{"a":1,"a":2}\', flush=True)\n', CommandGarbled, "not JSON"),
        ("    print('{}\\n{}', flush=True)\n", CommandGarbled, "more than one answer"),
    ],
)
def test_what_goes_wrong(
    body: str, kind: type[CommandFailed], words: str, tmp_path: Path, commands: list[LineCommand]
) -> None:
    command = started(commands, python(tmp_path, body), timeout=10.0)
    wait = 0.5 if kind is CommandTimeout else 10.0
    with pytest.raises(kind, match=words):
        command.ask({"id": 1}, timeout=wait)
    assert not command.running


def test_a_command_that_is_not_there(commands: list[LineCommand]) -> None:
    with pytest.raises(CommandEnded, match="exit code 127"):
        started(commands, "no-such-program-anywhere").ask({"id": 1})


def test_a_command_that_never_reads(commands: list[LineCommand]) -> None:
    with pytest.raises(CommandTimeout, match="did not read"):
        started(commands, "sleep 60", timeout=0.3).ask({"id": 1, "text": "x" * 1_000_000})


def test_it_is_started_again_after_a_failure(tmp_path: Path, commands: list[LineCommand]) -> None:
    body = "    if got['id'] == 'die': sys.exit(1)\n" + ECHO
    command = started(commands, python(tmp_path, body))
    first = command.ask({"id": 1})
    with pytest.raises(CommandEnded):
        command.ask({"id": "die"})
    second = command.ask({"id": 2})
    assert first["pid"] != second["pid"]


def test_output_after_the_answer_is_told_before_the_next_message(tmp_path: Path, commands: list[LineCommand]) -> None:
    body = "    print('{}', flush=True); time.sleep(0.2); print('{}', flush=True)\n"
    command = started(commands, python(tmp_path, body))
    command.send({"id": 1})
    assert command.receive() == {}
    time.sleep(0.5)
    with pytest.raises(CommandGarbled, match="more than one answer"):
        command.expect_silence()


def test_grandchildren_end_with_it(tmp_path: Path, commands: list[LineCommand]) -> None:
    body = "    child = subprocess.Popen(['sleep', '60']); print(json.dumps({'child': child.pid}), flush=True)\n"
    command = started(commands, python(tmp_path, body))
    child = command.ask({"id": 1})["child"]
    assert alive(child)
    command.stop()
    until = time.monotonic() + 10  # the system takes its time to end what was killed
    while alive(child) and time.monotonic() < until:
        time.sleep(0.02)
    assert not alive(child)


def alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        try:
            os.kill(process, 0)
        except OSError:
            return False
        return True
    return state != "Z"


def test_a_flood_on_standard_error_stops_nobody(tmp_path: Path, commands: list[LineCommand]) -> None:
    command = started(commands, python(tmp_path, "    sys.stderr.write('x' * 1_000_000); sys.stderr.flush()\n" + ECHO))
    assert command.ask({"id": 1})["id"] == 1


def test_a_child_that_holds_the_pipe_does_not_hide_the_end(tmp_path: Path, commands: list[LineCommand]) -> None:
    body = "    subprocess.Popen(['sleep', '60'], start_new_session=True); sys.exit(5)\n"
    started_at = time.monotonic()
    with pytest.raises(CommandEnded, match="exit code 5"):
        started(commands, python(tmp_path, body), timeout=30.0).ask({"id": 1})
    assert time.monotonic() - started_at < 10


def test_the_last_line_needs_no_line_end_once_the_process_is_gone(tmp_path: Path, commands: list[LineCommand]) -> None:
    command = started(commands, python(tmp_path, "    sys.stdout.write(json.dumps(got)); sys.exit()\n"))
    assert command.ask({"id": 1}) == {"id": 1}


def test_half_a_line_and_the_end_is_no_answer(tmp_path: Path, commands: list[LineCommand]) -> None:
    with pytest.raises(CommandGarbled, match="not JSON"):
        started(commands, python(tmp_path, "    sys.stdout.write('{\"id\":'); sys.exit()\n")).ask({"id": 1})


def test_who_floods_instead_of_reading_is_ended_at_once(tmp_path: Path, commands: list[LineCommand]) -> None:
    command = started(commands, "exec yes", timeout=30.0)
    with pytest.raises(CommandGarbled, match="before it had read"):
        command.ask({"id": 1, "text": "x" * 1_000_000})


def test_it_gets_the_environment_that_it_is_given_and_no_more(tmp_path: Path, commands: list[LineCommand]) -> None:
    command = LineCommand(
        python(tmp_path, "    print(json.dumps(dict(os.environ)), flush=True)\n"), timeout=10, environment={"A": "b"}
    )
    commands.append(command)
    assert set(command.ask({})) - {"PWD", "LC_CTYPE", "_", "SHLVL"} == {"A"}
