"""Format ``gha``: GitHub Actions. A step is a job, or with ``--steps`` a step of a job."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from wfkit.errors import DataError
from wfkit.formats.base import Draft, ParseOptions, Source
from wfkit.formats.documents import parse_each
from wfkit.formats.flow import Flow
from wfkit.formats.shapes import names_at
from wfkit.formats.wording import one_line, step_text, words_of
from wfkit.formats.yaml_text import top_level_keys

NAME = "gha"
SUMMARY = "GitHub Actions workflows: one step a job, or one a step of a job with --steps"
SUFFIXES = (".yml", ".yaml")

STRUCTURE = frozenset({"name", "needs", "if", "steps", "uses"})


def detect(source: Source) -> bool:
    """Whether there are ``on`` and ``jobs`` at the top."""
    text = source.plain_text()
    keys = top_level_keys(text) if text is not None else source.value if isinstance(source.value, dict) else ()
    return "on" in keys and "jobs" in keys


def parse(source: Source, options: ParseOptions) -> list[Draft]:
    """Read a workflow file, or each YAML document of it.

    Raises:
        DataError: ``E-SYNTAX`` where the shape is not that of a workflow.
    """
    return parse_each(source, lambda value, draft_id: [_read(value, draft_id, options)])


def _read(value: Any, draft_id: str, options: ParseOptions) -> Draft:
    jobs = value.get("jobs") if isinstance(value, dict) else None
    if not isinstance(jobs, dict):
        raise DataError("no jobs", code="E-SYNTAX", path="$.jobs")
    flow = Flow()
    begins: dict[str, str] = {}
    ends: dict[str, str] = {}
    for job_id, job in jobs.items():
        if not isinstance(job, dict):
            raise DataError("a job is no object", code="E-SYNTAX", path=f"$.jobs.{job_id}")
        begins[job_id], ends[job_id] = _add_job(flow, job_id, job, options)
    for job_id, job in jobs.items():
        condition = _condition(job)
        for needed in names_at(job, "needs"):
            flow.join(ends.get(needed, needed), begins[job_id], **condition)
    name = value.get("name")
    return flow.draft(
        draft_id,
        task=name if isinstance(name, str) and name else None,
        meta={"trigger": value["on"]} if "on" in value else {},
        refuse_ghosts=True,
        unordered=True,  # jobs that need nothing run side by side
    )


def _condition(holder: Mapping[str, Any]) -> dict[str, Any]:
    given = holder.get("if")
    return {} if given is None else {"label": one_line(_scalar(given)), "kind": "conditional"}


def _scalar(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _add_job(flow: Flow, job_id: str, job: Mapping[str, Any], options: ParseOptions) -> tuple[str, str]:
    """Add a job or its steps; gives the ids of the first and the last of what was added."""
    steps = job.get("steps")
    if not options.expand_jobs or not isinstance(steps, list) or not steps:
        given = job.get("name")
        name = one_line(_scalar(given)) if given not in (None, "") else words_of(job_id)
        uses = job.get("uses")
        text = step_text(options.text, name=name, fields={**job, "id": job_id, "type": "job"})
        parameters = {key: value for key, value in job.items() if key not in STRUCTURE}
        flow.add(
            job_id, text, name=job.get("name"), type="job", uses=uses,
            condition=None if job.get("needs") else _condition(job).get("label"),
            params=parameters if options.params else None,
        )  # fmt: skip
        if uses:
            flow.external[job_id] = uses
        return job_id, job_id
    ids = []
    for number, step in enumerate(steps, start=1):
        if not isinstance(step, dict):
            raise DataError("a step is no object", code="E-SYNTAX", path=f"$.jobs.{job_id}.steps[{number - 1}]")
        step_id = f"{job_id}/{step.get('id') or number}"
        name = _step_words(step)
        text = step_text(options.text, name=name, fields={**step, "type": "step"})
        parameters = {key: value for key, value in step.items() if key not in STRUCTURE}
        flow.add(
            step_id, text, name=name, type="step", uses=step.get("uses"), condition=_condition(step).get("label"),
            params=parameters if options.params else None,
        )  # fmt: skip
        ids.append(step_id)
    for source, target in pairwise(ids):
        flow.join(source, target)
    return ids[0], ids[-1]


def _step_words(step: Mapping[str, Any]) -> str:
    """The name of a step, else the action that it uses, else the first line that it runs."""
    for field in ("name", "uses"):
        if step.get(field) not in (None, ""):
            return one_line(_scalar(step[field]))
    run = step.get("run")
    lines = [line for line in run.splitlines() if line.strip()] if isinstance(run, str) else []
    return one_line(lines[0]) if lines else ""
