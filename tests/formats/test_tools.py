"""The exports of tools: their switches, and what each format has of its own, on small files made by hand."""

# ruff: noqa: E501 - tables

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from wfkit.errors import DataError

Parse = Callable[..., list[dict[str, Any]]]


def shown(record: dict[str, Any]) -> str:
    """A record in one line: its steps, then its edges."""
    if "problem" in record:
        return f"{record['problem'].code}: {record['problem']}"
    nodes = " ".join(node["id"] for node in record["nodes"])
    return f"{nodes} | {' '.join(sorted('>'.join(edge) for edge in record['edges']))}"


def codes(record: dict[str, Any]) -> list[str]:
    return [warning.partition(":")[0] for warning in record["meta"].get("warnings", [])]


def attributes(record: dict[str, Any]) -> dict[str, Any]:
    return {f"{source}>{target}": values for source, target, values in record["meta"].get("edge_attrs", [])}


# --- n8n ---------------------------------------------------------------------------------------------------------


def n8n_node(name: str, kind: str = "code", **fields: Any) -> dict[str, Any]:
    return {"name": name, "id": f"id-{name}", "type": f"n8n-nodes-base.{kind}", "parameters": {}, **fields}


def to(*names: str, kind: str = "main") -> list[dict[str, Any]]:
    return [{"node": name, "type": kind, "index": 0} for name in names]


def n8n(nodes: list[dict[str, Any]], connections: dict[str, Any]) -> dict[str, Any]:
    return {"name": "Flow", "nodes": nodes, "connections": connections}


AGENT = n8n(
    [
        n8n_node("T", "manualTrigger"),
        n8n_node("A", "agent"),
        n8n_node("M", "lmChatOpenAi"),
        n8n_node("V", "toolVectorStore"),
        n8n_node("E", "embeddings"),
        n8n_node("S", "stickyNote", parameters={"content": "note"}),
    ],
    {
        "T": {"main": [to("A")]},
        "M": {"ai_languageModel": [to("A", kind="ai_languageModel")]},
        "V": {"ai_tool": [to("A", kind="ai_tool")]},
        "E": {"ai_embedding": [to("V", kind="ai_embedding")]},
    },
)


def test_n8n_sub_nodes_are_what_an_agent_uses(parse: Parse) -> None:
    (record,) = parse(AGENT)
    assert shown(record) == "T A | T>A"
    assert record["nodes"][1]["uses"] == ["E", "M", "V"]
    assert (record["task"], record["meta"]["notes"]) == ("Flow", ["note"])
    (kept,) = parse(AGENT, keep_wiring=True)
    assert shown(kept) == "E M T V A | E>V M>A T>A V>A"
    assert attributes(kept)["M>A"] == {"label": "ai_languageModel", "kind": "wiring"}


def test_n8n_outputs_have_names(parse: Parse) -> None:
    rules = {"rules": {"values": [{"outputKey": "big"}, {}]}, "options": {"fallbackOutput": "extra"}}
    nodes = [
        n8n_node("I", "if"),
        n8n_node("S", "switch", parameters=rules),
        n8n_node("L", "splitInBatches", typeVersion=3),
        n8n_node("H", "httpRequest", onError="continueErrorOutput"),
        *(n8n_node(name) for name in "abcdefgh"),
    ]
    connections = {
        "I": {"main": [to("S"), to("L")]},
        "S": {"main": [to("a"), to("b"), to("c")]},
        "L": {"main": [to("d"), to("H")]},
        "H": {"main": [to("e"), to("f")]},
        "e": {"main": [None, to("g")]},
        "g": {"main": [to("h")]},
    }
    (record,) = parse(n8n(nodes, connections))
    labels = {edge: values["label"] for edge, values in attributes(record).items()}
    assert labels == {
        "I>S": "true", "I>L": "false", "S>a": "big", "S>b": "rule 2", "S>c": "fallback", "L>d": "done", "L>H": "loop",
        "H>f": "error", "e>g": "output 1",
    }  # fmt: skip
    assert attributes(record)["H>f"]["kind"] == "error"
    (without,) = parse(n8n(nodes, connections), error_edges=False)
    assert "f" not in shown(without).split()


def test_n8n_disabled_nodes_and_no_operations_let_data_through(parse: Parse) -> None:
    nodes = [n8n_node("a"), n8n_node("b", disabled=True), n8n_node("n", "noOp"), n8n_node("c")]
    flow = n8n(nodes, {"a": {"main": [to("b")]}, "b": {"main": [to("n")]}, "n": {"main": [to("c")]}})
    (record,) = parse(flow)
    assert (shown(record), codes(record)) == ("a c | a>c", ["W-DISABLED"])
    (kept,) = parse(flow, keep_disabled=True)
    assert (shown(kept), codes(kept)) == ("a b c | a>b b>c", [])


