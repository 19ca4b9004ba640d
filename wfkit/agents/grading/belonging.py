"""Whether a line of a ledger belongs to this run: another actor, grader, seed or model must not be mixed in."""

from typing import Any

from wfkit import schema
from wfkit.agents.grading.episode import Settings
from wfkit.errors import DataError


def run_id_of(record: Any, settings: Settings) -> str:
    """The id of an `ap_run` record that was made with these settings.

    Raises:
        DataError: it is no such record.
    """
    if not isinstance(record, dict) or record.get("kind") != "ap_run":
        raise DataError("this is no ap_run record")
    schema.checker("ap_run")(record)
    ours = {"model": settings.model, "seed": settings.seed, "digests": dict(settings.digests)}
    for name, value in ours.items():
        if record[name] != value:
            raise DataError(f"this episode was run with {name} {record[name]}, not {value}: write to another file")
    run_id: str = record["id"]
    return run_id


def kept_id_of(record: Any) -> str:
    """The id of the run that a line of ``--episodes-out`` belongs to.

    Raises:
        DataError: it is no such line.
    """
    if not isinstance(record, dict) or record.get("kind") != "episode" or not isinstance(record.get("run"), str):
        raise DataError("this is no episode of an earlier run")
    run: str = record["run"]
    return run
