"""From a source to drafts: which format, answers in rows, JSON in prose, YAML."""

# ruff: noqa: E501 - tables

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from wfkit.errors import DataError, Unavailable
from wfkit.formats.base import ParseOptions, Source
from wfkit.formats.detect import detect
from wfkit.formats.documents import json_in_prose
from wfkit.formats.finish import finish
from wfkit.formats.read import read
from wfkit.formats.yaml_text import _reader, load_all, top_level_keys
from wfkit.registry import FORMATS
from wfkit.sources import row_of
from wfkit.streams import Line

Parse = Callable[..., list[dict[str, Any]]]

PLAN = '[{"task": "open", "id": 0, "dep": [-1]}, {"task": "close", "id": 1, "dep": [0]}]'


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"kind": "workflow"}, "json"),
        ({"nodes": ["a"]}, "json"),
        ({"nodes": [{"id": "a", "text": "x"}], "edges": [{"source": "a", "target": "b"}]}, "json"),
        ({"nodes": [{"id": "a", "data": {}}], "edges": []}, "graph"),
        ({"nodes": [{"id": "__start__"}], "edges": []}, "graph"),
        ({"nodes": [], "links": []}, "graph"),
        ({"nodes": [{"name": "a"}], "edges": [["a", "a"]]}, "graph"),
        ({"class_name": "WorkFlowGraph", "nodes": [], "edges": []}, "graph"),
        ({"nodes": [{"id": "a", "depends_on": []}]}, "plan"),
        ({"steps": ["a"]}, "plan"),
        ([{"task": "a"}], "plan"),
        ([{"steps": ["a"]}, {"steps": ["b"]}], "plan"),
        ({"nodes": [], "connections": {}}, "n8n"),
        ([{"nodes": [], "connections": {}}], "n8n"),
        ({"StartAt": "a", "States": {}}, "asl"),
        ({"definition": {"actions": {}}}, "logicapps"),
        ({"on": "push", "jobs": {}}, "gha"),
        ({"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow"}, "argo"),
        ({"kind": "Workflow", "trigger": {"actions": []}}, "ms-agent"),
        ("Node:\n1: a\nEdge: (START,1)", "worf"),
        ("1. a\n2. b", "plan"),
        ("graph TD\nA-->B", "mermaid"),
        ("graph TD;\nA-->B", "mermaid"),
        ("flowchart\nA-->B", "mermaid"),
        ("---\ntitle: x\n---\nflowchart LR\nA-->B", "mermaid"),
        ("stateDiagram-v2\n[*] --> A", "mermaid"),
        ("sequenceDiagram\nA->>B: x", "mermaid"),  # which then says why not
        ("```mermaid\nx\n```", "mermaid"),
        ("digraph { a -> b }", "dot"),
        ("graph {\n a -- b }", "dot"),
        ('strict digraph "x y" {\n', "dot"),
        ("// c\ndigraph g\n{ a -> b }", "dot"),
        ("StartAt: a\nStates: {}\n", "asl"),
        ("on: push\njobs:\n  a: {}\n", "gha"),
        ("name: x\n\"on\":\n  push:\njobs:\n", "gha"),
        ("apiVersion: argoproj.io/v1alpha1\nkind: CronWorkflow\n", "argo"),
        ("kind: Workflow\ntrigger:\n", "ms-agent"),
        ("app:\n  x: y\nkind: app\nworkflow:\n", "graph"),
        ("nodes:\n- a\nedges: []\n", "graph"),
        ("tasks:\n- a\n- b\n", "plan"),
        ("a:\n  description: x\n  expected_output: y\n", "plan"),
        ('<?xml version="1.0"?>\n<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"/>', "bpmn"),
    ],
)  # fmt: skip
def test_one_format_fits(given: Any, name: str) -> None:
    source = Source(text=given) if isinstance(given, str) else Source(value=given)
    assert detect(source, FORMATS) == name
    if isinstance(given, dict) and name in ("asl", "gha", "argo", "ms-agent"):  # JSON is YAML, laid out so as well
        text = json.dumps(given, indent=0).strip("{}\n").replace('"', "").replace(",\n", "\n")
        assert detect(Source(text=text), FORMATS) == name


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("```mermaid\ngraph TD\nA-->B\n```\n```dot\ndigraph { a -> b }\n```", "mermaid and dot"),
        ("```mermaid\ngraph TD\nA-->B\n```\nNode:\n1: a\nEdge: (START,1)", "worf and mermaid"),
        ("1. a\n2. b\n```mermaid\ngraph TD\nA-->B\n```", "plan and mermaid"),
        ({"nodes": ["a"], "edges": [], "messages": []}, "json and worf"),
        ({"StartAt": "a", "States": {}, "steps": ["a"]}, "asl"),
        ({"steps": ["a"], "nodes": ["a"], "edges": []}, "json"),
        ({"steps": ["a", "b"], "edges": [[1, 2]]}, "json"),
    ],
)
def test_several_fit_or_one_is_clearly_meant(given: Any, names: str) -> None:
    source = Source(text=given) if isinstance(given, str) else Source(value=given)
    if " and " not in names:
        assert detect(source, FORMATS) == names
        return
    with pytest.raises(DataError, match=f"fits {names}; choose one with --from") as caught:
        detect(source, FORMATS)
    assert caught.value.code == "E-AMBIGUOUS"


