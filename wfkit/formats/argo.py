"""Format ``argo``: Argo Workflows, with the templates that a task calls opened inside it."""

import re
from collections.abc import Mapping
from typing import Any

from wfkit.errors import DataError
from wfkit.formats.base import Draft, ParseOptions, Source, read_each
from wfkit.formats.documents import documents
from wfkit.formats.flow import Exit, Flow
from wfkit.formats.shapes import as_object, name_at, names_at, objects_at
from wfkit.formats.wording import one_line, step_text, words_of

NAME = "argo"
SUMMARY = "Argo Workflows: dag and steps templates from the entrypoint on, called templates as containers"
SUFFIXES = (".yaml", ".yml")

KINDS = frozenset({"Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow"})
MAXIMUM_DEPTH = 50

_API = re.compile(r"^apiVersion:\s*['\"]?argoproj\.io/", re.MULTILINE)
_KIND = re.compile(rf"^kind:\s*['\"]?(?:{'|'.join(KINDS)})['\"]?\s*$", re.MULTILINE)
_DEPENDENCY = re.compile(r"(?P<task>[A-Za-z0-9_][A-Za-z0-9_-]*)(?:\.(?P<status>[A-Za-z]+))?")
_FAILURES = frozenset({"Failed", "Errored"})

Template = Mapping[str, Any]


def detect(source: Source) -> bool:
    """Whether ``apiVersion`` is Argo's and ``kind`` one of its workflows."""
    text = source.plain_text()
    if text is not None:
        return bool(_API.search(text) and _KIND.search(text))
    return isinstance(source.value, dict) and _is_workflow(source.value)


def parse(source: Source, options: ParseOptions) -> list[Draft]:
    """Read each document that is a workflow.

    Raises:
        DataError: ``E-SYNTAX`` where there is none.
    """
    values = [value for value in documents(source) if isinstance(value, dict) and _is_workflow(value)]
    if not values:
        raise DataError(f"no document of {', '.join(sorted(KINDS))}", code="E-SYNTAX")
    if len(values) == 1:
        return [_read(values[0], source.id, options)]
    return read_each(source, lambda value, default_id: _read(value, default_id, options), values)


def _is_workflow(value: Mapping[str, Any]) -> bool:
    return str(value.get("apiVersion", "")).startswith("argoproj.io/") and str(value.get("kind")) in KINDS


class _Reading:
    """What all templates of one workflow share while they are opened."""

    def __init__(self, templates: dict[str, Template], options: ParseOptions) -> None:
        self.flow = Flow()
        self.templates = templates
        self.options = options
        self.warnings: list[str] = []
        self.open: dict[str, list[str]] = {}  # template -> its first steps, while it is being opened


def _read(value: Mapping[str, Any], draft_id: str, options: ParseOptions) -> Draft:
    spec = value.get("spec")
    if isinstance(spec, dict) and isinstance(spec.get("workflowSpec"), dict):
        spec = spec["workflowSpec"]
    templates = spec.get("templates") if isinstance(spec, dict) else None
    if not isinstance(spec, dict) or not isinstance(templates, list):
        raise DataError("no templates", code="E-SYNTAX", path="$.spec.templates")
    named: dict[str, Template] = {str(one.get("name")): one for one in templates if isinstance(one, dict)}
    entrypoint = str(spec.get("entrypoint", ""))
    if entrypoint not in named:
        raise DataError(f"the entrypoint {entrypoint!r} is no template", code="E-SYNTAX", path="$.spec.entrypoint")
    reading = _Reading(named, options)
    flow = reading.flow
    if _is_container(named[entrypoint]):
        _, exits = _open(reading, entrypoint, "", 0)
    else:
        flow.add(entrypoint, step_text(options.text, name=words_of(entrypoint)), name=entrypoint)
        exits = [Exit(entrypoint, {})]
    handler = spec.get("onExit")
    if isinstance(handler, str):
        flow.add(handler, step_text(options.text, name=words_of(handler)), name=handler, type=handler)
        flow.join_all(exits, handler, kind="exit")
        if _is_container(named.get(handler, {})) and not options.collapse:
            entries, _ = _open(reading, handler, f"{handler}/", 0)
            for entry in entries:
                flow.join(handler, entry)
    metadata = as_object(value.get("metadata"))
    annotations = as_object(metadata.get("annotations"))
    task = annotations.get("workflows.argoproj.io/description") or metadata.get("name")
    return flow.draft(
        draft_id,
        task=one_line(task) if isinstance(task, str) else None,
        warnings=sorted(set(reading.warnings)),
        cycles="break",
        refuse_ghosts=True,
        unordered=True,
    )


def _is_container(template: Template) -> bool:
    return isinstance(template.get("dag"), dict) or isinstance(template.get("steps"), list)


