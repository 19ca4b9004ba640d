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


def test_a_hanging_verifier_ends_with_the_filter(run: Run) -> None:
    options = ("--verifier", "sleep 77", "--timeout", "0.3", "--families", "user/redundant", "--attempts", "1")
    done = run("ap-pair", *options, stdin=lines(HELLO))
    assert done.returncode == 0
    (pair,) = records(done.stdout)
    assert pair["reason"] == "single_target is unverified: the verifier gave no answer within 0.3 s"


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
