"""`make bench`: every measurement of one run, as one table. Name some of them to run only those."""

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks import (
    agents_aggregation,
    agents_grading,
    agents_pairing,
    backends,
    damage,
    formats,
    gate_reports,
    language_models,
    main_job,
    scoring,
)
from tests.benchmarks.measure import Row, in_a_process, machine, table

BENCHMARKS = {
    **main_job.BENCHMARKS,
    **scoring.BENCHMARKS,
    **backends.BENCHMARKS,
    **formats.BENCHMARKS,
    **damage.BENCHMARKS,
    **gate_reports.BENCHMARKS,
    **language_models.BENCHMARKS,
    **agents_pairing.BENCHMARKS,
    **agents_grading.BENCHMARKS,
    **agents_aggregation.BENCHMARKS,
}


@contextlib.contextmanager
def working_folder() -> Iterator[str]:
    """A folder for the inputs: a new one, or that of ``WFKIT_BENCH`` whose inputs are used again."""
    kept = os.environ.get("WFKIT_BENCH")
    if kept:
        os.makedirs(kept, exist_ok=True)
        yield kept
        return
    with tempfile.TemporaryDirectory() as folder:
        yield folder


def main(wanted: list[str]) -> int:
    """Run the benchmarks and print the table; 1 if a target was missed."""
    rows: list[Row] = []
    with working_folder() as folder:
        for name, benchmark in BENCHMARKS.items():
            if wanted and name not in wanted:
                continue
            print(f"{name} …", file=sys.stderr, flush=True)
            for row in in_a_process(benchmark, Path(folder)):
                print(f"  {row.what}: {row.figure} ({row.target}) {row.detail}", file=sys.stderr, flush=True)
                rows.append(row)
    print(f"{machine()}\n\n{table(rows)}")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
