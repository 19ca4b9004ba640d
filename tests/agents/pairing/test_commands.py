"""Verifier, validator and grader as commands: what a good answer does, and what becomes of every bad one."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from wfkit.agents.command import LineCommand
from wfkit.agents.pairing.candidate import CHECKS
from wfkit.agents.pairing.verifiers.command import CommandVerifier

Make = Callable[..., LineCommand]

CHECKED = "{name: {'result': 'pass', 'note': 'n'} for name in NAMES}"
PASS_ALL = f"print(json.dumps({{'id': got['id'], 'checks': {CHECKED}}}), flush=True)"
HEAD = f"import json, sys, time\nNAMES = {CHECKS!r}\nfor line in sys.stdin:\n    got = json.loads(line)\n    "


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[LineCommand] = []

    def make(body: str, *, name: str = "verifier", timeout: float = 20.0) -> LineCommand:
        path = tmp_path / f"{name}.py"
        path.write_text(HEAD + body + "\n")
        made.append(LineCommand(f"exec {sys.executable} {path}", timeout=timeout, name=name))
        return made[-1]

    yield make
    for command in made:
        command.stop()


def test_a_command_decides(make: Make, short: SimpleNamespace) -> None:
    (pair,) = short.pairs(short.desk(), "user/missing", verifier=CommandVerifier(make(PASS_ALL)))
    assert (pair["status"], pair["verifier"]) == ("accepted", "command")
    assert pair["checks"]["solvable"] == {"result": "pass", "note": "n"}


def test_a_command_is_shown_no_explanation_and_no_clean_looking_name(
    make: Make, tmp_path: Path, short: SimpleNamespace
) -> None:
    seen = tmp_path / "seen"
    body = f"open({str(seen)!r}, 'a').write(line); " + PASS_ALL
    short.pairs(short.desk(), "tools/incorrect", verifier=CommandVerifier(make(body)))
    record = json.loads(seen.read_text())
    assert set(record["envelope"]) == {"replacement", "modified_slots", "misleading_tokens"}
    assert record["kind"] == "ap_pair" and record["perturbed"]["public"] and record["private"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("time.sleep(60)", "no answer within"),
        ("sys.exit(2)", "exit code 2"),
        ("print('', flush=True)", "not JSON"),
        ("pass; sys.stdout.close(); break", "closed its output|exit code"),
        ("print('maybe', flush=True)", "«maybe»"),
        ("print(json.dumps({'id': got['id'], 'checks': {'solvable': 'maybe'}}), flush=True)", "says 'maybe'|says None"),
        ("print(json.dumps({'id': 'other', 'checks': {}}), flush=True)", "answered for 'other'"),
        ("print(json.dumps({'id': got['id']}), flush=True)", "gave no checks"),
        ("print(json.dumps({'id': got['id'], 'checks': {}, 'private': {}}), flush=True)", "changed the record"),
        ("print(json.dumps({'id': got['id'], 'checks': {}, 'task': 'x'}), flush=True)", "changed the record"),
    ],
    ids=[
        "hangs",
        "crashes",
        "prints nothing",
        "closes",
        "maybe",
        "maybe in JSON",
        "wrong id",
        "no checks",
        "edits",
        "edits the task",
    ],
)
def test_what_is_no_answer_is_unverified(body: str, words: str, make: Make, short: SimpleNamespace) -> None:
    import re

    wait = 0.4 if "sleep" in body else 20.0
    verifier = CommandVerifier(make(body, timeout=wait))
    (pair,) = short.pairs(short.desk(), "user/missing", verifier=verifier, attempts=1)
    assert pair["status"] == "rejected"
    assert pair["checks"]["single_target"]["result"] == "unverified"
    assert any(re.search(words, check["note"]) for check in pair["checks"].values()), pair["checks"]


def test_a_validator_that_edits_the_record_is_not_believed(make: Make, short: SimpleNamespace) -> None:
    body = "got['perturbed']['public'] = {}; got['checks'] = {'native': 'pass'}; print(json.dumps(got), flush=True)"
    (pair,) = short.pairs(short.desk(), "user/missing", validator=make(body, name="validator"), attempts=1)
    assert pair["checks"]["native"] == {"result": "unverified", "note": "the validator changed the record"}
    assert pair["perturbed"]["public"]["messages"]


def test_a_validator_that_says_no(make: Make, short: SimpleNamespace) -> None:
    body = "print(json.dumps({'id': got['id'], 'checks': {'native': {'result': 'fail', 'note': 'no'}}}), flush=True)"
    (pair,) = short.pairs(short.desk(), "user/missing", validator=make(body, name="validator"), attempts=2)
    assert pair["reason"] == "native fails: no"
    assert [attempt["status"] for attempt in pair["attempts"]] == ["rejected"] * 2


GRADE = "result = got['episode'].get('result'); print(json.dumps({'id': got['id'], 'score': %s}), flush=True)"


@pytest.mark.parametrize(
    ("score", "reference", "noop", "status", "note"),
    [
        ("int(result == got['private']['reference'])", 1, 0, "accepted", "the reference succeeds"),
        ("0.5 if result else 0", 0.5, 0, "rejected", "the reference itself scores 0.5"),
        ("1", 1, 1, "accepted", "the reference succeeds"),  # recorded, never dropped
        ("None", None, None, "rejected", "no score from 0 to 1"),
        ("True", None, None, "rejected", "no score from 0 to 1"),
        ("2", None, None, "rejected", "no score from 0 to 1"),
    ],
)
def test_the_sentinels(
    score: str, reference: Any, noop: Any, status: str, note: str, make: Make, short: SimpleNamespace
) -> None:
    (pair,) = short.pairs(short.desk(), "user/redundant", grader=make(GRADE % score, name="grader"))
    assert (pair["reference_score"], pair["noop_score"], pair["status"]) == (reference, noop, status)
    assert note in pair["checks"]["native"]["note"]


def test_without_a_reference_the_grader_proves_nothing(short: SimpleNamespace, make: Make) -> None:
    instance = short.desk()
    del instance["private"]["reference"]
    (pair,) = short.pairs(instance, "user/redundant", grader=make(GRADE % 1, name="grader"))
    assert (pair["reference_score"], pair["checks"]["native"]["result"]) == (None, "unverified")


def test_both_sentinels_are_graded_once_for_all_families(make: Make, tmp_path: Path, short: SimpleNamespace) -> None:
    seen = tmp_path / "seen"
    body = f"open({str(seen)!r}, 'a').write(line); " + GRADE % "1"
    assert len(short.pairs(short.desk(), "user/missing", "tools/missing", grader=make(body, name="grader"))) == 2
    episodes = [json.loads(line)["episode"]["status"] for line in seen.read_text().splitlines()]
    assert episodes == ["done", "gave_up"]
