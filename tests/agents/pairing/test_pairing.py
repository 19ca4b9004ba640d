"""What comes out for every request: statuses, attempts, repeats, names; and the wall between actor and grader."""

import json
import re
from types import SimpleNamespace
from typing import Any

import pytest

from wfkit import schema
from wfkit.agents.families import FAMILIES
from wfkit.agents.pairing.candidate import SEMANTIC_CHECKS, Candidate, Check
from wfkit.agents.pairing.proposals import CandidateProposer
from wfkit.agents.pairing.surfaces import texts_in

Record = dict[str, Any]


class Sceptic:
    """Refuses the first candidates and leaves the rest open."""

    name = "sceptic"

    def __init__(self, refuse: int, then: str = "pass") -> None:
        self.left, self.then = refuse, then

    def verify(self, _candidate: Candidate) -> dict[str, Check]:
        self.left -= 1
        return dict.fromkeys(SEMANTIC_CHECKS, Check("fail" if self.left >= 0 else self.then, "because"))


def test_one_record_for_each_family_whatever_becomes_of_it(short: SimpleNamespace) -> None:
    instance = short.desk(public={"user": "Say hello, please."}, pointers=None)
    del instance["pointers"]
    found = short.pairs(instance, *FAMILIES)
    assert [f"{pair['target']}/{pair['type']}" for pair in found] == list(FAMILIES)
    assert {pair["status"] for pair in found} == {"accepted", "inapplicable"}
    for pair in found:
        schema.checker("ap_pair")(pair)
        if pair["status"] == "inapplicable":
            assert pair["reason"] and pair["perturbed"] is None and pair["checks"] == {}
    assert len({pair["id"] for pair in found}) == 12
    assert len({pair["clean"]["id"] for pair in found}) == 1


def test_a_failing_candidate_is_made_anew_and_kept(short: SimpleNamespace) -> None:
    (pair,) = short.pairs(short.desk(), "tools/missing", verifier=Sceptic(2))
    assert [attempt["status"] for attempt in pair["attempts"]] == ["rejected", "rejected", "accepted"]
    first, second = (attempt["envelope"]["replacement"] for attempt in pair["attempts"][:2])
    assert first != second != pair["envelope"]["replacement"]
    assert pair["attempts"][0]["reason"] == "single_target fails: because"


def test_the_last_candidate_stands_in_a_rejected_pair(short: SimpleNamespace) -> None:
    (pair,) = short.pairs(short.desk(), "tools/missing", verifier=Sceptic(99), attempts=2)
    assert (pair["status"], len(pair["attempts"])) == ("rejected", 2)
    assert pair["envelope"] == pair["attempts"][1]["envelope"]


def test_fewer_slots_than_attempts_end_the_search(short: SimpleNamespace) -> None:
    (pair,) = short.pairs(short.desk(), "context/incorrect", verifier=Sceptic(99), attempts=9)
    assert (pair["status"], len(pair["attempts"])) == ("rejected", 1)


def test_unverified_is_no_pass_unless_it_is_asked_for(short: SimpleNamespace) -> None:
    (pair,) = short.pairs(short.desk(), "user/missing", verifier=Sceptic(0, "unverified"), attempts=1)
    assert pair["reason"] == "single_target is unverified: because"
    assert "accepted_unverified" not in pair
    (pair,) = short.pairs(
        short.desk(), "user/missing", verifier=Sceptic(0, "unverified"), accept_unverified=SEMANTIC_CHECKS[1:]
    )
    assert pair["status"] == "rejected"
    (pair,) = short.pairs(
        short.desk(), "user/missing", verifier=Sceptic(0, "unverified"), accept_unverified=SEMANTIC_CHECKS
    )
    assert (pair["status"], pair["accepted_unverified"]) == ("accepted", list(SEMANTIC_CHECKS))
    (pair,) = short.pairs(
        short.desk(), "user/missing", verifier=Sceptic(1), accept_unverified=SEMANTIC_CHECKS, attempts=1
    )
    assert pair["status"] == "rejected"  # a failure is never let through


def test_several_pairs_for_a_family_are_different_edits(short: SimpleNamespace) -> None:
    found = short.pairs(short.desk(), "tools/missing", per_family=4)
    assert len({json.dumps(pair["envelope"]["replacement"]) for pair in found}) == 4
    assert len({pair["id"] for pair in found} | {pair["perturbed"]["id"] for pair in found}) == 8
    assert [pair["repeat"] for pair in found] == [1, 2, 3, 4]
    only_one = short.pairs(short.desk(), "context/incorrect", per_family=2)
    assert [pair["status"] for pair in only_one] == ["accepted", "inapplicable"]
    assert only_one[1]["reason"] == "all 1 possible edits were tried"


# The wall


@pytest.mark.parametrize("seed", range(4))
def test_what_the_actor_sees_tells_nothing(seed: int, short: SimpleNamespace) -> None:
    instance = short.desk()
    own = json.dumps(instance["public"])
    for pair in short.pairs(instance, *FAMILIES, seed=seed):
        for side in (pair["clean"], pair["perturbed"]):
            assert set(side) == {"id", "public"}
            assert re.fullmatch("[0-9a-f]{24}", side["id"])
            text = json.dumps(side["public"])
            for word in (*FAMILIES, "perturb", "misleading", "recovery", "ground truth", "desk-1", pair["id"]):
                assert word not in text
            assert json.dumps(instance["private"]["reference"]) not in text
            new = [word for word in ("incorrect", "redundant", "missing") if word in text and word not in own]
            assert new == []
        if pair["recovery"]:
            told = [pair["recovery"].get("answer", ""), pair["recovery"]["note"], pair["envelope"]["explanation"]]
            shown = " ".join(texts_in(pair["perturbed"]["public"]))
            assert not [text for text in told if text and text in shown and text not in " ".join(texts_in(own))]


