"""Format ``graph``: JSON or YAML with nodes and edges, as the tools that draw and run such graphs export it.

Profiles: langgraph, react-flow, flowise, langflow, dify, evoagentx, node-link (networkx), and ``generic`` for what is
like them. Plain records without the traits of any tool are format ``json``.
"""

from collections.abc import Mapping
from typing import Any

from wfkit.errors import DataError
from wfkit.formats import json_form
from wfkit.formats.base import END_NAMES, START_NAMES, Draft, ParseOptions, Source, clean_text, id_of, read_each
from wfkit.formats.documents import documents
from wfkit.formats.flow import Exit, Flow, expand_groups
from wfkit.formats.graph_profiles import EDGE_FIELDS, SOURCE_FIELDS, TARGET_FIELDS, Graph, graph_of, profile_of
from wfkit.formats.shapes import as_list, as_object
from wfkit.formats.wording import step_text, with_copy_number_apart, words_of
from wfkit.formats.yaml_text import top_level_keys

NAME = "graph"
SUMMARY = "JSON or YAML graphs of LangGraph, React Flow, Flowise, Langflow, Dify, EvoAgentX and networkx (node-link)"
SUFFIXES = (".json", ".yaml", ".yml")

OWN_IDS = frozenset({"generic", "node-link", "langgraph", "evoagentx", "react-flow"})
NOTES = frozenset({"note", "notenode", "comment", "stickynote", "sticky-note", "custom-note", "annotation"})
DIFY_CONTAINERS = frozenset({"iteration", "loop"})
FLOWISE_STEPS = frozenset({"Agent Flows", "Sequential Agents", "Multi Agents"})


def detect(source: Source) -> bool:
    """Whether the value has nodes and edges in the way of one of the tools; in YAML, in any way."""
    text = source.plain_text()
    if text is not None:
        keys = top_level_keys(text)
        return ("nodes" in keys and not keys.isdisjoint(EDGE_FIELDS)) or {"app", "kind", "workflow"} <= keys
    value = source.value[0] if isinstance(source.value, list) and source.value else source.value
    return not json_form.detect(source) and profile_of(value) is not None


def parse(source: Source, options: ParseOptions) -> list[Draft]:
    """Read a graph, each graph of a list, or each YAML document.

    Raises:
        DataError: ``E-SYNTAX`` where the shape is not understood, ``E-UNDIRECTED`` for a graph without directions.
    """
    values = documents(source)
    if len(values) == 1 and isinstance(values[0], list):
        values = values[0]
    if len(values) != 1:
        return read_each(source, lambda value, default_id: _read(value, default_id, options), values)
    return [_read(values[0], source.id, options)]


def _read(value: Any, default_id: str, options: ParseOptions) -> Draft:
    profile = profile_of(value)
    if profile is None:
        return json_form.parse(Source(value=value, id=default_id), options)[0]
    if value.get("directed") is False:
        raise DataError("the graph is undirected, so nothing says what comes first", code="E-UNDIRECTED")
    graph = graph_of(value, profile)
    flow, warnings = _flow(graph, options)
    return flow.draft(
        id_of(value, default_id) if profile in OWN_IDS else default_id,
        task=_task(value, profile),
        warnings=warnings,
        cycles="break" if profile == "langgraph" else "error",
    )


def _task(value: Mapping[str, Any], profile: str) -> str | None:
    app = value.get("app") if profile == "dify" else value
    fields = ("description", "name") if profile == "dify" else ("task", "goal", "description", "name")
    texts = [app.get(field) for field in fields] if isinstance(app, Mapping) else []
    return next((text for text in texts if isinstance(text, str) and text.strip()), None)


def _flow(graph: Graph, options: ParseOptions) -> tuple[Flow, list[str]]:
    flow = Flow()
    parents: dict[str, str] = {}
    kinds: dict[str, str] = {}
    nodes: dict[str, Mapping[str, Any]] = {}
    for place, node in enumerate(graph.nodes):
        path = f"$.nodes[{place}]"
        if isinstance(node, str):
            node = {"id": node}
        if not isinstance(node, dict):
            raise DataError("a node is neither an object nor a name", code="E-SYNTAX", path=path)
        own_id = _identifier(node, ("id", "name", "key"), path)
        kinds[own_id] = _kind(node, graph.profile)
        if kinds[own_id].lower() in NOTES:
            continue
        if own_id in nodes:
            raise DataError(f"step id {own_id!r} occurs twice", code="E-DUP-ID", path=path)
        nodes[own_id] = node
        parent = node.get("parentId") or node.get("parentNode")
        if isinstance(parent, (str, int)):
            parents[own_id] = str(parent)
    edges = [_edge(edge, graph.profile, nodes, f"$.edges[{place}]") for place, edge in enumerate(graph.edges)]
    notes = {own_id for own_id, kind in kinds.items() if kind.lower() in NOTES}
    edges = [edge for edge in edges if notes.isdisjoint(edge[:2])]
    for own_id, node in nodes.items():
        _add(flow, own_id, node, kinds[own_id], graph.profile, options)
    warnings: list[str] = []
    if graph.profile == "flowise":
        edges = _without_wiring(flow, nodes, edges, options, warnings)
    if graph.profile == "dify":
        edges = _with_containers(flow, nodes, kinds, parents, edges, options)
    else:
        edges = _without_groups(flow, kinds, parents, edges)
    for source, target, attributes in edges:
        flow.join(source, target, **attributes)
    return flow, warnings