def test_n8n_connections_by_id(parse: Parse) -> None:
    flow = n8n([n8n_node("a"), n8n_node("b")], {"id-a": {"main": [to("id-b")]}})
    (record,) = parse(flow)
    assert (shown(record), codes(record)) == ("a b | a>b", ["W-ID-KEY"])


def test_n8n_wrappings(parse: Parse) -> None:
    flow = n8n([n8n_node("a"), n8n_node("b")], {"a": {"main": [to("b")]}})
    for wrapped in (flow, [flow], {"data": [flow]}, {"workflow": flow}):
        assert [shown(record) for record in parse(wrapped)] == ["a b | a>b"]
    ids = [record["id"] for record in parse([{**flow, "id": "x"}, {**flow, "id": "y"}, flow])]
    assert ids == ["x", "y", "t/3"]
    assert parse({**flow, "id": "x"})[0]["id"] == "t"  # a single export is named after its file


@pytest.mark.parametrize(
    ("flow", "expected"),
    [
        (n8n([n8n_node("a"), n8n_node("a")], {}), "E-DUP-ID: step id 'a' occurs twice"),
        (n8n([n8n_node("a")], {"a": {"main": [to("z")]}}), "E-GHOST: edge to a step that is not listed: a -> z"),
        (n8n([n8n_node("a"), n8n_node("b")], {}), "E-NO-EDGES: 2 steps"),
        (n8n([], {}), "E-NO-NODES: there are no steps"),
        (n8n([{"name": "a"}], {}), "E-SYNTAX: a node has no name or no type"),
        (n8n([n8n_node("a")], {"a": {"main": [[{"index": 0}]]}}), "E-SYNTAX: a connection names no node"),
        (n8n([n8n_node("a")], {"a": 5}), "E-SYNTAX: connections of a node are no object"),
    ],
)  # fmt: skip
def test_n8n_refused(flow: dict[str, Any], expected: str, parse: Parse) -> None:
    assert_refused(flow, expected, parse)


def assert_refused(given: Any, expected: str, parse: Parse, wanted: str = "auto") -> None:
    try:
        (record,) = parse(given, wanted)
        error = record["problem"]
    except DataError as caught:
        error = caught
    assert f"{error.code}: {error}".startswith(expected)


@pytest.mark.parametrize(
    ("name", "kind", "parameters", "text"),
    [
        ("HTTP Request2", "n8n-nodes-base.httpRequest", {"method": "POST", "url": "=https://x/{{ $json.a }}"}, "HTTP Request: POST https://x/{{ $json.a }}"),
        ("HTTP Request", "n8n-nodes-base.httpRequest", {}, "HTTP Request"),
        ("Get weather", "n8n-nodes-base.httpRequest", {"url": "https://x"}, "Get weather"),
        ("Gmail1", "n8n-nodes-base.gmail", {"operation": "getAll", "resource": "message"}, "Gmail: get all message"),
        ("Supabase", "n8n-nodes-base.supabase", {"tableId": {"value": "t1", "cachedResultName": "users"}}, "Supabase: users"),
        ("Merge1", "n8n-nodes-base.merge", {}, "Merge 1"),
        ("Upload to S3", "n8n-nodes-base.awsS3", {}, "Upload to S3"),
        ("Webhook", "n8n-nodes-base.webhook", {"path": "0f8fad5b-d9cb-469f-a165-70867728950e"}, "Webhook"),
    ],
)  # fmt: skip
def test_n8n_names_in_words(name: str, kind: str, parameters: dict[str, Any], text: str) -> None:
    from wfkit.formats.n8n_nodes import node_words

    assert node_words(name, kind, parameters) == text


# --- the text of steps ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        ("auto", "Fetch it"),
        ("name", "get_weather step"),
        ("desc", "Fetch it"),
        ("both", "get_weather step: Fetch it"),
        ("{name} by {type} for {data.owner.team}{nothing}", "get_weather step by tool for ops"),
    ],
)
def test_choices_of_text(choice: str, text: str, parse: Parse) -> None:
    data = {"label": "get_weather step", "description": "Fetch it", "owner": {"team": "ops"}}
    graph = {"nodes": [{"id": "a", "type": "tool", "data": data}], "edges": []}
    assert parse(graph, text=choice)[0]["nodes"][0]["text"] == text


