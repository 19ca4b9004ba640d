"""Rows that hold answers of models: which field is the answer, the id, the task, and what is kept."""

from typing import Any

import pytest

from wfkit.errors import DataError
from wfkit.formats.answers import fenced_blocks, is_row, read_row, task_of, unwrapped

ANSWER = {"role": "assistant", "content": [{"type": "text", "text": "X"}]}
EARLIER = [{"role": "assistant", "content": "old"}, {"role": "user", "content": "Task: Again"}]
USER = {"role": "user", "content": "Task: Brew tea\nThe api list you can use: {}"}


@pytest.mark.parametrize(
    ("row", "text", "row_id", "task"),
    [
        ({"id": "p1", "workflow": "X"}, "X", "p1", None),
        ({"workflow": "X"}, "X", "default", None),
        ({"id": 7, "workflow": "X", "task": "Brew"}, "X", "7", "Brew"),
        ({"id": "c", "conversations": [USER, {"role": "assistant", "content": "X"}]}, "X", "c", "Brew tea"),
        (
            {"conversations": [{"from": "human", "value": "Brew"}, {"from": "gpt", "value": "X"}]},
            "X",
            "default",
            "Brew",
        ),
        # Several turns: the last answer, and the request before it.
        (
            {"messages": [USER, *EARLIER, ANSWER, {"role": "user", "content": "Thanks"}]},
            "X",
            "default",
            "Again",
        ),
        ({"id": "cmpl", "choices": [{"message": {"role": "assistant", "content": "X"}}]}, "X", "cmpl", None),
        ({"id": "cmpl", "choices": [{"text": "X"}]}, "X", "cmpl", None),
        (
            {"id": "batch_1", "custom_id": "w9", "response": {"body": {"choices": [{"message": {"content": "X"}}]}}},
            "X",
            "w9",
            None,
        ),
        ({"role": "assistant", "content": "X"}, "X", "default", None),
    ],
)
def test_every_kind_of_row(row: dict[str, Any], text: str, row_id: str, task: str | None) -> None:
    assert is_row(row)
    assert read_row(row, "default")[:3] == (text, row_id, task)


def test_other_fields_are_kept_in_order() -> None:
    row = {"model": "m", "id": "a", "workflow": "X", "usage": {"n": 1}, "task": "t"}
    assert list(read_row(row, "d").fields.items()) == [("model", "m"), ("usage", {"n": 1})]


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({"id": "a", "text": "X"}, "E-UNSUPPORTED"),
        ([1, 2], "E-UNSUPPORTED"),
        (None, "E-UNSUPPORTED"),
        ({"choices": []}, "E-NO-NODES"),
        ({"choices": [None]}, "E-NO-NODES"),
        ({"conversations": [USER]}, "E-NO-NODES"),
        ({"messages": [1, {"role": "assistant", "content": None}]}, "E-NO-NODES"),
        ({"response": {"body": {"error": "too long"}}}, "E-NO-NODES"),
    ],
)
def test_rows_without_an_answer(row: Any, code: str) -> None:
    with pytest.raises(DataError) as caught:
        read_row(row, "default")
    assert caught.value.code == code


def test_workflow_objects_are_no_rows() -> None:
    assert not is_row({"workflow": {"nodes": []}})
    assert not is_row({"nodes": [], "edges": []})


@pytest.mark.parametrize(
    ("request_text", "task"),
    [
        ("Task: Brew tea\nThe api list you can use: {}", "Brew tea"),
        ("Task: Brew tea\napi_list:[{}]", "Brew tea"),
        ("Task: Brew tea\nThe action list you can take: ['a']", "Brew tea"),
        (
            "A room.\n\nYour task is to: find tea.The action list you can take: 1. go",
            "A room.\n\nYour task is to: find tea.",
        ),
        ("Brew tea", "Brew tea"),
    ],
)
def test_the_task_ends_where_the_tools_begin(request_text: str, task: str) -> None:
    assert task_of(request_text) == task


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("W", "W"),
        ("<answer>W</answer>", "W"),
        ("<ANSWER>W</ANSWER> bye", "W"),
        ("<answer>no</answer><answer>W</answer>", "W"),
        ("<answer>W1</answer><answer>W2</answer>", "W2"),  # the last word counts
        ("<think>W draft</think>W", "W"),
        ("Well.\n<think>W draft</think>\nW", "Well.\n\nW"),
        ("thinking W\n</think>W", "W"),
        ("W <think> W", "W <think> W"),  # mentioned in the middle of a line
        ("<think>W, never closed", "<think>W, never closed"),  # nothing else is left to read
        ("<answer>nothing</answer> W", "<answer>nothing</answer> W"),
        ("\ufeffa\r\nW\r", "a\nW\n"),
    ],
)
def test_unwrapping_keeps_what_holds_a_workflow(text: str, inner: str) -> None:
    assert unwrapped(text, lambda part: "W" in part) == inner


def test_fenced_blocks() -> None:
    text = "a\n```mermaid\nb\n~~~\nc\n```\nd\n  ~~~~\n```\n~~~\n~~~~\n```\ncut off"
    assert list(fenced_blocks(text)) == ["b\n~~~\nc", "```\n~~~", "cut off"]