def _add(flow: Flow, own_id: str, node: Mapping[str, Any], kind: str, profile: str, options: ParseOptions) -> None:
    data = as_object(node.get("data"))
    name, description = _name_and_description(node, data, own_id, profile)
    choice = options.text
    if choice == "auto" and profile in ("flowise", "langflow"):  # their descriptions are of the type, or are prompts
        choice = "name"
    if choice == "auto" and profile == "dify":
        choice = "both"
    params = data or {key: value for key, value in node.items() if key not in ("id", "position")}
    text = step_text(
        choice, name=name, description=description, fields={**node, **data, "type": kind, "params": params}
    )
    flow.add(
        own_id,
        text or (own_id if _is_terminal_name(own_id) else ""),
        name=_text(node, data, ("label", "title", "display_name", "name")) or None,
        type=kind,
        desc=description,
        params=params if options.params else None,
    )
    if kind in ("start", "startAgentflow") or own_id == "__start__" or name.casefold() in START_NAMES:
        flow.terminals[own_id] = "start"
    elif (kind == "end" and profile == "dify") or own_id == "__end__" or name.casefold() in END_NAMES:
        flow.terminals[own_id] = "end"


def _name_and_description(
    node: Mapping[str, Any], data: Mapping[str, Any], own_id: str, profile: str
) -> tuple[str, str]:
    if profile == "flowise":
        return _flowise_words(data, own_id)
    if profile == "langflow":
        inner = as_object(data.get("node"))
        name = _text(inner, data, ("display_name", "name", "type"))
        return with_copy_number_apart(name or words_of(own_id)), clean_text(str(inner.get("description") or ""))
    if profile == "langgraph":
        return words_of((_text(data, node, ("name",)) or own_id).rpartition(":")[2] or own_id), ""
    name = _text(node, data, ("label", "title", "name", "task")) or words_of(own_id)
    if " " not in name:
        name = words_of(name)
    own_text = node.get("text")
    description = own_text if isinstance(own_text, str) else ""
    return name, description or _text(node, data, ("description", "desc"))


def _flowise_words(data: Mapping[str, Any], own_id: str) -> tuple[str, str]:
    """The label, or where that is the one of its type the name given in the inputs; and the prompts."""
    inputs = as_object(data.get("inputs"))
    label = clean_text(str(data.get("label") or own_id))
    if words_of(str(data.get("name", ""))).casefold() == label.casefold():
        given = inputs.get(f"{data.get('name')}Name")
        label = clean_text(given) if isinstance(given, str) and given else label
    prompts = [value for field, value in inputs.items() if field.endswith("Prompt") and isinstance(value, str)]
    for field, value in inputs.items():
        if field.endswith("Messages") and isinstance(value, list):
            prompts += [message["content"] for message in value if isinstance(message, dict) and "content" in message]
    return label, " ".join(clean_text(str(prompt)) for prompt in prompts if prompt)


def _text(first: Mapping[str, Any], second: Mapping[str, Any], fields: tuple[str, ...]) -> str:
    """The first of the fields that holds text, in either place."""
    values = [place.get(field) for field in fields for place in (first, second)]
    return next((clean_text(value) for value in values if isinstance(value, str) and value.strip()), "")


def _kind(node: Mapping[str, Any], profile: str) -> str:
    data = as_object(node.get("data"))
    if profile == "dify":
        return str(data.get("type") or node.get("type") or "")
    if profile == "flowise":
        return str(data.get("name") or node.get("type") or "")
    if profile == "langflow" and str(node.get("type", "")).lower() not in NOTES:
        return str(data.get("type") or node.get("type") or "")
    return str(node.get("type") or "")


def _is_terminal_name(name: str) -> bool:
    return name.casefold() in START_NAMES | END_NAMES


def _identifier(node: Mapping[str, Any], fields: tuple[str, ...], path: str) -> str:
    value = next((node[field] for field in fields if field in node), None)
    if isinstance(value, dict):  # React Flow's handles and some hand-made edges: {"id": …} or {"node": …}
        value = next((value[field] for field in ("id", "node", "name") if field in value), None)
    if (isinstance(value, str) and value) or (isinstance(value, int) and not isinstance(value, bool)):
        return str(value)
    raise DataError(f"none of {', '.join(fields)} is a name or a number", code="E-SYNTAX", path=path)