def test_parameters_are_kept_on_request(parse: Parse) -> None:
    flow = n8n([n8n_node("a", parameters={"url": "u"})], {})
    assert "params" not in parse(flow)[0]["nodes"][0]
    assert parse(flow, params=True)[0]["nodes"][0]["params"] == {"url": "u"}


# --- graph ---------------------------------------------------------------------------------------------------------


def react(*nodes: dict[str, Any], edges: list[Any]) -> dict[str, Any]:
    return {"nodes": [{"position": {}, "data": {"label": one["id"]}, **one} for one in nodes], "edges": edges}


def link(source: Any, target: Any, **fields: Any) -> dict[str, Any]:
    return {"source": source, "target": target, **fields}


DIFY_LOOP = {
    "kind": "app",
    "app": {"name": "App", "description": "What it is for"},
    "workflow": {
        "graph": {
            "nodes": [
                {"id": "s", "data": {"type": "start", "title": "Start"}},
                {"id": "i", "data": {"type": "iteration", "title": "Each one", "desc": "of the list"}},
                {"id": "is", "parentId": "i", "data": {"type": "iteration-start", "title": ""}},
                {"id": "x", "parentId": "i", "data": {"type": "llm", "title": "Ask"}},
                {"id": "y", "parentId": "i", "data": {"type": "code", "title": "Clean"}},
                {"id": "q", "data": {"type": "question-classifier", "title": "Which", "classes": [{"id": "1", "name": "refund"}]}},
                {"id": "n", "type": "custom-note", "data": {"type": "", "title": "a note"}},
                {"id": "a", "data": {"type": "answer", "title": "Answer"}},
                {"id": "f", "data": {"type": "code", "title": "Repair"}},
            ],
            "edges": [
                link("s", "i"), link("is", "x"), link("x", "y", sourceHandle="source"), link("i", "q"),
                link("q", "a", sourceHandle="1"), link("x", "f", sourceHandle="fail-branch"),
            ],
        }
    },
}  # fmt: skip


def test_dify_iterations_are_containers(parse: Parse) -> None:
    (record,) = parse(DIFY_LOOP)
    assert shown(record) == "i i/x i/y f q a | i/x>f i/x>i/y i/y>q i>i/x q>a"
    assert {node["id"]: node["text"] for node in record["nodes"]}["i"] == "Each one: of the list"
    assert attributes(record) == {
        "q>a": {"label": "refund", "kind": "conditional"},
        "i/x>f": {"label": "fail-branch", "kind": "error"},
    }
    assert (record["task"], record["meta"]["start"]) == ("What it is for", ["i"])


def test_dify_iterations_closed(parse: Parse) -> None:
    closed = copy.deepcopy(DIFY_LOOP)
    graph = closed["workflow"]["graph"]
    graph["nodes"] = [node for node in graph["nodes"] if node["id"] != "f"]
    graph["edges"] = [edge for edge in graph["edges"] if edge["target"] != "f"]
    assert shown(parse(closed, collapse=True)[0]) == "i q a | i>q q>a"
    assert shown(parse(closed)[0]) == "i i/x i/y q a | i/x>i/y i/y>q i>i/x q>a"