@pytest.mark.parametrize("given", ["", "Dear all", "Graph:\nsome words", "key: value\n", "<html></html>", "- a\n- b\n"])
def test_nothing_fits(given: str, parse: Parse) -> None:
    with pytest.raises(DataError) as caught:
        parse(given)
    assert caught.value.code == "E-UNSUPPORTED"


@pytest.mark.parametrize(
    "text",
    [
        PLAN,
        f"Sure! Here is the plan:\n\n{PLAN}\n\nLet me know [1].",
        f"```json\n{PLAN}\n```",
        f'A small one {{"a": 1}} and the plan: {PLAN}',
        f"[a note first] {PLAN} [1]",
        f'{{"steps": {PLAN}}} is what I would do',
    ],
)
def test_json_in_prose(text: str, parse: Parse) -> None:
    for wanted in ("auto", "plan"):
        (record,) = parse(text, wanted)
        assert [node["text"] for node in record["nodes"]] == ["open", "close"]
        assert record["edges"] == [["0", "1"]]


@pytest.mark.parametrize(
    "text",
    [
        '{"nodes": [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}], "edges": [[1, 2], [2,',  # cut off
        'Plan: {"nodes": [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}], "edges": [[1 2]]}',  # broken
        'Plan: {"edges": [[1 2]], "nodes": [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]}',
        'Plan: [{"task": "a"}, {"task": "b"},]',
        'Plan: [{"task": "a", "task": "b"}]',
        'Plan: [{"task": NaN}]',
    ],
)
def test_parts_of_broken_json_do_not_pass_for_the_whole(text: str, parse: Parse) -> None:
    for wanted in ("auto", "plan", "json"):
        with pytest.raises(DataError) as caught:
            parse(text, wanted)
        assert caught.value.code in ("E-SYNTAX", "E-UNSUPPORTED")


def test_prose_of_many_brackets_is_read_in_linear_time() -> None:
    for text in ("[" * 500_000, '[{"' * 200_000, "{" * 500_000, '[["a"' * 100_000):
        try:
            list(json_in_prose(text))
        except DataError as error:
            assert error.code in ("E-SYNTAX", "E-LIMIT")


def stream(text: str, **options: Any) -> list[dict[str, Any]]:
    """The records of a whole input, as `wf-parse` reads it."""
    raw = text.encode()
    row = row_of(Line(raw, len(raw), "-", 1), text_path=None, id_path=None, given_id="t")
    chosen = ParseOptions(**options)
    records = []
    for draft in read(row.source, "auto", FORMATS, chosen):
        try:
            records.append(finish(draft, chosen))
        except DataError as error:
            records.append({"id": draft.id, "problem": error.code})
    return records


