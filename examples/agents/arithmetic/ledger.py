"""The environment of the arithmetic benchmark: a ledger without state, its tools, and what it refuses.

Everything follows from the codes themselves, so that actor, reader and grader see the same world and share no file.
"""

import hashlib
from typing import Any

Record = dict[str, Any]


class Refused(Exception):
    """The error that a wrong call is answered with."""


def number_of(text: str, low: int, high: int) -> int:
    return low + int.from_bytes(hashlib.sha256(text.encode()).digest()[:6]) % (high - low)


def find_item(invoice: str) -> Record:
    return {"item": f"AX-{number_of(invoice, 1000, 9999)}", "warehouse": f"WH-{number_of(invoice + '#', 1000, 9999)}"}


def get_price(item: str) -> Record:
    return {"unit_price": number_of(item, 1100, 1990)}


def multiply(first: int, second: int) -> Record:
    return {"product": first * second}


def submit_total(invoice: str, total: int, note: str) -> Record:
    return {"submitted": invoice, "total": total, "note": note}


TOOLS = {tool.__name__: tool for tool in (find_item, get_price, multiply, submit_total)}


class Ledger:
    """One episode: runs calls and enforces the order of steps."""

    def __init__(self) -> None:
        self.called: list[str] = []
        self.submitted: Record | None = None

    def run(self, name: str, arguments: Record) -> Record:
        if name not in TOOLS:
            raise Refused(f"there is no tool {name}")
        if name == "submit_total" and "get_price" not in self.called:
            raise Refused("a total cannot be submitted before get_price was called")
        if name == "submit_total" and "multiply" not in self.called:
            raise Refused("a total cannot be submitted before multiply was called")
        try:
            output = TOOLS[name](**arguments)
        except TypeError as error:
            raise Refused(str(error)) from None
        self.called.append(name)
        if name == "submit_total":
            self.submitted = output
        return output


CONTRACTS: list[Record] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": {key: {"type": kind, "description": words} for key, (kind, words) in arguments.items()},
                "required": list(arguments),
            },
        },
    }
    for name, description, arguments in (
        ("find_item", "Finds the item that an invoice is for.", {"invoice": ("string", "The code of the invoice.")}),
        ("get_price", "Looks up the unit price of an item.", {"item": ("string", "The code of the item.")}),
        (
            "multiply",
            "Multiplies two whole numbers.",
            {"first": ("integer", "The unit price."), "second": ("integer", "The quantity.")},
        ),
        (
            "submit_total",
            "Submits the total of an invoice.",
            {
                "invoice": ("string", "The code of the invoice to bill."),
                "total": ("integer", "The total amount."),
                "note": ("string", "The delivery note."),
            },
        ),
    )
]
