"""Every failure that an editor could smuggle in is caught by the rule verifier, each by the check it belongs to."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.agents.pairing.conftest import ANSWER, REQUEST, USER, put

Record = dict[str, Any]


def test_the_honest_edit_passes(short: SimpleNamespace) -> None:
    patch = [put(USER, REQUEST.replace("4250", "some"))]
    checks = short.decided("user/missing", patch, [f"{USER}#char=14,18"], recovery=ANSWER)
    assert {check.result for check in checks.values()} == {"pass"}, checks


@pytest.mark.parametrize(
    ("family", "patch", "check", "words"),
    [
        (  # two targets edited
            "user/redundant",
            [put(USER, REQUEST + " It is a grey day."), put("/tools/0/function/description", "Looks it up.")],
            "single_target",
            "outside the user surface",
        ),
        ("user/redundant", [put(USER, REQUEST.replace(" ", "  "))], "single_target", "only white space"),
        ("user/redundant", [put(USER, REQUEST)], "single_target", "identical"),
        ("user/redundant", [], "single_target", "identical"),
        (  # a label word in public text
            "user/redundant",
            [put(USER, REQUEST + " This sentence is redundant.")],
            "single_target",
            "label word «redundant»",
        ),
        ("user/redundant", [put(USER, REQUEST + " See user/missing.")], "single_target", "label word"),
        ("tools/incorrect", [put("/tools/2/function/description", "A decoy.")], "single_target", "label word «decoy»"),
        (  # a decoy with the real tool's name
            "tools/redundant",
            [
                {
                    "op": "add",
                    "path": "/tools/3",
                    "value": {"type": "function", "function": {"name": "refund", "description": "Refunds."}},
                }
            ],
            "executable",
            "two tools are called refund",
        ),
        # valid JSON that changes the goal
        ("user/incorrect", [put(USER, REQUEST.replace("4250", "4260"))], "goal_preserved", "nothing tells it any more"),
        ("user/redundant", [put(USER, REQUEST.replace("refund", "not refund"))], "goal_preserved", None),
        ("user/redundant", [put(USER, REQUEST + " Please cancel the order too.")], "goal_preserved", "instruction"),
        ("user/redundant", [put(USER, "By the way, hello.")], "goal_preserved", "taken out or changed"),
        # a value removed with no recovery
        ("user/missing", [put(USER, REQUEST.replace("4250", "some"))], "goal_preserved", "nothing restores it"),
        # the reference's tool removed
        ("tools/missing", [{"op": "remove", "path": "/tools/1"}], "solvable", "is not shown any more"),
        # an element that is no tool
        ("tools/redundant", [{"op": "add", "path": "/tools/3", "value": 7}], "executable", "has no name"),
        # a call without its answer
        ("context/missing", [{"op": "remove", "path": "/messages/3"}], "executable", "has no answer"),
        ("context/missing", [{"op": "remove", "path": "/messages/2"}], "executable", "nobody made"),
        # a message of another surface removed
        ("context/missing", [{"op": "remove", "path": "/messages/0"}], "single_target", "outside the context surface"),
    ],
)
def test_a_planted_failure_is_caught(
    family: str, patch: list[Record], check: str, words: str | None, short: SimpleNamespace
) -> None:
    found = short.decided(family, patch, [operation["path"] for operation in patch] or [USER])[check]
    assert found.result != "pass", found
    if words is not None:
        assert words in found.note


def test_a_change_outside_the_claimed_slots_is_caught(short: SimpleNamespace) -> None:
    patch = [put("/tools/0/function/description", "Looks."), put("/tools/2/function/description", "Closes.")]
    found = short.decided("tools/incorrect", patch, ["/tools/0/function/description"])
    assert found["single_target"].result == "fail"
    assert "/tools/2/function/description differs outside modified_slots" in found["single_target"].note


@pytest.mark.parametrize("slot", [f"{USER}#char=14,17", f"{USER}#char=20,25", f"{USER}#word=3", f"{USER}#char=9,2"])
def test_a_change_outside_the_claimed_part_of_a_text_is_caught(slot: str, short: SimpleNamespace) -> None:
    patch = [put(USER, REQUEST.replace("4250", "some"))]
    found = short.decided("user/missing", patch, [slot], recovery=ANSWER)
    assert found["single_target"].result == "fail"


def test_an_empty_list_of_slots_is_caught(short: SimpleNamespace) -> None:
    found = short.decided("user/redundant", [put(USER, REQUEST + " It is grey.")], [])
    assert "modified_slots is empty" in found["single_target"].note


def test_an_edited_reference_is_caught(short: SimpleNamespace) -> None:
    private = {**short.desk()["private"], "reference": []}
    patch = [put(USER, REQUEST + " It is a grey day.")]
    found = short.decided("user/redundant", patch, foreign={"private": private})
    assert found["goal_preserved"].result == "fail"
    assert "private part" in found["goal_preserved"].note


def test_another_clean_side_is_caught(short: SimpleNamespace) -> None:
    public = {**short.desk()["public"], "tools": []}
    found = short.decided("user/redundant", [put(USER, REQUEST + " It is grey.")], foreign={"clean": public})
    assert "clean side is not that of the instance" in found["single_target"].note


def test_a_recovery_sentence_inside_the_instance_is_caught(short: SimpleNamespace) -> None:
    text = REQUEST.replace("4250", "some") + " The user says it."
    found = short.decided("user/missing", [put(USER, text)], recovery=ANSWER)
    assert "sentence of the recovery" in found["single_target"].note


def test_a_recovery_that_restores_something_else_is_caught(short: SimpleNamespace) -> None:
    patch = [put(USER, REQUEST.replace("4250", "some"))]
    found = short.decided("user/missing", patch, recovery={**ANSWER, "restores": ["4200"]})
    assert found["goal_preserved"].result == "fail"
    assert "does not restore it" in found["goal_preserved"].note


def test_a_wrong_contract_where_a_wrong_call_is_final_is_caught(short: SimpleNamespace) -> None:
    instance = short.desk()
    patch = [put("/tools/1/function/parameters/properties/cents/type", "string")]
    assert short.decided("tools/incorrect", patch, instance=instance)["solvable"].result == "pass"
    instance["private"]["interactive"] = False
    found = short.decided("tools/incorrect", patch, instance=instance)["solvable"]
    assert (found.result, "cents is declared string" in found.note) == ("fail", True)


def test_a_procedure_that_nobody_enforces_is_left_open(short: SimpleNamespace) -> None:
    instance = short.desk()
    instance["private"]["enforced"] = ["Call get_order for the order."]
    text = instance["public"]["messages"][0]["content"]
    start = text.index("Thank")
    patch = [put("/messages/0/content", text.replace("Thank", "Greet"))]
    slots = [f"/messages/0/content#char={start},{start + 5}"]
    found = short.decided("procedure/incorrect", patch, slots, instance=instance)["goal_preserved"]
    assert (found.result, "enforces what was changed" in found.note) == ("unverified", True)


def test_a_short_number_elsewhere_proves_nothing(short: SimpleNamespace) -> None:
    instance = short.desk()
    instance["private"]["reference"][1]["arguments"]["cents"] = 425
    instance["public"]["messages"][5]["content"] = REQUEST.replace("4250", "425")
    instance["public"]["messages"][4]["content"] = "Order W-2291 was delivered from shelf 425."
    patch = [put(USER, REQUEST.replace("4250", "426"))]
    assert short.decided("user/incorrect", patch, instance=instance)["goal_preserved"].result == "unverified"


def test_the_negative_control_takes_what_the_rules_refuse(short: SimpleNamespace) -> None:
    from wfkit.agents.pairing.verifiers.syntax import SyntaxVerifier

    wrong = short.candidate("user/incorrect", [put(USER, REQUEST.replace("4250", "4260"))])
    assert {check.result for check in SyntaxVerifier().verify(wrong).values()} == {"pass"}
    same = short.candidate("user/incorrect", [])
    assert {check.result for check in SyntaxVerifier().verify(same).values()} == {"fail"}
