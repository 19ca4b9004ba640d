"""A sentinel: an actor that is told the references and plays them. On a sound grader it scores 1 on the clean sides.

    ap-grade --actor 'python replay.py pairs.jsonl' --grader 'python bfcl.py grade' --out runs.jsonl pairs.jsonl

It never reads the instance, so it cannot feel an edit: for checking graders, never for measuring agents.
"""

import json
import sys
from typing import Any


def references(files: list[str]) -> dict[str, Any]:
    found = {}
    for name in files:
        with open(name, encoding="utf-8") as file:
            for line in file:
                pair = json.loads(line)
                if pair["kind"] == "ap_pair":
                    for side in filter(None, (pair["clean"], pair["perturbed"])):
                        found[side["id"]] = pair["private"].get("reference")
    return found


def main() -> None:
    known = references(sys.argv[1:])
    for line in sys.stdin:
        task = json.loads(line)
        result = known.get(task["id"])
        status = "gave_up" if result is None else "done"
        episode = {"kind": "episode", "id": task["id"], "status": status, "result": result}
        print(json.dumps(episode), flush=True)


if __name__ == "__main__":
    main()
