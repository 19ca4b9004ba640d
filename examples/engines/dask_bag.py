"""A map filter on shards by Dask: python dask_bag.py 'shards/*.jsonl' wf-score --metrics bleu > scored.jsonl

The filter runs in processes of its own, so threads are enough to start them. On a cluster make a
`dask.distributed.Client` first and leave `scheduler` out; the shards must be readable and the filter installed there.
"""

import os
import subprocess
import sys
from glob import glob

import dask.bag


def through(shard: str, command: list[str]) -> tuple[int, bytes]:
    """One shard through the filter: its exit code and its output."""
    done = subprocess.run([*command, shard], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    # 3 is no failure: there are error records, which go on in the stream. Anything else is, and stops the whole job.
    if done.returncode not in (0, 3):
        raise subprocess.CalledProcessError(done.returncode, command)
    return done.returncode, done.stdout


def main(shards: str, *command: str) -> None:
    names = sorted(name for name in glob(shards) if os.path.getsize(name))
    if not names:
        sys.exit(f"no shard is called {shards} and holds anything")
    bag = dask.bag.from_sequence(names, npartitions=len(names)).map(through, list(command))
    done = bag.compute(scheduler=os.environ.get("SCHEDULER", "threads"))
    sys.stdout.buffer.writelines(output for _, output in done)
    sys.stdout.flush()
    sys.exit(max(code for code, _ in done))


if __name__ == "__main__":
    main(*sys.argv[1:])
