"""Format ``n8n``: workflows as n8n exports them, alone, in an array, or under ``data`` or ``workflow``."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from wfkit.errors import DataError
from wfkit.formats.base import Draft, ParseOptions, Source, clean_text, id_of, read_each
from wfkit.formats.documents import parse_each
from wfkit.formats.flow import Flow
from wfkit.formats.n8n_nodes import branch, node_words
from wfkit.formats.wording import step_text

NAME = "n8n"
SUMMARY = "n8n exports; models, memory and tools that are wired to an agent are what it uses, not steps"
SUFFIXES = (".json",)

Node = Mapping[str, Any]
Link = tuple[str, str, str, dict[str, Any]]  # source, target, type of the connection, attributes


def detect(source: Source) -> bool:
    """Whether a value, or the first of a list, has a list of nodes and connections keyed by their names."""
    value = source.value[0] if isinstance(source.value, list) and source.value else source.value
    return _workflow(value) is not None


def parse(source: Source, options: ParseOptions) -> list[Draft]:
    """Read a workflow, or each of an array; those of an array are named by their ids.

    Raises:
        DataError: ``E-SYNTAX`` where the shape is not n8n's.
    """
    return parse_each(source, lambda value, draft_id: _read_all(value, replace(source, id=draft_id), options))


def _read_all(value: Any, source: Source, options: ParseOptions) -> list[Draft]:
    if isinstance(value, dict) and isinstance(value.get("data"), list):
        value = value["data"]
    if isinstance(value, list):
        return read_each(source, lambda one, default_id: _read(one, id_of(one, default_id), options), value)
    return [_read(value, source.id, options)]


def _workflow(value: Any) -> dict[str, Any] | None:
    if not isinstance(value, dict):
        return None
    for inner in (value, value.get("workflow"), value.get("data")):
        inner = inner[0] if isinstance(inner, list) and inner else inner
        if (
            isinstance(inner, dict)
            and isinstance(inner.get("nodes"), list)
            and isinstance(inner.get("connections"), dict)
        ):
            return inner
    return None


def _read(value: Any, draft_id: str, options: ParseOptions) -> Draft:
    workflow = _workflow(value)
    if workflow is None:
        raise DataError("no object with a list of nodes and an object of connections", code="E-SYNTAX")
    flow, nodes, notes = Flow(), dict[str, Node](), list[str]()
    warnings: list[str] = []
    for place, node in enumerate(workflow["nodes"]):
        path = f"$.nodes[{place}]"
        if not isinstance(node, dict) or not isinstance(node.get("name"), str) or not isinstance(node.get("type"), str):
            raise DataError("a node has no name or no type", code="E-SYNTAX", path=path)
        if node["type"].endswith(".stickyNote"):
            notes.append(clean_text(str(_parameters(node).get("content", ""))))
            continue
        nodes[node["name"]] = node
        _add(flow, node, options, path)
    links = _links(workflow["connections"], nodes, warnings)
    _fold(flow, links, options)
    for source, target, _, attributes in links:
        if source in flow.steps and (target in flow.steps or target not in nodes):
            flow.join(source, target, **attributes)
    disabled = sorted(name for name, node in nodes.items() if node.get("disabled") is True and name in flow.steps)
    if disabled and not options.keep_disabled:
        warnings.append(f"W-DISABLED: disabled nodes, which data passes through, left out: {', '.join(disabled)}")
        flow.silent.update(disabled)
    flow.silent.update(name for name, node in nodes.items() if node["type"].endswith(".noOp"))
    meta = {"notes": sorted(notes)} if notes else {}
    task = workflow.get("name")
    return flow.draft(
        draft_id,
        task=task if isinstance(task, str) and task else None,
        meta=meta,
        warnings=warnings,
        cycles="break",
        refuse_ghosts=True,
    )


def _parameters(node: Node) -> Mapping[str, Any]:
    parameters = node.get("parameters")
    return parameters if isinstance(parameters, dict) else {}


def _add(flow: Flow, node: Node, options: ParseOptions, path: str) -> None:
    parameters = _parameters(node)
    notes = node.get("notes")
    description = clean_text(notes) if isinstance(notes, str) else ""
    name = node_words(node["name"], node["type"], parameters)
    choice = "name" if options.text == "auto" else options.text  # notes are remarks about a node, rarely what it does
    text = step_text(choice, name=name, description=description, fields={**node, "params": parameters})
    try:
        flow.add(
            node["name"], text, name=node["name"], type=node["type"], desc=description,
            params=parameters if options.params else None,
        )  # fmt: skip
    except DataError as error:
        error.path = path
        raise
    if node["type"].endswith((".executeWorkflow", ".toolWorkflow")):
        called = parameters.get("workflowId")
        flow.external[node["name"]] = called.get("value") if isinstance(called, dict) else called


def _links(connections: Mapping[str, Any], nodes: Mapping[str, Node], warnings: list[str]) -> list[Link]:
    """Every connection; its source may be named by id, as some generators do."""
    by_id = {str(node.get("id")): name for name, node in nodes.items()}
    links: list[Link] = []
    by_ids = []
    for key, kinds in connections.items():
        source = key
        if key not in nodes and key in by_id:
            source = by_id[key]
            by_ids.append(key)
        if not isinstance(kinds, dict):
            raise DataError("connections of a node are no object", code="E-SYNTAX", path=f"$.connections.{key}")
        for kind, slots in kinds.items():
            for index, slot in enumerate(slots if isinstance(slots, list) else []):
                for link in slot if isinstance(slot, list) else []:
                    if not isinstance(link, dict) or not isinstance(link.get("node"), str):
                        raise DataError("a connection names no node", code="E-SYNTAX", path=f"$.connections.{key}")
                    named: str = link["node"]
                    target = named if named in nodes else by_id.get(named, named)
                    attributes = (
                        branch(nodes.get(source, {}), index) if kind == "main" else {"label": kind, "kind": "wiring"}
                    )
                    links.append((source, target, kind, attributes))
    if by_ids:
        warnings.append(f"W-ID-KEY: connections are keyed by node ids instead of names: {', '.join(sorted(by_ids))}")
    return links


def _fold(flow: Flow, links: list[Link], options: ParseOptions) -> None:
    """Sub-nodes, which only wiring leaves, become what the node at the end of the wires uses."""
    if options.keep_wiring:
        return
    wired: dict[str, set[str]] = {}
    for source, target, kind, _ in links:
        if kind != "main" and source in flow.steps:
            wired.setdefault(source, set()).add(target)
    in_main = {name for source, target, kind, _ in links if kind == "main" for name in (source, target)}
    sub_nodes = {name for name in wired if name not in in_main}
    uses: dict[str, set[str]] = {}
    for name in sub_nodes:
        reached, waiting = {name}, [name]
        while waiting:
            for target in wired.get(waiting.pop(), ()):
                if target in sub_nodes and target not in reached:
                    reached.add(target)
                    waiting.append(target)
                elif target in flow.steps and target not in sub_nodes:
                    uses.setdefault(target, set()).add(flow.steps[name]["text"])
    for name, used in uses.items():
        flow.steps[name]["uses"] = sorted(used)
    flow.leave_out(sub_nodes)
    links[:] = [link for link in links if link[2] == "main"]
