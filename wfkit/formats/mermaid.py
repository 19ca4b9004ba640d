"""Format ``mermaid``: flowcharts and state diagrams, alone or in the code fences of a Markdown text."""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from wfkit.errors import DataError
from wfkit.formats import mermaid_states
from wfkit.formats.base import END_NAMES, MAXIMUM_CHARACTERS, START_NAMES, Draft, ParseOptions, Source, read_named
from wfkit.formats.drawn_edges import drawn_edges
from wfkit.formats.flow import Flow, expand_groups
from wfkit.formats.markdown import fences
from wfkit.formats.mermaid_flowchart import HEADER, Flowchart, Node, read_flowchart
from wfkit.formats.mermaid_labels import plain_label, written_id, written_label
from wfkit.formats.wording import words_of

NAME = "mermaid"
SUMMARY = "Mermaid flowcharts and state diagrams, one workflow a code fence in Markdown"
SUFFIXES = (".mmd", ".mermaid", ".md")

OTHER_DIAGRAMS = (
    "sequenceDiagram", "classDiagram", "erDiagram", "gantt", "pie", "journey", "gitGraph", "mindmap", "timeline",
    "quadrantChart", "requirementDiagram", "C4Context", "C4Container", "C4Component", "C4Dynamic", "C4Deployment",
    "sankey-beta", "xychart-beta", "block-beta", "packet-beta", "architecture-beta", "kanban", "zenuml", "radar-beta",
)  # fmt: skip

_FRONT_MATTER = re.compile(r"\s*---[ \t]*\n(?P<body>.*?)\n---[ \t]*(?:\n|$)", re.DOTALL)
_TITLE = re.compile(r"^title:[ \t]*(?P<title>.+?)[ \t]*$", re.MULTILINE)
_DIRECTIVE = re.compile(r"%%\{.*?\}%%", re.DOTALL)
_COMMENT = re.compile(r"^[ \t]*%%(?!\{).*$", re.MULTILINE)
_FLOWCHART = re.compile(r"^[ \t]*(?:flowchart(?:-elk)?|graph)[ \t]+(?:TB|TD|BT|RL|LR)\b[ \t]*(?:;|$)", re.MULTILINE)
_HEADER_LINE = re.compile(
    r"^[ \t]*(?:(?:flowchart(?:-elk)?|graph)(?:[ \t]+(?:TB|TD|BT|RL|LR))?|stateDiagram(?:-v2)?)[ \t]*(?:;|\r?$)",
    re.MULTILINE,
)
_OTHER = re.compile(rf"\s*({'|'.join(OTHER_DIAGRAMS)})\b")


def detect(source: Source) -> bool:
    """Whether a text begins as a diagram does, has a fence of Mermaid, or a header with a direction somewhere."""
    text = source.plain_text()
    if text is None or len(text) > MAXIMUM_CHARACTERS:
        return False
    if any(language == "mermaid" for language, _ in fences(text)):
        return True
    body = _body(text)[0].lstrip("\n\r\t \ufeff")
    begins = HEADER.match(body) or mermaid_states.HEADER.match(body) or _OTHER.match(body)
    return bool(begins or _FLOWCHART.search(text))


def parse(source: Source, options: ParseOptions) -> list[Draft]:
    """Read the diagram of a text, or each of its fences.

    Raises:
        DataError: ``E-SYNTAX`` with line and column, ``E-UNSUPPORTED`` for diagrams that are no flow, ``E-LIMIT``.
    """
    text = source.plain_text()
    if text is None:
        raise DataError("Mermaid is text, not JSON", code="E-UNSUPPORTED")
    if len(text) > MAXIMUM_CHARACTERS:
        raise DataError(f"{len(text):,} characters; the limit is {MAXIMUM_CHARACTERS:,}", code="E-LIMIT")
    blocks = [body for language, body in fences(text) if language == "mermaid"]
    if not blocks:
        blocks = [body for _, body in fences(text) if _FLOWCHART.match(body) or mermaid_states.HEADER.match(body)]
    if not blocks:
        blocks = _diagrams(text)
    if len(blocks) == 1:
        return [_read(blocks[0], source.id, options)]
    named = [(f"{source.id}/{number}", block) for number, block in enumerate(blocks, start=1)]
    return read_named(named, lambda block, name: _read(block, name, options))


