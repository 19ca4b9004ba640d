"""A filter for the tests of the skeleton: each record says what is to happen to it."""

import os
import signal
import subprocess
import sys
import time
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

import click

from wfkit.engine import Stage
from wfkit.errors import DataError, UsageProblem
from wfkit.skeleton import map_filter


@map_filter("wf-demo", writes="workflow", awaits="workflow records", examples="wf-demo < workflows.jsonl")
@click.option("--refuse-in-worker", is_flag=True)
def main(refuse_in_worker: bool) -> Stage:
    """Pass workflow records on, after doing what they ask for."""
    if refuse_in_worker and parent_process() is not None:
        raise UsageProblem("not in a worker")
    print("noise while the filter is built\n", end="")
    return Stage(reads=("workflow",), writes=("workflow",), step=step)


def step(record: dict[str, Any]) -> dict[str, Any]:
    match record.get("do"):
        case "sleep":
            time.sleep(record["seconds"])
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "kill once":
            marker = Path(record["marker"])
            if not marker.exists():
                marker.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        case "bug":
            raise ZeroDivisionError("two lines\nof text")
        case "leave":
            sys.exit(0)  # as a library might
        case "refuse":
            raise DataError("refused")
        case "print":
            print("noise from print\n", end="")
            os.write(1, b"noise on descriptor 1\n")
            subprocess.run(["echo", "noise from a child"], check=True)
    return record


build = main.build