def _edge(
    edge: Any, profile: str, nodes: Mapping[str, Mapping[str, Any]], path: str
) -> tuple[str, str, dict[str, Any]]:
    if not isinstance(edge, dict):
        return json_form.read_edge(edge, path)
    source, target = _identifier(edge, SOURCE_FIELDS, path), _identifier(edge, TARGET_FIELDS, path)
    data = edge.get("data")
    label: Any = edge.get("label") or edge.get("condition")
    kind = "conditional" if edge.get("conditional") is True else None
    if profile == "langgraph" and isinstance(data, (str, int)):
        label = label or data
    elif isinstance(data, dict):
        label = label or data.get("label")
    if profile == "dify":
        label, kind = _dify_branch(edge.get("sourceHandle"), nodes.get(source, {}))
    label = clean_text(str(label)) if label not in (None, True, False) else None
    return source, target, {"label": label, "kind": kind}


def _dify_branch(handle: Any, node: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """What a branch of a Dify node is called, and its kind."""
    if handle in (None, "", "source", "loop", "iteration"):
        return None, None
    if handle in ("fail-branch", "success-branch"):
        return str(handle), "error" if handle == "fail-branch" else None
    data = as_object(node.get("data"))
    classes = [as_object(one) for one in as_list(data.get("classes"))]
    names = {str(one.get("id")): one.get("name") for one in classes}
    return str(names.get(str(handle)) or handle), "conditional"


Edges = list[tuple[str, str, dict[str, Any]]]


def _without_wiring(
    flow: Flow, nodes: Mapping[str, Mapping[str, Any]], edges: Edges, options: ParseOptions, warnings: list[str]
) -> Edges:
    """Flowise: what is wired into a step (models, prompts, tools) is what the step uses, and no step."""
    categories = {own_id: str(as_object(node.get("data")).get("category")) for own_id, node in nodes.items()}
    steps = {own_id for own_id, category in categories.items() if category in FLOWISE_STEPS}
    if not steps:
        warnings.append("W-WIRING-ONLY: no edge says what comes first, only what is wired into what; taken as edges")
        return edges
    if options.keep_wiring:
        return edges
    wired = {own_id for own_id in nodes if own_id not in steps}
    for source, target, _ in edges:
        if source in wired and target in steps:
            uses = flow.steps[target].setdefault("uses", [])
            uses.append(flow.steps[source]["text"])
            uses.sort()
    flow.leave_out(wired)
    return [edge for edge in edges if wired.isdisjoint(edge[:2])]


def _without_groups(flow: Flow, kinds: Mapping[str, str], parents: Mapping[str, str], edges: Edges) -> Edges:
    """A group is a frame that is drawn round steps; edges of it lead to the steps inside."""
    groups = {own_id for own_id in flow.steps if kinds[own_id].lower() == "group" and own_id in parents.values()}
    if not groups:
        return edges
    members: dict[str, list[str]] = {group: [] for group in groups}
    for own_id in flow.steps:
        parent, seen = parents.get(own_id), set()
        while own_id not in groups and parent in flow.steps and parent not in seen:
            seen.add(parent)
            if parent in groups:
                members[parent].append(own_id)
            parent = parents.get(parent)
    flow.leave_out(groups)
    return expand_groups(edges, members.get)


def _with_containers(
    flow: Flow,
    nodes: Mapping[str, Mapping[str, Any]],
    kinds: Mapping[str, str],
    parents: Mapping[str, str],
    edges: Edges,
    options: ParseOptions,
) -> Edges:
    """Dify: an iteration or loop leads into the steps inside it; what follows it comes after its last inner steps."""
    inside = {own_id: parent for own_id, parent in parents.items() if kinds.get(parent) in DIFY_CONTAINERS}
    if options.collapse:
        flow.leave_out(inside)
        return [edge for edge in edges if edge[0] not in inside and edge[1] not in inside]
    starts = {own_id for own_id in inside if kinds[own_id].endswith("-start")}
    first = {target for source, target, _ in edges if source in starts}
    inner = [edge for edge in edges if edge[0] in inside and edge[0] not in starts]
    left, entered = {source for source, _, _ in inner}, {target for _, target, _ in inner} - first
    exits = {
        container: [Exit(one, {}) for one, own in inside.items() if own == container and one not in left | starts]
        for container in set(inside.values())
    }
    joined: Edges = [(container, one, {}) for one, container in inside.items() if one not in entered | starts]
    for source, target, attributes in edges:
        if source in starts or target in starts:
            continue
        joined += [(leaving.step, target, attributes) for leaving in exits.get(source) or [Exit(source, {})]]
    flow.leave_out(starts)
    names = {own_id: f"{container}/{own_id}" for own_id, container in inside.items()}
    flow.steps = {names.get(key, key): {**step, "id": names.get(key, key)} for key, step in flow.steps.items()}
    return [(names.get(source, source), names.get(target, target), attributes) for source, target, attributes in joined]
