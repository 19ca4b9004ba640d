"""`make bench`: every measurement of one run, as one table. Name some of them to run only those."""

import sys
import tempfile
from pathlib import Path

from tests.benchmarks import (
    agents_aggregation,
    agents_grading,
    agents_pairing,
    damage,
    formats,
    language_models,
    main_job,
)
from tests.benchmarks.measure import Row, machine, table

BENCHMARKS = {
    **main_job.BENCHMARKS,
    **formats.BENCHMARKS,
    **damage.BENCHMARKS,
    **language_models.BENCHMARKS,
    **agents_pairing.BENCHMARKS,
    **agents_grading.BENCHMARKS,
    **agents_aggregation.BENCHMARKS,
}


def main(wanted: list[str]) -> int:
    """Run the benchmarks and print the table; 1 if a target was missed."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, benchmark in BENCHMARKS.items():
            if wanted and name not in wanted:
                continue
            print(f"{name} …", file=sys.stderr, flush=True)
            rows += benchmark(Path(folder))
    print(f"{machine()}\n\n{table(rows)}")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
