"""A map filter on the parts of a Dask bag: python dask_bag.py pairs.jsonl wf-score --metrics bleu > scored.jsonl

The work is done by processes of the filter, so threads are enough to start them. On a cluster, make a
`dask.distributed.Client` first and leave `scheduler` out: the file must be readable and the filter installed there.
"""

import os
import subprocess
import sys
from collections.abc import Iterable

import dask.bag


def shard(lines: Iterable[str], command: list[str]) -> list[tuple[int, bytes]]:
    """One part of the bag through the filter: its exit code and its output."""
    done = subprocess.run(command, input="".join(lines).encode(), stdout=subprocess.PIPE, check=False)
    # 3 is no failure: there are error records, which go on in the stream. Anything else is, and stops the whole job.
    if done.returncode not in (0, 3):
        raise subprocess.CalledProcessError(done.returncode, command)
    return [(done.returncode, done.stdout)]


def main(file: str, *command: str) -> None:
    size, scheduler = os.environ.get("BLOCK", "1 MiB"), os.environ.get("SCHEDULER", "threads")
    lines = dask.bag.read_text(file, blocksize=size, linedelimiter="\n", encoding="utf-8")
    shards = lines.map_partitions(shard, list(command)).compute(scheduler=scheduler)
    sys.stdout.buffer.writelines(output for _, output in shards)
    sys.stdout.flush()
    sys.exit(max((code for code, _ in shards), default=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
