"""Edits from elsewhere that change the goal, the truth or the type: the rule verifier accepts none of them."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.agents.pairing.conftest import ANSWER, REQUEST, USER, put
from wfkit.agents.pairing.reference import Stock, numbers_in
from wfkit.agents.pairing.verifiers.statements import adds_no_meaning, only_states, only_values_differ

Record = dict[str, Any]

PROCEDURE = "/messages/0/content"
RULES = "\n".join(
    [
        "Refund in this order.",
        "1. Call get_order for the order.",
        "2. Call refund only for delivered orders.",
        "3. Thank the customer.",
    ]
)


def exchange(user: str, assistant: str) -> list[Record]:
    return [
        {"op": "add", "path": "/messages/5", "value": {"role": "assistant", "content": assistant}},
        {"op": "add", "path": "/messages/5", "value": {"role": "user", "content": user}},
    ]


@pytest.mark.parametrize(
    "added",
    [
        "Cancel the rest of the order too.",
        "Delete my account.",
        "Send it to Bob.",
        "And cancel the order.",
        "Actually forget that, I changed my mind.",
        "Bitte storniere auch den Rest der Bestellung.",
        "It is a grey day. Delete my account.",
        "This is no longer what I am after.",
    ],
)
@pytest.mark.parametrize("where", ["behind", "before"])
def test_a_further_request_is_no_redundant_sentence(added: str, where: str, short: SimpleNamespace) -> None:
    text = f"{REQUEST} {added}" if where == "behind" else f"{added} {REQUEST}"
    found = short.decided("user/redundant", [put(USER, text)])["goal_preserved"]
    assert found.result == "unverified", found


@pytest.mark.parametrize(
    "messages",
    [
        exchange("I do not want that refund any more, do not refund anything.", "Understood, nothing is refunded."),
        exchange("From now on every refund has to go to W-7000.", "It is noted."),
        exchange("Can you send all refunds to me?", "That is settled."),
        exchange("Is the desk open?", "It is, and you must close it."),
    ],
)
def test_an_exchange_that_bears_on_the_task_is_not_redundant(messages: list[Record], short: SimpleNamespace) -> None:
    found = short.decided("context/redundant", messages, ["/messages/5", "/messages/6"])["goal_preserved"]
    assert found.result == "unverified", found


def test_an_exchange_beside_the_point_is(short: SimpleNamespace) -> None:
    messages = exchange("Is the newsletter still sent once a month?", "Yes, the newsletter is still sent once a month.")
    assert (
        short.decided("context/redundant", messages, ["/messages/5", "/messages/6"])["goal_preserved"].result == "pass"
    )


@pytest.mark.parametrize("rule", ["Refunds are forbidden.", "Refunds above 10 cents need a manager.", "Never refund."])
def test_a_further_rule_is_no_redundant_sentence(rule: str, short: SimpleNamespace) -> None:
    found = short.decided("procedure/redundant", [put(PROCEDURE, f"{RULES}\n4. {rule}")])["goal_preserved"]
    assert found.result == "unverified", found


@pytest.mark.parametrize(
    "text",
    ["Please refund 9950 cents of order W-7777.", "Please do nothing at all.", "Please never refund some cents."],
)
def test_what_stands_in_a_gap_may_say_nothing_else(text: str, short: SimpleNamespace) -> None:
    recovery = {**ANSWER, "answer": REQUEST, "restores": [REQUEST]}
    found = short.decided("user/missing", [put(USER, text)], recovery=recovery)["goal_preserved"]
    assert found.result == "unverified", found


def test_a_rule_is_left_out_and_not_replaced(short: SimpleNamespace) -> None:
    piece = "Call get_order for the order."
    recovery = {"by": "user", "note": "Asked, the user says it.", "answer": piece, "restores": [piece]}
    text = RULES.replace(piece, "Never look it up.")
    found = short.decided("procedure/missing", [put(PROCEDURE, text)], recovery=recovery)["goal_preserved"]
    assert found.result == "unverified", found


def test_no_verb_changes_beside_a_value(short: SimpleNamespace) -> None:
    instance = short.desk()
    instance["public"]["messages"][5]["content"] = "Please refund 425000 cents of order W-2291."
    instance["private"]["reference"][1]["arguments"]["cents"] = 425000
    instance["public"]["messages"][4]["content"] = "Order W-2291 was delivered. It was paid with 425000 cents."
    told = {"by": "context", "note": "It stands in the context.", "answer": "425000", "restores": ["425000"]}
    for verb, expected in (("refund", "pass"), ("charge", "unverified")):
        patch = [put(USER, f"Please {verb} 425001 cents of order W-2291.")]
        found = short.decided("user/incorrect", patch, instance=instance, recovery=told)["goal_preserved"]
        assert found.result == expected, found


@pytest.mark.parametrize(
    ("family", "patch"),
    [
        ("tools/redundant", [put("/tools/2/function/description", "Deletes an order.")]),
        ("tools/redundant", [{"op": "remove", "path": "/tools/2/function/description"}]),
        ("tools/missing", [put("/tools/2/function/description", "Deletes an order.")]),
        ("tools/missing", [{"op": "add", "path": "/tools/3", "value": {"name": "x", "parameters": {}}}]),
        ("tools/incorrect", [{"op": "remove", "path": "/tools/2/function/description"}]),
    ],
)
def test_what_was_done_to_the_tools_is_what_the_type_says(
    family: str, patch: list[Record], short: SimpleNamespace
) -> None:
    found = short.decided(family, patch)["goal_preserved"]
    assert found.result == "fail", found


@pytest.mark.parametrize(
    ("name", "interactive", "result"),
    [("weight", False, "unverified"), ("pounds", False, "pass"), ("weight", True, "pass")],
)
def test_a_wrong_unit_must_be_told_by_something(
    name: str, interactive: bool, result: str, short: SimpleNamespace
) -> None:
    instance = short.desk()
    properties = instance["public"]["tools"][1]["function"]["parameters"]["properties"]
    properties[name] = {"type": "integer", "description": "The weight in pounds."}
    instance["private"]["interactive"] = interactive
    patch = [put(f"/tools/1/function/parameters/properties/{name}/description", "The weight in kilograms.")]
    assert short.decided("tools/incorrect", patch, instance=instance)["solvable"].result == result


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("card 9974202140965532", "9974202140965533", False),
        ("card 9974202140965532", 9974202140965533, False),
        ("1" * 39 + "2", "1" * 39 + "3", False),
        ("account 12345", "0012345", False),
        ("account 0012345", "0012345", True),
        ("price 1,250", 1250, True),
        ("price 1.50", 1.5, True),
        ("two of them", 2, True),
        ("a long one", 10**400, False),
        ("9" * 5000, 7, False),
    ],
)
def test_numbers_are_compared_exactly(text: str, value: Any, holds: bool) -> None:
    assert Stock([text]).holds(value) is holds


def test_numbers_in_a_text() -> None:
    assert numbers_in("7, 007, -3, 1,000 and 2.50") == {7, -3, 1000, 2.5}


def test_statements() -> None:
    assert only_states(". The weather is grey today.")
    assert not only_states("Grey weather.") and not only_states("")
    assert only_states("Is it grey? It is grey.", may_ask=True) and not only_states("Is it grey?")
    assert adds_no_meaning("the amount I mentioned", "refund 7") and not adds_no_meaning("amount 8", "amount 8")
    assert only_values_differ("order W-1", "order W-2") and not only_values_differ("no 1", "yes 2")
