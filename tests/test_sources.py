"""What `wf-parse` is given, split into sources: JSON rows, CSV rows, or one whole document an input."""

import os
from pathlib import Path

import pytest

from wfkit import jsonl, sources, streams
from wfkit.errors import DataError
from wfkit.streams import Line

LIMIT = 1 << 20


def read(data: bytes, path: Path, *, rows_of_text: bool = False, limit: int = LIMIT) -> list[Line]:
    path.write_bytes(data)
    inputs = streams.open_inputs([str(path)], "wf-parse", "workflows")
    return [line for batch in sources.read(inputs, limit, rows_of_text=rows_of_text) for line in batch]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"id":"a"}\n{"id":"b"}\n', [b'{"id":"a"}', b'{"id":"b"}']),
        (b'\xef\xbb\xbf{"id":"a"}\r\n\r\n{"id":"b"}', [b'{"id":"a"}', b'{"id":"b"}']),
        (b'{"id":"a"}', [b'{"id":"a"}']),
        (b'\n\n{"id":"a"}\n', [b'{"id":"a"}']),
        (b'{"id":"a"\n{"id":"b"}\n', [b'{"id":"a"', b'{"id":"b"}']),  # a damaged first line hides nothing
        (b'{\n "id": "a"\n}\n', [b'{\n "id": "a"\n}\n']),  # a document over several lines
        (b'{"nodes": [\n{"id": "a"}\n]}\n', [b'{"nodes": [\n{"id": "a"}\n]}\n']),  # its lines begin as rows do
        (b"[\n1\n]\n", [b"[\n1\n]\n"]),
        (b"Node:\n1: a\n", [b"Node:\n1: a\n"]),  # a text
        (b'INFO\n{"id":"a"}\n{"id":"b"}\n', [b"INFO", b'{"id":"a"}', b'{"id":"b"}']),  # nor does a line of a log
        (
            b'null\n{"id":"a"}\nx\n{"id":"b"}\n{"id":"c"}\n',
            [b"null", b'{"id":"a"}', b"x", b'{"id":"b"}', b'{"id":"c"}'],
        ),
        (b'Plan:\n{"id":"a"}\n', [b'Plan:\n{"id":"a"}\n']),  # prose around one object
        (b'A:\n{"id":"a"}\nB:\n{"id":"b"}\n', [b'A:\n{"id":"a"}\nB:\n{"id":"b"}\n']),
        (b'x\n{"id":a}\n{"id":b}\n', [b'x\n{"id":a}\n{"id":b}\n']),  # no JSON
        (b"\xef\xbb\xbfNode:\n1: a\n", [b"Node:\n1: a\n"]),
        (b"", [b""]),  # an empty file is told, empty standard input is not
    ],
)
def test_an_input_is_rows_of_json_or_one_document(data: bytes, expected: list[bytes], tmp_path: Path) -> None:
    assert [line.raw for line in read(data, tmp_path / "f")] == expected


def test_a_bad_line_before_csv_is_told_apart_from_rows_of_json(tmp_path: Path) -> None:
    rows = read(b'INFO\n{"id":"a"}\n{"id":"b"}\n', tmp_path / "f", rows_of_text=True)
    assert [row.raw for row in rows] == [b"INFO", b'{"id":"a"}', b'{"id":"b"}']
    rows = read(b"text\n{a}\n{b}\n", tmp_path / "f", rows_of_text=True)
    assert [row.raw for row in rows] == [b'{"text":"{a}"}', b'{"text":"{b}"}']


def test_empty_standard_input_holds_nothing() -> None:
    reader, writer = os.pipe()
    os.close(writer)
    assert list(sources.read([("-", reader)], LIMIT, rows_of_text=False)) == []


def test_rows_of_a_pipe_are_handed_on_before_the_next_one_comes() -> None:
    reader, writer = os.pipe()
    batches = sources.read([("-", reader)], LIMIT, rows_of_text=False)
    for row in (b'{"id":"a"}', b'{"id":"b"}'):
        os.write(writer, row + b"\n")
        assert [line.raw for line in next(batches)] == [row]
    os.close(writer)
    assert list(batches) == []


@pytest.mark.parametrize("data", [b"x" * 5000, b'{"id":"' + b"x" * 5000 + b'"}', b'{\n"id":"' + b"x" * 5000 + b'"}'])
def test_a_document_over_the_limit_keeps_its_head_and_size(data: bytes, tmp_path: Path) -> None:
    (line,) = read(data, tmp_path / "f", limit=2000)
    assert (line.raw, line.size) == (data[:1024], len(data))


