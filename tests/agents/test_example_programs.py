"""The actors, graders and converters of examples/agents, run as their users run them."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agents.grading.helpers import Record, lines, pair, read
from tests.conftest import ROOT, Run
from tests.llm.stand_in import Call, Response, StandIn, completion, failure
from wfkit import schema
from wfkit.agents.command import LineCommand

AGENTS = ROOT / "examples" / "agents"
REFUND = {
    "type": "function",
    "function": {
        "name": "refund", "description": "Refunds a part of an order.",
        "parameters": {
            "type": "object", "required": ["amount"],
            "properties": {"amount": {"type": "integer", "description": "The amount in dollars."}},
        },
    },
}  # fmt: skip
LOOK_UP = {"name": "look_up", "description": "Finds a customer.", "parameters": {"type": "dict", "properties": {}}}


def python(name: str, *arguments: str) -> str:
    return " ".join(["exec", sys.executable, str(AGENTS / name), *arguments])


def node(name: str, *arguments: str) -> str:
    if shutil.which("node") is None:
        pytest.skip("Node is not here")
    return " ".join(["exec node", str(AGENTS / name), *arguments])


@pytest.fixture
def talk() -> Iterator[Any]:
    """A function that starts a program that speaks JSON lines."""
    started: list[LineCommand] = []

    def start(command: str, **environment: str) -> LineCommand:
        import os

        started.append(LineCommand(command, timeout=30, environment={**os.environ, **environment}))
        return started[-1]

    yield start
    for command in started:
        command.stop()


def task(**public: Any) -> Record:
    return {"kind": "task", "id": "t", "public": public}


def checked(episode: Record) -> Record:
    schema.checker("episode")(episode)
    return episode


@pytest.mark.parametrize(
    "public",
    [
        {"user": "Please refund 40 dollars of the order.", "tools": [LOOK_UP, REFUND]},
        {"question": [[{"role": "user", "content": "Refund 40 dollars."}]], "function": [LOOK_UP, REFUND["function"]]},
        {"messages": [{"role": "user", "content": "Hello 7."}, {"role": "user", "content": "Refund 40 dollars."}],
         "tools": [REFUND]},
    ],
)  # fmt: skip
def test_the_lexical_actor_reads_what_it_is_shown(talk: Any, public: Record) -> None:
    episode = checked(talk(python("lexical.py")).ask(task(**public)))
    assert episode["result"] == [{"name": "refund", "arguments": {"amount": 40}}]


def test_the_lexical_actor_asks_for_a_number_that_is_not_there(talk: Any) -> None:
    actor = talk(python("lexical.py"))
    question = actor.ask(task(user="Please refund some dollars.", tools=[REFUND]))
    assert (question["kind"], question["question"]) == ("ask", "What is the amount?")
    episode = actor.ask({"kind": "answer", "id": "t", "text": "It is 40."})
    assert (episode["result"], episode["turns"]) == ([{"name": "refund", "arguments": {"amount": 40}}], 2)


def test_two_languages_and_two_sentinels(tmp_path: Path, run: Run) -> None:
    reference = [{"name": "refund", "arguments": {"amount": 40, "order": "W"}}]
    (tmp_path / "pairs.jsonl").write_bytes(lines([pair("a", private={"reference": reference}), pair("b", private={})]))
    for name, actor, score in (("ref", python("replay.py", "pairs.jsonl"), 1), ("noop", node("do_nothing.mjs"), 0)):
        done = run("ap-grade", "--actor", actor, "--grader", node("exact.mjs"), "--out", f"{name}.jsonl", "pairs.jsonl",
                   cwd=tmp_path)  # fmt: skip
        assert done.returncode == 0, done.stderr
        first, second = read(tmp_path / f"{name}.grades.jsonl")
        assert [first["clean"]["score"], first["perturbed"]["score"]] == [score, score]
        assert second["clean"]["status"] == "grader_error"  # there is no reference to compare with
        assert second["clean"]["failure"] == "the instance has no reference"


# The actor that is a language model, against a real server


def tool_call(name: str = "refund", arguments: str = '{"amount": 40}') -> list[Record]:
    return [{"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}]


def llm(talk: Any, server: StandIn, *arguments: str) -> LineCommand:
    return talk(python("llm_actor.py", "model", *arguments), **server.environment)


def test_the_calls_of_a_model_are_its_result(talk: Any) -> None:
    with StandIn([completion("", tool_calls=tool_call())]) as server:
        episode = checked(llm(talk, server).ask(task(user="Refund 40.", procedure="Be kind.", tools=[REFUND])))
        (call,) = server.calls
    assert episode["result"] == [{"name": "refund", "arguments": {"amount": 40}}]
    assert (episode["turns"], episode["tool_calls"]) == (1, 1)
    assert episode["usage"] == {"input_tokens": 100, "output_tokens": 20}
    assert episode["version"] == ("stand-in-1|sampling=provider|max_completion_tokens=16384|max_turns=200|timeout=1800")
    assert [(one["role"], one["content"]) for one in call.body["messages"]] == [
        ("system", "Be kind."), ("user", "Refund 40.")
    ]  # fmt: skip
    assert call.body["max_completion_tokens"] == 16384
    assert not {"temperature", "top_p", "seed"} & call.body.keys()  # the provider's own sampling


def test_tools_in_the_dialect_of_bfcl_are_put_into_json_schema_and_names_back_again(talk: Any) -> None:
    tool = {"name": "math.add", "description": "", "parameters": {
        "type": "dict", "properties": {"x": {"type": "float"}, "y": {"type": "any"}, "z": {"type": "tuple"}},
    }}  # fmt: skip
    with StandIn([completion(None, tool_calls=tool_call("math_add", "{}"))]) as server:
        episode = llm(talk, server).ask(task(question=[[{"role": "user", "content": "Add."}]], function=[tool]))
        (shown,) = server.calls[0].body["tools"]
    assert episode["result"] == [{"name": "math.add", "arguments": {}}]
    assert shown["function"]["name"] == "math_add"
    assert shown["function"]["parameters"] == {
        "type": "object", "properties": {"x": {"type": "number"}, "y": {}, "z": {"type": "array"}}
    }  # fmt: skip


def test_what_a_model_asks_is_asked_of_the_user(talk: Any) -> None:
    with StandIn([completion("How much?"), completion("", tool_calls=tool_call())]) as server:
        actor = llm(talk, server)
        assert actor.ask(task(user="Refund some.", tools=[REFUND]))["question"] == "How much?"
        episode = actor.ask({"kind": "answer", "id": "t", "text": "40."})
        assert server.calls[1].body["messages"][-1] == {"role": "user", "content": "40."}
    assert episode["result"] == [{"name": "refund", "arguments": {"amount": 40}}]


def test_calls_are_made_where_there_is_an_environment(talk: Any, tmp_path: Path) -> None:
    world = tmp_path / "world.py"
    world.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    told = json.loads(line)\n"
        "    print(json.dumps({'id': told['id'], 'output': told.get('arguments')}), flush=True)\n"
    )
    with StandIn([completion("", tool_calls=tool_call()), completion("Done.")]) as server:
        actor = llm(talk, server, "--environment", f"'{sys.executable} {world}'")
        episode = checked(actor.ask(task(user="Refund 40.", tools=[REFUND], environment={"suite": "s"})))
    assert [one["role"] for one in episode["messages"]][-3:] == ["assistant", "tool", "assistant"]
    assert episode["messages"][-2]["content"] == '{"amount": 40}'
    assert (episode["turns"], episode["tool_calls"]) == (2, 1)


@pytest.mark.parametrize(
    ("answers", "arguments", "status", "words"),
    [
        ([failure(401, "no such key")], (), "actor_error", "no such key"),
        ([completion("", tool_calls=tool_call(arguments="{"))], (), "parse_error", "no JSON"),
        ([Response("rubbish")], (), "parse_error", "the service answered"),
        (
            [completion("", tool_calls=tool_call())],
            ("--max-turns", "3", "--environment", "'yes {}'"),
            "turn_limit",
            "3 turns",
        ),
        ([failure(503, "busy", retry_after="20")], ("--timeout", "2"), "actor_timeout", "no time is left"),
    ],
)
def test_what_can_become_of_an_episode(
    talk: Any, answers: list[Response], arguments: tuple[str, ...], status: str, words: str
) -> None:
    with StandIn(answers) as server:
        episode = checked(llm(talk, server, *arguments).ask(task(user="Refund 40.", tools=[REFUND])))
    assert episode["failure"] == status
    assert words in episode["message"]


def test_a_failure_that_passes_is_tried_again(talk: Any) -> None:
    with StandIn([failure(429, "slow down", retry_after="0"), completion("", tool_calls=tool_call())]) as server:
        episode = llm(talk, server).ask(task(user="Refund 40.", tools=[REFUND]))
    assert "failure" not in episode


def test_a_service_that_knows_the_older_name_of_the_limit_only(talk: Any) -> None:
    def old(call: Call) -> Response:
        if "max_completion_tokens" in call.body:
            return failure(400, "unknown parameter max_completion_tokens")
        return completion("", tool_calls=tool_call())

    with StandIn(old) as server:
        assert "failure" not in llm(talk, server).ask(task(user="Refund 40.", tools=[REFUND]))
        assert server.calls[-1].body["max_tokens"] == 16384


def test_a_whole_run_of_a_model(tmp_path: Path, run: Run) -> None:
    """The model refunds what stands in the request; on the perturbed side another amount stands there."""

    def model(call: Call) -> Response:
        amount = "".join(letter for letter in call.prompt if letter.isdigit())
        return completion("", tool_calls=tool_call(arguments=json.dumps({"amount": int(amount)})))

    reference = [{"name": "refund", "arguments": {"amount": 40}}]
    sides = [
        {"id": name, "public": {"user": f"Refund {amount}.", "tools": [REFUND]}}
        for name, amount in (("c", 40), ("p", 50))
    ]
    pairs = lines([pair("a", clean=sides[0], perturbed=sides[1], private={"reference": reference})])
    with StandIn(model) as server:
        words = ["--actor", python("llm_actor.py", "model"), "--grader", node("exact.mjs"), "--out", "runs.jsonl"]
        done = run("ap-grade", *words, stdin=pairs, cwd=tmp_path, env=server.environment)
        assert "sk-test-secret" not in json.dumps(server.calls[0].body)
    assert done.returncode == 0, done.stderr
    (grade,) = read(tmp_path / "runs.grades.jsonl")
    assert (grade["clean"]["score"], grade["perturbed"]["score"]) == (1, 0)
    assert grade["clean"]["version"].startswith("stand-in-1|")
    assert b"sk-test-secret" not in (tmp_path / "runs.jsonl").read_bytes()


# Converters


def converted(command: str, folder: Path, content: str, code: int = 0) -> list[Record]:
    (folder / "export.json").write_text(content)
    done = subprocess.run(["/bin/sh", "-c", f"{command} {folder}/export.json"], capture_output=True, check=False)
    assert done.returncode == code, done.stderr
    return [checked(json.loads(line)) for line in done.stdout.splitlines()]


def span(trace: str, start: int, parent: str = "", status: int = 0, **attributes: Any) -> Record:
    kinds = {int: "intValue", str: "stringValue"}
    named = [{"key": key.replace("__", "."), "value": {kinds[type(one)]: str(one)}} for key, one in attributes.items()]
    return {"traceId": trace, "spanId": f"{trace}{start}", "parentSpanId": parent, "startTimeUnixNano": str(start),
            "attributes": named, "status": {"code": status, "message": "gone" if status else ""}}  # fmt: skip


def test_spans_of_opentelemetry(tmp_path: Path) -> None:
    part = {"type": "tool_call", "id": "1", "name": "refund", "arguments": {"amount": 40}}
    output = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "Fine."}, part]}])
    spans = [
        span("one", 1, gen_ai__operation__name="invoke_agent", wfkit__task__id="c-a", gen_ai__usage__input_tokens=30),
        span("one", 2, "one1", gen_ai__operation__name="chat", gen_ai__response__model="m",
             gen_ai__usage__input_tokens=20, gen_ai__usage__output_tokens=5, gen_ai__output__messages=output),
        # the older names, and no contents: they are off by default
        span("one", 3, "one1", gen_ai__operation__name="chat", gen_ai__usage__prompt_tokens=10),
        span("two", 1, status=2, gen_ai__operation__name="chat", gen_ai__conversation__id="p-a"),
        span("three", 1, gen_ai__operation__name="chat"),
    ]  # fmt: skip
    document = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    first, second = converted(python("otel_spans.py"), tmp_path, json.dumps(document), code=3)  # one names no task
    assert (first["id"], first["model"], first["turns"], first["tool_calls"]) == ("c-a", "m", 2, 1)
    assert first["usage"] == {"input_tokens": 30, "output_tokens": 5}  # the agent's own sum is not counted again
    assert first["result"] == [{"name": "refund", "arguments": {"amount": 40}}]
    assert (second["id"], second["failure"], second["message"]) == ("p-a", "actor_error", "gone")


def test_an_export_of_langsmith(tmp_path: Path) -> None:
    message = {"kwargs": {"content": "", "tool_calls": [{"id": "1", "name": "refund", "args": {"amount": 40}}]}}
    runs = [
        {"id": "2", "trace_id": "t1", "parent_run_id": "1", "run_type": "llm", "start_time": "2", "prompt_tokens": 9,
         "completion_tokens": 3, "outputs": {"generations": [[{"message": message}]]}},
        {"id": "1", "trace_id": "t1", "parent_run_id": None, "run_type": "chain", "name": "agent", "start_time": "1",
         "extra": {"metadata": {"task_id": "c-a", "ls_model_name": "m"}},
         "feedback_stats": {"correctness": {"avg": 1}}},
        {"id": "3", "trace_id": "t2", "parent_run_id": None, "run_type": "chain", "name": "p-a", "start_time": "3",
         "error": "no network", "feedback_stats": {"correctness": {"avg": 0}}},
    ]  # fmt: skip
    content = "".join(json.dumps(one) + "\n" for one in runs)
    first, second = converted(node("langsmith.mjs"), tmp_path, content)
    assert (first["id"], first["model"], first["score"], first["turns"]) == ("c-a", "m", 1, 1)
    assert first["usage"] == {"input_tokens": 9, "output_tokens": 3}
    assert first["result"] == [{"name": "refund", "arguments": {"amount": 40}}]
    assert (second["id"], second["failure"]) == ("p-a", "actor_error")
    assert "score" not in second  # a run that failed was graded by nobody
