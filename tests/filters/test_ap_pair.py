"""ap-pair as its user runs it: the complete list of requests, bad input, files beside the stream, exit codes."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
ARITHMETIC = ROOT / "examples" / "agents" / "arithmetic"

Run = Callable[..., Any]
Record = dict[str, Any]

HELLO: Record = {
    "kind": "instance",
    "id": "hello",
    "benchmark": "b",
    "task": "t",
    "scale": "binary",
    "public": {
        "user": "Send the 4250 files of folder K7781 to Ann.",
        "tools": [
            {
                "name": "send",
                "description": "Sends files.",
                "parameters": {
                    "type": "object",
                    "properties": {"count": {"type": "integer", "description": "How many."}},
                },
            }
        ],
    },
    "private": {"reference": [{"name": "send", "arguments": {"count": 4250}}]},
}


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def records(data: bytes) -> list[Record]:
    return [json.loads(line) for line in data.splitlines()]


def test_every_request_has_its_record(run: Run) -> None:
    done = run("ap-pair", "--per-family", 2, stdin=lines(HELLO, {**HELLO, "id": "again", "task": "t2"}))
    assert done.returncode == 0, done.stderr
    found = records(done.stdout)
    assert len(found) == 2 * 12 * 2
    assert len({pair["id"] for pair in found}) == 48
    assert (
        done.stdout
        == run("ap-pair", "--per-family", 2, stdin=lines(HELLO, {**HELLO, "id": "again", "task": "t2"})).stdout
    )


def test_the_order_of_families_is_the_one_asked_for(run: Run) -> None:
    done = run("ap-pair", "--families", "tools/missing, user/missing", stdin=lines(HELLO))
    assert [pair["target"] for pair in records(done.stdout)] == ["tools", "user"]


def test_the_table_and_the_summary_count_every_request(run: Run, tmp_path: Path) -> None:
    done = run("ap-pair", "--summary", tmp_path / "s.json", stdin=lines(HELLO))
    summary = json.loads((tmp_path / "s.json").read_text())
    assert summary["requested"] == 12 == summary["accepted"] + summary["rejected"] + summary["inapplicable"]
    assert [row["family"] for row in summary["families"]][:2] == ["user/missing", "user/redundant"]
    assert sum(row["requested"] for row in summary["families"]) == 12
    text = done.stderr.decode()
    assert "b  procedure/missing        0 accepted      0 rejected      1 inapplicable" in text
    assert f"{summary['accepted']} of 12 pairs accepted" in text


def test_bad_records_keep_their_place(run: Run) -> None:
    twice = {**HELLO, "task": "other"}
    lost = {**HELLO, "id": "lost", "pointers": {"user": ["/nothing"]}}
    done = run("ap-pair", "--families", "user/redundant", stdin=lines(HELLO, twice, {"kind": "workflow"}, lost, 7))
    assert done.returncode == 3
    found = records(done.stdout)
    assert [record["kind"] for record in found] == ["ap_pair", "error", "error", "error", "error"]
    assert [record.get("code") for record in found[1:]] == ["E-DUP-ID", "E-KIND", "E-SURFACE", "E-KIND"]
    assert "occurs twice" in found[1]["message"]


def test_empty_input_is_fine(run: Run) -> None:
    done = run("ap-pair", stdin=b"")
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--families", "user/mising"], "did you mean user/missing?"),
        (["--families", ""], "no family given"),
        (["--accept-unverified", "everything"], "everything"),
        (["--candidates", "nowhere.jsonl"], "nowhere.jsonl"),
        (["--attempts", "0"], "attempts"),
        (["--public", "no/such/folder/x"], "cannot write"),
        (["--public", "-"], "--public -: standard output carries the records; name a file"),
        (["--public", "/dev/stdout"], "standard output carries the records"),
        (["--verifier", "no-such-program --x"], "the verifier cannot be started: no program 'no-such-program'"),
        (["--validator", "no-such-program"], "the validator cannot be started"),
        (["--grader", "no-such-program"], "the grader cannot be started"),
    ],
)
def test_a_wrong_command_line(arguments: list[str], words: str, run: Run) -> None:
    done = run("ap-pair", *arguments, stdin=lines(HELLO))
    assert done.returncode == 2
    assert words in done.stderr.decode()


def test_the_public_file_has_nothing_but_tasks_in_an_order_that_tells_nothing(run: Run, tmp_path: Path) -> None:
    instances = [{**HELLO, "id": f"i{number}", "task": f"t{number}"} for number in range(6)]
    done = run("ap-pair", "--public", tmp_path / "tasks.jsonl", stdin=lines(*instances))
    accepted = [pair for pair in records(done.stdout) if pair["status"] == "accepted"]
    tasks = records((tmp_path / "tasks.jsonl").read_bytes())
    assert all(list(task) == ["kind", "id", "public"] and task["kind"] == "task" for task in tasks)
    names = {side["id"] for pair in accepted for side in (pair["clean"], pair["perturbed"])}
    assert [task["id"] for task in tasks] == sorted(names)
    clean = [task["public"] == HELLO["public"] for task in tasks]
    assert clean != sorted(clean) and clean != sorted(clean, reverse=True)


def candidate(**more: Any) -> Record:
    public = {**HELLO["public"], "user": HELLO["public"]["user"] + " It is a grey day."}
    base = {"kind": "ap_pair", "instance": "hello", "target": "user", "type": "redundant"}
    return {**base, "perturbed": {"public": public}, **more}


def test_candidates_of_a_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_bytes(lines(candidate()))
    command = ("ap-pair", "--candidates", tmp_path / "c.jsonl", "--families", "user/redundant,user/missing")
    done = run(*command, stdin=lines(HELLO))
    assert [pair["status"] for pair in records(done.stdout)] == ["accepted", "inapplicable"]
    assert done.returncode == 0


@pytest.mark.parametrize(
    "record", [7, {"kind": "pair"}, {"kind": "ap_pair"}, candidate(target="userr"), candidate(instance=3)]
)
def test_a_file_of_candidates_that_is_none(record: Any, run: Run, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_bytes(lines(record))
    done = run("ap-pair", "--candidates", tmp_path / "c.jsonl", stdin=lines(HELLO))
    assert done.returncode == 2
    assert "c.jsonl:1: " in done.stderr.decode()


NOTED = {"by": "user", "note": "n"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("recovery", "ask the user"),
        ("recovery", ["ask the user"]),
        ("recovery", {"by": "user"}),
        ("recovery", {**NOTED, "by": "oracle"}),
        ("recovery", {**NOTED, "by": ["user"]}),
        ("recovery", {**NOTED, "restores": 5}),
        ("recovery", {**NOTED, "restores": "text"}),
        ("recovery", {**NOTED, "restores": [5]}),
        ("recovery", {**NOTED, "answer": 5}),
        ("edit", "cut"),
        ("edit", {"operation": 5}),
        ("edit", {"slot": "number"}),
    ],
)
def test_a_candidate_with_a_broken_field_is_told_with_its_place(
    field: str, value: Any, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "c.jsonl").write_bytes(lines(candidate(), candidate(**{field: value})))
    done = run("ap-pair", "--candidates", tmp_path / "c.jsonl", stdin=lines(HELLO))
    assert (done.returncode, done.stdout) == (2, b"")
    assert f"c.jsonl:2: $.{field}" in done.stderr.decode()


def test_fields_of_a_candidate_may_be_null_and_a_broken_envelope_is_an_attempt(run: Run, tmp_path: Path) -> None:
    slots = [f"/user#char=0,{'9' * 5000}"]
    envelope = {"replacement": "x", "modified_slots": slots, "misleading_tokens": [], "explanation": ""}
    given = [candidate(envelope=5), candidate(envelope=envelope), candidate(edit=None, recovery=None)]
    (tmp_path / "c.jsonl").write_bytes(lines(*given))
    done = run("ap-pair", "--candidates", tmp_path / "c.jsonl", "--families", "user/redundant", stdin=lines(HELLO))
    (pair,) = records(done.stdout)
    assert [attempt["status"] for attempt in pair["attempts"]] == ["invalid", "rejected", "accepted"]
    assert b"not used" not in done.stderr


def test_candidates_that_nobody_asked_for_are_counted(run: Run, tmp_path: Path) -> None:
    given = [candidate(), candidate(instance="other"), candidate(instance="other"), candidate(type="missing")]
    (tmp_path / "c.jsonl").write_bytes(lines(*given))
    options = ("ap-pair", "--candidates", tmp_path / "c.jsonl", "--families")
    done = run(*options, "user/redundant", stdin=lines(HELLO))
    assert done.returncode == 0
    last = done.stderr.decode().splitlines()[-1]
    assert last.startswith("ap-pair: 3 candidates were not used: no instance of that id, a family not asked for")
    done = run(*options, "user/redundant", stdin=lines(HELLO, {**HELLO, "id": "other", "task": "t2"}))
    assert done.stderr.decode().splitlines()[-1].startswith("ap-pair: 1 candidate was not used: ")


def test_an_id_cannot_steer_a_terminal(run: Run) -> None:
    broken = {**HELLO, "id": "a\n\x1b[31mb", "pointers": {"user": ["/messages/03"]}}
    done = run("ap-pair", "--families", "user/missing", stdin=lines(broken))
    assert done.returncode == 3
    first = done.stderr.splitlines()[0]
    assert b"\x1b" not in done.stderr
    assert b"a\\x0a\\x1b[31mb" in first


def test_the_negative_control(run: Run, tmp_path: Path) -> None:
    public = {**HELLO["public"], "user": HELLO["public"]["user"].replace("4250", "4251")}
    wrong = candidate(type="incorrect", perturbed={"public": public})
    (tmp_path / "c.jsonl").write_bytes(lines(wrong))
    statuses = {}
    for verifier in ("syntax", "rules"):
        options = ("--candidates", tmp_path / "c.jsonl", "--families", "user/incorrect", "--verifier", verifier)
        (pair,) = records(run("ap-pair", *options, stdin=lines(HELLO)).stdout)
        statuses[verifier] = (pair["status"], pair["verifier"])
    assert statuses == {"syntax": ("accepted", "syntax"), "rules": ("rejected", "rules")}


@pytest.mark.parametrize("option", ["--verifier", "--validator"])
def test_a_command_that_crashes_could_not_be_asked(option: str, run: Run) -> None:
    done = run("ap-pair", "--families", "user/redundant", option, "exit 3", stdin=lines(HELLO))
    (pair,) = records(done.stdout)
    assert (done.returncode, pair["status"]) == (4, "rejected")
    assert "unavailable: " in pair["reason"] and b"1 of the rejected had no answer" in done.stderr


def test_a_hanging_verifier_ends_with_the_filter(run: Run) -> None:
    options = ("--verifier", "sleep 77", "--timeout", "0.3", "--families", "user/redundant", "--attempts", "1")
    done = run("ap-pair", *options, stdin=lines(HELLO))
    assert done.returncode == 4
    (pair,) = records(done.stdout)
    assert pair["reason"] == "single_target is unverified: unavailable: the verifier gave no answer within 0.3 s"


def test_a_directory_needs_a_place_for_its_copies(run: Run, tmp_path: Path) -> None:
    (tmp_path / "task").mkdir()
    (tmp_path / "task" / "ask.md").write_text("Mend it, please.\n")
    instance = {key: value for key, value in HELLO.items() if key != "public"}
    instance["directory"] = {"path": str(tmp_path / "task"), "files": {"user": "ask.md"}}
    done = run("ap-pair", stdin=lines(instance))
    assert (done.returncode, b"--variants DIR" in done.stdout) == (3, True)
    options = ("--variants", tmp_path / "variants", "--families", "user/redundant,tools/missing")
    done = run("ap-pair", *options, stdin=lines(instance))
    first, second = records(done.stdout)
    assert (first["status"], second["status"]) == ("accepted", "inapplicable")
    assert Path(first["perturbed"]["public"]["directory"], "ask.md").read_text() != "Mend it, please.\n"


def test_a_copy_that_fails_costs_its_own_pair_only(run: Run, tmp_path: Path) -> None:
    (tmp_path / "task").mkdir()
    (tmp_path / "task" / "ask.md").write_text("Mend the 4250 lines of it, please.\n")
    instance = {key: value for key, value in HELLO.items() if key != "public"}
    instance["directory"] = {"path": str(tmp_path / "task"), "files": {"user": "./ask.md"}}
    command = ("ap-pair", "--variants", tmp_path / "variants")
    before = records(run(*command, stdin=lines(instance)).stdout)
    accepted = [pair for pair in before if pair["status"] == "accepted"]
    assert len(accepted) > 1
    lost = accepted[0]
    (tmp_path / "variants" / lost["perturbed"]["id"] / "mine.txt").write_text("mine")
    done = run(*command, stdin=lines(instance))
    assert done.returncode == 0, done.stderr
    after = records(done.stdout)
    assert len(after) == 12
    assert [pair for pair in after if pair["id"] != lost["id"]] == [one for one in before if one["id"] != lost["id"]]
    (rejected,) = (pair for pair in after if pair["id"] == lost["id"])
    assert rejected["status"] == "rejected" and "is there already" in rejected["reason"]
    assert rejected["attempts"][-1]["status"] == "rejected"


@pytest.mark.parametrize("member", ["path", "user", "grader"])
def test_a_path_with_a_zero_character_is_a_bad_record(member: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "ask.md").write_text("Mend it, please.\n")
    directory: Record = {"path": str(tmp_path), "files": {"user": "ask.md"}, "grader": ["ask.md"]}
    if member == "path":
        directory["path"] += "\0"
    elif member == "user":
        directory["files"]["user"] += "\0"
    else:
        directory["grader"] = ["\0"]
    instance = {**{key: value for key, value in HELLO.items() if key != "public"}, "directory": directory}
    done = run("ap-pair", "--variants", tmp_path / "variants", stdin=lines(instance))
    assert done.returncode == 3, done.stderr
    (error,) = records(done.stdout)
    assert (error["code"], "U+0000" in error["message"]) == ("E-DIRECTORY", True)


# The arithmetic benchmark


@pytest.mark.parametrize("seed", [42, 43, 44])
def test_all_twelve_families_are_built_on_the_arithmetic_benchmark(seed: int, run: Run) -> None:
    import subprocess

    made = subprocess.run([sys.executable, "tasks.py", str(seed)], cwd=ARITHMETIC, capture_output=True, check=True)
    grader = f"{sys.executable} grader.py"
    done = run("ap-pair", "--seed", seed, "--grader", grader, stdin=made.stdout, cwd=ARITHMETIC)
    assert done.returncode == 0, done.stderr
    found = records(done.stdout)
    accepted = [pair for pair in found if pair["status"] == "accepted"]
    assert len(found) == 8 * 12
    assert len({(pair["target"], pair["type"]) for pair in accepted}) == 12
    assert {(pair["reference_score"], pair["noop_score"]) for pair in found} == {(1.0, 0.0)}


def test_the_scripted_actor_is_right_on_the_clean_side_and_feels_the_edits() -> None:
    import subprocess

    made = subprocess.run([sys.executable, "tasks.py", "42", "4"], cwd=ARITHMETIC, capture_output=True, check=True)
    instances = records(made.stdout)
    tasks = lines(*({"kind": "task", "id": one["id"], "public": one["public"]} for one in instances))
    acted = subprocess.run([sys.executable, "actor.py"], input=tasks, cwd=ARITHMETIC, capture_output=True, check=True)
    asked = lines(
        *(
            {"kind": "grade", "id": one["id"], "private": one["private"], "episode": episode}
            for one, episode in zip(instances, records(acted.stdout), strict=True)
        )
    )
    graded = subprocess.run([sys.executable, "grader.py"], input=asked, cwd=ARITHMETIC, capture_output=True, check=True)
    assert [answer["score"] for answer in records(graded.stdout)] == [1, 1, 1, 1]
