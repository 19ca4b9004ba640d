"""Each family's rule editor on one instance: what it changes, what it claims, and that everything else stays."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from wfkit.agents.families import FAMILIES
from wfkit.agents.pairing.differences import differences, same
from wfkit.agents.pairing.edit import Inapplicable
from wfkit.agents.pairing.editors import FAMILY_EDITORS
from wfkit.agents.pairing.envelope import envelope_problem
from wfkit.agents.pairing.pointers import covers, patched
from wfkit.agents.pairing.proposals import RuleProposer
from wfkit.agents.pairing.view import View

Record = dict[str, Any]


def every_edit(instance: Record, family: str) -> list[Any]:
    source = RuleProposer(0).source(View(instance), family)
    found = []
    while True:
        try:
            found.append(source.next([]))
        except Inapplicable:
            return found


def test_every_family_has_an_editor() -> None:
    assert tuple(FAMILY_EDITORS) == FAMILIES


@pytest.mark.parametrize("family", FAMILIES)
def test_every_edit_stays_in_its_surface_and_its_slots(family: str, short: SimpleNamespace) -> None:
    instance = short.desk()
    before = json.dumps(instance)
    target, _, type_ = family.partition("/")
    found = every_edit(instance, family)
    assert found
    for proposal in found:
        assert envelope_problem(proposal.envelope, type_) is None
        assert same(patched(instance["public"], proposal.envelope["replacement"]), proposal.perturbed)
        places = differences(instance["public"], proposal.perturbed)
        assert places
        slots = [slot.partition("#")[0] for slot in proposal.envelope["modified_slots"]]
        for one in places:
            assert any(covers(slot, one.pointer) for slot in slots), (one.pointer, slots)
        kept = {"user": "/messages/5", "procedure": "/messages/0", "context": "/messages/", "tools": "/tools"}[target]
        assert all(one.pointer.startswith(kept) for one in places)
        assert (type_ == "redundant") <= (proposal.envelope["misleading_tokens"] == [])
        assert proposal.edit["operation"]
    assert json.dumps(instance) == before  # the clean side is never touched


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_is_accepted_on_an_instance_that_has_all(family: str, short: SimpleNamespace) -> None:
    (pair,) = short.pairs(short.desk(), family)
    assert pair["status"] == "accepted", pair["reason"]
    assert {check["result"] for check in pair["checks"].values()} == {"pass"}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_seed_alone_decides(family: str, short: SimpleNamespace) -> None:
    first, again = (short.pairs(short.desk(), family, seed=3) for _ in range(2))
    assert first == again
    many = {json.dumps(short.pairs(short.desk(), family, seed=seed)[0]["perturbed"]["public"]) for seed in range(12)}
    assert len(many) > 1
    alone = short.pairs(short.desk(), *FAMILIES, seed=3)
    assert first[0] in alone  # whatever else was asked for


WORDINGS = [
    ("Pay with order #W2378 today.", "#W2378", "Pay with the order I mentioned today."),
    ("Open my file 'notes 1.txt' now.", "notes 1.txt", "Open the file I mentioned now."),
    ("Rename it to 'b7.txt'.", "b7.txt", "Rename it to the one I mentioned."),
    ("A base of 10 units is given.", 10, "A base of some units is given."),
    ("Sort a person with weight 70 kg.", 70, "Sort a person with the weight I mentioned."),
    ("The volume is 10 m^3 there.", 10, "The volume is the value I mentioned there."),
    ("Compute the factorial of 5.", 5, "Compute the factorial of the number I mentioned."),
    ("What of the year 2010?", 2010, "What of the year I mentioned?"),
    ("Book it for 2024-05-03 please.", "2024-05-03", "Book it for the date I mentioned please."),
    ("Read the webpage www.informations.com first.", "www.informations.com", "Read the webpage I mentioned first."),
    ("Write to ann.b@example.org soon.", "ann.b@example.org", "Write to the address I mentioned soon."),
    ("Send $1,200 back.", 1200, "Send the amount I mentioned back."),
    ("Of the $10000, please send half.", 10000, "Of the amount I mentioned, please send half."),
    ("Show the next 7 days.", 7, "Show the next days."),
    ("Open the building with Id B1004.", "B1004", "Open the building with Id I mentioned."),
    ("Take 5% off.", 5, "Take the percentage I mentioned off."),
]


@pytest.mark.parametrize(("text", "value", "expected"), WORDINGS)
def test_what_a_withheld_value_leaves_behind(text: str, value: Any, expected: str) -> None:
    reference = [{"name": "f", "arguments": {"x": value}}]
    instance = {"id": "i", "public": {"user": text}, "private": {"reference": reference}}
    (proposal,) = every_edit(instance, "user/missing")
    assert proposal.perturbed == {"user": expected}
    assert str(value) in proposal.recovery["answer"].replace(",", "")


@pytest.mark.parametrize(
    "text",
    [
        "Add 3 and 3.",  # said twice
        "Solve 3x^2 = 0.",  # part of a formula
        "Add 3, 4 and 5.",  # one of a row
        "Use 'a b', 'Age' and 3.5 of them.",  # not what the reference passes
    ],
)
def test_what_cannot_be_withheld(text: str) -> None:
    instance = {
        "id": "i",
        "public": {"user": text},
        "private": {"reference": [{"name": "f", "arguments": {"x": 3, "y": "Age"}}]},
    }
    with pytest.raises(Inapplicable):
        RuleProposer(0).source(View(instance), "user/missing")


def test_a_dropped_step_moves_the_later_numbers_up(short: SimpleNamespace) -> None:
    texts = {proposal.perturbed["messages"][0]["content"] for proposal in every_edit(short.desk(), "procedure/missing")}
    head = "Refund in this order.\n"
    assert head + "1. Call refund only for delivered orders.\n2. Thank the customer." in texts
    assert head + "1. Call get_order for the order.\n2. Thank the customer." in texts


def test_a_wrong_value_is_wrong_wherever_the_surface_says_it(short: SimpleNamespace) -> None:
    (proposal,) = every_edit(short.desk(), "context/incorrect")
    messages = proposal.perturbed["messages"]
    wrong = proposal.envelope["misleading_tokens"][0]
    assert wrong != "W-2291"
    assert wrong in messages[1]["content"] and wrong in messages[4]["content"]
    assert "W-2291" in messages[3]["content"]  # what the tool said stays


def test_nothing_inserted_is_taken_from_the_reference(short: SimpleNamespace) -> None:
    instance = short.desk()
    values = ["W-2291", "4250", "broken lid"]
    for family in ("user/redundant", "procedure/redundant", "context/redundant"):
        for proposal in every_edit(instance, family):
            for one in differences(instance["public"], proposal.perturbed):
                added = json.dumps(one.after).replace(json.dumps(one.before)[1:-2], "")
                assert not any(value in added for value in values), added


def test_bfcl_contracts_keep_their_own_type_names() -> None:
    parameters = {"type": "dict", "properties": {"a": {"type": "float"}}, "required": ["a"]}
    function = {"name": "math.root", "description": "A root.", "parameters": parameters}
    instance = {"id": "i", "public": {"tools": [function]}, "private": {}, "dialect": "bfcl"}
    for proposal in every_edit(instance, "tools/redundant"):
        for element in proposal.perturbed["tools"]:
            assert element["parameters"]["type"] == "dict"
            assert element["parameters"]["properties"]["a"] == {"type": "float"}


def test_mcp_tools_keep_their_own_shape() -> None:
    tool = {"name": "look", "title": "Look", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}
    instance = {"id": "i", "public": {"tools": [tool]}, "private": {}}
    added = [proposal for proposal in every_edit(instance, "tools/redundant") if proposal.edit["slot"] == "whole tool"]
    for proposal in added:
        _, decoy = proposal.perturbed["tools"]
        assert set(decoy) == {"name", "description", "inputSchema"}
        assert decoy["inputSchema"] == tool["inputSchema"]