@pytest.mark.parametrize(
    ("value", "expected", "warnings"),
    [
        (react({"id": "a"}, {"id": "b"}, edges=[link("a", "b")]), "a b | a>b", []),
        (react({"id": "a"}, {"id": "b"}, edges=[link("a", "b"), link("b", "z")]), "a b | a>b", ["W-GHOST"]),
        (react({"id": "a"}, {"id": "n", "type": "note"}, edges=[]), "a | ", []),
        (
            react({"id": "g", "type": "group"}, {"id": "a", "parentId": "g"}, {"id": "b", "parentId": "g"}, {"id": "c"}, {"id": "d"},
                  edges=[link("c", "g"), link("a", "b"), link("g", "d")]),
            "c a b d | a>b b>d c>a", [],
        ),
        ({"nodes": [{"name": "a", "text": "x"}, {"name": "b", "text": "y"}], "edges": [link("a", "b")]}, "a b | a>b", []),
        ({"nodes": [{"id": 1, "label": "x"}, {"id": 2, "label": "y"}], "links": [link(1, 2)], "directed": True}, "1 2 | 1>2", []),
        ({"nodes": {"a": {"text": "x"}, "b": "y"}, "edges": [["a", "b"]]}, "a b | a>b", []),
        ({"graph": {"nodes": [{"id": "a", "text": "x"}, {"id": "b", "text": "y"}], "edges": ["a->b"]}}, "a b | a>b", []),
        ({"nodes": [{"id": "a", "text": "x"}, {"id": "b", "text": "y"}], "transitions": [{"from": "a", "to": "b"}]}, "a b | a>b", []),
        ({"nodes": [{"id": "a", "text": "x"}, {"id": "b", "text": "y"}], "edges": [{"src": "a", "dst": "b"}]}, "a b | a>b", []),
        (
            {"data": {"nodes": [{"id": "P-1", "type": "genericNode", "data": {"type": "Prompt", "node": {"display_name": "Prompt"}}},
                                {"id": "O-2", "data": {"type": "ChatOutput", "node": {"display_name": "Chat Output"}}},
                                {"id": "n", "type": "noteNode", "data": {}}],
                      "edges": [link("P-1", "O-2", sourceHandle="{œnameœ:œxœ}")]}, "name": "Flow"},
            "P-1 O-2 | P-1>O-2", [],
        ),
        ({"flowData": '{"nodes":[{"id":"a","data":{"label":"A","name":"x","category":"Agent Flows"}},{"id":"b","data":{"label":"B","name":"y","category":"Agent Flows"}}],"edges":[{"source":"a","target":"b"}]}'}, "a b | a>b", []),
        ({"nodes": [{"id": "__start__"}, {"id": "sub:plan", "type": "runnable", "data": {"name": "sub:plan"}}, {"id": "__end__"}],
          "edges": [link("__start__", "sub:plan"), link("sub:plan", "__end__", conditional=True, data="done")]}, "sub:plan | ", []),
    ],
)  # fmt: skip
def test_graphs_of_tools(value: dict[str, Any], expected: str, warnings: list[str], parse: Parse) -> None:
    (record,) = parse(value)
    assert (shown(record), codes(record)) == (expected, warnings)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"nodes": [{"id": 1}], "links": [], "directed": False, "multigraph": False}, "E-UNDIRECTED"),
        (react({"id": "a"}, {"id": "a"}, edges=[]), "E-DUP-ID: step id 'a' occurs twice"),
        (react({"id": "a"}, {"id": "b"}, edges=[link("a", "b"), link("b", "a")]), "E-CYCLE"),
        (react({"id": "a"}, {"id": "b"}, edges=[{"source": "a"}]), "E-SYNTAX: none of target, to, dst"),
        (react({"id": "a"}, edges=[]) | {"edges": 5}, "E-SYNTAX: edges is not a list"),
        (react({"id": ""}, edges=[]), "E-SYNTAX: none of id, name, key"),
        ({"flowData": "{"}, "E-SYNTAX: flowData is not JSON"),
        ({"nodes": [5], "links": []}, "E-SYNTAX: a node is neither"),
    ],
)  # fmt: skip
def test_graphs_refused(value: dict[str, Any], expected: str, parse: Parse) -> None:
    assert_refused(value, expected, parse, "graph")


def test_graphs_in_yaml(parse: Parse) -> None:
    assert shown(parse("nodes:\n- {id: a, text: x}\n- {id: b, text: y}\nedges:\n- [a, b]\n")[0]) == "a b | a>b"
    assert shown(parse("nodes: [Open, Close]\nedges: [[1, 2]]\n")[0]) == "1 2 | 1>2"


# --- asl -----------------------------------------------------------------------------------------------------------


def asl(**states: Any) -> dict[str, Any]:
    return {"StartAt": next(iter(states)), "States": states}


