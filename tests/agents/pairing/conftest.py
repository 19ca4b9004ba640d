"""One small instance with all four surfaces, and short ways to edit it and to have edits decided on."""

import copy
import json
from types import SimpleNamespace
from typing import Any

import pytest

from wfkit.agents.pairing.candidate import Candidate, Check
from wfkit.agents.pairing.pairing import Pairing
from wfkit.agents.pairing.pointers import patched
from wfkit.agents.pairing.proposals import RuleProposer
from wfkit.agents.pairing.surfaces import pointers_of
from wfkit.agents.pairing.verifiers.rules import RuleVerifier

Record = dict[str, Any]

USER = "/messages/5/content"
REQUEST = "Please refund 4250 cents of order W-2291 with the note 'broken lid'."
ANSWER = {"by": "user", "note": "The user says it.", "answer": "It is 4250.", "restores": ["4250"]}


def put(path: str, value: Any) -> Record:
    """An operation of a patch that puts a value in the place of another."""
    return {"op": "replace", "path": path, "value": value}


def tool(name: str, description: str, **arguments: tuple[str, str]) -> Record:
    properties = {key: {"type": kind, "description": words} for key, (kind, words) in arguments.items()}
    parameters = {"type": "object", "properties": properties, "required": list(arguments)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def desk(**changes: Any) -> Record:
    """A refund: the reference looks the order up and refunds 4250 cents of order W-2291."""
    call = {"id": "c1", "type": "function", "function": {"name": "get_order", "arguments": '{"order": "W-2291"}'}}
    instance = {
        "kind": "instance",
        "id": "desk-1",
        "benchmark": "desk",
        "task": "t1",
        "scale": "binary",
        "public": {
            "messages": [
                {
                    "role": "system",
                    "content": "Refund in this order.\n1. Call get_order for the order.\n"
                    "2. Call refund only for delivered orders.\n3. Thank the customer.",
                },
                {"role": "user", "content": "Which state is order W-2291 in?"},
                {"role": "assistant", "content": "", "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c1", "content": '{"order": "W-2291", "state": "delivered"}'},
                {"role": "assistant", "content": "Order W-2291 was delivered. It was paid by card."},
                {"role": "user", "content": "Please refund 4250 cents of order W-2291 with the note 'broken lid'."},
            ],
            "tools": [
                tool("get_order", "Looks an order up.", order=("string", "The order.")),
                tool(
                    "refund",
                    "Refunds a part of an order.",
                    order=("string", "The order to refund."),
                    cents=("integer", "The amount in cents."),
                    note=("string", "The note for the books."),
                ),
                tool("close_desk", "Closes the desk for today.", hour=("integer", "The hour.")),
            ],
        },
        "pointers": {
            "user": ["/messages/5/content"],
            "procedure": ["/messages/0/content"],
            "context": ["/messages/1", "/messages/2", "/messages/3", "/messages/4"],
            "tools": ["/tools"],
        },
        "private": {
            "reference": [
                {"name": "get_order", "arguments": {"order": "W-2291"}},
                {"name": "refund", "arguments": {"order": "W-2291", "cents": 4250, "note": "broken lid"}},
            ],
            "enforced": [
                "Call get_order for the order.",
                "Call refund only for delivered orders.",
                "Thank the customer.",
            ],
            "interactive": True,
        },
    }
    return {**copy.deepcopy(instance), **changes}


def candidate(family: str, patch: list[Record], slots: list[str] | None = None, **more: Any) -> Candidate:
    """An edit of the desk, as a verifier sees it; the slots are the whole paths unless given."""
    instance = more.pop("instance", None) or desk()
    target, _, type_ = family.partition("/")
    perturbed = patched(instance["public"], patch)
    record: Record = {
        "kind": "ap_pair",
        "id": "p",
        "instance": instance["id"],
        "target": target,
        "type": type_,
        "clean": {"id": "a", "public": instance["public"]},
        "perturbed": {"id": "b", "public": perturbed},
        "recovery": more.pop("recovery", None),
        "private": instance["private"],
    }
    slots = [operation["path"] for operation in patch] if slots is None else slots
    record["envelope"] = {"replacement": patch, "modified_slots": slots, "misleading_tokens": []}
    foreign = more.pop("foreign", {})
    assert not more
    dialect = instance.get("dialect", "json-schema")
    return Candidate(
        record, instance["public"], perturbed, pointers_of(instance), dialect, instance["private"], foreign
    )


def decided(*arguments: Any, **more: Any) -> dict[str, Check]:
    return RuleVerifier().verify(candidate(*arguments, **more))


def pairs(instance: Record, *families: str, **settings: Any) -> list[Record]:
    """The pairs of the rule editor; settings are those of `Pairing`."""
    seed = settings.pop("seed", 0)
    usual: Record = {
        "proposer": RuleProposer(seed),
        "verifier": RuleVerifier(),
        "validator": None,
        "grader": None,
        "seed": seed,
        "attempts": 3,
        "per_family": 1,
        "accept_unverified": (),
    }
    return list(Pairing(**usual | settings).pairs(instance, families))


@pytest.fixture(scope="session")
def short() -> SimpleNamespace:
    return SimpleNamespace(desk=desk, tool=tool, candidate=candidate, decided=decided, pairs=pairs, bytes=as_bytes)


def as_bytes(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