RECORD = {"kind": "workflow", "id": "a", "nodes": [{"id": "1", "text": "x y"}], "edges": []}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (json.dumps(RECORD, indent=2) + "\n" + json.dumps({**RECORD, "id": "b"}, indent=2), ["a", "b"]),
        (json.dumps(RECORD) + json.dumps({**RECORD, "id": "b"}), ["a", "b"]),
        (json.dumps(RECORD) + "\r" + json.dumps({**RECORD, "id": "b"}) + "\r", ["a", "b"]),
        ("\x1e" + json.dumps(RECORD) + "\n\x1e" + json.dumps({**RECORD, "id": "b"}) + "\n", ["a", "b"]),
        (PLAN + "\n" + PLAN, ["t/1", "t/2"]),
        (json.dumps([RECORD], indent=1) + json.dumps([{**RECORD, "id": "b"}, {**RECORD, "id": "c"}]), ["a", "b", "c"]),
    ],
)
def test_json_values_that_follow_each_other_in_an_input(text: str, ids: list[str]) -> None:
    for strict in (False, True):
        records = stream(text, strict=strict)
        assert [record["id"] for record in records] == ids
        assert not any("problem" in record for record in records)


def test_a_bad_value_of_several_hides_no_other() -> None:
    bad = '{"id":"x","nodes":[],"edges":[]}'
    last = json.dumps({**RECORD, "id": "c"})
    records = stream(f"{json.dumps(RECORD)} {bad} {last[:-5]}")
    assert [(record["id"], record.get("problem")) for record in records] == [
        ("a", None),
        ("x", "E-NO-NODES"),
        ("c", "E-SYNTAX"),
    ]


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        (f"First {PLAN}, then {PLAN}.", 1),
        (f"```json\n{PLAN}\n```\nor\n```json\n{PLAN}\n```\nor {PLAN}", 2),
        (f'{PLAN} and {{"steps": ["x", "y', 1),
        (json.dumps(RECORD) + " or " + json.dumps(RECORD), 1),
    ],
)
def test_further_workflows_in_prose_are_told_and_refused_in_a_golden(text: str, left_out: int, parse: Parse) -> None:
    told = f"W-SEVERAL: further workflows in the same text left out: {left_out}"
    for (record,) in (parse(text), stream(text), parse(text, "json" if "kind" in text else "plan")):
        assert told in record["meta"]["warnings"]
    assert stream(text, strict=True)[0]["problem"] == "E-SEVERAL"


GITHUB = "on: push\njobs:\n  {name}:\n    runs-on: x\n"
LOGIC = "definition:\n  triggers: {{}}\n  actions:\n    {name}:\n      type: Http\n"
AGENT = (
    "kind: Workflow\ntrigger:\n  kind: OnConversationStart\n  actions:\n    - kind: SendActivity\n      id: {name}\n"
)
N8N = "nodes:\n  - name: {name}\n    type: n8n-nodes-base.code\nconnections: {{}}\n"


@pytest.mark.parametrize(
    ("template", "wanted"), [(GITHUB, "gha"), (LOGIC, "logicapps"), (AGENT, "ms-agent"), (N8N, "n8n")]
)
def test_each_yaml_document_is_a_workflow(template: str, wanted: str, parse: Parse) -> None:
    text = "---\n".join(template.format(name=name) for name in ("first", "second"))
    records = parse(text, wanted)
    assert [record["id"] for record in records] == ["t/1", "t/2"]
    assert ["first" in str(record["nodes"]) for record in records] == [True, False]
    one, bad = parse(f"{template.format(name='first')}---\n[1]\n", wanted)
    assert "problem" not in one and bad["problem"].code == "E-SYNTAX"


def test_a_second_numbered_list_is_told(parse: Parse) -> None:
    (record,) = parse("1. a b\n2. c d\n\nNotes:\n\n1. e\n2. f\n")
    assert [node["text"] for node in record["nodes"]] == ["a b", "c d"]
    assert record["meta"]["warnings"][-1] == "W-SEVERAL: further workflows in the same text left out: 1"
    (record,) = parse("1. a b\n2. c d\n\nFrom 2024 on.\n\n1. A single remark\n")
    assert len(record["meta"]["warnings"]) == 1