def test_csv_rows_become_json(tmp_path: Path) -> None:
    data = b'\xef\xbb\xbfid,output\r\na,"Node:\n1: x, y"\r\nb,\r\n'
    rows = read(data, tmp_path / "f.csv", rows_of_text=True)
    assert [jsonl.loads(row.raw) for row in rows] == [
        {"id": "a", "output": "Node:\n1: x, y"},
        {"id": "b", "output": ""},
    ]
    assert [row.number for row in rows] == [3, 4]  # the line on which the row ends


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b'id,output\na,x\nb,"never closed\n', b"CSV: unexpected end of data"),
        (b"id,output\na,x\nb,one, two\n", b"CSV: the row has 3 cells, the header 2"),  # nothing is cut off in silence
        (b"id,output\na,x\nb,\xff\n", b"CSV: the row is not UTF-8 text"),
    ],
)
def test_a_bad_csv_row_is_told_after_the_good_ones(data: bytes, fault: bytes, tmp_path: Path) -> None:
    good, bad = read(data, tmp_path / "f.csv", rows_of_text=True)
    assert jsonl.loads(good.raw) == {"id": "a", "output": "x"}
    assert bad.raw == fault
    with pytest.raises(DataError, match=r"^CSV: "):
        source(bad.raw, text="output")


def test_a_csv_header_with_a_repeated_name_is_told(tmp_path: Path) -> None:
    (fault,) = read(b"id,output,output\na,x,y\n", tmp_path / "f.csv", rows_of_text=True)
    assert fault.raw == b"CSV: a column name occurs twice in id,output,output"


def source(
    line: bytes, *, number: int = 1, text: str = "", identifier: str = "", given: str | None = None
) -> sources.Row:
    return sources.row_of(
        Line(line, len(line), "runs/tea.txt", number),
        text_path=tuple(text.split(".")) if text else None,
        id_path=tuple(identifier.split(".")) if identifier else None,
        given_id=given,
    )  # fmt: skip


def test_a_text_is_named_after_its_file() -> None:
    assert source(b"Node:\n1: a").source.id == "tea"
    assert source(b"Node:\n1: a", given="mine").source.id == "mine"
    assert source(b'{"nodes":[]}', number=3).source.id == "tea/3"


def test_fields_of_a_row() -> None:
    row = b'{"task":{"id":7},"answer":{"text":"Node:"},"model":"m","kind":"run"}'
    found, fields = source(row, text="answer.text", identifier="task.id")
    assert (found.text, found.id) == ("Node:", "7")
    assert fields == {"task": {"id": 7}, "model": "m"}
    found, fields = source(b'{"id":"a","output":{"nodes":[]}}', text="output")
    assert (found.value, found.id, fields) == ({"nodes": []}, "a", {})


@pytest.mark.parametrize(
    ("line", "text", "identifier", "code", "message"),
    [
        (b'{"a":1}', "output", "", "E-FIELD", "no text at .output"),
        (b'{"output":"x"}', "output.text", "", "E-FIELD", "no text at .output.text"),
        (b'{"output":"x"}', "output", "id", "E-FIELD", "no id at .id"),
        (b'{"output":"x","id":null}', "output", "id", "E-FIELD", "no id at .id"),
        (b'["x"]', "", "id", "E-FIELD", "no id at .id"),
        (b'["x"]', "output", "", "E-FIELD", "no text at .output"),
        (b"plain", "output", "", "E-SYNTAX", "not JSON"),
        (b'{"a":', "output", "", "E-SYNTAX", "not JSON"),
        (b"a\xff", "", "", "E-SYNTAX", "not UTF-8 text: byte 1 is 0xff"),
        (b"PK\x03\x04\x85", "", "", "E-SYNTAX", "not UTF-8 text"),
    ],
)
def test_bad_rows(line: bytes, text: str, identifier: str, code: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        source(line, text=text, identifier=identifier)
    assert caught.value.code == code
    assert message in str(caught.value)


def test_a_damaged_line_among_rows_is_no_text() -> None:
    with pytest.raises(DataError, match="not JSON"):
        source(b"oops", number=2)


def test_a_document_that_only_begins_like_json_is_a_text_with_a_fault() -> None:
    read, _ = source(b'{"id":"a1","nodes":[')
    assert read.text == '{"id":"a1","nodes":['
    assert read.id == "a1"  # what can be read of it names its record
    assert read.fault is not None
    assert read.fault.code == "E-SYNTAX"
    assert source(b"[a note] first this, then that")[0].id == "tea"


def test_documents_come_in_batches_but_never_wait_for_a_pipe(tmp_path: Path) -> None:
    names = []
    for number in range(40):
        (tmp_path / f"{number}.txt").write_bytes(b"Node:\n1: a\n")
        names.append(str(tmp_path / f"{number}.txt"))
    inputs = streams.open_inputs(names, "wf-parse", "workflows")
    assert [len(batch) for batch in sources.read(inputs, LIMIT, rows_of_text=False)] == [16, 16, 8]
    reader, writer = os.pipe()
    files = streams.open_inputs(names[:3], "wf-parse", "workflows")
    batches = sources.read([*files, ("pipe", reader)], LIMIT, rows_of_text=False)
    assert [line.file for line in next(batches)] == names[:3]  # nothing was written to the pipe yet
    os.write(writer, b"Node:\n1: b\n")
    os.close(writer)
    assert [line.raw for line in next(batches)] == [b"Node:\n1: b\n"]
