"""Reads the files of recorded episodes, each in the format that it is in."""

import importlib
import itertools
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from wfkit.agents.grading.recorded import FORMATS
from wfkit.errors import DataError, UsageProblem

if TYPE_CHECKING:
    from wfkit.jsonl import Record

MOST_BYTES = 1 << 30


def read_episodes(names: Sequence[str], form: str) -> "Iterator[tuple[str, Record]]":
    """Every episode of the files, beside the names of the files that it may stand in.

    Args:
        form: a name of `FORMATS`, or ``auto``.

    Raises:
        UsageProblem: a file cannot be read, or is in no format that is read.
    """
    from wfkit.agents.grading.recorded.base import RecordedFile

    groups: dict[str, list[RecordedFile]] = {}
    for name in names:
        values = _values(name)
        head = next(values, None)
        chosen = form if form != "auto" else _detect(name, head)
        groups.setdefault(chosen, []).append(RecordedFile(name, itertools.chain([head], values)))
    for chosen, files in groups.items():
        where = ", ".join(file.name for file in files)
        try:
            for episode in _module(chosen).episodes(files):
                yield where, episode
        except DataError as error:
            raise UsageProblem(f"{where}: {error}") from None
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            what = f"{type(error).__name__}: {error}"
            raise UsageProblem(f"{where}: this is not the format {chosen} as we know it ({what})") from None


def _values(name: str) -> Iterator[Any]:
    """The values of a file: those of its lines, or, if the first line is no JSON by itself, the one of all of it."""
    from wfkit import jsonl

    number = 0
    try:
        with open(name, "rb") as file:
            for number, line in enumerate(file, start=1):
                text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                if not text.strip():
                    continue
                try:
                    yield jsonl.loads(text)
                except DataError:
                    if number > 1:
                        raise
                    yield jsonl.loads(text + file.read(MOST_BYTES))
    except OSError as error:
        raise UsageProblem(f"cannot read {name}: {error.strerror}") from None
    except DataError as error:
        raise UsageProblem(f"{name}:{number}: {error}") from None


def _detect(name: str, head: Any) -> str:
    found = next((form for form in FORMATS if _module(form).matches(head)), None)
    if found is None:
        raise UsageProblem(f"{name} is in no format that is read ({', '.join(FORMATS)}); see --episodes-from")
    return found


def _module(form: str) -> ModuleType:
    return importlib.import_module(FORMATS[form])