def test_asl_containers_catches_and_control(parse: Parse) -> None:
    machine = asl(
        A={"Type": "Pass", "Next": "P"},
        P={"Type": "Parallel", "Branches": [asl(x={"Type": "Task", "End": True}), asl(y={"Type": "Fail"})], "Next": "M",
           "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "H"}]},
        M={"Type": "Map", "Iterator": asl(z={"Type": "Task", "Resource": "arn:aws:states:::states:startExecution", "End": True}), "Next": "S"},
        H={"Type": "Task", "Comment": "Tell somebody", "Retry": [{"ErrorEquals": ["x"]}], "Next": "S"},
        S={"Type": "Succeed"},
    )  # fmt: skip
    (record,) = parse(machine)
    assert shown(record) == "A P H P/x P/y M M/z S | A>P H>S M/z>S M>M/z P/x>M P>H P>P/x P>P/y"
    assert attributes(record) == {"P>H": {"label": "States.ALL", "kind": "error"}}
    assert record["meta"]["external"] == {"M/z": "arn:aws:states:::states:startExecution"}
    assert {node["id"]: node["text"] for node in record["nodes"]}["H"] == "Tell somebody"
    assert shown(parse(machine, error_edges=False)[0]) == "A P P/x P/y M M/z S | A>P M/z>S M>M/z P/x>M P>P/x P>P/y"
    assert shown(parse(machine, collapse=True)[0]) == "A P M H S | A>P H>S M>S P>H P>M"
    (dropped,) = parse(machine, drop_control=True, collapse=True)
    assert shown(dropped) == "P M H | P>H P>M"
    assert (dropped["meta"]["start"], dropped["meta"]["end"]) == (["P"], ["M", "H"])


def test_asl_conditions_in_words(parse: Parse) -> None:
    choices = [
        {"Variable": "$.a", "NumericEquals": 1, "Next": "x"},
        {
            "And": [{"Variable": "$.a", "IsPresent": True}, {"Not": {"Variable": "$.b", "StringEquals": "no"}}],
            "Next": "y",
        },
        {"Condition": "{% $n > 1 %}", "Next": "z"},
        {"Variable": "$.a", "IsNull": True, "Comment": "is empty", "Next": "x"},
    ]
    end = {"Type": "Succeed"}
    (record,) = parse(asl(C={"Type": "Choice", "Choices": choices, "Default": "z"}, x=end, y=end, z=end))
    labels = sorted(values["label"] for _, _, values in record["meta"]["edge_attrs"])
    assert labels == [
        '$.a IsPresent true and not ($.b StringEquals "no")',
        "$.a NumericEquals 1",
        "default",
        "is empty",
        "{% $n > 1 %}",
    ]
    assert shown(record) == "C x y z | C>x C>y C>z"
    assert "warnings" not in record["meta"]  # two choices that lead to one state are no repeated edge


def test_asl_in_templates(parse: Parse) -> None:
    machine = asl(a={"Type": "Pass", "Next": "b"}, b={"Type": "Succeed"})

    def template(**definitions: Any) -> dict[str, Any]:
        kind = "AWS::Serverless::StateMachine"
        return {"Resources": {name: {"Type": kind, "Properties": given} for name, given in definitions.items()}}

    assert shown(parse(template(M={"Definition": machine}))[0]) == "a b | a>b"
    text = json.dumps(machine)
    one, two, bad = parse(
        template(M={"DefinitionString": {"Fn::Sub": text}}, N={"DefinitionString": text}, O={"DefinitionString": "{"})
    )
    assert [one["id"], two["id"], bad["id"]] == ["t/M", "t/N", "t/O"]
    assert bad["problem"].code == "E-SYNTAX"
    yaml = "Resources:\n  M:\n    Type: AWS::Serverless::StateMachine\n    Properties:\n      Definition:\n        StartAt: a\n        States:\n          a: {Type: Task, Resource: !GetAtt F.Arn, Next: b}\n          b: {Type: Succeed}\n"
    assert shown(parse(yaml)[0]) == "a b | a>b"


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        (asl(a={"Type": "Pass", "Next": "z"}), "E-GHOST: edge to a step that is not listed: a -> z"),
        (
            {"StartAt": "z", "States": {"a": {"Type": "Succeed"}}},
            "E-GHOST: edge to a step that is not listed: START -> z",
        ),
        ({"StartAt": "a", "States": []}, "E-SYNTAX: no StartAt and States"),
        ({"StartAt": "a", "States": {"a": 1}}, "E-SYNTAX: a state is no object"),
        (asl(a={"Type": "Parallel", "Branches": [{}], "End": True}), "E-SYNTAX: no StartAt and States in 'a'"),
    ],
)
def test_asl_refused(machine: dict[str, Any], expected: str, parse: Parse) -> None:
    with_ghost = expected.replace("START", "\0START")
    try:
        (record,) = parse(machine)
        error = record["problem"]
    except DataError as caught:
        error = caught
    assert f"{error.code}: {error}".startswith((expected, with_ghost))


# --- logic apps ----------------------------------------------------------------------------------------------------