def _open(reading: _Reading, name: str, prefix: str, depth: int) -> tuple[list[str], list[Exit]]:
    """Add the steps of a template; gives those that begin it and those after which it is over."""
    if depth > MAXIMUM_DEPTH:
        raise DataError(f"templates call each other deeper than {MAXIMUM_DEPTH}", code="E-LIMIT")
    template = reading.templates[name]
    if isinstance(template.get("dag"), dict):
        return _open_dag(reading, name, template["dag"], prefix, depth)
    return _open_steps(reading, name, template["steps"], prefix, depth)


def _open_dag(
    reading: _Reading, name: str, dag: Mapping[str, Any], prefix: str, depth: int
) -> tuple[list[str], list[Exit]]:
    tasks = objects_at(dag, "tasks")
    waits = {str(task.get("name")): _waits_for(reading, task) for task in tasks}
    first = [prefix + own for own, before in waits.items() if not before]
    reading.open[name] = first
    exits = {str(task.get("name")): _add(reading, task, prefix, depth) for task in tasks}
    del reading.open[name]
    passed = set()
    for task in tasks:
        own = str(task.get("name"))
        for earlier, attributes in waits[own].items():
            given = {**attributes, **_when(task)} if attributes.get("kind") != "error" else attributes
            if attributes.get("kind") != "error":
                passed.add(earlier)
                reading.flow.join_all(exits.get(earlier, [Exit(prefix + earlier, {})]), prefix + own, **given)
            else:
                reading.flow.join(prefix + earlier, prefix + own, **given)
    return first, [leaving for own in waits if own not in passed for leaving in exits[own]]


def _waits_for(reading: _Reading, task: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The tasks that a task waits for, each with what the edge says."""
    given = names_at(task, "dependencies")
    if given:
        return {one: {} for one in given}
    depends = name_at(task, "depends") or ""
    if "||" in depends:
        warning = (
            f"W-OR: task {task.get('name')} waits for one or the other of its dependencies, which edges cannot say"
        )
        reading.warnings.append(warning)
    statuses: dict[str, list[str]] = {}
    for match in _DEPENDENCY.finditer(depends):
        listed = statuses.setdefault(match["task"], [])
        if match["status"]:
            listed.append(match["status"])
    return {
        earlier: {
            "label": ", ".join(listed),
            "kind": "error" if listed and _FAILURES.issuperset(listed) else None,
        }
        for earlier, listed in statuses.items()
    }


def _open_steps(
    reading: _Reading, name: str, groups: list[Any], prefix: str, depth: int
) -> tuple[list[str], list[Exit]]:
    listed = [
        [step for step in (group if isinstance(group, list) else [group]) if isinstance(step, dict)] for group in groups
    ]
    listed = [group for group in listed if group]
    first = [f"{prefix}{step.get('name')}" for step in listed[0]] if listed else []
    reading.open[name] = first
    before: list[Exit] = []
    for group in listed:
        exits: list[Exit] = []
        for step in group:
            exits += _add(reading, step, prefix, depth)
        for step in group:
            reading.flow.join_all(before, f"{prefix}{step.get('name')}", **_when(step))
        before = exits
    del reading.open[name]
    return first, before


def _when(step: Mapping[str, Any]) -> dict[str, Any]:
    when = step.get("when")
    return {} if when is None else {"label": one_line(str(when)), "kind": "conditional"}


def _add(reading: _Reading, task: Mapping[str, Any], prefix: str, depth: int) -> list[Exit]:
    """Add a task, and inside it the template that it calls; gives the steps after which it is over."""
    own = task.get("name")
    if not isinstance(own, (str, int)):
        raise DataError("a task has no name", code="E-SYNTAX")
    step_id = f"{prefix}{own}"
    called = task.get("template")
    inline = task.get("inline")
    reference = task.get("templateRef")
    parameters = {key: value for key, value in task.items() if key in ("arguments", "withItems", "withParam", "when")}
    text = step_text(reading.options.text, name=words_of(str(own)), fields={**task, "type": called})
    reading.flow.add(
        step_id, text, name=str(own), type=called, params=parameters if reading.options.params else None
    )  # fmt: skip
    if isinstance(reference, dict):
        reading.flow.external[step_id] = "/".join(
            str(reference[key]) for key in ("name", "template") if key in reference
        )
        return [Exit(step_id, {})]
    if isinstance(inline, dict) and _is_container(inline):
        called = f"\0{step_id}"
        reading.templates[called] = inline
    if isinstance(called, str) and called not in reading.templates:
        raise DataError(f"task {step_id!r} calls the template {called!r}, which is not there", code="E-GHOST")
    if not isinstance(called, str) or not _is_container(reading.templates[called]):
        return [Exit(step_id, {})]
    if called in reading.open:  # a template that calls itself goes back to its beginning
        for entry in reading.open[called]:
            reading.flow.join(step_id, entry)
        return [Exit(step_id, {})]
    if reading.options.collapse:
        return [Exit(step_id, {})]
    entries, exits = _open(reading, called, f"{step_id}/", depth + 1)
    for entry in entries:
        reading.flow.join(step_id, entry)
    return exits or [Exit(step_id, {})]
