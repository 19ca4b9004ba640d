"""Bytes to records and back: what is refused, what survives exactly, what an error record keeps."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit import jsonl
from wfkit.errors import DataError

EXACT = [
    b"0",
    b"-1",
    b"9223372036854775808",  # just beyond a signed 64-bit integer
    b"18446744073709551616",  # just beyond an unsigned one, where orjson would make a float of it
    b"1" * 40,
    b"-" + b"7" * 40,
    b"9" * 400,  # beyond a double
    b"9" * 4000,
]


@pytest.mark.parametrize("digits", EXACT, ids=lambda digits: f"{len(digits)} characters")
def test_integers_survive_exactly(digits: bytes) -> None:
    line = b'{"id":"a","n":' + digits + b"}"
    assert jsonl.loads(line)["n"] == int(digits)
    assert jsonl.dumps(jsonl.loads(line)) == line


REFUSED = [
    (b"", "E-SYNTAX"),
    (b"{", "E-SYNTAX"),
    (b'{"kind":"pair","id":"a"', "E-SYNTAX"),  # truncated
    (b'{"a":1} {"b":2}', "E-SYNTAX"),
    (b'{"a":NaN}', "E-SYNTAX"),
    (b'{"a":Infinity}', "E-SYNTAX"),
    (b'{"a":-Infinity}', "E-SYNTAX"),
    (b'{"a":1e400}', "E-SYNTAX"),
    (b'{"a":-1e400}', "E-SYNTAX"),
    (b'{"n":' + b"1" * 400 + b',"a":1e400}', "E-SYNTAX"),  # the large integer is fine, the float is not
    (b'{"n":' + b"1" * 400 + b',"a":1,"a":2}', "E-SYNTAX"),
    (b'{"n":' + b"1" * 400 + b',"a":NaN}', "E-SYNTAX"),
    (b'{"n":' + b"1" * 4001 + b"}", "E-LIMIT"),
    (b'{"a":"\\ud800"}', "E-SYNTAX"),  # lone surrogate
    (b'{"a":"\\udc00\\ud800"}', "E-SYNTAX"),
    (b'{"a":"\xff"}', "E-SYNTAX"),  # not UTF-8
    (b'{"a":"\xed\xa0\x80"}', "E-SYNTAX"),  # a surrogate in UTF-8's clothes
    (b'{"a":1,"a":1}', "E-SYNTAX"),  # repeated key
    (b'{"a":{"b":1,"\\u0062":2}}', "E-SYNTAX"),  # repeated under another spelling
    (b"{'a':1}", "E-SYNTAX"),
    (b"[1,]", "E-SYNTAX"),
    (b"[01]", "E-SYNTAX"),
    (b"[" * 300 + b"]" * 300, "E-LIMIT"),
    (b'{"a":' * 300 + b"1" + b"}" * 300, "E-LIMIT"),
    (b"[" * 100_000, "E-LIMIT"),
    (b"[" * 100_000 + b"1" * 400, "E-LIMIT"),
]


@pytest.mark.parametrize(("line", "code"), REFUSED, ids=[repr(line[:24]) for line, _ in REFUSED])
def test_what_is_not_strict_json_is_refused(line: bytes, code: str) -> None:
    with pytest.raises(DataError) as caught:
        jsonl.loads(line)
    assert caught.value.code == code
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("line", [b'{"b":1,"a":2}', b'{"a":"\xe2\x80\xa8"}', b"[" * 200 + b"]" * 200])
def test_key_order_line_separators_and_depth_200_survive(line: bytes) -> None:
    assert jsonl.dumps(jsonl.loads(line)) == line


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [10**40, float("nan")]])
def test_never_nan_on_the_way_out(value: object) -> None:
    try:
        written = jsonl.dumps(value)
    except ValueError:
        return
    assert json.loads(written, parse_constant=pytest.fail) is None


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**60), 10**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(JSON_VALUES)
def test_what_is_written_is_read_back(value: object) -> None:
    assert jsonl.loads(jsonl.dumps(value)) == value


@given(JSON_VALUES, st.sampled_from([None, 1]))
def test_other_spellings_mean_the_same(value: object, indent: int | None) -> None:
    assert jsonl.loads(json.dumps(value, indent=indent).encode()) == json.loads(json.dumps(value))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"kind":"pair","id":"a', None),  # cut inside the id
        (b'{"kind":"pair","id":"a"', "a"),
        (b'{"id": "caf\\u00e9", "nodes": [', "café"),
        (b'{"id": 12, "nodes": [', "12"),
        (b'{"golden":{"id":"inner"},"id":"outer"', None),  # the first id belongs to the golden
        (b'{"text":"\\"id\\":\\"x\\"","n":', None),  # only quoted inside a string
        (b"[1,2", None),
        (b'{"id":"\\ud800"', None),
    ],
)
def test_leading_id(line: bytes, expected: str | None) -> None:
    assert jsonl.leading_id(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"golden":{"id":"inner"},"id":"outer"}', "outer"),
        (b'{"golden":{"id":"inner"}}', None),
        (b'{"id":12}', "12"),
        (b'{"id":true}', None),
        (b'{"id":"a","id":"b"}', "a"),  # not strict JSON: the first that stands there
        (b"[]", None),
    ],
)
def test_readable_id(line: bytes, expected: str | None) -> None:
    assert jsonl.readable_id(line) == expected


def record_of(raw: bytes, size: int) -> jsonl.Record:
    error = DataError("no", code="E-X", path="$.nodes")
    return jsonl.error_record("wf-parse", error, file="f", line=3, raw=raw, size=size, record_id=None)


def test_an_error_record_keeps_the_input_up_to_64_kib() -> None:
    whole = b"x" * 65536
    record = record_of(whole, len(whole))
    assert record["input"] == whole.decode()
    assert "input_bytes" not in record
    assert record["where"] == {"file": "f", "line": 3, "path": "$.nodes"}
    assert "id" not in record


def test_an_error_record_keeps_the_first_kib_and_the_size_of_more() -> None:
    record = record_of(b"x" * 65537, 65537)
    assert record["input"] == "x" * 1024
    assert record["input_bytes"] == 65537


def test_bytes_that_are_no_text_are_replaced_in_an_error_record() -> None:
    assert record_of(b"a\xffb", 3)["input"] == "a\ufffdb"


@pytest.mark.parametrize(
    ("record", "expected"), [({"id": "a"}, "a"), ({"id": 1}, None), ({"id": ["a"]}, None), ({}, None)]
)
def test_id_of(record: jsonl.Record, expected: str | None) -> None:
    assert jsonl.id_of(record) == expected
