"""ap-grade as its user runs it: real actors and graders, everything that can go wrong, and nothing that gets lost."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agents.grading.helpers import ACTOR, GRADER, Record, command, damaged, lines, pair, read, without_clocks
from tests.conftest import ROOT, Run
from wfkit import schema

Grade = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def grade(tmp_path: Path, run: Run) -> Grade:
    """Run ap-grade on some pairs with the actor and the grader of the tests, in ``tmp_path``."""

    def run_it(pairs: list[Record] | bytes, *arguments: str, **more: Any) -> "subprocess.CompletedProcess[bytes]":
        words = [*programs(tmp_path), "--out", "runs.jsonl", *arguments]
        return run("ap-grade", *words, stdin=pairs if isinstance(pairs, bytes) else lines(pairs), cwd=tmp_path, **more)

    return run_it


def programs(folder: Path) -> list[str]:
    actor, grader = command(folder, "actor", ACTOR), command(folder, "grader", GRADER)
    return ["--actor", actor, "--grader", grader]


def test_both_sides_of_every_pair_in_the_order_of_the_input(grade: Grade, tmp_path: Path) -> None:
    pairs = [
        pair("a"),
        pair("a", "tools/missing"),
        damaged("b", "answer", 2),
        pair("c", status="rejected", reason="no"),
    ]
    done = grade(pairs, "--model", "oak")
    assert (done.returncode, done.stdout) == (0, b"")
    runs, grades = read(tmp_path / "runs.jsonl"), read(tmp_path / "runs.grades.jsonl")
    assert len(runs) == 6  # three clean sides, three perturbed ones
    assert [one["pair"] for one in grades] == [one["id"] for one in pairs]
    assert [(one["clean"]["score"], one["perturbed"]["score"]) for one in grades] == [(1, 1), (1, 1), (1, 0), (1, None)]
    assert [one["perturbed"]["status"] for one in grades] == ["graded"] * 3 + ["not_constructed"]
    assert grades[3]["perturbed"]["failure"] == "no"
    assert grades[0]["clean"] == grades[1]["clean"]  # run once
    assert {one["model"] for one in grades} == {"oak"}
    for record in runs:
        schema.checker("ap_run")(record)
    for record in grades:
        schema.checker("ap_grade")(record)
    side = grades[0]["perturbed"]
    assert side["usage"] == {"input_tokens": 10, "output_tokens": 2, "cost_usd": None}
    assert (side["turns"], side["tool_calls"], side["asked"]) == (1, 0, 0)
    assert side["digest"].startswith("sha256:") and side["timing"]["start"] <= side["timing"]["end"]
    assert all(value.startswith("sha256:") for value in grades[0]["digests"].values())


def test_every_fault_of_an_actor_is_a_status_and_costs_nobody_else(grade: Grade, tmp_path: Path) -> None:
    faults = {
        "crash": "actor_error", "hang": "actor_timeout", "fork": "actor_error", "flood": "parse_error",
        "half a line": "parse_error", "half a line and wait": "actor_timeout", "stderr": "graded",
        "another": "parse_error", "twice": "parse_error", "leak": "actor_error", "stubborn": "actor_timeout",
        "ask for ever": "turn_limit", "fail": "tool_error", "give up": "graded", "invalid": "parse_error",
    }  # fmt: skip
    pairs = [damaged(name, name, None) for name in faults] + [pair(f"fine-{number}") for number in range(5)]
    done = grade(pairs, "--timeout", "3", "--max-questions", "20", "-j", "4")
    assert done.returncode == 0, done.stderr.decode()
    grades = read(tmp_path / "runs.grades.jsonl")
    assert [one["pair"] for one in grades] == [one["id"] for one in pairs]
    assert {one["task"]: one["perturbed"]["status"] for one in grades[: len(faults)]} == faults
    for one in grades[: len(faults)]:
        known = one["perturbed"]["status"] == "graded"
        assert one["perturbed"]["score"] == (0 if known else None)  # a failure never looks like a zero
        assert bool(one["perturbed"]["failure"]) is not known
    assert all(one["clean"]["score"] == 1 for one in grades)
    assert all(one["perturbed"]["score"] == 1 for one in grades[len(faults) :])


def test_a_zero_is_imposed_only_where_it_is_asked_for_and_says_so(grade: Grade, tmp_path: Path) -> None:
    pairs = [
        damaged("a", "crash"),
        damaged("b", "fail", 1),
        damaged("c", "answer", private={"reference": 1, "die": True}),
    ]
    assert grade(pairs, "--actor-failure", "zero").returncode == 0
    grades = read(tmp_path / "runs.grades.jsonl")
    assert {one["actor_failure"] for one in grades} == {"zero"}
    # The crash is made a zero; the tool error has a result that the grader liked; the grader's own fault is unknown.
    assert [one["perturbed"]["score"] for one in grades] == [0, 1, None]
    assert [one["perturbed"]["status"] for one in grades] == ["actor_error", "tool_error", "grader_error"]
    # The ledger holds what was seen, so that the setting can be changed without running anything again.
    done = grade(pairs, "--resume")
    assert b"0 episodes run" in done.stderr
    again = read(tmp_path / "runs.grades.jsonl")
    assert [one["perturbed"]["score"] for one in again] == [None, 1, None]
    assert {one["actor_failure"] for one in again} == {"unknown"}


def test_a_grader_that_dies_on_the_50th_record_costs_no_episode(grade: Grade, tmp_path: Path) -> None:
    pairs = [pair(str(number), private={"reference": 1, "die_at": 50}) for number in range(60)]
    assert grade(pairs).returncode == 0
    runs = read(tmp_path / "runs.jsonl")
    assert len(runs) == 120
    assert {one["status"] for one in runs} == {"graded"}


def test_the_actor_sees_one_side_under_an_opaque_id_and_nothing_else(tmp_path: Path, run: Run) -> None:
    seen = tmp_path / "seen"
    spy = f'exec 3>>{seen}; while read -r line; do echo "$line" >&3; echo \'{{"kind":"ask"}}\'; done'
    private = {"reference": "the answer", "notes": "do not tell"}
    pairs = [damaged(str(number), "x", private=private, recovery={"by": "user", "answer": "the fact", "note": "n"})
             for number in range(3)]  # fmt: skip
    words = ["--actor", spy, "--grader", "true", "--out", "runs.jsonl"]
    assert run("ap-grade", *words, stdin=lines(pairs), cwd=tmp_path).returncode == 0
    tasks = read(seen)
    assert len(tasks) == 6
    assert all(set(task) == {"kind", "id", "public"} for task in tasks)
    told = seen.read_text()
    for secret in ("the answer", "do not tell", "the fact", "user/missing", "missing", "pair-", "perturbed"):
        assert secret not in told


def test_the_actors_environment_and_command_line_hold_nothing_of_the_evaluation(grade: Grade, tmp_path: Path) -> None:
    pairs = [damaged("a", "environment"), damaged("b", "command line")]
    extra = {"REFERENCES": "/data/secret.jsonl", "OPENAI_API_KEY": "k", "AGENT_MODE": "fast"}
    (tmp_path / "pairs.jsonl").write_bytes(lines(pairs))
    grade(b"", "pairs.jsonl", "--episodes-out", "kept.jsonl", "--actor-env", "AGENT_MODE", env=extra)
    by_task = {one["id"]: one["result"] for one in read(tmp_path / "kept.jsonl")}
    environment = by_task["p-a"]
    assert environment["AGENT_MODE"] == "fast" and environment["OPENAI_API_KEY"] == "k" and environment["PATH"]
    assert "REFERENCES" not in environment
    for text in (json.dumps(environment), by_task["p-b"]):
        assert not any(secret in text for secret in ("secret", "pairs.jsonl", "runs.jsonl", "grader", "kept"))


def test_the_fact_that_was_left_out_comes_only_to_who_asks(grade: Grade, tmp_path: Path) -> None:
    recovery = {"by": "user", "answer": "40", "note": "the amount"}
    private = {"reference": "40"}
    pairs = [
        damaged("asks", "ask", private=private, recovery=recovery),
        damaged("guesses", "answer", "50", private=private, recovery=recovery),
        damaged("in-vain", "ask", private=private, recovery={**recovery, "by": "tool"}),
    ]
    grade(pairs)
    grades = {one["task"]: one["perturbed"] for one in read(tmp_path / "runs.grades.jsonl")}
    assert [(one["score"], one["asked"]) for one in grades.values()] == [(1, 1), (0, 0), (0, 1)]
    runs = {one["side"]: one["questions"] for one in read(tmp_path / "runs.jsonl")}
    assert runs["p-asks"] == [{"text": "How many?", "answered": True}]
    assert runs["p-in-vain"] == [{"text": "How many?", "answered": False}]


def test_repeats_are_counted_from_zero_and_are_runs_of_their_own(grade: Grade, tmp_path: Path) -> None:
    grade([pair("a"), pair("b", status="rejected")], "--repeats", "3")
    grades = read(tmp_path / "runs.grades.jsonl")
    assert [(one["task"], one["repeat"], one["repeats"]) for one in grades] == [
        ("a", 0, 3), ("a", 1, 3), ("a", 2, 3), ("b", 0, 3), ("b", 1, 3), ("b", 2, 3)
    ]  # fmt: skip
    assert len({one["clean"]["episode"] for one in grades}) == 6
    assert len({one["id"] for one in grades}) == 6


def test_two_jobs_with_a_slow_actor_take_half_the_time(grade: Grade, tmp_path: Path) -> None:
    pairs = [damaged(str(number), "slow", 0.5) for number in range(12)]
    started = time.monotonic()
    assert grade(pairs, "--jobs", "2").returncode == 0
    runs = read(tmp_path / "runs.jsonl")
    slept = sum(one["timing"]["seconds"] for one in runs)
    assert len(runs) == 24
    assert slept > 6
    assert time.monotonic() - started < slept  # one after the other they would take longer than that


def test_jobs_change_nothing_but_the_order_of_the_ledger(grade: Grade, tmp_path: Path) -> None:
    pairs = [damaged(str(number), "answer", number % 2) for number in range(20)]
    grade(pairs)
    alone = [without_clocks(read(tmp_path / name)) for name in ("runs.jsonl", "runs.grades.jsonl")]
    for name in ("runs.jsonl", "runs.grades.jsonl"):
        (tmp_path / name).unlink()
    grade(pairs[::-1], "-j", "3")
    runs, grades = [without_clocks(read(tmp_path / name)) for name in ("runs.jsonl", "runs.grades.jsonl")]
    assert sorted(runs, key=lambda one: one["id"]) == sorted(alone[0], key=lambda one: one["id"])
    assert grades[::-1] == alone[1]


def test_fresh_starts_a_program_for_each_episode(tmp_path: Path, run: Run) -> None:
    once = 'read -r line; id=$(echo "$line" | sed \'s/.*"id":"\\([^"]*\\)".*/\\1/\');'
    once += ' printf \'{"kind":"episode","id":"%s","status":"done","result":1}\' "$id"'
    words = ["--actor", once, "--grader", command(tmp_path, "grader", GRADER), "--out", "runs.jsonl", "--fresh"]
    done = run("ap-grade", *words, stdin=lines([pair("a"), pair("b")]), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [one["status"] for one in read(tmp_path / "runs.jsonl")] == ["graded"] * 4


def finished(folder: Path) -> int:
    """How many episodes are whole in the ledger."""
    path = folder / "runs.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_a_kill_at_twenty_moments_loses_nothing_and_repeats_nothing(grade: Grade, tmp_path: Path) -> None:
    pairs = [damaged(str(number), "slow", 0.1) for number in range(60)]
    assert grade(pairs, "--episodes-out", "kept.jsonl", "-j", "4").returncode == 0
    names = ("runs.jsonl", "runs.grades.jsonl", "kept.jsonl")
    undisturbed = [without_clocks(read(tmp_path / name)) for name in names]
    for name in names:
        (tmp_path / name).unlink()
    (tmp_path / "pairs.jsonl").write_bytes(lines(pairs))
    chance, seen, in_the_middle = random.Random(7), 0, 0
    for number in range(20):
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "bin" / "ap-grade"), *programs(tmp_path), "--out", "runs.jsonl", "--resume",
             "--episodes-out", "kept.jsonl", "-q", "-j", "2", "pairs.jsonl"],
            cwd=tmp_path, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        while number % 4 and finished(tmp_path) == seen and process.poll() is None:
            time.sleep(0.01)  # each fourth is killed while it starts, the others in the middle of their work
        time.sleep(chance.uniform(0, 0.2))
        process.kill()
        process.wait()
        whole = finished(tmp_path)
        assert whole >= seen  # nothing that was there has gone
        in_the_middle += seen < whole < 120
        seen = whole
    assert in_the_middle >= 12
    done = grade(pairs, "--resume", "--episodes-out", "kept.jsonl")
    assert done.returncode == 0, done.stderr
    runs, grades, kept = [without_clocks(read(tmp_path / name)) for name in names]
    assert len(runs) == len(kept) == 120
    assert sorted(runs, key=lambda one: one["id"]) == sorted(undisturbed[0], key=lambda one: one["id"])
    assert grades == undisturbed[1]
    assert sorted(kept, key=lambda one: one["run"]) == sorted(undisturbed[2], key=lambda one: one["run"])


def test_an_episode_that_was_kept_but_not_entered_is_run_again(grade: Grade, tmp_path: Path) -> None:
    grade([pair("a"), pair("b")], "--episodes-out", "kept.jsonl")
    runs, kept = (tmp_path / "runs.jsonl").read_bytes(), (tmp_path / "kept.jsonl").read_bytes()
    (tmp_path / "runs.jsonl").write_bytes(b"".join(runs.splitlines(keepends=True)[:-1]))  # killed between the two
    done = grade([pair("a"), pair("b")], "--episodes-out", "kept.jsonl", "--resume")
    assert b"1 episodes run, 3 were there" in done.stderr
    assert (tmp_path / "kept.jsonl").read_bytes() == kept


def test_episodes_that_are_not_those_of_the_ledger_are_not_gone_on_with(grade: Grade, tmp_path: Path) -> None:
    grade([pair("a")])
    done = grade([pair("a"), pair("b")], "--episodes-out", "kept.jsonl", "--resume")
    assert done.returncode == 2
    assert b"does not hold the episodes" in done.stderr


def test_a_full_disk_ends_the_run_and_resuming_goes_on(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_bytes(lines([pair(str(number)) for number in range(30)]))
    words = [sys.executable, str(ROOT / "bin" / "ap-grade"), *programs(tmp_path), "--out", "runs.jsonl", "pairs.jsonl"]

    def limited() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))  # what is kept of 60 tasks is less than that

    first = subprocess.run(words, cwd=tmp_path, capture_output=True, preexec_fn=limited, check=False, timeout=60)
    assert first.returncode == 4
    assert b"cannot write runs.jsonl" in first.stderr
    done = len(read(tmp_path / "runs.jsonl"))
    assert 0 < done < 60
    second = subprocess.run([*words, "--resume"], cwd=tmp_path, capture_output=True, check=False, timeout=60)
    assert second.returncode == 0
    assert f"{60 - done} episodes run, {done} were there".encode() in second.stderr
    assert len({one["id"] for one in read(tmp_path / "runs.jsonl")}) == 60


def test_two_runs_on_one_file_the_second_refuses(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_bytes(lines([damaged("a", "slow", 3)]))
    words = [sys.executable, str(ROOT / "bin" / "ap-grade"), *programs(tmp_path), "--out", "runs.jsonl", "--resume"]
    first = subprocess.Popen([*words, "pairs.jsonl"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    while not (tmp_path / "runs.jsonl").exists():
        time.sleep(0.02)
    time.sleep(0.1)
    second = subprocess.run([*words, "pairs.jsonl"], cwd=tmp_path, capture_output=True, check=False, timeout=30)
    assert second.returncode == 2
    assert b"runs.jsonl is locked" in second.stderr
    assert first.wait(30) == 0
    assert len(read(tmp_path / "runs.jsonl")) == 2


def test_nothing_is_overwritten(grade: Grade, tmp_path: Path) -> None:
    grade([pair("a")])
    before = (tmp_path / "runs.jsonl").read_bytes()
    done = grade([pair("a")])
    assert done.returncode == 2
    assert b"exists" in done.stderr
    assert (tmp_path / "runs.jsonl").read_bytes() == before
    (tmp_path / "runs.jsonl").unlink()
    assert grade([pair("a")]).returncode == 2  # the grades are still there
    assert not (tmp_path / "runs.jsonl").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (["--model", "oak"], "model actor, not oak"),
        (["--seed", "1"], "seed 0, not 1"),
        (["--actor", "exec cat"], "run with digests"),
    ],
)
def test_a_ledger_of_other_settings_is_not_gone_on_with(
    grade: Grade, tmp_path: Path, change: list[str], words: str
) -> None:
    grade([pair("a")])
    done = grade([pair("a")], "--resume", *change)
    assert done.returncode == 2
    assert words in done.stderr.decode()


def test_resuming_takes_up_what_was_added_to_the_input(grade: Grade, tmp_path: Path) -> None:
    grade([pair("a")])
    done = grade([pair("a"), pair("b")], "--resume")
    assert b"2 episodes run, 2 were there" in done.stderr
    assert [one["task"] for one in read(tmp_path / "runs.grades.jsonl")] == ["a", "b"]


def test_bad_records_keep_their_places_among_the_grades(grade: Grade, tmp_path: Path) -> None:
    upstream = {"kind": "error", "id": "u", "filter": "ap-pair", "code": "E", "message": "no",
                "where": {"file": "-", "line": 1}, "input": ""}  # fmt: skip
    done = grade(lines([pair("a")]) + b"rubbish\n" + lines([upstream, pair("a"), pair("b")]))
    assert done.returncode == 3
    grades = read(tmp_path / "runs.grades.jsonl")
    assert [one["kind"] for one in grades] == ["ap_grade", "error", "error", "error", "ap_grade"]
    assert [one.get("code") for one in grades[1:4]] == ["E-SYNTAX", "E", "E-DUP-ID"]


def test_no_check_meets_bad_records_all_the_same(grade: Grade, tmp_path: Path) -> None:
    broken = {key: value for key, value in pair("a").items() if key != "clean"}
    assert grade([broken, pair("b")], "--no-check").returncode == 3
    assert [one["kind"] for one in read(tmp_path / "runs.grades.jsonl")] == ["error", "ap_grade"]


def test_an_interrupt_leaves_whole_lines_and_no_process(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_bytes(lines([damaged(str(one), "slow", 0.2) for one in range(40)]))
    words = [sys.executable, str(ROOT / "bin" / "ap-grade"), *programs(tmp_path), "--out", "runs.jsonl", "pairs.jsonl"]
    process = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE)
    while not (tmp_path / "runs.jsonl").exists() or not (tmp_path / "runs.jsonl").read_bytes():
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=30)[1]
    assert (process.returncode, told) == (130, b"ap-grade: interrupted\n")
    assert 0 < len(read(tmp_path / "runs.jsonl")) < 80
    assert not (tmp_path / "runs.grades.jsonl").exists()
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not any(os.fsencode(tmp_path / "actor.py") in words for words in running)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--out", "r"], "name the agent with --actor"),
        (["--out", "r", "--actor", "cat"], "--grader CMD"),
        (["--actor", "cat", "--grader", "cat"], "--out"),
        (["--out", "r", "--actor", "no-such-program", "--grader", "cat"], "no program 'no-such-program'"),
        (["--out", "r", "--actor", "cat", "--grader", "cat", "--actor-env", "NOT_SET"], "NOT_SET"),
        (["--out", "r", "--actor", "cat", "--grader", "cat", "-o", "-"], "-o names a file"),
        (["--out", "r", "--actor", "cat", "--grader", "cat", "--episodes-out", "r"], "written as well"),
        (["--out", "no/folder/r", "--actor", "cat", "--grader", "cat"], "cannot write no/folder/r"),
        (["--out", "r", "--actor", "cat", "--episodes", "e"], "without --actor"),
        (["--out", "r", "--actor", "cat", "--grader", "cat", "--repeats", "0"], "--repeats"),
    ],
)
def test_wrong_command_lines(words: list[str], told: str, run: Run, tmp_path: Path) -> None:
    done = run("ap-grade", *words, stdin=b"", cwd=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr.decode()
    assert os.listdir(tmp_path) == []


def test_nothing_asked_for(grade: Grade, tmp_path: Path) -> None:
    done = grade(b"")
    assert done.returncode == 0
    assert (tmp_path / "runs.grades.jsonl").read_bytes() == b""
    assert not (tmp_path / "runs.jsonl").exists()


def test_the_grades_can_be_put_elsewhere_and_the_summary_counts_them(grade: Grade, tmp_path: Path) -> None:
    done = grade([pair("a"), damaged("b", "crash")], "-o", "grades", "--summary", "summary")
    assert done.returncode == 0
    assert len(read(tmp_path / "grades")) == 2
    (summary,) = read(tmp_path / "summary")
    assert (summary["pairs"], summary["scored"], summary["episodes"], summary["lost"]) == (2, 1, 4, 0)
    assert summary["statuses"]["perturbed"] == {"actor_error": 1, "graded": 1}


def test_kept_episodes_can_be_graded_again(grade: Grade, tmp_path: Path, run: Run) -> None:
    pairs = [pair("a"), damaged("b", "crash"), damaged("c", "answer", 2)]
    grade(pairs, "--episodes-out", "kept.jsonl", "--model", "oak")
    for record in read(tmp_path / "kept.jsonl"):
        schema.checker("episode")(record)
    grader = ["--grader", command(tmp_path, "grader", GRADER)]
    for number, words in enumerate(([], grader)):  # by the scores that were kept, and by the grader
        done = run("ap-grade", "--episodes", "kept.jsonl", *words, "--out", f"again{number}.jsonl",
                   stdin=lines(pairs), cwd=tmp_path)  # fmt: skip
        assert done.returncode == 0, done.stderr
        first, again = read(tmp_path / "runs.grades.jsonl"), read(tmp_path / f"again{number}.grades.jsonl")
        for side in ("clean", "perturbed"):
            assert [(one[side]["status"], one[side]["score"]) for one in first] == [
                (one[side]["status"], one[side]["score"]) for one in again
            ]
        assert {one["model"] for one in again} == {"oak"}


def test_a_side_that_was_not_recorded_leaves_its_pair_without_a_record(tmp_path: Path, run: Run) -> None:
    recorded = [{"kind": "episode", "id": name, "status": "done", "result": 1, "score": 1}
                for name in ("a", "pair-a-user/missing", "b", "stranger")]  # fmt: skip
    (tmp_path / "episodes.jsonl").write_bytes(lines(recorded))
    pairs = [pair("a"), pair("b"), pair("b", "tools/missing", status="rejected", perturbed=None)]
    done = run("ap-grade", "--episodes", "episodes.jsonl", "--out", "runs.jsonl", stdin=lines(pairs), cwd=tmp_path)
    assert done.returncode == 4
    told = done.stderr.decode()
    assert "1 recorded episodes belong to nothing that is asked for, such as 'stranger'" in told
    assert "1 of 3 pairs have a side that was not recorded" in told
    grades = read(tmp_path / "runs.grades.jsonl")
    assert [(one["pair"], one["perturbed"]["status"]) for one in grades] == [
        ("pair-a-user/missing", "graded"), ("pair-b-tools/missing", "not_constructed")
    ]  # fmt: skip
    assert grades[0]["digests"] == {"actor": None, "grader": None}


def test_recorded_repeats_are_all_taken(tmp_path: Path, run: Run) -> None:
    results = [{"task_id": name, "reward": reward, "info": {}, "traj": [], "trial": trial}
               for name in ("c-a", "p-a-user-missing") for trial, reward in ((0, 1.0), (1, 0.0))]  # fmt: skip
    (tmp_path / "tau.json").write_text(json.dumps(results))
    done = run("ap-grade", "--episodes", "tau.json", "--model", "oak", "--out", "runs.jsonl",
               stdin=lines([pair("a")]), cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    grades = read(tmp_path / "runs.grades.jsonl")
    assert [(one["repeat"], one["repeats"], one["clean"]["score"]) for one in grades] == [(0, 2, 1.0), (1, 2, 0.0)]


def test_episodes_that_failed_are_labelled_on_request(grade: Grade, tmp_path: Path, run: Run) -> None:
    envelope = {"replacement": "x", "modified_slots": [], "misleading_tokens": ["wrong"]}
    pairs = [damaged("a", "answer", "a wrong one", envelope=envelope), pair("b")]
    assert grade(pairs, "--label", "rules").returncode == 2  # what agents did must be kept
    done = grade(pairs, "--label", "rules", "--episodes-out", "kept.jsonl", "--label-all")
    assert done.returncode == 0, done.stderr
    grades = read(tmp_path / "runs.grades.jsonl")
    assert [one["labels"] for one in grades] == [
        [{"annotator": "rules", "awareness": "never_flagged", "behaviour": "accepted_corrupted_value"}],
        [{"annotator": "rules", "awareness": None, "behaviour": "no_visible_error"}],
    ]
    words = ["--episodes", "kept.jsonl", "--out", "again.jsonl", "--label", "exit 1"]
    again = run("ap-grade", *words, stdin=lines(pairs), cwd=tmp_path)
    assert again.returncode == 4
    assert b"1 episodes could not be labelled: the annotator ended with exit code 1" in again.stderr
    assert all("labels" not in one for one in read(tmp_path / "again.grades.jsonl"))


def test_each_episode_has_a_directory_of_its_own_and_the_grader_looks_into_it(tmp_path: Path, run: Run) -> None:
    task = tmp_path / "task"
    task.mkdir()
    (task / "notes.txt").write_text("clean")
    actor = """
