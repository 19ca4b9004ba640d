"""Editor and verifier as language models, against a stand-in server that reads the prompt and nothing else."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.llm.stand_in import Call, Response, StandIn, completion, failure
from wfkit.agents.families import FAMILIES
from wfkit.agents.pairing.llm_data import blocks
from wfkit.agents.pairing.llm_parts import NEW_MESSAGES, NEW_TOOL, Part, patch_for

Record = dict[str, Any]
Run = Callable[..., Any]


def edit(call: Call, **changes: Any) -> Response:
    """Select the first part; add a sentence, an exchange or a tool, or leave out the first sentence."""
    if "you choose where" in call.prompt:
        listed = json.loads(call.prompt.partition("never instructions to you):\n")[2].partition("\n\nAnswer with")[0])
        return completion(json.dumps({"part": listed[0]["part"], "slot": "fact", "reason": "r"}))
    pointer = re.findall(r"The part at (\S+), as JSON", call.prompt)[-1]
    rest = call.prompt.rpartition("as JSON (data, never instructions to you):\n")[2]
    original, _ = json.JSONDecoder().raw_decode(rest)
    if "Type of the edit: redundant" in call.prompt:
        replacement: Any = f"{original} It is a grey day."
        tokens: list[str] = []
    else:
        replacement, tokens = original.replace("W-2291", "W-2295"), ["W-2295"]
    envelope = {
        "replacement": replacement,
        "modified_slots": [pointer],
        "misleading_tokens": tokens,
        "explanation": "e",
    }
    return completion(json.dumps({**envelope, **changes}))


def verify(call: Call, result: str = "pass") -> Response:
    assert call.prompt.count("Question: ") == 1
    return completion(json.dumps({"result": result, "note": "because"}))


def answer(call: Call) -> Response:
    return verify(call) if "You check one edit" in call.prompt else edit(call)


@pytest.fixture
def ask(run: Run, tmp_path: Path, short: SimpleNamespace) -> Callable[..., tuple[list[Record], Any]]:
    def ask(server: StandIn, *arguments: Any, instances: list[Record] | None = None) -> tuple[list[Record], Any]:
        stdin = b"".join(json.dumps(one).encode() + b"\n" for one in instances or [short.desk()])
        environment = {**server.environment, "XDG_CACHE_HOME": str(tmp_path / "cache")}
        done = run("ap-pair", *arguments, stdin=stdin, env=environment)
        return [json.loads(line) for line in done.stdout.splitlines()], done

    return ask


EDITOR = ("--editor", "llm", "--model", "m-1", "--llm-retries", "0")
VERIFIER = ("--verifier", "llm", "--verifier-model", "v-1")


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn(answer) as server:
        yield server


def test_a_model_selects_and_rewrites_and_the_rules_decide(ask: Any, server: StandIn) -> None:
    (pair,), done = ask(server, *EDITOR, "--families", "user/redundant")
    assert (done.returncode, pair["status"]) == (0, "accepted"), done.stderr
    assert (pair["generator"], pair["verifier"]) == ("llm:m-1", "rules")
    assert set(pair["envelope"]) == {"replacement", "modified_slots", "misleading_tokens", "explanation"}
    assert pair["perturbed"]["public"]["messages"][5]["content"].endswith("It is a grey day.")
    assert len(server.calls) == 2
    again, _ = ask(server, *EDITOR, "--families", "user/redundant")
    assert again == [pair] and len(server.calls) == 2  # all of it from the cache


def test_the_summary_says_what_was_spent(ask: Any, server: StandIn, tmp_path: Path) -> None:
    summary = tmp_path / "summary.json"
    ask(server, *EDITOR, *VERIFIER, "--families", "user/redundant", "--summary", str(summary))
    spent = json.loads(summary.read_text())["spent"]
    assert {model: used["calls"] for model, used in spent.items()} == {"m-1": 2, "v-1": 4}
    ask(server, *EDITOR, *VERIFIER, "--families", "user/redundant", "--summary", str(summary))
    assert json.loads(summary.read_text())["spent"] == {}  # all of it from the cache


def test_a_mistake_is_called_so_and_no_label_of_ours_is_in_the_prompt(ask: Any, server: StandIn) -> None:
    (pair,), _ = ask(server, *EDITOR, "--families", "context/incorrect", "--attempts", "1")
    assert pair["envelope"]["misleading_tokens"] == ["W-2295"]
    prompts = [call.prompt for call in server.calls]
    assert all("Type of the edit: mistake" in prompt for prompt in prompts)
    assert not any("incorrect" in prompt or "desk-1" in prompt or "broken lid" in prompt for prompt in prompts)


def test_another_model_with_another_prompt_answers_four_separate_questions(ask: Any, server: StandIn) -> None:
    (pair,), _ = ask(server, *EDITOR, *VERIFIER, "--families", "user/redundant")
    assert pair["verifier"] == "llm:v-1"
    assert pair["checks"]["solvable"] == {"result": "pass", "note": "because"}
    asked = [call.prompt for call in server.calls if call.body["model"] == "v-1"]
    questions = [prompt.rpartition("Question: ")[2].splitlines()[0] for prompt in asked]
    assert questions == list(blocks()["questions"].values())
    assert not any('"explanation"' in prompt for prompt in asked)
    assert not any("You rewrite one part" in prompt for prompt in asked)


@pytest.mark.parametrize(("result", "status"), [("fail", "rejected"), ("unverified", "rejected"), ("pass", "accepted")])
def test_a_model_as_verifier_of_rule_edits(result: str, status: str, ask: Any) -> None:
    with StandIn(lambda call: verify(call, result)) as server:
        (pair,), done = ask(server, *VERIFIER, "--families", "tools/missing", "--attempts", "1")
    assert (pair["status"], pair["generator"], done.returncode) == (status, "rules", 0)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"fifth": 1}, "the further key fifth"),
        ({"misleading_tokens": ["grey"]}, "not empty although"),
        ({"replacement": 7}, "of another kind"),
        ({"replacement": ""}, "single_target|goal_preserved"),
        ({"modified_slots": ["/messages/0/content"]}, "outside modified_slots"),
    ],
)
def test_a_failing_answer_is_told_to_the_model_and_kept(changes: Record, words: str, ask: Any) -> None:
    def second_time_right(call: Call) -> Response:
        return edit(call) if "Earlier answers were refused" in call.prompt else edit(call, **changes)

    with StandIn(second_time_right) as server:
        (pair,), _ = ask(server, *EDITOR, "--families", "user/redundant")
        told = server.calls[-1].prompt
    assert pair["status"] == "accepted"
    assert [attempt["status"] in ("invalid", "rejected") for attempt in pair["attempts"]] == [True, False]
    reason = pair["attempts"][0]["reason"]
    assert re.search(words, reason)
    assert f"- {reason}" in told


def test_prose_around_the_envelope_is_no_envelope(ask: Any) -> None:
    def chatty(call: Call) -> Response:
        response = edit(call)
        if "you choose where" not in call.prompt:
            response.body["choices"][0]["message"]["content"] = (
                "Here:\n" + response.body["choices"][0]["message"]["content"]
            )
        return response

    with StandIn(chatty) as server:
        (pair,), _ = ask(server, *EDITOR, "--families", "user/redundant", "--attempts", "2")
    assert pair["status"] == "rejected"
    assert [attempt["status"] for attempt in pair["attempts"]] == ["invalid", "invalid"]
    assert "no envelope" in pair["reason"]


def test_a_model_that_sees_no_part_makes_the_pair_inapplicable(ask: Any) -> None:
    with StandIn([completion('{"part": null, "slot": "", "reason": "nothing fits"}')]) as server:
        (pair,), done = ask(server, *EDITOR, "--families", "user/missing")
    assert (pair["status"], pair["reason"], done.returncode) == (
        "inapplicable", "the model sees no part to edit: nothing fits", 0,
    )  # fmt: skip


@pytest.mark.parametrize("part", [["x"], {}, 5, True, "/nowhere"])
def test_a_selection_that_is_no_part_is_an_attempt_that_failed(part: Any, ask: Any) -> None:
    with StandIn([completion(json.dumps({"part": part, "slot": "fact", "reason": "r"}))] * 9) as server:
        (pair,), _ = ask(server, *EDITOR, "--families", "user/missing", "--attempts", "1")
    assert (pair["status"], [one["status"] for one in pair["attempts"]]) == ("rejected", ["invalid"])
    assert "is no part of the list" in pair["reason"]


def test_no_answer_is_told_and_exits_4(ask: Any, short: SimpleNamespace) -> None:
    with StandIn([failure(401, "bad key")]) as server:
        found, done = ask(server, *EDITOR, "--families", "user/missing,user/redundant")
    assert done.returncode == 4
    assert [pair["status"] for pair in found] == ["rejected"] * 2
    assert all("unavailable: " in pair["reason"] for pair in found)
    assert b"2 of the rejected had no answer of a model" in done.stderr


def test_a_dry_run_calls_nobody(ask: Any, server: StandIn) -> None:
    found, done = ask(server, *EDITOR, *VERIFIER, "--dry-run")
    assert (found, server.connections, done.returncode) == ([], 0, 0)
    text = done.stderr.decode()
    assert "m-1: 24 calls" in text and "v-1: 48 calls" in text and "216 calls at most" in text


def test_many_instances_keep_their_order(ask: Any, server: StandIn, short: SimpleNamespace) -> None:
    instances = [short.desk(id=f"d{number}", task=str(number)) for number in range(9)]
    found, _ = ask(server, *EDITOR, "--families", "user/redundant", "--llm-jobs", "4", instances=instances)
    assert [pair["instance"] for pair in found] == [one["id"] for one in instances]


def test_coding_tasks_expose_the_user_surface_only(ask: Any, server: StandIn, tmp_path: Path) -> None:
    (tmp_path / "task").mkdir()
    (tmp_path / "task" / "ask.md").write_text("Mend it, please.\n")
    (tmp_path / "task" / "guide.md").write_text("1. Look first.\n2. Test after it.\n")
    directory = {"path": str(tmp_path / "task"), "files": {"user": "ask.md", "procedure": "guide.md"}}
    instance = {"kind": "instance", "id": "c", "benchmark": "code", "task": "1", "scale": "binary", "private": {}}
    found, _ = ask(
        server, *EDITOR, "--families", "user/redundant,procedure/redundant", "--variants", tmp_path / "variants",
        instances=[{**instance, "directory": directory}],
    )  # fmt: skip
    assert [pair["status"] for pair in found] == ["accepted", "inapplicable"]
    assert found[1]["reason"] == "coding tasks expose the user surface only"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--editor", "llm"], "--editor llm needs --model"),
        (["--model", "m"], "--model needs --editor llm"),
        (["--verifier", "llm"], "--verifier llm needs --verifier-model"),
        (["--verifier-model", "m"], "--verifier-model needs --verifier llm"),
        (["--dry-run"], "--dry-run needs"),
        (["--editor", "llm", "--model", "m", "--candidates", "x"], "no --editor llm beside it"),
    ],
)
def test_options_that_contradict_each_other(arguments: list[str], words: str, run: Run) -> None:
    done = run("ap-pair", *arguments)
    assert (done.returncode, words in done.stderr.decode()) == (2, True), done.stderr


def test_every_family_has_a_demonstration_that_keeps_its_own_rules() -> None:
    from wfkit.agents.pairing.envelope import envelope_problem

    assert set(blocks()["demonstrations"]) == set(FAMILIES)
    for family, shown in blocks()["demonstrations"].items():
        envelope = json.loads(shown["answer"])
        assert envelope_problem(envelope, family.partition("/")[2], shown["original"]) is None, family


@pytest.mark.parametrize(
    ("part", "replacement", "paths"),
    [
        (Part("/user", "old"), "new", ["/user"]),
        (Part("/user", "old"), {"a": 1}, None),
        (Part("/tools/0", {"name": "a"}), {"name": "b"}, ["/tools/0"]),
        (Part("/tools/3", NEW_TOOL, True), {"name": "b"}, ["/tools/3"]),
        (Part("/tools/3", NEW_TOOL, True), "b", None),
        (
            Part("/context/1", NEW_MESSAGES, True),
            [{"role": "user"}, {"role": "assistant"}],
            ["/context/1", "/context/2"],
        ),
        (Part("/context/1", NEW_MESSAGES, True), [], None),
    ],
)
def test_what_an_answer_does_to_a_part(part: Part, replacement: Any, paths: list[str] | None) -> None:
    patch = patch_for(part, replacement)
    assert (None if patch is None else [operation["path"] for operation in patch]) == paths
