"""Recorded episodes of other tools: what their files say, and what they must not be taken to say."""

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from wfkit import schema
from wfkit.agents.grading.recorded import FORMATS
from wfkit.errors import DataError, UsageProblem
from wfkit.filters.recorded_files import read_episodes

CALL = {"id": "1", "type": "function", "function": {"name": "refund", "arguments": '{"amount": 40}'}}
CHAT = [
    {"role": "user", "content": "Refund 40."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "1", "content": "done"},
    {"role": "assistant", "content": "Done."},
]
REFUND = [{"name": "refund", "arguments": {"amount": 40}}]


def read(folder: Path, *contents: Any, form: str = "auto", names: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Write each content to a file (a list of rows as JSONL, anything else as one document) and read them all."""
    files = []
    for number, content in enumerate(contents):
        path = folder / (names[number] if names else f"file-{number}.json")
        if isinstance(content, Rows):
            path.write_text("".join(json.dumps(row) + "\n" for row in content))
        else:
            path.write_text(json.dumps(content, indent=1))
        files.append(str(path))
    episodes = [episode for _, episode in read_episodes(files, form)]
    for episode in episodes:
        schema.checker("episode")(episode)
    return episodes


class Rows(list[Any]):
    """The rows of a JSONL file."""


def test_own_records(tmp_path: Path) -> None:
    record = {"kind": "episode", "id": "a", "status": "done", "result": 1, "score": 0.5}
    assert read(tmp_path, Rows([record, {**record, "id": "b"}])) == [record, {**record, "id": "b"}]


def test_openai_chats(tmp_path: Path) -> None:
    chat = {"id": "a", "messages": CHAT, "usage": {"prompt_tokens": 9, "completion_tokens": 2}, "model": "m"}
    words = {"task_id": "b", "messages": [CHAT[0], {"role": "assistant", "content": "No."}]}
    silent = {"id": "c", "messages": [CHAT[0]]}
    first, second, third = read(tmp_path, Rows([chat, words, silent]))
    assert (first["id"], first["model"], first["result"]) == ("a", "m", REFUND)
    assert first["usage"] == {"input_tokens": 9, "output_tokens": 2, "cost_usd": None}
    assert (second["result"], third["result"], third["status"]) == ("No.", None, "gave_up")
    assert not any("score" in one for one in (first, second, third))


def test_only_calls_after_the_last_request_are_the_result(tmp_path: Path) -> None:
    later = [*CHAT, {"role": "user", "content": "And now?"}, {"role": "assistant", "content": "Nothing."}]
    (episode,) = read(tmp_path, Rows([{"id": "a", "messages": later}]))
    assert episode["result"] == "Nothing."


def test_the_output_of_a_batch(tmp_path: Path) -> None:
    body = {"model": "m", "choices": [{"message": CHAT[1]}], "usage": {"prompt_tokens": 5, "completion_tokens": 1}}
    good = {"custom_id": "a", "response": {"status_code": 200, "body": body}, "error": None}
    bad = {"custom_id": "b", "response": {"status_code": 429, "body": {"error": {"message": "slow down"}}}}
    gone = {"custom_id": "c", "response": None, "error": {"message": "expired"}}
    first, second, third = read(tmp_path, Rows([good, bad, gone]))
    assert (first["result"], first["usage"]["input_tokens"]) == (REFUND, 5)
    assert [(one["failure"], one["message"]) for one in (second, third)] == [
        ("actor_error", "slow down"), ("actor_error", "expired")
    ]  # fmt: skip


def test_a_chat_without_an_id_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="needs the id"):
        read(tmp_path, Rows([{"messages": CHAT}]))


def test_tau_results(tmp_path: Path) -> None:
    results = [
        {"task_id": 3, "reward": 1.0, "info": {}, "traj": CHAT, "trial": 2},
        {"task_id": 4, "reward": 0.0, "info": {}, "traj": CHAT, "trial": 0},
        # An exception is written down as reward 0. Nobody graded it.
        {"task_id": 5, "reward": 0.0, "info": {"error": "rate limit", "traceback": "…"}, "traj": [], "trial": 0},
    ]
    first, second, third = read(tmp_path, results)
    assert (first["id"], first["repeat"], first["score"], first["result"]) == ("3", 2, 1.0, REFUND)
    assert second["score"] == 0.0
    assert third.get("score") is None
    assert (third["failure"], third["message"]) == ("actor_error", "rate limit")


@pytest.mark.parametrize(
    ("reason", "failure", "score"),
    [
        ("user_stop", None, 1.0), ("agent_stop", None, 1.0), ("max_steps", "turn_limit", 1.0),
        ("too_many_errors", "tool_error", 1.0), ("agent_error", "actor_error", None),
        ("user_error", "grader_error", None), ("infrastructure_error", "grader_error", None),
        (None, "grader_error", None),
    ],
)  # fmt: skip
def test_why_a_tau2_simulation_ended(tmp_path: Path, reason: str | None, failure: str | None, score: Any) -> None:
    message = {"role": "assistant", "content": None, "usage": {"prompt_tokens": 7, "completion_tokens": 3},
               "tool_calls": [{"id": "1", "name": "refund", "arguments": {"amount": 40}}]}  # fmt: skip
    simulation = {"id": "s", "task_id": "3", "trial": 1, "termination_reason": reason, "reward_info": {"reward": 1.0},
                  "messages": [message, message], "agent_cost": 0.25}  # fmt: skip
    info = {"agent_info": {"implementation": "llm_agent", "llm": "m"}}
    (episode,) = read(tmp_path, {"info": info, "tasks": [], "simulations": [simulation]})
    assert (episode["id"], episode["repeat"], episode["model"]) == ("3", 1, "m")
    assert episode["usage"] == {"input_tokens": 14, "output_tokens": 6, "cost_usd": 0.25}
    assert (episode.get("failure"), episode["score"]) == (failure, score)
    assert episode["result"] == (None if failure in ("actor_error", "grader_error") else REFUND * 2)


BFCL_RESULTS = Rows([
    {"id": "simple_python_0", "result": [{"f": "{}"}], "input_token_count": 10, "output_token_count": 4, "latency": 1},
    {"id": "simple_python_1", "result": [{"f": "{}"}], "input_token_count": [[3, 4], [5]], "output_token_count": [[1]]},
    {"id": "simple_python_2", "result": "Error during inference: no key"},
])  # fmt: skip


def test_bfcl_scores_name_failures_only(tmp_path: Path) -> None:
    failures = Rows([
        {"accuracy": 1 / 3, "correct_count": 1, "total_count": 3},
        {"id": "simple_python_1", "test_category": "simple_python", "valid": False, "error": ["wrong"]},
        {"id": "simple_python_2", "test_category": "simple_python", "valid": False, "error": ["no calls"]},
    ])  # fmt: skip
    first, second, third = read(tmp_path, BFCL_RESULTS, failures)
    assert (first["score"], second["score"], third.get("score")) == (1, 0, None)
    assert third["failure"] == "actor_error"  # it is counted as wrong there, but no answer ever came
    assert first["usage"] == {"input_tokens": 10, "output_tokens": 4, "cost_usd": None}
    assert second["usage"]["input_tokens"] == 12


def test_a_bfcl_score_file_of_other_entries_is_refused(tmp_path: Path) -> None:
    header = {"accuracy": 1.0, "correct_count": 4, "total_count": 4}
    name = ("r.json", "BFCL_v4_simple_python_score.json")
    with pytest.raises(UsageProblem, match="of 4 entries, its results are 3"):
        read(tmp_path, BFCL_RESULTS, Rows([header]), names=name)
    with pytest.raises(UsageProblem, match="its name does not tell"):
        read(tmp_path, BFCL_RESULTS, Rows([header]))


def test_bfcl_results_without_scores_wait_for_a_grader(tmp_path: Path) -> None:
    episodes = read(tmp_path, BFCL_RESULTS)
    assert [one.get("score") for one in episodes] == [None, None, None]


def test_a_bfcl_category_in_which_everything_passed(tmp_path: Path) -> None:
    header = {"accuracy": 1.0, "correct_count": 3, "total_count": 3}
    names = ("BFCL_v4_simple_python_result.json", "BFCL_v4_simple_python_score.json")
    assert [one.get("score") for one in read(tmp_path, BFCL_RESULTS, Rows([header]), names=names)] == [1, 1, None]


def test_bfcl_runs_that_were_cut_off_keep_their_zero(tmp_path: Path) -> None:
    results = Rows([{"id": "multi_turn_base_7", "result": [[]]}])
    failures = Rows([
        {"accuracy": 0.0, "correct_count": 0, "total_count": 1},
        {"id": "multi_turn_base_7", "valid": False, "error": {"error_type": "multi_turn:force_terminated"}},
    ])  # fmt: skip
    (episode,) = read(tmp_path, results, failures)
    assert (episode["score"], episode["failure"]) == (0, "turn_limit")


def inspect_log(**sample: Any) -> dict[str, Any]:
    usage = {"m": {"input_tokens": 100, "output_tokens": 20}, "judge": {"input_tokens": 1, "output_tokens": 1}}
    whole = {"id": 3, "epoch": 2, "messages": CHAT, "model_usage": usage, **sample}
    return {"version": 2, "status": "success", "eval": {"model": "m", "task": "t"}, "samples": [whole]}


@pytest.mark.parametrize(
    ("scores", "score"),
    [
        ({"match": {"value": "C"}}, 1), ({"match": {"value": "I"}}, 0), ({"match": {"value": "P"}}, 0.5),
        ({"match": {"value": True}}, 1), ({"match": {"value": 0.25}}, 0.25), ({"match": {"value": 7}}, None),
        ({"match": {"value": {"a": 1}}}, None), ({}, None), (None, None),
        ({"a": {"value": "C"}, "b": {"value": "I"}}, None),
    ],
)  # fmt: skip
def test_scores_of_inspect(tmp_path: Path, scores: Any, score: float | None) -> None:
    (episode,) = read(tmp_path, inspect_log(scores=scores))
    assert (episode["id"], episode["repeat"], episode["model"], episode["score"]) == ("3", 1, "m", score)
    assert episode["usage"]["input_tokens"] == 101
    assert episode["result"] == REFUND


def test_a_failed_sample_of_inspect_has_no_score(tmp_path: Path) -> None:
    (episode,) = read(tmp_path, inspect_log(scores={}, error={"message": "no network", "traceback": ""}))
    assert (episode["failure"], episode["message"], episode["score"]) == ("actor_error", "no network", None)


@pytest.mark.parametrize(
    ("kind", "failure"), [("message", "turn_limit"), ("token", "turn_limit"), ("time", "actor_timeout")]
)
def test_limits_of_inspect(tmp_path: Path, kind: str, failure: str) -> None:
    (episode,) = read(tmp_path, inspect_log(scores={"match": {"value": "I"}}, limit={"type": kind, "limit": 9}))
    assert (episode["failure"], episode["score"]) == (failure, 0)  # the grader's number stands


@pytest.mark.parametrize("content", [{"what": 1}, [1, 2], Rows([{"id": "a"}]), "text"])
def test_a_file_that_is_in_no_format(tmp_path: Path, content: Any) -> None:
    with pytest.raises(UsageProblem, match="in no format that is read"):
        read(tmp_path, content)


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "episode"])
def test_a_file_of_another_format_than_it_is_said_to_be(tmp_path: Path, form: str) -> None:
    with pytest.raises((UsageProblem, DataError)):
        read(tmp_path, Rows([{"some": "thing"}, 7]), form=form)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "broken").write_text('{"kind": "episode"}\nrubbish\n')
    (tmp_path / "empty").write_text("")
    for name, words in (("nowhere", "cannot read"), ("broken", "broken:2: not JSON"), ("empty", "in no format")):
        with pytest.raises(UsageProblem, match=words):
            list(read_episodes([str(tmp_path / name)], "auto"))


def test_no_two_formats_claim_one_file() -> None:
    heads = [
        {"kind": "episode", "id": "a"}, {"id": "a", "messages": []}, {"custom_id": "a", "response": {}},
        [{"task_id": 1, "reward": 0, "traj": []}], {"simulations": []}, {"id": "a", "result": []},
        {"accuracy": 1, "correct_count": 1, "total_count": 1}, {"eval": {}, "samples": [], "status": "success"},
    ]  # fmt: skip
    for head in heads:
        assert [form for form in FORMATS if importlib.import_module(FORMATS[form]).matches(head)] != []
        assert sum(importlib.import_module(FORMATS[form]).matches(head) for form in FORMATS) == 1
