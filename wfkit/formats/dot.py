"""Format ``dot``: directed graphs of Graphviz, alone, several in a file, or in the code fences of a Markdown text."""

import html
import re
from collections.abc import Mapping
from typing import Any

from wfkit.errors import DataError
from wfkit.formats.base import END_NAMES, MAXIMUM_CHARACTERS, START_NAMES, Draft, ParseOptions, Source, clean_text
from wfkit.formats.dot_text import HEADER, DotGraph, read_dot
from wfkit.formats.drawn_edges import drawn_edges
from wfkit.formats.flow import Flow
from wfkit.formats.markdown import fences
from wfkit.formats.wording import one_line, words_of

NAME = "dot"
SUMMARY = "Graphviz digraphs, several in a file or one a code fence in Markdown"
SUFFIXES = (".dot", ".gv", ".md")

FENCE_LANGUAGES = frozenset({"dot", "graphviz", "gv"})

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_RECORD_PORT = re.compile(r"<[^<>]*>")


def detect(source: Source) -> bool:
    """Whether a text has a fence of DOT, or begins with a graph and its brace."""
    text = source.plain_text()
    if text is None or len(text) > MAXIMUM_CHARACTERS:
        return False
    return any(language in FENCE_LANGUAGES for language, _ in fences(text)) or bool(HEADER.search(text))


def parse(source: Source, options: ParseOptions) -> list[Draft]:
    """Read every graph of a text or of its fences.

    Raises:
        DataError: ``E-SYNTAX`` with line and column, ``E-LIMIT``, ``E-NO-NODES`` where there is no graph.
    """
    text = source.plain_text()
    if text is None:
        raise DataError("DOT is text, not JSON", code="E-UNSUPPORTED")
    if len(text) > MAXIMUM_CHARACTERS:
        raise DataError(f"{len(text):,} characters; the limit is {MAXIMUM_CHARACTERS:,}", code="E-LIMIT")
    text = text.replace("\r\n", "\n").removeprefix("\ufeff")
    blocks = [body for language, body in fences(text) if language in FENCE_LANGUAGES]
    blocks = blocks or [body for _, body in fences(text) if HEADER.match(body)] or [text]
    read: list[DotGraph | DataError] = []
    for block in blocks:
        try:
            read += read_dot(block)
        except DataError as error:
            if len(blocks) == 1:
                raise
            read.append(error)
    if not read:
        raise DataError("there is no graph", code="E-NO-NODES")
    names = [source.id] if len(read) == 1 else [f"{source.id}/{number}" for number in range(1, len(read) + 1)]
    return [_draft(graph, name, options) for graph, name in zip(read, names, strict=True)]


def _draft(graph: DotGraph | DataError, draft_id: str, options: ParseOptions) -> Draft:
    if isinstance(graph, DataError):
        return Draft(draft_id, problem=graph)
    if not graph.directed:
        message = "the graph is undirected, so nothing says what comes first: write digraph and ->"
        return Draft(draft_id, problem=DataError(message, code="E-UNDIRECTED"))
    flow = Flow()
    for name, attributes in graph.nodes.items():
        label = attributes.get("label")
        text = words_of(name.replace("\\n", " ")) if label is None else _label(label, name, graph.name, attributes)
        shape = attributes.get("shape")
        flow.add(name, text or name, type=shape)
        if (not text or shape == "point") or attributes.get("style") == "invis":
            flow.silent.add(name)
        raw = (name if label is None else label).strip().casefold()
        if raw in START_NAMES or raw in END_NAMES:
            flow.terminals[name] = "start" if raw in START_NAMES else "end"
    for source, target, attributes in graph.edges:
        if attributes.get("style") != "invis":
            label = attributes.get("label", attributes.get("xlabel", ""))
            flow.join(source, target, label=_label(label, f"{source}->{target}", graph.name, {}))
    redefined = ", ".join(sorted(graph.redefined))
    warnings = [f"W-REDEFINED: nodes with several labels, of which the last is taken: {redefined}"] if redefined else []
    return flow.draft(draft_id, cycles="break", reading_order=list(flow.steps), warnings=warnings)


def _label(label: str, name: str, graph_name: str, attributes: Mapping[str, str]) -> str:
    """A label as text: escapes and entities decoded; the fields of a record joined; tags out of an HTML label."""
    if attributes.get("is_html") or (label.startswith("<") and label.endswith(">") and "</" in label):
        return clean_text(label.removeprefix("<").removesuffix(">"))
    if "record" in attributes.get("shape", "").lower():
        fields = re.split(r"(?<!\\)[|{}]", _RECORD_PORT.sub("", label))
        label = " ".join(field.strip() for field in fields if field.strip())
    meanings = {"n": " ", "l": " ", "r": " ", "N": name, "G": graph_name, "E": name}
    return one_line(html.unescape(_ESCAPE.sub(lambda match: meanings.get(match[1], match[1]), label)))


def write(record: Mapping[str, Any]) -> str:
    """A digraph of a workflow record, with the labels of its edges.

    Reading it back gives the same ids, texts (on one line) and edges.

    Raises:
        DataError: ``E-NO-NODES`` for a workflow without steps.
    """
    edges = list(drawn_edges(record))
    lines = [f"    {_quoted(node['id'])} [label={_quoted_label(node['text'])}];" for node in record["nodes"]]
    for source, target, label in edges:
        attributes = f" [label={_quoted_label(label)}]" if label else ""
        lines.append(f"    {_quoted(source)} -> {_quoted(target)}{attributes};")
    return "\n".join(["digraph workflow {", *lines, "}", ""])


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _quoted_label(text: str) -> str:
    """A label that reads as that text. A whole word such as "end" gets an entity, lest it be taken for END."""
    escaped = one_line(text).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
    if escaped.casefold() in START_NAMES | END_NAMES:
        escaped = f"&#{ord(escaped[0])};{escaped[1:]}"
    if escaped.startswith("<"):
        escaped = f"&lt;{escaped[1:]}"
    return f'"{escaped}"'