def test_names_of_sides_are_of_one_kind(short: SimpleNamespace) -> None:
    found = short.pairs(short.desk(), *FAMILIES)
    names = [found[0]["clean"]["id"], *(pair["perturbed"]["id"] for pair in found)]
    assert len(set(names)) == 13
    assert sorted(names) != names  # their order follows nothing


# Instances that cannot be edited


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"tools": []}, "the instance shows no tools"),
        ({"tools": "double"}, "two tools are called get_order"),
        ({"tools": [{"type": "function", "function": {"name": "a b"}}]}, "the name is not one that chat services take"),
        ({"tools": [{"name": "a", "parameters": {"type": "strong"}}]}, "the parameters are no object"),
        (
            {"tools": [{"name": "a", "parameters": {"type": "object", "properties": {"x": {"type": "strong"}}}}]},
            "strong",
        ),
        ({"tools": [{"name": "a", "parameters": {"type": "object", "required": ["x"]}}]}, "x is required and not"),
        ({"tools": ["a"]}, "a tool has no name"),
    ],
)
def test_an_instance_with_bad_tools(change: Record, reason: str, short: SimpleNamespace) -> None:
    instance = short.desk()
    if change["tools"] == "double":
        change = {"tools": instance["public"]["tools"] + instance["public"]["tools"][:1]}
    instance["public"] |= change
    (pair,) = short.pairs(instance, "tools/missing")
    assert pair["status"] == "inapplicable"
    assert reason in pair["reason"]


@pytest.mark.parametrize(
    "text", ["请把订单退款。谢谢你的帮助！", "Por favor, devuelve el dinero de la orden para el cliente y una nota."]
)
def test_a_text_that_is_not_english_gets_no_english_words(text: str, short: SimpleNamespace) -> None:
    instance = short.desk()
    instance["public"]["messages"][5]["content"] = text
    for pair in short.pairs(instance, "user/redundant", "user/missing"):
        assert pair["status"] == "inapplicable"


def test_a_context_of_five_megabytes(short: SimpleNamespace) -> None:
    instance = short.desk()
    instance["public"]["messages"][4]["content"] += " It was sent by rail." * 250_000
    found = short.pairs(instance, "context/redundant", "user/missing")
    assert [pair["status"] for pair in found] == ["accepted"] * 2


# Candidates from elsewhere


def given(*records: Record) -> CandidateProposer:
    found: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        found.setdefault((record["instance"], f"{record['target']}/{record['type']}"), []).append(record)
    return CandidateProposer(found)


def edited(short: SimpleNamespace, **more: Any) -> Record:
    public = json.loads(json.dumps(short.desk()["public"]))
    public["messages"][5]["content"] += " It is a grey day."
    record = {"kind": "ap_pair", "instance": "desk-1", "target": "user", "type": "redundant"}
    return {**record, "perturbed": {"public": public}, **more}


GOOD = {
    "replacement": "It is a grey day.", "modified_slots": ["/messages/5/content"], "misleading_tokens": [],
    "explanation": "e",
}  # fmt: skip


@pytest.mark.parametrize("more", [{}, {"envelope": GOOD}, {"perturbed": None}, {"envelope": {**GOOD, "fifth": 1}}])
def test_an_edit_made_elsewhere_is_decided_on(more: Record, short: SimpleNamespace) -> None:
    (pair,) = short.pairs(short.desk(), "user/redundant", proposer=given(edited(short, **more)))
    schema.checker("ap_pair")(pair)
    accepted = more in ({}, {"envelope": GOOD})
    assert pair["status"] == ("accepted" if accepted else "rejected"), pair
    assert pair["generator"] == "candidates"
    assert pair["attempts"][0]["status"] == ("accepted" if accepted else "invalid")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"fifth": 1}, "the further key fifth"),
        ({"explanation": ...}, "no key explanation"),
        ({"modified_slots": []}, "modified_slots"),
        ({"modified_slots": "x"}, "modified_slots"),
        ({"misleading_tokens": ["grey"]}, "not empty although the edit is redundant"),
        ({"misleading_tokens": [1]}, "misleading_tokens"),
        ({"explanation": 3}, "explanation"),
    ],
)
def test_an_envelope_that_is_none(change: Record, words: str, short: SimpleNamespace) -> None:
    envelope = {key: value for key, value in {**GOOD, **change}.items() if value is not ...}
    (pair,) = short.pairs(short.desk(), "user/redundant", proposer=given(edited(short, envelope=envelope)))
    assert pair["status"] == "rejected"
    assert words in pair["reason"]


def test_prose_is_no_envelope(short: SimpleNamespace) -> None:
    (pair,) = short.pairs(short.desk(), "user/redundant", proposer=given(edited(short, envelope="Here you are: {}")))
    assert pair["reason"] == "the envelope is no JSON object"


def test_candidates_are_tried_in_turn(short: SimpleNamespace) -> None:
    bad = edited(short, private={})
    (pair,) = short.pairs(short.desk(), "user/redundant", proposer=given(bad, edited(short)))
    assert [attempt["status"] for attempt in pair["attempts"]] == ["rejected", "accepted"]
    (pair,) = short.pairs(short.desk(), "user/missing", proposer=given(bad))
    assert (pair["status"], pair["reason"]) == ("inapplicable", "no candidate was given")