def test_logicapps_decisions_loops_and_failures(parse: Parse) -> None:
    actions = {
        "If_it": {"type": "If", "actions": {"yes": {"type": "Compose"}}, "runAfter": {}},
        "Sw": {"type": "Switch", "cases": {"c1": {"case": "one", "actions": {"one": {"type": "Compose"}}}},
               "default": {"actions": {"other": {"type": "Terminate"}}}, "runAfter": {"If_it": ["Succeeded"]}},
        "Each": {"type": "Foreach", "actions": {"in": {"type": "Compose", "description": "Do <b>it</b>"}}, "runAfter": {"Sw": ["SUCCEEDED"]}},
        "Oops": {"type": "Compose", "runAfter": {"Each": ["FAILED", "TIMEDOUT"]}},
        "Always": {"type": "Workflow", "inputs": {"host": {"id": "w"}}, "runAfter": {"Each": ["Succeeded", "Failed"]}},
    }  # fmt: skip
    flow = {"definition": {"triggers": {"T": {"type": "Request"}}, "actions": actions}}
    (record,) = parse(flow)
    assert shown(record) == (
        "T If_it If_it/yes Sw Sw/one Sw/other Each Each/in Oops Always | "
        "Each/in>Always Each>Each/in Each>Oops If_it/yes>Sw If_it>If_it/yes If_it>Sw Sw/one>Each Sw>Sw/one Sw>Sw/other T>If_it"
    )
    assert attributes(record) == {
        "If_it>If_it/yes": {"label": "true", "kind": "conditional"},
        "If_it>Sw": {"label": "false", "kind": "conditional"},
        "Sw>Sw/one": {"label": "one", "kind": "conditional"},
        "Sw>Sw/other": {"label": "default", "kind": "conditional"},
        "Each>Oops": {"label": "Failed, TimedOut", "kind": "error"},
        "Each/in>Always": {"label": "Succeeded, Failed"},
    }
    texts = {node["id"]: node["text"] for node in record["nodes"]}
    assert (texts["If_it"], texts["Each/in"]) == ("If it", "Do it")
    assert record["meta"]["external"] == {"Always": {"id": "w"}}
    assert "Oops" not in shown(parse(flow, error_edges=False)[0])
    closed = shown(parse(flow, collapse=True)[0])
    assert "Each/in" not in closed
    assert "Each>Always" in closed
    resources = {
        "resources": [
            {"type": "Microsoft.Logic/workflows", "name": "w1", "properties": flow},
            {"name": "w2", "properties": flow},
        ]
    }
    assert [one["id"] for one in parse(resources)] == ["t/w1", "t/w2"]
    assert parse({"properties": {"displayName": "My flow", **flow}})[0]["task"] == "My flow"


def test_logicapps_refused(parse: Parse) -> None:
    ghost = {"definition": {"actions": {"a": {"type": "Compose", "runAfter": {"z": ["Succeeded"]}}}}}
    assert_refused(ghost, "E-GHOST: edge to a step that is not listed: z -> a", parse)
    assert_refused({"definition": {"actions": {"a": 5}}}, "E-SYNTAX: an action is no object", parse)
    cycle = {"a": {"runAfter": {"b": ["Succeeded"]}}, "b": {"runAfter": {"a": ["Succeeded"]}}}
    assert_refused({"definition": {"actions": cycle}}, "E-CYCLE", parse)


# --- gha, argo, ms-agent ---------------------------------------------------------------------------------------------

GHA = """
name: CI
on: [push]
jobs:
  build:
    name: Build ${{ matrix.os }}
    strategy: {matrix: {os: [a, b]}}
    steps:
      - uses: actions/checkout@v4
      - id: test
        name: Test
        run: make test
      - run: |

          make pack
          make more
  call: {uses: ./.github/workflows/x.yml, needs: build, if: "github.ref == 'main'"}
  lint: {steps: [{run: lint}]}
"""


def test_gha(parse: Parse) -> None:
    (record,) = parse(GHA)
    assert shown(record) == "build lint call | build>call"
    assert {node["id"]: node["text"] for node in record["nodes"]}["build"] == "Build ${{ matrix.os }}"
    assert attributes(record) == {"build>call": {"label": "github.ref == 'main'", "kind": "conditional"}}
    assert record["meta"]["external"] == {"call": "./.github/workflows/x.yml"}
    assert (record["task"], record["meta"]["trigger"]) == ("CI", ["push"])
    (steps,) = parse(GHA, expand_jobs=True)
    assert shown(steps) == "build/1 lint/1 build/test build/3 call | build/1>build/test build/3>call build/test>build/3"
    assert [node["text"] for node in steps["nodes"]] == ["actions/checkout@v4", "lint", "Test", "make pack", "call"]
    for needs, code in (("nothing", "E-GHOST"), ("b", "E-CYCLE")):
        bad = f"on: push\njobs:\n  a: {{needs: {needs}}}\n  b: {{needs: a}}\n"
        assert parse(bad)[0]["problem"].code == code
    assert_refused("on: push\njobs: [a]\n", "E-SYNTAX: no jobs", parse)
    assert shown(parse("on: push\njobs: {a: {}, b: {}}\n")[0]) == "a b | "  # jobs that need nothing run side by side


