"""TaskBench: tool calls with arguments such as ``<node-0>``, the steps in words beside them, and links by tool name."""

import json
import re
from collections.abc import Mapping
from typing import Any

from wfkit.errors import DataError
from wfkit.formats.base import Draft, ParseOptions
from wfkit.formats.flow import Flow
from wfkit.formats.wording import one_line, step_text, words_of

NODE_FIELDS = ("task_nodes", "tool_nodes", "sampled_nodes")
LINK_FIELDS = ("task_links", "tool_links", "sampled_links")
STEP_FIELDS = ("task_steps", "tool_steps")

_STEP_NUMBER = re.compile(r"^\s*step\s+\d+\s*[:.]\s*", re.IGNORECASE)
_NODE = re.compile(r"<node-(\d+)>")


def is_taskbench(value: Mapping[str, Any]) -> bool:
    """Whether the object is a prediction (``result``) or a gold row of TaskBench."""
    result = value.get("result")
    holder = result if isinstance(result, dict) else value
    return any(field in holder for field in NODE_FIELDS)


def read(value: Mapping[str, Any], draft_id: str, options: ParseOptions) -> Draft:
    """The workflow of a row; steps are numbered from 0, as its arguments do.

    Raises:
        DataError: ``E-SYNTAX`` where a list is none or a node is no object.
    """
    result = value.get("result")
    holder = result if isinstance(result, dict) else value
    nodes, links, texts = (_list(holder, fields) for fields in (NODE_FIELDS, LINK_FIELDS, STEP_FIELDS))
    flow = Flow()
    tools: list[str] = []
    for place, node in enumerate(nodes):
        if not isinstance(node, dict):
            raise DataError("a node is no object", code="E-SYNTAX", path=f"$.task_nodes[{place}]")
        tool = str(node.get("task", node.get("tool", node.get("id", ""))))
        tools.append(tool)
        arguments = node.get("arguments") or []
        spoken_of = arguments if isinstance(arguments, list) else []
        words = [one_line(str(part)) for part in spoken_of if not _NODE.fullmatch(str(part))]
        name = words_of(tool) + (f" ({', '.join(words)})" if words else "")
        spoken = _STEP_NUMBER.sub("", str(texts[place])) if len(texts) == len(nodes) else ""
        text = step_text(options.text, name=name, description=one_line(spoken), fields=node)
        flow.add(str(place), text, tool=tool, arguments=arguments if options.params else None)
    warnings: list[str] = []
    for source, target in _links(links, tools, warnings) if links else _arguments(nodes):
        flow.join(str(source), str(target))
    task = next((value[field] for field in ("user_request", "instruction") if isinstance(value.get(field), str)), None)
    return flow.draft(draft_id, task=task, order="listed", warnings=warnings, unordered=True)


def _list(holder: Mapping[str, Any], fields: tuple[str, ...]) -> list[Any]:
    field = next((field for field in fields if field in holder), None)
    given = [] if field is None else holder[field]
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            raise DataError(f"{field} is a text that is no JSON", code="E-SYNTAX", path=f"$.{field}") from None
    if not isinstance(given, list):
        raise DataError(f"{field} is no list", code="E-SYNTAX", path=f"$.{field}")
    return given


def _arguments(nodes: list[Any]) -> list[tuple[int, int]]:
    """Edges out of the arguments that stand for what an earlier node made."""
    return [
        (int(number), place)
        for place, node in enumerate(nodes)
        for number in dict.fromkeys(_NODE.findall(json.dumps(node.get("arguments"))))
    ]


def _links(links: list[Any], tools: list[str], warnings: list[str]) -> list[tuple[int | str, int | str]]:
    """Edges out of links between tool names; a tool that is called again is meant in listed order."""
    edges: list[tuple[int | str, int | str]] = []
    taken: dict[str, int] = {}
    for place, link in enumerate(links):
        if not isinstance(link, dict) or "source" not in link or "target" not in link:
            raise DataError("a link has no source or no target", code="E-SYNTAX", path=f"$.task_links[{place}]")
        source, target = str(link["source"]), str(link["target"])
        places = [position for position, tool in enumerate(tools) if tool == target]
        number = min(taken.get(target, 0), len(places) - 1) if places else 0
        taken[target] = taken.get(target, 0) + 1
        end: int | str = places[number] if places else target
        earlier = [position for position, tool in enumerate(tools) if tool == source and position != end]
        before = [position for position in earlier if isinstance(end, int) and position < end]
        for name, count in ((source, len(earlier)), (target, len(places))):
            if count > 1:
                message = f"W-AMBIGUOUS-REF: a link names {name!r}, which is called several times"
                warnings.append(f"{message}; taken in listed order")
        begin: int | str = (before or earlier)[-1] if earlier else source
        edges.append((begin, end))
    return edges
