"""The converter of chat requests: what it makes of good lines, and what it says of bad ones."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from wfkit import schema

PROGRAM = ROOT / "examples" / "agents" / "chat_requests.py"
HELLO = {"role": "user", "content": "Hello."}
GOOD = json.dumps({"messages": [HELLO]}).encode()


def convert(folder: Path, requests: bytes, *more: str) -> "subprocess.CompletedProcess[bytes]":
    (folder / "r.jsonl").write_bytes(requests)
    return program(folder, "b", "r.jsonl", *more)


def program(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([sys.executable, PROGRAM, *arguments], cwd=folder, capture_output=True, check=False)


def records(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.split(b"\n") if line]


def test_a_request_with_everything(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        HELLO,
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "Refund 40."},
    ]
    request = {"id": 7, "messages": messages, "tools": [{"name": "a"}], "reference": [], "interactive": True}
    done = convert(tmp_path, json.dumps(request).encode() + b"\r\n\r\n")
    assert (done.returncode, done.stderr) == (0, b"")
    (instance,) = records(done.stdout)
    schema.checker("instance")(instance)
    assert (instance["id"], instance["private"]) == ("7", {"reference": [], "interactive": True})
    assert instance["public"] == {"messages": messages, "tools": [{"name": "a"}]}
    assert instance["pointers"] == {
        "user": ["/messages/3/content"],
        "procedure": ["/messages/0/content"],
        "context": ["/messages/1", "/messages/2"],
        "tools": ["/tools"],
    }


@pytest.mark.parametrize("letter", ["\u2028", "\u2029", "\x85"])
def test_a_line_ends_at_a_line_feed_only(letter: str, tmp_path: Path) -> None:
    text = f"One{letter}two."
    request = json.dumps({"messages": [{**HELLO, "content": text}]}, ensure_ascii=False).encode()
    done = convert(tmp_path, request + b"\n" + GOOD)
    assert (done.returncode, done.stderr) == (0, b"")
    first, second = records(done.stdout)
    assert first["public"]["messages"][0]["content"] == text
    assert second["id"] == "b-2"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"{", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"messages": "\xff"}', "not UTF-8"),
        (b"7", "a request is a JSON object"),
        (b"{}", "no list of messages"),
        (b'{"messages": {}}', "no list of messages"),
        (b'{"messages": []}', "no message of the user"),
        (b'{"messages": [{"role": "system", "content": "Be brief."}]}', "no message of the user"),
        (b'{"messages": ["Hello."]}', "an object with a role"),
        (b'{"messages": [{"content": "Hello."}]}', "an object with a role"),
        (b'{"messages": [{"role": "user", "content": "\\ud800"}]}', "surrogate"),
    ],
)
def test_a_bad_line_is_told_and_the_good_ones_are_written(line: bytes, words: str, tmp_path: Path) -> None:
    done = convert(tmp_path, b"\n".join([GOOD, line, GOOD, b""]))
    assert done.returncode == 3
    (told,) = done.stderr.decode().splitlines()
    assert told.startswith("chat_requests.py: r.jsonl:2: ") and words in told
    assert [instance["id"] for instance in records(done.stdout)] == ["b-1", "b-3"]


@pytest.mark.parametrize("answer", [{"tools": [{"name": "a"}]}, {"result": {"tools": [{"name": "a"}]}}])
def test_the_tools_of_a_server(answer: Any, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(json.dumps(answer))
    done = convert(tmp_path, GOOD, "t.json")
    assert [instance["public"]["tools"] for instance in records(done.stdout)] == [[{"name": "a"}]]


@pytest.mark.parametrize("answer", ["", "[]", "{}", '{"result": []}', '{"result": null}'])
def test_a_file_that_is_no_list_of_tools(answer: str, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(answer)
    done = convert(tmp_path, GOOD, "t.json")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().splitlines() == ["chat_requests.py: t.json: no answer to tools/list"]


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    for arguments, words in (
        (("b", "nothing.jsonl"), "nothing.jsonl: No such file or directory"),
        (("b", "."), ".: Is a directory"),
        (("b", ".", "nothing.json"), "nothing.json: No such file or directory"),
    ):
        done = program(tmp_path, *arguments)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.decode().splitlines() == [f"chat_requests.py: {words}"]