def argo(spec: str, kind: str = "Workflow") -> str:
    return f"apiVersion: argoproj.io/v1alpha1\nkind: {kind}\nmetadata: {{name: x}}\nspec:\n" + "".join(
        f"  {line}\n" for line in spec.strip().splitlines()
    )


def test_argo(parse: Parse) -> None:
    text = argo(
        """
entrypoint: main
onExit: bye
templates:
- name: main
  dag:
    tasks:
    - {name: a, template: leaf}
    - {name: b, template: sub, dependencies: [a]}
    - {name: c, depends: "b && a.Failed", templateRef: {name: lib, template: t}}
    - {name: d, template: leaf, depends: "a.Failed || a.Errored"}
- name: sub
  steps:
  - - {name: x, template: leaf}
    - {name: y, template: leaf, when: "1 == 1"}
  - - {name: z, template: leaf}
- {name: leaf, container: {image: i}}
- {name: bye, container: {image: i}}
"""
    )
    (record,) = parse(text)
    assert shown(record) == ("a b d b/x b/y b/z c bye | a>b a>c a>d b/x>b/z b/y>b/z b/z>c b>b/x b>b/y c>bye d>bye")
    marks = attributes(record)
    assert marks["a>d"] == {"label": "Failed, Errored", "kind": "error"}
    assert marks["c>bye"] == {"kind": "exit"}
    assert record["meta"]["external"] == {"c": "lib/t"}
    assert codes(record) == ["W-OR"]
    assert shown(parse(text, collapse=True)[0]) == "a b d c bye | a>b a>c a>d b>c c>bye d>bye"
    assert [one["id"] for one in parse(text + "---\n" + text)] == ["t/1", "t/2"]
    cron = argo(
        "workflowSpec:\n  entrypoint: m\n  templates:\n  - {name: m, steps: [[{name: a, template: l}]]}\n  - {name: l}",
        "CronWorkflow",
    )
    assert shown(parse(cron)[0]) == "a | "


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("entrypoint: z\ntemplates: [{name: a}]", "E-SYNTAX: the entrypoint 'z' is no template"),
        ("entrypoint: a", "E-SYNTAX: no templates"),
        ("entrypoint: a\ntemplates: [{name: a, dag: {tasks: [{name: x, template: z}]}}]", "E-GHOST: task 'x' calls the template 'z'"),
        ("entrypoint: a\ntemplates: [{name: a, dag: {tasks: [{name: x, template: l, depends: z}]}}, {name: l}]", "E-GHOST: edge to a step"),
        (
            "entrypoint: t0\ntemplates:\n" + "".join(f"- {{name: t{n}, steps: [[{{name: a, template: t{n + 1}}}, {{name: b, template: t{n + 1}}}]]}}\n" for n in range(30)) + "- {name: t30}",
            "E-LIMIT: more than 10,000 steps",
        ),
    ],
)  # fmt: skip
def test_argo_refused(spec: str, expected: str, parse: Parse) -> None:
    assert_refused(argo(spec), expected, parse)


def test_ms_agent(parse: Parse) -> None:
    text = """
kind: Workflow
trigger:
  kind: OnConversationStart
  actions:
    - {kind: SetVariable, id: begin}
    - kind: Foreach
      id: each
      actions:
        - {kind: SendActivity, id: tell}
        - kind: If
          id: stop
          condition: =Local.Done
          then: [{kind: BreakLoop}]
        - {kind: SendActivity, id: again}
    - kind: ConditionGroup
      id: check
      conditions:
        - {condition: =x, actions: [{kind: GotoAction, actionId: begin}]}
      elseActions: [{kind: EndWorkflow}]
"""
    (record,) = parse(text)
    assert shown(record) == (
        "begin each each/tell each/stop each/again check | "
        "begin>each each/again>check each/stop>check each/stop>each/again each/tell>each/stop each>each/tell"
    )
    assert record["meta"]["back_edges"] == [["check", "begin"]]
    assert (record["meta"]["start"], record["meta"]["end"]) == (["begin"], ["check"])
    assert shown(parse(text, collapse=True)[0]) == "begin each check | begin>each each>check"
    ghost = "kind: Workflow\ntrigger:\n  actions:\n  - {kind: SendActivity, id: s}\n  - {kind: GotoAction, id: g, actionId: z}\n"
    assert_refused(ghost, "E-GHOST: edge to a step that is not listed: s -> z", parse)
    assert_refused("kind: Workflow\ntrigger: {actions: [{id: a}]}\n", "E-SYNTAX: an action has no kind", parse)


# --- bpmn ------------------------------------------------------------------------------------------------------------