def _diagrams(text: str) -> list[str]:
    """The text parted before each header but the first."""
    begins = [match.start() for match in _HEADER_LINE.finditer(text)][1:]
    return [text[begin:end] for begin, end in pairwise([0, *begins, len(text)])]


def _body(text: str) -> tuple[str, str | None]:
    """The diagram without front matter, directives and comments, lines kept in number; and the title."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    title = None
    front = _FRONT_MATTER.match(text)
    if front:
        found = _TITLE.search(front["body"])
        title = found["title"].strip("\"'") if found else None
        text = "\n" * front[0].count("\n") + text[front.end() :]
    text = _DIRECTIVE.sub(lambda match: "\n" * match[0].count("\n"), text)
    return _COMMENT.sub("", text), title


def _read(text: str, draft_id: str, options: ParseOptions) -> Draft:
    body, title = _body(text)
    stripped = body.lstrip("\n\t \ufeff")
    other = _OTHER.match(stripped)
    if other:
        raise DataError(f"a {other[1]} is no flow of steps", code="E-UNSUPPORTED")
    silent: set[str] = set()
    repaired = []
    if mermaid_states.HEADER.match(stripped):
        chart, silent = mermaid_states.read_states(body)
    else:
        if not HEADER.match(stripped):
            begin = _FLOWCHART.search(body)
            if begin:
                body = "\n" * body.count("\n", 0, begin.start()) + body[begin.start() :]
            repaired.append("W-REPAIRED: " + ("text above the diagram left out" if begin else "the header is missing"))
        chart = read_flowchart(body)
    return _draft(chart, silent, draft_id, title, repaired, options)


def _draft(
    chart: Flowchart, silent: set[str], draft_id: str, title: str | None, warnings: list[str], options: ParseOptions
) -> Draft:
    flow = Flow()
    linked = {end for link in chart.links for end in (link.source, link.target)}
    for node in chart.nodes.values():
        if node.id in chart.groups:
            continue
        _add(flow, node, node.id in linked)
    flow.silent |= silent
    members = {group: _steps_in(group, chart, flow) for group in chart.groups}
    links = [(link.source, link.target, {"label": link.label}) for link in chart.links if not link.hidden]
    for source, target, attributes in expand_groups(links, members.get):
        flow.join(source, target, **attributes)
    return flow.draft(
        draft_id,
        task=title,
        cycles="break",
        reading_order=list(flow.steps),
        warnings=[*warnings, *sorted(set(chart.warnings))],
    )


def _add(flow: Flow, node: Node, linked: bool) -> None:
    raw = node.id if node.label is None else node.label
    is_sign = node.id.startswith(mermaid_states.START)
    name = raw.strip().casefold()
    text = words_of(node.id) if node.label is None else plain_label(node.label)
    flow.add(node.id, text or node.id, type=node.shape)
    if is_sign:
        role = node.id.startswith(mermaid_states.END)
        inner = node.id.removeprefix(mermaid_states.END if role else mermaid_states.START)
        if inner:  # within a composite state
            flow.silent.add(node.id)
        else:
            flow.terminals[node.id] = "end" if role else "start"
    elif name in START_NAMES or name in END_NAMES:
        flow.terminals[node.id] = "start" if name in START_NAMES else "end"
    elif not text and linked:
        flow.silent.add(node.id)


def _steps_in(group: str, chart: Flowchart, flow: Flow) -> list[str]:
    """All steps of a group, also those of groups inside it."""
    found, waiting, seen = [], [group], set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for member in chart.groups.get(name, []):
            if member in chart.groups:
                waiting.append(member)
            elif member in flow.steps:
                found.append(member)
    return found


def write(record: Mapping[str, Any]) -> str:
    """A flowchart of a workflow record, with the labels of its edges.

    Reading it back gives the same ids, texts (on one line) and edges.

    Raises:
        DataError: ``E-NO-NODES`` for a workflow without steps.
    """
    edges = list(drawn_edges(record))
    lines = [f"    {written_id(node['id'])}[{written_label(node['text'])}]" for node in record["nodes"]]
    for source, target, label in edges:
        arrow = f"-->|{written_label(label)}|" if label else "-->"
        lines.append(f"    {written_id(source)} {arrow} {written_id(target)}")
    return "\n".join(["flowchart TD", *lines, ""])
