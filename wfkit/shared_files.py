"""Refuses a command line that would write over a file that it reads or writes for something else."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

from wfkit.errors import UsageProblem

READ = (
    "golden", "expect", "policy_file", "baseline", "waivers_file", "donors", "candidates", "requested", "episodes",
    "capability", "label_set", "endpoints", "prices", "bertscore_baseline",
)  # fmt: skip
WRITTEN = (
    "bless", "calibrate", "public", "out", "episodes_out", "junit", "markdown", "html", "sarif", "summary", "output",
)  # fmt: skip
"""Options of all filters that name files, as their parameters are called."""

MAY_REPLACE = {("output", "files"), ("bless", "baseline")}
"""What appears when it is complete may replace what was read to its end: the records, and the approved run."""


def refuse(options: Mapping[str, Any]) -> None:
    """Refuse to write over a file that another option reads or writes.

    Args:
        options: what a filter was given, by parameter; ``files`` are the records.

    Raises:
        UsageProblem: naming the option and the file.
    """
    read = [(name, place) for name in (*READ, "files") for place in _places(options.get(name))]
    taken: set[str] = set()
    for name in WRITTEN:
        for place in _places(options.get(name)):
            if os.path.exists(place) and not os.path.isfile(place):
                continue  # a device takes the writing of several
            if place in taken or any(place == other and (name, reader) not in MAY_REPLACE for reader, other in read):
                option = name.replace("_", "-")
                raise UsageProblem(f"--{option} {options[name]} would overwrite a file that is read or written as well")
            taken.add(place)


def _places(given: Any) -> Iterator[str]:
    names = (given,) if isinstance(given, str) else given if isinstance(given, tuple) else ()
    for name in names:  # a flag of this name holds none
        yield os.path.realpath(name)