def bpmn(body: str, head: str = "") -> str:
    model = 'xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"'
    return f'<?xml version="1.0" encoding="UTF-8"?>{head}<definitions {model}><process id="p" name="P">{body}</process></definitions>'


def test_bpmn(parse: Parse) -> None:
    text = bpmn(
        """<laneSet><lane name="Sales"><flowNodeRef>a</flowNodeRef></lane></laneSet>
        <startEvent id="s"/><task id="a" name="Do &lt;it&gt;&#10;now"/><exclusiveGateway id="g"/><userTask id="b" name="B"/>
        <callActivity id="c" name="C" calledElement="other"/><parallelGateway id="j" name="Join them"/><endEvent id="e"/>
        <boundaryEvent id="late" attachedToRef="b"/><task id="h" name="Handle"/><endEvent id="e2" name="Given up"/>
        <sequenceFlow id="1" sourceRef="s" targetRef="a"/><sequenceFlow id="2" sourceRef="a" targetRef="g"/>
        <sequenceFlow id="3" name="yes" sourceRef="g" targetRef="b"/>
        <sequenceFlow id="4" sourceRef="g" targetRef="c"><conditionExpression>x &lt; 1</conditionExpression></sequenceFlow>
        <sequenceFlow id="5" sourceRef="b" targetRef="j"/><sequenceFlow id="6" sourceRef="c" targetRef="j"/>
        <sequenceFlow id="7" sourceRef="j" targetRef="e"/><sequenceFlow id="8" sourceRef="late" targetRef="h"/>
        <sequenceFlow id="9" sourceRef="h" targetRef="e2"/>"""
    )
    (record,) = parse(text)
    assert shown(record) == "a b c h j e2 | a>b a>c b>h b>j c>j h>e2"
    assert record["nodes"][0]["text"] == "Do <it> now"
    assert attributes(record) == {
        "a>b": {"label": "yes", "kind": "conditional"},
        "a>c": {"label": "x < 1", "kind": "conditional"},
        "b>h": {"kind": "error"},
    }
    meta = record["meta"]
    assert (record["task"], meta["lanes"], meta["external"]) == ("P", {"Sales": ["a"]}, {"c": "other"})
    assert (meta["start"], meta["end"]) == (["a"], ["j"])
    assert shown(parse(text, error_edges=False)[0]) == "a b c j | a>b a>c b>j c>j"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (bpmn("", '<!DOCTYPE x [<!ENTITY a "b">]>'), "E-LIMIT: the file declares a document type"),
        (bpmn("", '<!DOCTYPE x SYSTEM "file:///etc/passwd">'), "E-LIMIT"),
        (bpmn("<task"), "E-SYNTAX: not XML: line 1, column"),
        (bpmn('<task id="a"/>'), "E-EMPTY-TEXT"),
        (bpmn(""), "E-NO-NODES"),
        (bpmn('<task id="a" name="x"/><sequenceFlow sourceRef="a" targetRef="z"/>'), "E-GHOST"),
        (bpmn('<task id="a" name="x"/><task id="a" name="y"/>'), "E-DUP-ID"),
        ("<html/>", "E-UNSUPPORTED"),
    ],
)
def test_bpmn_refused(text: str, expected: str, parse: Parse) -> None:
    assert_refused(text, expected, parse)


# --- dialects that the user describes ----------------------------------------------------------------------------------


def test_maps(parse: Parse) -> None:
    from wfkit.formats.mapped import parse_map

    value = {
        "job": {"todo": [{"k": "a", "say": "Open"}, {"k": "b", "say": "Close", "wait": ["a"]}, {"k": 3, "wait": "b"}]}
    }
    by_steps = parse_map("nodes=.job.todo, id=.k, text=.say, depends_on=.wait")
    (record,) = parse(value, mapping=by_steps)
    assert shown(record) == "a b 3 | a>b b>3"
    assert [node["text"] for node in record["nodes"]] == ["Open", "Close", "3"]
    other = "boxes:\n  a: {title: Open}\n  b: {title: Close}\nwires:\n- {begin: {box: a}, finish: {box: b}, why: ok}\n"
    by_edges = parse_map("nodes=.boxes,text=.title,edges=.wires,source=.begin.box,target=.finish.box,label=.why")
    (record,) = parse(other, mapping=by_edges)
    assert (shown(record), attributes(record)) == ("a b | a>b", {"a>b": {"label": "ok"}})
    with pytest.raises(DataError, match=r"nodes: no list and no object at \.boxes"):
        parse({"x": 1}, mapping=by_edges)
