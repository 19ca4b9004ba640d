"""The engine with small stages of its own: decode, check, step, encode, in order, nothing lost."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from wfkit import engine, jsonl
from wfkit.delivery import MAX_COMPLAINTS, Stopped, deliver
from wfkit.engine import Ending, Stage
from wfkit.errors import DataError
from wfkit.streams import Line

Record = dict[str, Any]


def workflow(record_id: str, **fields: Any) -> Record:
    return {"kind": "workflow", "id": record_id, "nodes": [], "edges": [], **fields}


def lines(*values: Any) -> list[Line]:
    raws = [value if isinstance(value, bytes) else jsonl.dumps(value) for value in values]
    return [Line(raw, len(raw), "f", number) for number, raw in enumerate(raws, start=1)]


def stage_of(step: Callable[[Any], Any] = lambda record: record, **parts: Any) -> Stage:
    return Stage(reads=("workflow",), writes=("workflow",), step=step, **parts)


class Outcome:
    """What a run wrote, said and counted."""

    def __init__(
        self, stage: Stage, *batches: list[Line], check: bool = True, stop_at_error: bool = False, late: bool = False
    ) -> None:
        self.writes: list[bytes] = []
        self.said: list[str] = []
        admit = engine.admit_into(set())
        process = engine.processor(stage, "wf-x", check=check, admit=None if late or stage.output_ids else admit)
        self.stopped = False
        try:
            self.codes, self.counts, self.report = deliver(
                engine.serial(iter(batches), process),
                stage,
                "wf-x",
                write=self.writes.append,
                say=self.said.append,
                stop_at_error=stop_at_error,
                admit=admit if late or stage.output_ids else None,
                progress=lambda count: None,
            )
        except Stopped:
            self.stopped = True

    @property
    def records(self) -> list[Record]:
        return [jsonl.loads(line) for line in b"".join(self.writes).splitlines()]


def test_unknown_fields_and_key_order_survive_to_the_byte() -> None:
    line = b'{"zeta":{"b":1,"a":[1e5,"\xe2\x80\xa8"]},"edges":[],"id":"a","nodes":[],"kind":"workflow","alpha":null}'
    assert b"".join(Outcome(stage_of(), lines(line)).writes) == line.replace(b"1e5", b"100000.0") + b"\n"


@pytest.mark.parametrize(
    ("value", "code", "message"),
    [
        ({"kind": "pair", "id": "a"}, "E-KIND", "expected workflow, got pair"),
        ({"id": "a"}, "E-KIND", "expected workflow, got a record without a kind"),
        ({"kind": ["workflow"], "id": "a"}, "E-KIND", "expected workflow, got a record without a kind"),
        ([], "E-KIND", "expected a workflow record, got a JSON array"),
        ("a", "E-KIND", "expected a workflow record, got a JSON string"),
        (True, "E-KIND", "expected a workflow record, got a JSON boolean"),
        (None, "E-KIND", "expected a workflow record, got a JSON null"),
        (1.5, "E-KIND", "expected a workflow record, got a JSON number"),
        ({"kind": "workflow", "id": "a"}, "E-SCHEMA", "nodes"),
        (workflow("a", nodes=[{"id": 1, "text": "x"}]), "E-SCHEMA", "$.nodes[0].id"),
        (workflow(""), "E-SCHEMA", "$.id"),
        (b"{", "E-SYNTAX", "not JSON"),
    ],
)
def test_a_bad_record_becomes_an_error_record_in_its_place(value: Any, code: str, message: str) -> None:
    outcome = Outcome(stage_of(), lines(workflow("before"), value, workflow("after")))
    before, error, after = outcome.records
    assert (before["id"], after["id"]) == ("before", "after")
    assert (error["kind"], error["code"], error["filter"]) == ("error", code, "wf-x")
    assert message in error["message"]
    assert error["where"]["file"] == "f"
    assert error["where"]["line"] == 2
    assert error["input"] == (value if isinstance(value, bytes) else jsonl.dumps(value)).decode()
    assert error.get("id") == (value["id"] if isinstance(value, dict) else None)
    assert outcome.codes == {3}
    assert outcome.counts == {"read": 3, "written": 3, "errors": 1}
    (said,) = outcome.said
    assert said.startswith("f:2: ")
    assert message in said


def test_a_step_that_refuses_gives_an_error_record_with_id_and_path() -> None:
    def step(record: Record) -> Record:
        raise DataError("no good", code="E-CYCLE", path="$.edges")

    (error,) = Outcome(stage_of(step), lines(workflow("a"))).records
    assert (error["id"], error["code"], error["where"]["path"]) == ("a", "E-CYCLE", "$.edges")


def test_error_records_pass_unchanged_whatever_they_hold() -> None:
    seen = []
    strange = [b'{"kind":"error"}', b'{"id":["x"],"kind":"error","nodes":7}', b'{"kind":"error","id":"a","code":"E-X"}']
    stage = stage_of(lambda record: seen.append(record["id"]) or record)
    outcome = Outcome(stage, lines(*strange, workflow("a"), strange[2]))
    assert b"".join(outcome.writes).splitlines()[:3] == strange
    assert seen == ["a"]  # an error record with its id is no repetition
    assert (outcome.codes, outcome.counts["errors"], outcome.said) == ({3}, 4, [])


@pytest.mark.parametrize("late", [False, True], ids=["found before the step", "found after the workers"])
def test_repeated_ids_are_error_records_also_across_batches_and_files(late: bool) -> None:
    one = lines(workflow("a"), workflow("b"), workflow("a"))
    two = [line._replace(file="g") for line in lines(workflow("b"), workflow("c"))]
    outcome = Outcome(stage_of(), one, two, late=late)
    assert [(record["kind"], record["id"]) for record in outcome.records] == [
        ("workflow", "a"), ("workflow", "b"), ("error", "a"), ("error", "b"), ("workflow", "c"),
    ]  # fmt: skip
    assert outcome.records[2]["code"] == "E-DUP-ID"
    assert outcome.said == ["f:3: a: id 'a' occurs twice in the stream", "g:1: b: id 'b' occurs twice in the stream"]


def test_repeated_ids_are_the_same_error_with_and_without_workers() -> None:
    def step(record: Record) -> Record:
        if "bad" in record:
            raise DataError("bad")
        return record

    batch = lines(
        workflow("a", bad=1), workflow("a"),  # the first was a record, though no good one: its id is taken
        b'{"kind":"workflow","id":"b",', workflow("b"),  # the first was none
        {"kind": "workflow", "id": "c"}, workflow("c"),
    )  # fmt: skip
    early, late = Outcome(stage_of(step), batch), Outcome(stage_of(step), batch, late=True)
    assert early.writes == late.writes
    assert early.said == late.said
    assert [record.get("code") for record in early.records] == [
        "E-DATA", "E-DUP-ID", "E-SYNTAX", None, "E-SCHEMA", None,
    ]  # fmt: skip


def test_repeated_ids_among_the_records_that_leave() -> None:
    stage = stage_of(lambda record: [workflow("x"), workflow(record["id"])], output_ids=True)
    outcome = Outcome(stage, lines(workflow("a"), workflow("b")))
    assert [(record["kind"], record["id"]) for record in outcome.records] == [
        ("workflow", "x"), ("workflow", "a"), ("error", "x"), ("workflow", "b"),
    ]  # fmt: skip
    assert outcome.counts == {"read": 2, "written": 4, "errors": 1}


def test_a_step_may_give_none_one_or_several() -> None:
    stage = stage_of(lambda record: {"a": None, "b": record, "c": [record, workflow("d")]}[record["id"]])
    outcome = Outcome(stage, lines(workflow("a"), workflow("b"), workflow("c")))
    assert [record["id"] for record in outcome.records] == ["b", "c", "d"]
    assert outcome.counts == {"read": 3, "written": 3, "errors": 0}
    assert outcome.codes == set()


def test_prepare_sees_the_good_records_of_a_batch_before_the_first_step() -> None:
    events: list[str] = []

    def prepare(records: Sequence[Record]) -> None:
        events.append("prepare " + " ".join(record["id"] for record in records))

    stage = stage_of(lambda record: events.append(record["id"]), prepare=prepare)
    Outcome(stage, lines(workflow("a"), b"{", {"kind": "error"}, workflow("b")), lines(b"{"), lines(workflow("c")))
    assert events == ["prepare a b", "a", "b", "prepare c", "c"]


def test_notes_come_home_in_order_and_the_ending_has_its_say() -> None:
    noted: list[str] = []
    ending = Ending(
        records=[workflow("last"), {"kind": "error", "id": "bad"}], codes={4}, report=["done"], summary={"extra": 1}
    )
    stage = stage_of(note=lambda record: record["kind"], collect=noted.append, finish=lambda: ending)
    outcome = Outcome(stage, lines(workflow("a"), b"{", workflow("a")))
    assert noted == ["workflow", "error", "error"]
    assert [record.get("id") for record in outcome.records] == ["a", None, "a", "last", "bad"]
    assert outcome.codes == {3, 4}
    assert outcome.report == ["done"]
    assert outcome.counts == {"read": 3, "written": 5, "errors": 3, "extra": 1}
    assert len(outcome.said) == 3


def test_stopping_at_the_first_bad_record_keeps_what_came_before() -> None:
    outcome = Outcome(stage_of(), lines(workflow("a"), {"kind": "error"}, b"{", workflow("b")), stop_at_error=True)
    assert outcome.stopped
    assert [record["kind"] for record in outcome.records] == ["workflow", "error"]
    assert len(outcome.said) == 1


def test_a_bug_keeps_the_finished_records() -> None:
    def step(record: Record) -> Record:
        return record if record["id"] != "c" else record["absent"]

    stage, writes = stage_of(step), []
    process = engine.processor(stage, "wf-x", check=True, admit=None)
    with pytest.raises(KeyError):
        deliver(
            engine.serial(iter([lines(workflow("a"), workflow("b"), workflow("c"))]), process), stage, "wf-x",
            write=writes.append, say=pytest.fail, stop_at_error=False, admit=None, progress=lambda count: None,
        )  # fmt: skip
    assert [jsonl.loads(line)["id"] for line in b"".join(writes).splitlines()] == ["a", "b"]


def test_a_record_that_our_own_schema_refuses_is_a_bug() -> None:
    stage = stage_of(lambda record: {**record, "nodes": 7})
    with pytest.raises(AssertionError, match="wf-x made a record that its own schema refuses"):
        Outcome(stage, lines(workflow("a")))
    assert Outcome(stage, lines(workflow("a")), check=False).records[0]["nodes"] == 7


def test_without_checks_a_record_that_breaks_the_step_is_still_the_records_fault() -> None:
    stage = stage_of(
        lambda record: {**record, "count": len(record["nodes"])},
        prepare=lambda records: [record["nodes"] for record in records],
    )
    good, bad = Outcome(stage, lines(workflow("a"), {"kind": "workflow", "id": "b"}), check=False).records
    assert good["count"] == 0
    assert (bad["id"], bad["code"]) == ("b", "E-SCHEMA")


def test_without_checks_a_bug_is_still_a_bug() -> None:
    with pytest.raises(KeyError):
        Outcome(stage_of(lambda record: record["absent"]), lines(workflow("a")), check=False)


def test_a_line_over_the_limit_is_an_error_with_its_size() -> None:
    head = jsonl.dumps(workflow("long"))[:-1]
    (error,) = Outcome(stage_of(), [Line(head, 100_000_000, "f", 1)]).records
    assert (error["id"], error["code"], error["input_bytes"]) == ("long", "E-LIMIT", 100_000_000)
    assert error["message"] == "100,000,000 bytes are over the limit of 16,777,216"


def test_complaints_stop_after_a_hundred() -> None:
    outcome = Outcome(stage_of(), lines(*[b"{"] * 150))
    assert len(outcome.said) == MAX_COMPLAINTS + 1
    assert outcome.said[-1].startswith("further bad records are not named here")
    assert len(outcome.records) == 150


def test_a_record_is_written_before_the_next_batch_is_asked_for() -> None:
    writes: list[bytes] = []
    stage = stage_of()

    def batches() -> Iterator[list[Line]]:
        yield lines(workflow("a"))
        assert writes, "the finished record was held back"
        yield lines(workflow("b"))

    process = engine.processor(stage, "wf-x", check=True, admit=None)
    deliver(
        engine.serial(batches(), process), stage, "wf-x", write=lambda data: writes.append(data) if data else None,
        say=pytest.fail, stop_at_error=False, admit=None, progress=lambda count: None,
    )  # fmt: skip
    assert len(writes) == 2


def test_a_slow_batch_is_written_piece_by_piece() -> None:
    outcome = Outcome(
        stage_of(lambda record: time.sleep(0.06) or record), lines(*[workflow(f"{number}") for number in range(6)])
    )
    assert len([data for data in outcome.writes if data]) >= 3


@pytest.mark.parametrize("line", [
    workflow("a", more={"b": [1, 2.5, "é"]}),  # written as it came, and what is added behind it
    b'{"kind": "workflow", "id": "a", "nodes": [], "edges": []}',  # blanks: written anew
    b'{"kind":"workflow","id":"a","nodes":[],"edges":[],"big":123456789012345678901234567890}',
    workflow("a", meta={"old": True}, more=1),  # replaced where it stands
])  # fmt: skip
def test_what_a_stage_adds_gives_the_same_bytes_as_the_whole_record_written_anew(line: Record | bytes) -> None:
    def step(record: Record) -> Record:
        return {**record, "meta": {"note": "ü", "n": 1}}

    [raw] = lines(line)
    added, anew = Outcome(stage_of(step, adds=("meta",)), [raw]), Outcome(stage_of(step), [raw])
    assert added.writes == anew.writes
    assert added.records == [step(jsonl.loads(raw.raw))]


def test_what_a_stage_adds_is_checked() -> None:
    stage = stage_of(lambda record: {**record, "meta": 5}, adds=("meta",))
    with pytest.raises(AssertionError, match=r"its own schema refuses: \$\.meta: 5 is not of type"):
        Outcome(stage, lines(workflow("a")))


def test_an_encoder_may_leave_records_out() -> None:
    stage = stage_of(encode=lambda record: b"" if record["kind"] == "error" else record["id"].encode() + b"\n")
    outcome = Outcome(stage, lines(workflow("a"), b"{", workflow("a"), workflow("b")))
    assert b"".join(outcome.writes) == b"a\nb\n"
    assert outcome.counts == {"read": 4, "written": 2, "errors": 2}


def test_a_record_that_the_encoder_refuses_is_a_bad_one() -> None:
    def encode(record: Record) -> bytes:
        if record["kind"] == "error":
            return b""
        if record["id"] == "b":
            raise DataError("has no such form", code="E-FORM")
        return record["id"].encode() + b"\n"

    outcome = Outcome(stage_of(encode=encode), lines(workflow("a"), workflow("b"), workflow("c")))
    assert b"".join(outcome.writes) == b"a\nc\n"
    assert outcome.codes == {3}
    assert outcome.said == ["f:2: b: has no such form"]


@pytest.mark.parametrize("record_id", [[1], 7, None, {"a": 1}])
def test_an_id_is_a_text_even_where_nothing_is_checked(record_id: Any) -> None:
    outcome = Outcome(stage_of(), lines({**workflow("a"), "id": record_id}, workflow("b")), check=False)
    assert [record["kind"] for record in outcome.records] == ["error", "workflow"]
    assert "the id is a JSON" in outcome.said[0]