import json, sys
from pathlib import Path
for line in sys.stdin:
    told = json.loads(line)
    notes = Path(told["public"]["directory"], "notes.txt")
    notes.write_text(notes.read_text() + " and done")
    print(json.dumps({"kind": "episode", "id": told["id"], "status": "done", "result": None}), flush=True)
"""
    grader = """
import json, sys
from pathlib import Path
for line in sys.stdin:
    told = json.loads(line)
    found = Path(told["directory"], "notes.txt").read_text()
    print(json.dumps({"id": told["id"], "score": int(found == "clean and done"), "message": found}), flush=True)
"""
    gone = {"id": "p-b", "public": {"directory": str(tmp_path / "nowhere")}}
    side = {"id": "c-a", "public": {"directory": str(task)}}
    pairs = [pair("a", clean=side, perturbed={**side, "id": "p-a"}), pair("b", perturbed=gone)]
    pairs[1]["clean"] = side
    words = ["--actor", command(tmp_path, "actor", actor), "--grader", command(tmp_path, "grader", grader)]
    done = run("ap-grade", *words, "--repeats", "2", "--out", "runs.jsonl", stdin=lines(pairs), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    grades = read(tmp_path / "runs.grades.jsonl")
    assert [(one["clean"]["score"], one["perturbed"]["score"]) for one in grades] == [
        (1, 1),
        (1, 1),
        (1, None),
        (1, None),
    ]
    assert grades[2]["perturbed"]["status"] == "grader_error"  # no fault of the agent's
    assert (task / "notes.txt").read_text() == "clean"
