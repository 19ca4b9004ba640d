"""The native grader: plays the calls of an episode in a fresh ledger and looks at what was submitted."""

import json
import sys
from typing import Any

import ledger

Record = dict[str, Any]


def grade(message: Record) -> Record:
    result = message["episode"].get("result")
    world = ledger.Ledger()
    for call in result if isinstance(result, list) else []:
        try:
            world.run(call["name"], call["arguments"])
        except ledger.Refused:
            continue  # the actor saw the error, too
    expected = message["private"]["expected"]
    submitted = world.submitted or {}
    right = submitted.get("submitted") == expected["invoice"] and all(
        submitted.get(key) == expected[key] for key in ("total", "note")
    )
    return {"id": message["id"], "score": int(right)}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(grade(json.loads(line))), flush=True)
