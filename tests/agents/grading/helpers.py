"""Pairs, and an actor and a grader that do as they are told: the task says what is to go wrong."""

import json
import sys
from pathlib import Path
from typing import Any

Record = dict[str, Any]

ACTOR = r"""
import json, os, resource, signal, subprocess, sys, threading, time

def say(value):
    print(json.dumps(value), flush=True)

def answer(task, result, **more):
    say({"kind": "episode", "id": task["id"], "status": "done", "result": result, **more})

def complain():
    while True:
        sys.stderr.write("woe " * 1000)

for line in sys.stdin:
    task = json.loads(line)
    public = task["public"]
    do, value = public.get("do"), public.get("value")
    if do == "crash":
        sys.exit("it broke")
    if do == "hang":
        time.sleep(60)
    if do == "fork":  # the child holds the pipe
        subprocess.Popen(["sleep", "5"], start_new_session=True)
        os._exit(1)
    if do == "flood":
        while True:
            sys.stdout.write("x" * 65536)
    if do == "half a line":
        sys.stdout.write('{"kind": "epis')
        sys.stdout.flush()
        os._exit(0)
    if do == "half a line and wait":
        sys.stdout.write('{"kind": "epis')
        sys.stdout.flush()
        time.sleep(60)
    if do == "stderr":
        threading.Thread(target=complain, daemon=True).start()
    if do == "another":
        task["id"] = "somebody else"
    if do == "leak":
        resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
        hoard = ["x" * (1 << 24) for _ in iter(int, 1)]
    if do == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)
    if do == "ask":
        say({"kind": "ask", "id": task["id"], "question": "How many?"})
        told = json.loads(sys.stdin.readline())
        value = told["text"]
    if do == "ask for ever":
        while True:
            say({"kind": "ask", "id": task["id"], "question": "Again?"})
            sys.stdin.readline()
    if do == "slow":
        time.sleep(float(value))
    if do == "give up":
        say({"kind": "episode", "id": task["id"], "status": "gave_up", "result": None})
        continue
    if do == "fail":
        say({"kind": "episode", "id": task["id"], "status": "gave_up", "result": value, "failure": "tool_error",
             "message": "the tool is gone"})
        continue
    if do == "invalid":
        say({"kind": "episode", "id": task["id"], "status": "perhaps"})
        continue
    if do == "wander":
        say({"kind": "thought", "id": task["id"]})
        continue
    if do == "twice":  # in one piece, so that no chance decides when the second one comes
        line = json.dumps({"kind": "episode", "id": task["id"], "status": "done", "result": value})
        print(line + chr(10) + line, flush=True)
        continue
    if do == "environment":
        value = dict(os.environ)
    if do == "command line":
        value = open("/proc/self/cmdline").read()
    answer(task, value, usage={"input_tokens": 10, "output_tokens": 2}, turns=1, tool_calls=0)
    if do == "tail":
        time.sleep(0.2)
        say({"log": "done"})
"""

GRADER = r"""
import json, os, sys

for number, line in enumerate(sys.stdin, start=1):
    message = json.loads(line)
    private, episode, reply = message["private"], message["episode"], {"id": message["id"]}
    if private.get("die_at") == number:
        os.kill(os.getpid(), 9)
    if private.get("die"):
        sys.exit("no grading of this")
    if "say" in private:
        print(private["say"].replace("ID", message["id"]), flush=True)
        continue
    reply["score"] = int(episode.get("result") == private["reference"])
    print(json.dumps(reply), flush=True)
"""


def command(folder: Path, name: str, source: str) -> str:
    """A command line that runs a Python program with these words."""
    path = folder / f"{name}.py"
    path.write_text(source)
    return f"exec {sys.executable} {path}"


def pair(name: str, family: str = "user/missing", **more: Any) -> Record:
    """An accepted `ap_pair`: on both sides the actor is to answer 1, which is right, unless ``more`` says otherwise."""
    target, _, type_ = family.partition("/")
    public = {"value": 1}
    perturbed = {"id": f"p-{name}-{target}-{type_}", "public": public}
    record: Record = {
        "kind": "ap_pair", "id": f"pair-{name}-{family}", "instance": name, "benchmark": "desk", "task": name,
        "scale": "binary", "target": target, "type": type_, "status": "accepted",
        "clean": {"id": f"c-{name}", "public": public}, "perturbed": perturbed,
        "checks": {}, "attempts": [], "seed": 0, "generator": "rules", "verifier": "rules",
        "private": {"reference": 1},
    }  # fmt: skip
    return {**record, **more}


def damaged(name: str, do: str, value: Any = 1, **more: Any) -> Record:
    """A pair on whose perturbed side the actor is told to do something else."""
    side = {"id": f"p-{name}", "public": {"do": do, "value": value}}
    return pair(name, perturbed=side, **more)


def lines(records: list[Record]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def read(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def without_clocks(records: list[Record]) -> list[Record]:
    """The records as they are promised to be the same: without clock values."""

    def stripped(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: stripped(inner) for key, inner in value.items() if key != "timing"}
        return [stripped(inner) for inner in value] if isinstance(value, list) else value

    return [stripped(record) for record in records]
