"""Tasks that are directories: each episode works in a copy of its own, which the grader looks at before it is gone."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from wfkit.agents.grading.plan import Job
from wfkit.errors import DataError


@contextlib.contextmanager
def workspace(job: Job) -> Iterator[tuple[Job, str | None]]:
    """The job with a fresh copy of its directory in `public`, and where that copy is; as it came if it has none.

    An actor that changes its directory must not change that of the next repeat, nor that of another family.

    Raises:
        DataError: ``E-DIRECTORY``, the directory cannot be copied.
    """
    source = job.public.get("directory")
    if not isinstance(source, str):
        yield job, None
        return
    with tempfile.TemporaryDirectory(prefix="task-", ignore_cleanup_errors=True) as folder:
        copy = str(Path(folder) / "task")
        try:
            shutil.copytree(source, copy, symlinks=True)
        except (OSError, shutil.Error) as error:
            raise DataError(f"cannot copy {source}: {str(error)[:200]}", code="E-DIRECTORY") from None
        yield replace(job, public={**job.public, "directory": copy}), copy
