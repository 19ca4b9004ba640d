"""Format ``json``: workflow records as this toolkit writes them, and looser JSON of the same shape.

Looser means: steps as plain strings, integer ids or none, START and END among steps or edges, and edges as
``[a, b]``, ``{"source": a, "target": b}``, ``{"from": a, "to": b}`` or ``"a->b"``.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

from wfkit.errors import DataError
from wfkit.formats.base import (
    END_NAMES,
    MAXIMUM_STEPS,
    START_NAMES,
    Draft,
    ParseOptions,
    Source,
    clean_text,
    id_of,
    read_each,
)
from wfkit.formats.finish import COUNT_FIELDS
from wfkit.formats.graph_profiles import profile_of
from wfkit.formats.plan_shapes import is_plan
from wfkit.workflow import find_cycle

NAME = "json"
SUMMARY = "workflow records, and looser JSON with nodes and edges"
SUFFIXES = (".json", ".jsonl")

# `text` is our own field and stays verbatim; the others come from visual tools, with markup and line breaks.
TEXT_FIELDS = ("text", "description", "desc", "label", "title", "name", "task")
OTHER_TOOLS = frozenset({"connections", "component_type"})  # n8n, Open Agent Spec
END_FIELDS = (("source", "target"), ("from", "to"))


def detect(source: Source) -> bool:
    """Whether the value is an object with a list of nodes (or calls itself a workflow), or a list of such objects,
    without the traits of a tool (format ``graph``) or of a plan."""
    value = source.value
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict) or not OTHER_TOOLS.isdisjoint(value):
        return False
    if value.get("kind") == "workflow":
        return True
    if "kind" in value or _nodes_field(value) is None:
        return False
    return profile_of(value) is None and not is_plan(value)


def parse(source: Source, options: ParseOptions) -> list[Draft]:
    """Read a record, or each record of a list.

    Raises:
        DataError: ``E-SYNTAX`` with a JSON path where the shape is not understood.
    """
    if isinstance(source.value, list):
        return read_each(source, lambda value, default_id: _read(value, default_id, options), source.value)
    return [_read(source.value, source.id, options)]


def is_clean(value: Any) -> bool:
    """Whether a value is a canonical record that needs no change: ``kind``, string ids that differ, texts that are
    not blank, edges as pairs that join listed steps, each once, without a cycle. Made to be fast."""
    try:
        if value["kind"] != "workflow" or type(value["id"]) is not str or not COUNT_FIELDS.isdisjoint(value):
            return False
        nodes, edges = value["nodes"], value["edges"]
        ids = [node["id"] for node in nodes if node["text"].strip()]
        different = set(ids)
        "".join(ids)  # refuses all that is no text
        if not 0 < len(different) == len(nodes) <= MAXIMUM_STEPS or not _TERMINAL_IDS.isdisjoint(different):
            return False
        if edges == [[source, target] for source, target in pairwise(ids)]:  # a chain as listed, the usual case
            return True
        if edges and set(map(type, edges)) != {list}:
            return False
        index = dict(zip(ids, range(len(ids)), strict=True))
        pairs = {(index[source], index[target]) for source, target in edges}
    except (KeyError, TypeError, ValueError, AttributeError):
        return False
    if len(pairs) != len(edges):
        return False
    for source, target in pairs:
        if source >= target:
            return not find_cycle(len(ids), pairs)
    return True


_TERMINAL_IDS = frozenset({"START", "END"})
_ARROW = re.compile(r"-{1,2}>|={1,2}>|→")


def _read(value: Any, default_id: str, options: ParseOptions) -> Draft:
    plain = options.order != "topo" and not options.reduce and not options.keep_terminals
    if plain and is_clean(value):
        return Draft(value["id"], ready=value)
    if not isinstance(value, dict):
        raise DataError(f"expected an object with nodes and edges, got {_shown(value)}", code="E-SYNTAX")
    if not options.strict and _is_failed_candidate(value):
        return Draft(value["id"], ready=value)
    kind = value.get("kind", "workflow")
    if kind != "workflow":
        raise DataError(f"expected workflow, got {_shown(kind)}", code="E-UNSUPPORTED", path="$.kind")
    field = _nodes_field(value) or "nodes"
    others = value if field == "nodes" else {key: other for key, other in value.items() if key != field}
    draft = Draft(id_of(value, default_id), fields=others, meta=_object(value.get("meta"), "$.meta"))
    task = value.get("task")
    if task is not None and not isinstance(task, str):
        raise DataError(f"the task is {_shown(task)}, not a text", code="E-SYNTAX", path="$.task")
    draft.task = task
    given = value.get(field)
    if not isinstance(given, list):
        raise DataError(f"{field} is {_shown(given)}, not a list", code="E-SYNTAX", path=f"$.{field}")
    ends = _read_edges(value.get("edges"))
    names = {end for edge in ends for end in edge[:2]}
    draft.nodes = _read_nodes(given, zero_based="0" in names)
    draft.start, draft.end = _stated(draft.meta, "start"), _stated(draft.meta, "end")
    draft.unordered = value.get("kind") == "workflow" and value.get("edges") == []
    _resolve(draft, ends, given)
    return draft


def _nodes_field(value: dict[str, Any]) -> str | None:
    """The field that holds the steps: ``nodes``, or beside edges any other usual name."""
    if "nodes" in value:
        return "nodes"
    return next((field for field in ("steps", "tasks") if field in value and "edges" in value), None)


def _is_failed_candidate(value: dict[str, Any]) -> bool:
    """Whether this is what `failed_candidate` made of something that could not be read."""
    meta = value.get("meta")
    empty = value.get("kind") == "workflow" and value.get("nodes") == [] and value.get("edges") == []
    return empty and isinstance(value.get("id"), str) and isinstance(meta, dict) and isinstance(meta.get("error"), str)


def _read_nodes(given: Sequence[Any], zero_based: bool) -> list[dict[str, Any]]:
    """The steps with ids; where no step brings one they are numbered from 1, or from 0 if the edges do so."""
    numbered = not any(isinstance(node, dict) and _id_field(node) for node in given)
    nodes = []
    for place, node in enumerate(given):
        path = f"$.nodes[{place}]"
        if isinstance(node, str):
            node = {"text": node}
        if not isinstance(node, dict):
            raise DataError(f"a step is {_shown(node)}, not an object or a text", code="E-SYNTAX", path=path)
        field = _id_field(node)
        if field is None and not numbered:
            raise DataError("a step has no id, but others have", code="E-SYNTAX", path=path)
        own_id = str(place + (not zero_based)) if field is None else _identifier(node[field], f"{path}.{field}")
        nodes.append({**node, "id": own_id, "text": _text(node, own_id, path)})
    return [{"id": node.pop("id"), "text": node.pop("text"), **node} for node in nodes]


def _id_field(node: dict[str, Any]) -> str | None:
    return next((field for field in ("id", "key") if field in node), None)


def _identifier(value: Any, path: str) -> str:
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise DataError(f"an id is a string or an integer, not {_shown(value)}", code="E-SYNTAX", path=path)


def _text(node: dict[str, Any], own_id: str, path: str) -> str:
    """The first text that is not blank; empty where there is none, which `finish` decides about."""
    for field in TEXT_FIELDS:
        value = node.get(field)
        if field == "text" and value is not None and not isinstance(value, str):
            raise DataError(f"the text is {_shown(value)}", code="E-SYNTAX", path=f"{path}.text")
        if isinstance(value, str) and value.strip():
            return value if field == "text" else clean_text(value)
    return own_id if own_id.casefold() in START_NAMES | END_NAMES else ""


def _read_edges(given: Any) -> list[tuple[str, str, dict[str, Any]]]:
    """The edges with their attributes; the ends are still names as the source gives them."""
    if given is None:
        return []
    if not isinstance(given, list):
        raise DataError(f"edges is {_shown(given)}, not a list", code="E-SYNTAX", path="$.edges")
    return [read_edge(edge, f"$.edges[{place}]") for place, edge in enumerate(given)]


def read_edge(edge: Any, path: str) -> tuple[str, str, dict[str, Any]]:
    """The two names that an edge gives, and its other fields.

    Raises:
        DataError: ``E-SYNTAX`` for none of the four forms.
    """
    ends: Sequence[Any] = ()
    attributes: dict[str, Any] = {}
    if isinstance(edge, list):
        ends = edge
    elif isinstance(edge, str):
        ends = [end.strip() for end in _ARROW.split(edge)]
    elif isinstance(edge, dict):
        fields = next((pair for pair in END_FIELDS if pair[0] in edge and pair[1] in edge), ())
        ends = [edge[field] for field in fields]
        attributes = {key: value for key, value in edge.items() if key not in fields}
    if len(ends) != 2:
        forms = '[a, b], {"source": a, "target": b}, {"from": a, "to": b} or "a->b"'
        raise DataError(f"an edge is {forms}, not {_shown(edge)}", code="E-SYNTAX", path=path)
    return _identifier(ends[0], path), _identifier(ends[1], path), attributes


def _resolve(draft: Draft, ends: Sequence[tuple[str, str, dict[str, Any]]], given: Sequence[Any]) -> None:
    """Turn the names in edges into step ids: an id as it is, else the whole text of a step that was given as a
    plain string, else START or END in any spelling."""
    ids = {node["id"] for node in draft.nodes}
    by_text: dict[str, list[str]] = {}
    for node, original in zip(draft.nodes, given, strict=True):
        if isinstance(original, str):
            by_text.setdefault(original.strip(), []).append(node["id"])
        role = _role(node["text"]) if node["text"].casefold() == node["id"].casefold() or node["id"].isdigit() else None
        if role:
            draft.terminals[node["id"]] = role

    def resolved(name: str, place: int) -> str:
        if name in ids:
            return name
        steps = by_text.get(name.strip(), [])
        if len(steps) > 1:
            message = f"the edge names {name!r}, which is the text of several steps; give the steps ids"
            raise DataError(message, code="E-DUP-ID", path=f"$.edges[{place}]")
        if steps:
            return steps[0]
        role = _role(name)
        if role:
            draft.terminals[name] = role
        return name

    for place, (source, target, attributes) in enumerate(ends):
        source, target = resolved(source, place), resolved(target, place)
        draft.edges.append((source, target))
        if attributes:
            draft.edge_attributes.append((source, target, attributes))


def _role(name: str) -> Literal["start", "end"] | None:
    folded = name.strip().casefold()
    if folded in START_NAMES:
        return "start"
    return "end" if folded in END_NAMES else None


def _stated(meta: dict[str, Any], name: str) -> list[str] | None:
    value = meta.get(name)
    if value is None:
        return None
    if not isinstance(value, list):
        raise DataError(f"meta.{name} is {_shown(value)}, not a list", code="E-SYNTAX", path=f"$.meta.{name}")
    return [_identifier(step, f"$.meta.{name}") for step in value]


def _object(value: Any, path: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise DataError(f"meta is {_shown(value)}, not an object", code="E-SYNTAX", path=path)
    return value


def _shown(value: Any) -> str:
    """A value for a message: what it is, short."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (dict, list)):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
