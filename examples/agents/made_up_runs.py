"""Made-up runs of made-up agents on made-up tasks, to try ap-aggregate on. No model was run: every number is drawn.

    python made_up_runs.py requested > requested.jsonl     # ap_pair records: 24 tasks, 12 families
    python made_up_runs.py grades > grades.jsonl           # ap_grade records of five agents
    python made_up_runs.py capability > capability.csv

The draws are seeded, so the files are the same every time.
"""

import json
import random
import sys
from collections.abc import Iterator
from typing import Any

Record = dict[str, Any]

TASKS = [f"errand-{number:02}" for number in range(1, 25)]
TARGETS = ("user", "procedure", "context", "tools")
TYPES = ("missing", "redundant", "incorrect")
# How often a clean success survives, by what was edited and how.
KEPT_BY_TARGET = {"user": 0.62, "procedure": 0.8, "context": 0.86, "tools": 0.7}
KEPT_BY_TYPE = {"missing": 0.85, "redundant": 1.1, "incorrect": 0.95}
# Agent: how often it succeeds on the clean side, and a capability score that somebody might have published.
AGENTS = {"ash": (0.55, 41.0), "birch": (0.66, 48.5), "cedar": (0.72, 57.0), "elm": (0.8, 61.2), "oak": (0.86, 70.3)}
OPERATIONS = {"missing": "remove_tool", "redundant": "add_fake_tool", "incorrect": "edit_parameter"}


def requests() -> Iterator[Record]:
    for task in TASKS:
        # Two errands are done by doing nothing.
        noop = 1 if task in ("errand-07", "errand-19") else 0
        public = {"user": f"Do {task}.", "tools": []}
        for target in TARGETS:
            for type_ in TYPES:
                chance = random.Random(f"{task} {target} {type_}")
                record: Record = {
                    "kind": "ap_pair", "id": f"{task}:{target}:{type_}", "instance": task,
                    "benchmark": "made_up_errands", "task": task, "scale": "binary",
                    "target": target, "type": type_, "status": "accepted",
                    "edit": {"operation": OPERATIONS[type_] if target == "tools" else f"{type_}_text"},
                    "clean": {"id": f"{task}:clean", "public": public},
                    "perturbed": {"id": f"{task}:{target}:{type_}:perturbed", "public": public},
                    "checks": {}, "noop_score": noop, "attempts": [], "seed": 0, "generator": "made up",
                    "verifier": "made up", "private": {},
                }  # fmt: skip
                if target == "procedure" and chance.random() < 0.25:
                    del record["edit"]
                    record |= {"status": "inapplicable", "reason": "the errand has no ordered steps", "perturbed": None}
                yield record


def side(episode: str, score: int, effort: float, chance: random.Random) -> Record:
    calls = max(1, round(chance.gauss(6, 2) * effort))
    if chance.random() < 0.02:  # a loop
        calls *= 8
    usage = {"input_tokens": 900 + 350 * calls + chance.randrange(200), "output_tokens": 60 * calls}
    return {
        "episode": episode, "score": score, "status": "graded", "usage": usage, "turns": calls + 1, "tool_calls": calls,
    }  # fmt: skip


def labels(chance: random.Random) -> list[Record]:
    """What two annotators say of a failure; they agree more often than not."""
    awareness = chance.choices(["never_flagged", "voiced_uncertainty", "flagged_possible_error"], [8, 2, 1])[0]
    behaviour = chance.choices(["accepted_corrupted_value", "repeated_action", "worked_around"], [5, 3, 2])[0]
    second = awareness if chance.random() < 0.8 else "voiced_uncertainty"
    return [
        {"annotator": "first", "awareness": awareness, "behaviour": behaviour},
        {"annotator": "second", "awareness": second, "behaviour": behaviour},
    ]


def grades() -> Iterator[Record]:
    listed = list(requests())
    for agent, (skill, _) in AGENTS.items():
        cleans = {}
        for task in TASKS:
            chance = random.Random(f"{agent} {task}")
            cleans[task] = side(f"{agent}:{task}:clean", int(chance.random() < skill), 1.0, chance)
        for request in listed:
            chance = random.Random(f"{agent} {request['id']}")
            clean = cleans[request["task"]]
            kept = KEPT_BY_TARGET[request["target"]] * KEPT_BY_TYPE[request["type"]] * (0.7 + 0.4 * skill)
            score = int(chance.random() < (kept if clean["score"] else 0.04))
            perturbed = side(f"{agent}:{request['id']}", score, 1.25 if score else 1.7, chance)
            if request["status"] != "accepted":
                perturbed = {"episode": None, "score": None, "status": "not_constructed"}
            elif chance.random() < 0.03:
                perturbed |= {"score": None, "status": chance.choice(["grader_error", "actor_timeout"])}
            record = {
                "kind": "ap_grade", "id": f"{agent}:{request['id']}", "pair": request["id"],
                **{name: request[name] for name in ("benchmark", "task", "target", "type", "scale")},
                "model": agent, "repeat": 0, "repeats": 1, "clean": clean, "perturbed": perturbed, "seed": 0,
                "digests": {"actor": f"made-up-{agent}", "grader": "made-up"}, "actor_failure": "unknown",
            }  # fmt: skip
            if clean["score"] == 1 and perturbed["score"] == 0 and chance.random() < 0.9:
                record["labels"] = labels(chance)
            if chance.random() > 0.01:  # one record in a hundred never comes
                yield record


def main(what: str) -> None:
    if what == "capability":
        print("model,score,source,date")
        for agent, (_, score) in AGENTS.items():
            print(f"{agent},{score},made-up index,2026-01-01")
        return
    for record in requests() if what == "requested" else grades():
        print(json.dumps(record))


if __name__ == "__main__":
    main(sys.argv[1])
