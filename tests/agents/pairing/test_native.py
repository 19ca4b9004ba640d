"""The built-in native check on hostile input: schemas that point elsewhere, parameters that are none, odd messages."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace
from typing import Any

import pytest

from wfkit.agents.pairing.chat import chat_problem, messages_around
from wfkit.agents.pairing.native import schemas
from wfkit.agents.pairing.native.schemas import candidate_problem, native_problem

Record = dict[str, Any]
CHECKS = [schemas.meta_check_with_jsonschema_rs, schemas.meta_check_with_jsonschema]


@pytest.fixture(params=CHECKS, ids=["jsonschema_rs", "jsonschema"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Both libraries in turn, with nothing remembered of the other one."""
    schemas._schema_problem.cache_clear()
    check = request.param()
    monkeypatch.setattr(schemas, "_meta_check", lambda: check)
    yield
    schemas._schema_problem.cache_clear()


@pytest.fixture
def visits() -> Iterator[tuple[str, list[str]]]:
    """The address of a local server, and the paths that were asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/x", asked
    server.shutdown()
    thread.join()
    server.server_close()


def pointing(address: str) -> list[Record]:
    """Schemas that name an address wherever a library might follow it."""
    inner = {"$schema": address, "type": "string"}
    return [
        {"$schema": address, "type": "object"},
        {"type": "object", "properties": {"a": inner, "b": {"items": inner}}},
        {"type": "object", "$defs": {"a": inner}, "allOf": [inner]},
        {"type": "object", "properties": {"a": {"$ref": address}}},
        {"type": "object", "properties": {"a": {"$dynamicRef": f"{address}#meta"}}},
        {"$id": address, "$ref": address, "$dynamicRef": address},
        {"$id": address, "$schema": address, "$vocabulary": {address: True}},
    ]


def problem_of(tools: Any, dialect: str = "json-schema") -> str | None:
    return native_problem({"tools": tools}, {"tools": ("/tools",)}, dialect)


def problem_of_candidate(tools: Any, short: SimpleNamespace) -> str | None:
    patch = [{"op": "replace", "path": "/tools", "value": tools}]
    return candidate_problem(short.candidate("tools/incorrect", patch))


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("dialect", ["json-schema", "bfcl"])
def test_no_address_in_a_schema_is_looked_up(
    dialect: str, visits: tuple[str, list[str]], short: SimpleNamespace
) -> None:
    address, asked = visits
    for schema in pointing(address):
        tools = [{"name": "a", "parameters": schema}]
        assert problem_of(tools, dialect) is None
        assert problem_of_candidate(tools, short) is None
    assert asked == []


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("address", ["file:///etc/passwd", "http://127.0.0.1:1/x", "::", "", "x:y", "#"])
def test_an_address_that_leads_nowhere_is_no_crash(address: str, short: SimpleNamespace) -> None:
    for schema in pointing(address):
        tools = [{"name": "a", "parameters": schema}]
        for problem in (problem_of(tools), problem_of_candidate(tools, short)):
            assert problem is None or problem.startswith("tool a: ")


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("dialect", ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/schema#"])
def test_the_dialect_is_ours_whatever_a_schema_says(dialect: str, short: SimpleNamespace) -> None:
    wrong = {"$schema": dialect, "type": "object", "properties": {"x": {"$schema": dialect, "type": "strong"}}}
    tools = [{"name": "a", "parameters": wrong}]
    assert "strong" in (problem_of(tools) or "")
    assert "strong" in (problem_of_candidate(tools, short) or "")


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    ("schema", "is_legal"),
    [
        ({}, True),
        ({"type": ["object", "null"]}, True),
        ({"type": ["string", "null"]}, False),
        ({"type": "string"}, False),
        ({"type": {}}, False),
        ({"$schema": 5}, False),
        ({"type": "object", "properties": 3}, False),
        ({"type": "object", "required": "x"}, False),
        ({"type": "object", "required": [["x"]]}, False),
        ({"type": "object", "properties": {"x": {"pattern": "a{9999999999999999}"}}}, True),
        ({"type": "object", "properties": {"x": {"minimum": 10**3000}}}, True),
        ({"type": "object", "properties": {"x": {"multipleOf": 0}}}, False),
    ],
)
def test_both_libraries_judge_alike(schema: Record, is_legal: bool) -> None:
    assert (problem_of([{"name": "a", "parameters": schema}]) is None) is is_legal


def test_what_a_library_cannot_bear_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(schema: Any) -> str | None:
        raise RecursionError("too deep")

    monkeypatch.setattr(schemas, "_meta_check", lambda: fail)
    schema = {"type": "object", "title": "nobody has asked for it before"}
    problem = "tool a: the parameters cannot be checked: RecursionError: too deep"
    assert problem_of([{"name": "a", "parameters": schema}]) == problem
    schemas._schema_problem.cache_clear()


@pytest.mark.parametrize("key", ["parameters", "inputSchema"])
@pytest.mark.parametrize("value", ["foo", "", [1], [], True, False, None, 5, 0])
def test_parameters_that_are_no_object(value: Any, key: str, short: SimpleNamespace) -> None:
    for tool in ({"name": "a", key: value}, {"type": "function", "function": {"name": "a", key: value}}):
        assert problem_of([tool]) == "tool a: the parameters are no object"
        assert problem_of_candidate([tool], short) == "tool a: the parameters are no object"


def test_parameters_may_be_absent() -> None:
    assert problem_of([{"name": "a"}, {"type": "function", "function": {"name": "b"}}]) is None


@pytest.mark.parametrize(
    ("name", "is_legal"),
    [
        ("a", True), ("___", True), ("-", True), ("A-z_0", True), ("a" * 64, True),
        ("a" * 65, False), ("", False), ("näme", False), ("a b", False), ("a.b", False), ("a\n", False), ("٣", False),
    ],
)  # fmt: skip
def test_names_that_chat_services_take(name: str, is_legal: bool) -> None:
    assert (problem_of([{"type": "function", "function": {"name": name}}]) is None) is is_legal
    assert problem_of([{"name": name}]) is None  # other benchmarks have their own rules


# Messages

ASKED = {"role": "assistant", "tool_calls": [{"id": "c"}]}


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([{"role": ["user"], "content": "x"}], "no role that exists"),
        ([{"role": {}, "content": "x"}], "no role that exists"),
        ([{"role": None, "content": "x"}], "no role that exists"),
        ([{"role": "User", "content": "x"}], "no role that exists"),
        (["x"], "no role that exists"),
        ([{"role": "user", "content": 5}], "neither text nor a list"),
        ([{"role": "user", "content": {"text": "x"}}], "neither text nor a list"),
        ([{"role": "system", "content": True}], "neither text nor a list"),
        ([{"role": "user", "content": []}], "is empty"),
        ([{"role": "assistant", "tool_calls": {"id": "c"}}], "tool_calls is no list"),
        ([{"role": "assistant", "tool_calls": ["c"]}], "a call of tool_calls is no object"),
        ([ASKED, {"role": "tool", "tool_call_id": ["c"], "content": "x"}], "which nobody made before"),
        ([ASKED, {"role": "tool", "tool_call_id": {}, "content": "x"}], "which nobody made before"),
        ([ASKED, {"role": "tool", "tool_call_id": None, "content": "x"}], "which nobody made before"),
    ],
)
def test_messages_of_odd_types(messages: list[Any], words: str) -> None:
    assert words in (chat_problem(messages) or "")


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": [{"type": "text", "text": "x"}]}],
        [ASKED, {"role": "tool", "tool_call_id": "c", "content": {"rows": 3}}, {"role": "assistant", "content": "x"}],
        [{"role": "assistant", "tool_calls": [{"id": ["c"]}]}, {"role": "function", "name": "f", "content": 7}],
    ],
)
def test_messages_that_are_legal(messages: list[Any]) -> None:
    assert chat_problem(messages) is None


@pytest.mark.parametrize("place", ["03", "٣", "9" * 5000, "-"])
def test_a_chat_is_not_looked_for_at_an_index_that_is_none(place: str) -> None:
    chat = [{"role": "user", "content": "x"}]
    assert messages_around({"chats": [chat] * 4}, {"user": (f"/chats/{place}/0/content",)}) == []
    assert messages_around({"chats": [chat] * 4}, {"user": ("/chats/3/0/content",)}) == chat


def test_hostile_instances_and_candidates_end_as_records(short: SimpleNamespace) -> None:
    odd: list[Callable[[Record], Any]] = [
        lambda public: public["messages"][1].update(role=["user"]),
        lambda public: public["tools"][0]["function"].update(parameters={"$schema": "http://127.0.0.1:1/x"}),
        lambda public: public["tools"][0]["function"].update(parameters="foo"),
    ]
    for change in odd:
        instance = short.desk()
        change(instance["public"])
        assert {pair["status"] for pair in short.pairs(instance, "user/redundant", "tools/missing")} <= {
            "accepted", "rejected", "inapplicable",
        }  # fmt: skip
