"""Instances of the arithmetic benchmark: ``python tasks.py SEED [COUNT] > instances.jsonl``."""

import json
import random
import sys
from typing import Any

import ledger

Record = dict[str, Any]

NOTES = ("standard delivery", "deliver on weekdays", "leave at the front desk", "call before delivery")
STEPS = (
    "Call get_price to look up the unit price of the item.",
    "Call multiply with the unit price and the quantity.",
    "Call submit_total with the invoice, the total and the note.",
)
PROCEDURE = "Bill an invoice in this order.\n" + "\n".join(f"{place}. {step}" for place, step in enumerate(STEPS, 1))


def instance(seed: int, place: int) -> Record:
    chance = random.Random(f"{seed}/{place}")
    invoice, quantity, note = f"INV-{chance.randint(1000, 9999)}", chance.randint(12, 98), chance.choice(NOTES)
    found = ledger.find_item(invoice)
    item = found["item"]
    price = ledger.get_price(item)["unit_price"]
    call = {"id": "call_1", "type": "function"}
    call["function"] = {"name": "find_item", "arguments": json.dumps({"invoice": invoice})}
    told = f"Invoice {invoice} is for item {item}. Its warehouse is {found['warehouse']}."
    messages = [
        {"role": "system", "content": PROCEDURE},
        {"role": "user", "content": f"Which item is invoice {invoice} for?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": json.dumps(found)},
        {
            "role": "assistant",
            "content": told,
        },
        {
            "role": "user",
            "content": f"Please bill {quantity} units of item {item} on {invoice}. The note should be '{note}'.",
        },
    ]
    reference = [
        {"name": "get_price", "arguments": {"item": item}},
        {"name": "multiply", "arguments": {"first": price, "second": quantity}},
        {"name": "submit_total", "arguments": {"invoice": invoice, "total": price * quantity, "note": note}},
    ]
    world = ledger.Ledger()
    outputs = [world.run(step["name"], step["arguments"]) for step in reference]
    return {
        "kind": "instance",
        "id": f"arithmetic-{seed}-{place}",
        "benchmark": "arithmetic",
        "task": f"{seed}-{place}",
        "scale": "binary",
        "public": {"messages": messages, "tools": ledger.CONTRACTS},
        "pointers": {
            "user": ["/messages/5/content"],
            "procedure": ["/messages/0/content"],
            "context": ["/messages/1", "/messages/2", "/messages/3", "/messages/4"],
            "tools": ["/tools"],
        },
        "private": {
            "reference": reference,
            "observations": [{"call": place, "output": output} for place, output in enumerate(outputs)],
            "enforced": list(STEPS),
            "interactive": True,
            "expected": {"invoice": invoice, "total": price * quantity, "note": note},
        },
    }


def main(seed: str, count: str = "8") -> None:
    for place in range(int(count)):
        print(json.dumps(instance(int(seed), place), separators=(",", ":")))


if __name__ == "__main__":
    main(*sys.argv[1:])
