"""Which of the graphs that tools export a JSON value is, and where its nodes and edges are."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from wfkit.errors import DataError
from wfkit.formats.shapes import as_object

EDGE_FIELDS = ("edges", "links", "connections", "transitions")
SOURCE_FIELDS = ("source", "from", "src")
TARGET_FIELDS = ("target", "to", "dst")

LANGGRAPH_TYPES = frozenset({"runnable", "schema"})
FLOWISE_TYPES = frozenset({"agentFlow", "customNode"})


class Graph(NamedTuple):
    """Nodes and edges as they stand, and the product that they come from."""

    profile: str
    nodes: list[Any]
    edges: list[Any]


def profile_of(value: Any) -> str | None:
    """The profile that a decoded value fits; None where the plain form of format ``json`` is all that it may be."""
    if not isinstance(value, dict):
        return None
    workflow, data, graph = value.get("workflow"), value.get("data"), value.get("graph")
    if isinstance(workflow, dict) and isinstance(workflow.get("graph"), dict):
        return "dify"
    if str(value.get("class_name", "")).endswith("WorkFlowGraph"):
        return "evoagentx"
    if isinstance(value.get("flowData"), str):
        return "flowise"
    if isinstance(data, dict) and "nodes" in data and "edges" in data:
        return "langflow"
    if isinstance(graph, dict) and "nodes" in graph and "nodes" not in value:
        return profile_of(graph) or "generic"
    return _profile_of_lists(value)


def _profile_of_lists(value: Mapping[str, Any]) -> str | None:
    given = value.get("nodes")
    edges = next((value[field] for field in EDGE_FIELDS if isinstance(value.get(field), list)), None)
    if isinstance(given, dict):
        return "generic" if edges is not None else None
    if not isinstance(given, list) or isinstance(value.get("connections"), dict):
        return None
    nodes = [node for node in given if isinstance(node, dict)]
    links = [edge for edge in edges or () if isinstance(edge, dict)]
    if "links" in value or "multigraph" in value:
        return "node-link"
    if any(str(node.get("type")) in FLOWISE_TYPES or "inputAnchors" in as_object(node.get("data")) for node in nodes):
        return "flowise"
    if any(str(node.get("type")) in LANGGRAPH_TYPES or node.get("id") == "__start__" for node in nodes) or any(
        "conditional" in edge for edge in links
    ):
        return "langgraph"
    if any(isinstance(node.get("data"), dict) for node in nodes):
        return "react-flow"
    named = any("id" not in node and "key" not in node and "name" in node for node in nodes)
    other_ends = any("src" in edge or "dst" in edge for edge in links)
    return "generic" if (edges and named) or other_ends or (edges is not None and "edges" not in value) else None


def graph_of(value: dict[str, Any], profile: str) -> Graph:
    """The nodes and edges of a value of that profile.

    Raises:
        DataError: ``E-SYNTAX`` where they are no lists.
    """
    holder: Any = value
    if profile == "dify":
        holder = value["workflow"]["graph"]
    elif profile == "langflow":
        holder = value["data"]
    elif isinstance(value.get("flowData"), str):
        try:
            holder = json.loads(value["flowData"])
        except (ValueError, RecursionError):
            raise DataError("flowData is not JSON", code="E-SYNTAX", path="$.flowData") from None
    elif "nodes" not in value and isinstance(value.get("graph"), dict):
        holder = value["graph"]
    nodes = holder.get("nodes") if isinstance(holder, dict) else None
    if isinstance(nodes, dict):
        given = nodes.items()
        nodes = [{"id": key, **(node if isinstance(node, dict) else {"text": node})} for key, node in given]
    edges: Any = None
    if isinstance(holder, dict):
        edges = next((holder[field] for field in EDGE_FIELDS if field in holder), [])
    for name, listed in (("nodes", nodes), ("edges", edges)):
        if not isinstance(listed, list):
            raise DataError(f"{name} is not a list", code="E-SYNTAX", path=f"$.{name}")
    assert isinstance(nodes, list) and isinstance(edges, list)
    return Graph(profile, nodes, edges)