def test_answers_in_rows_may_be_in_any_notation(parse: Parse) -> None:
    mermaid = "Here:\n```mermaid\ngraph TD\nA-->B\n```"
    row = {
        "id": "r",
        "model": "m",
        "task": "t",
        "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": mermaid}],
    }
    (record,) = parse(row)
    assert (record["id"], record["task"], record["model"], record["edges"]) == ("r", "t", "m", [["A", "B"]])
    assert parse(row, "mermaid") == [record]
    rows = [
        row,
        {**row, "id": "s", "messages": [{"role": "assistant", "content": PLAN}]},
        {**row, "id": "u", "messages": []},
    ]
    first, second, third = parse(rows)
    assert (first["id"], second["edges"]) == ("r", [["0", "1"]])
    assert (third["id"], third["problem"].code, third["problem"].path) == ("t/3", "E-NO-NODES", "$[2].messages")
    with pytest.raises(DataError, match="no numbered step"):
        raise parse({"id": "x", "workflow": "I am sorry."})[0]["problem"]


def test_a_conversation_gives_a_record_an_answer(parse: Parse) -> None:
    turns = [{"role": "user", "content": "Task: one"}, {"role": "assistant", "content": PLAN}] * 2
    assert [(record["id"], record["task"]) for record in parse(turns)] == [("t/1", "one"), ("t/2", "one")]


# --- YAML ------------------------------------------------------------------------------------------------------------


def test_yaml_values_are_plain() -> None:
    text = "on: push\nno: yes\nversion: 1.10\nhex: 0x1F\ncount: 3\nzip: 007\nwhen: 2020-01-01\nnone: ~\nflag: true\nsub: !Sub '${x}'\n"
    assert load_all(text) == [
        {"on": "push", "no": "yes", "version": "1.10", "hex": "0x1F", "count": 3, "zip": "007", "when": "2020-01-01",
         "none": None, "flag": True, "sub": "${x}"}
    ]  # fmt: skip
    assert load_all("base: &b {x: 1, y: 2}\nmore: {<<: *b, y: 3}\n") == [
        {"base": {"x": 1, "y": 2}, "more": {"x": 1, "y": 3}}
    ]
    assert load_all("--- a\n--- b\n---\n") == ["a", "b"]
    assert load_all("") == []
    assert top_level_keys("a: 1\n  b: 2\n'c d': 3\n\"on\":\n# x: 1\n- e: 4\n") == {"a", "c d", "on"}


LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)
)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("a: 1\na: 2\n", "E-SYNTAX", "line 2, column 1: the key 'a' occurs twice"),
        ("a: [1, 2\nb: 3\n", "E-SYNTAX", "not YAML: line 2"),
        ("? [a, b]\n: c\n", "E-SYNTAX", "a key is no word"),
        ("a: \x00", "E-SYNTAX", "not YAML"),
        ("a: *nowhere\n", "E-SYNTAX", "not YAML: line 1"),
        (LAUGHS, "E-LIMIT", "aliases stand for more than"),
        ("a: &a [*a]\n", "E-LIMIT", "nested deeper"),
        ("[" * 5000, "E-LIMIT", "nested deeper"),
        ("x" * 2_200_000, "E-LIMIT", "characters of YAML"),
    ],
)
def test_yaml_refused(text: str, code: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        load_all(text)
    assert caught.value.code == code
    assert message in str(caught.value)
    assert load_all("a: &x 1\nb: *x\n") == [{"a": 1, "b": 1}]  # what stopped there does not reach the next text


def test_yaml_tags_make_no_objects() -> None:
    assert load_all("x: !!python/object/apply:os.system [ls]\n") == [{"x": ["ls"]}]


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    _reader.cache_clear()
    monkeypatch.setitem(sys.modules, "ruamel.yaml", None)
    with pytest.raises(Unavailable, match=r"pip install 'wfkit\[formats\]'"):
        load_all("a: 1")
