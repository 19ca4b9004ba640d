"""Format ``bpmn``: BPMN 2.0 XML. Sequence flows are the edges; what has no name and does nothing is bridged."""

import re
from typing import TYPE_CHECKING

from wfkit.errors import DataError
from wfkit.formats.base import MAXIMUM_CHARACTERS, Draft, ParseOptions, Source
from wfkit.formats.flow import Exit, Flow
from wfkit.formats.wording import one_line, step_text

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

NAME = "bpmn"
SUMMARY = "BPMN 2.0 processes: tasks, named events and gateways, subprocesses as containers"
SUFFIXES = (".bpmn", ".xml")

MAXIMUM_DEPTH = 50
CONTAINERS = frozenset({"subProcess", "adHocSubProcess", "transaction"})
TASKS = frozenset(
    {"task", "serviceTask", "userTask", "scriptTask", "manualTask", "sendTask", "receiveTask", "businessRuleTask",
     "callActivity"}
)  # fmt: skip

_MODEL = "http://www.omg.org/spec/BPMN/20100524/MODEL"
_DOCTYPE = re.compile(r"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)


def detect(source: Source) -> bool:
    """Whether a text is XML that names the model of BPMN 2.0."""
    text = source.plain_text()
    return text is not None and text.lstrip("\ufeff \t\r\n").startswith("<") and _MODEL in text


def parse(source: Source, options: ParseOptions) -> list[Draft]:
    """Read the processes of a file as one workflow.

    Raises:
        DataError: ``E-SYNTAX`` with line and column, ``E-LIMIT`` for a file that declares a document type or entities.
    """
    root = _root(source.plain_text() or "")
    flow = Flow()
    processes = [element for element in root if _kind(element) == "process"]
    if not processes:
        raise DataError("no process", code="E-NO-NODES")
    lanes: dict[str, list[str]] = {}
    for process in processes:
        _add_process(flow, process, "", options, 0)
        for lane in process.iter(f"{{{_MODEL}}}lane"):
            references = [one_line(one.text or "") for one in lane if _kind(one) == "flowNodeRef"]
            lanes[one_line(lane.get("name") or lane.get("id") or "")] = sorted(references)
    names = [one_line(name) for process in processes if (name := process.get("name"))]
    return [
        flow.draft(
            source.id,
            task=", ".join(names) or None,
            meta={"lanes": dict(sorted(lanes.items()))} if lanes else {},
            cycles="break",
            refuse_ghosts=True,
        )
    ]


def _root(text: str) -> "Element":
    from xml.etree import ElementTree

    if len(text) > MAXIMUM_CHARACTERS:
        raise DataError(f"{len(text):,} characters; the limit is {MAXIMUM_CHARACTERS:,}", code="E-LIMIT")
    if _DOCTYPE.search(text):
        raise DataError("the file declares a document type or entities, which no process needs", code="E-LIMIT")
    try:
        return ElementTree.fromstring(text.lstrip("\ufeff \t\r\n").encode())  # noqa: S314 - no document type, no entities
    except ElementTree.ParseError as error:
        line, column = error.position
        raise DataError(f"not XML: line {line}, column {column + 1}: {error}", code="E-SYNTAX") from None


def _kind(element: "Element") -> str:
    namespace, _, name = element.tag.rpartition("}")
    return name if namespace == f"{{{_MODEL}" else ""


def _add_process(
    flow: Flow, scope: "Element", prefix: str, options: ParseOptions, depth: int
) -> tuple[list[str], list[Exit]]:
    """Add what a process or subprocess holds; gives the steps that begin it and those after which it is over."""
    if depth > MAXIMUM_DEPTH:
        raise DataError(f"subprocesses nested deeper than {MAXIMUM_DEPTH}", code="E-LIMIT")
    elements: dict[str, Element] = {}
    for one in scope:
        if _is_flow_node(one) and elements.setdefault(one.get("id", ""), one) is not one:
            raise DataError(f"step id {one.get('id')!r} occurs twice", code="E-DUP-ID")
    exits = {own: _add_element(flow, own, one, prefix, options, depth) for own, one in elements.items()}
    flows = [one for one in scope if _kind(one) == "sequenceFlow"]
    for one in flows:
        source, target = one.get("sourceRef", ""), one.get("targetRef", "")
        condition = next((part.text for part in one if _kind(part) == "conditionExpression"), None)
        label = one_line(one.get("name") or condition or "")
        attributes = {"label": label, "kind": "conditional" if condition or label else None}
        for leaving in exits.get(source, [Exit(prefix + source, {})]):
            flow.join(leaving.step, prefix + target, **{**leaving.attributes, **attributes})
    for own, one in elements.items():
        attached = one.get("attachedToRef")
        if _kind(one) == "boundaryEvent" and attached:
            flow.join(prefix + attached, prefix + own, label=one_line(one.get("name") or ""), kind="error")
    left = {one.get("sourceRef") for one in flows}
    entered = {one.get("targetRef") for one in flows}
    inner = [own for own, one in elements.items() if one.get("triggeredByEvent") != "true"]
    first = [prefix + own for own in inner if own not in entered and _kind(elements[own]) != "boundaryEvent"]
    return first, [leaving for own in inner if own not in left for leaving in exits[own]]


def _is_flow_node(element: "Element") -> bool:
    kind = _kind(element)
    return kind in TASKS or kind in CONTAINERS or kind.endswith(("Event", "Gateway"))


def _add_element(
    flow: Flow, own: str, element: "Element", prefix: str, options: ParseOptions, depth: int
) -> list[Exit]:
    """Add a flow node, and what it holds; gives the steps after which it is over."""
    kind = _kind(element)
    step_id = prefix + own
    name = one_line(element.get("name") or "")
    notes = [one_line(part.text or "") for part in element if _kind(part) == "documentation"]
    description = " ".join(note for note in notes if note)
    choice = "name" if options.text == "auto" and name else options.text  # documentation explains, the name says
    text = step_text(choice, name=name, description=description, fields={"id": own, "type": kind, **element.attrib})
    parameters = {key.rpartition("}")[2]: value for key, value in element.attrib.items() if key not in ("id", "name")}
    flow.add(
        step_id, text, name=name, type=kind, desc=description, params=parameters if options.params else None
    )  # fmt: skip
    if not name and kind.endswith(("Event", "Gateway")):
        if not prefix and kind in ("startEvent", "endEvent"):
            flow.terminals[step_id] = "start" if kind == "startEvent" else "end"
            flow.steps[step_id]["text"] = kind
        else:
            flow.silent.add(step_id)
    if kind == "callActivity":
        flow.external[step_id] = element.get("calledElement") or True
    if kind not in CONTAINERS or options.collapse:
        return [Exit(step_id, {})]
    entries, exits = _add_process(flow, element, f"{step_id}/", options, depth + 1)
    for entry in entries:
        flow.join(step_id, entry)
    return exits or [Exit(step_id, {})]
