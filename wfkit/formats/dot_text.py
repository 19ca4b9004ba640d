"""The DOT language of Graphviz: nodes, edges and clusters of each graph in a text.

Written here because the parsers that can be had take a tenth of a second for a page, print to standard output, or
turn ports into nodes. Names are read as Graphviz reads them, but that two backslashes stand for one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from wfkit.errors import DataError

MAXIMUM_DEPTH = 100
MAXIMUM_EDGES = 200_000


class Token(NamedTuple):
    """One token: ``id``, ``html``, a punctuation or an arrow as its own kind; and where it begins."""

    kind: str
    text: str
    at: int


@dataclass(slots=True)
class DotGraph:
    """One graph.

    Attributes:
        name: its name, empty if it has none.
        directed: whether it is a digraph.
        nodes: attributes by name, in order of appearance.
        edges: pairs of names with attributes.
        redefined: names of nodes whose label was given twice.
    """

    name: str = ""
    directed: bool = True
    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    edges: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    redefined: set[str] = field(default_factory=set)


HEADER = re.compile(
    r"^[ \t]*(?:strict\s+)?(?:di)?graph\b\s*(?:\"(?:[^\"\\]|\\.)*\"|[\w.-]+)?\s*\{", re.MULTILINE | re.IGNORECASE
)

_TOKEN = re.compile(
    r"""(?P<blank>\s+|//[^\n]*|/\*.*?\*/|(?:(?<=\n)|\A)\#[^\n]*)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<arrow>->|--)
    |(?P<id>-?(?:\.\d+|\d+(?:\.\d*)?)(?![\w])|[^\W\d]\w*)
    |(?P<mark>[{}\[\];,=:+])
    |(?P<html><)""",
    re.VERBOSE | re.DOTALL,
)
KEYWORDS = frozenset({"graph", "digraph", "subgraph", "node", "edge", "strict"})


def read_dot(text: str) -> list[DotGraph]:
    """Every graph of a text.

    Raises:
        DataError: ``E-SYNTAX`` with line and column, ``E-LIMIT`` for deep nesting or too many edges.
    """
    reader = _Reader(text)
    graphs = []
    while not reader.at_end():
        graphs.append(reader.graph())
    return graphs


def _tokens(text: str) -> Iterator[Token]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if not match:
            raise _fault(text, position, "not understood")
        kind = match.lastgroup or ""
        if kind == "html":
            end = _html_end(text, position)
            yield Token("html", text[position + 1 : end - 1], position)
            position = end
            continue
        if kind == "string":
            yield Token("string", _string(match[0]), position)
        elif kind in ("arrow", "mark"):
            yield Token(match[0], match[0], position)
        elif kind == "id":
            lowered = match[0].lower()
            yield Token(lowered if lowered in KEYWORDS else "id", match[0], position)
        position = match.end()


def _string(quoted: str) -> str:
    inner = quoted[1:-1].replace("\\\n", "")
    return re.sub(r"\\([\\\"])", r"\1", inner) if "\\" in inner else inner


def _html_end(text: str, begin: int) -> int:
    depth = 0
    for match in re.compile(r"[<>]").finditer(text, begin):
        depth += 1 if match[0] == "<" else -1
        if depth == 0:
            return match.end()
    raise _fault(text, begin, "an HTML label that is never closed")


def _fault(text: str, position: int, what: str) -> DataError:
    line, column = text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
    near = text[position : position + 20].split("\n")[0]
    return DataError(f"line {line}, column {column}: {what} at {near!r}", code="E-SYNTAX")


class _Reader:
    """The tokens of a text and the place among them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(_tokens(text))
        self.place = 0
        self.current = DotGraph()

    def at_end(self) -> bool:
        return self.place >= len(self.tokens)

    def kind(self, ahead: int = 0) -> str:
        place = self.place + ahead
        return self.tokens[place].kind if place < len(self.tokens) else "end"

    def take(self, *kinds: str) -> Token:
        if self.kind() not in kinds:
            position = self.tokens[self.place].at if not self.at_end() else len(self.text)
            raise _fault(
                self.text,
                position,
                f"expected {' or '.join(kinds)}, got the end" if self.at_end() else "not expected here",
            )
        self.place += 1
        return self.tokens[self.place - 1]

    def name(self) -> str:
        """An id; strings joined by ``+`` are one."""
        token = self.take("id", "string", "html")
        text = token.text
        while token.kind == "string" and self.kind() == "+":
            self.take("+")
            text += self.take("string").text
        return text

    def graph(self) -> DotGraph:
        if self.kind() == "strict":
            self.take("strict")
        directed = self.take("graph", "digraph").kind == "digraph"
        self.current = DotGraph(directed=directed)
        if self.kind() != "{":
            self.current.name = self.name()
        self.take("{")
        self.statements({}, {}, 0)
        if self.kind() == ";":
            self.take(";")
        return self.current

    def statements(self, node_defaults: dict[str, str], edge_defaults: dict[str, str], depth: int) -> list[str]:
        """Read up to the closing brace; gives the names of all nodes in between."""
        if depth > MAXIMUM_DEPTH:
            raise DataError(f"subgraphs nested deeper than {MAXIMUM_DEPTH}", code="E-LIMIT")
        node_defaults, edge_defaults = dict(node_defaults), dict(edge_defaults)
        names: dict[str, None] = {}
        while self.kind() != "}":
            kind = self.kind()
            if kind in ("graph", "node", "edge"):
                self.take(kind)
                given = self.attributes()
                (node_defaults if kind == "node" else edge_defaults if kind == "edge" else {}).update(given)
            elif kind in ("id", "string", "html") and self.kind(1) == "=":
                self.name()
                self.take("=")
                self.name()
            else:
                names.update(dict.fromkeys(self.chain(node_defaults, edge_defaults, depth)))
            while self.kind() in (";", ","):
                self.take(";", ",")
        self.take("}")
        return list(names)

    def chain(self, node_defaults: dict[str, str], edge_defaults: dict[str, str], depth: int) -> list[str]:
        """Read a node, or ends joined by arrows; gives the names of all of them."""
        ends = [self.end_of_edge(node_defaults, edge_defaults, depth)]
        while self.kind() in ("->", "--"):
            arrow = self.take("->", "--")
            if (arrow.kind == "->") != self.current.directed:
                raise _fault(
                    self.text, arrow.at, f"{arrow.kind} in a {'digraph' if self.current.directed else 'graph'}"
                )
            ends.append(self.end_of_edge(node_defaults, edge_defaults, depth))
        given = self.attributes() if self.kind() == "[" else {}
        if len(ends) == 1:
            if len(ends[0]) == 1 and given:
                self.define(ends[0][0], given)
            return ends[0]
        for sources, targets in pairwise(ends):
            if len(self.current.edges) + len(sources) * len(targets) > MAXIMUM_EDGES:
                raise DataError(f"more than {MAXIMUM_EDGES:,} edges", code="E-LIMIT")
            attributes = {**edge_defaults, **given}
            self.current.edges += [(source, target, attributes) for source in sources for target in targets]
        return [name for end in ends for name in end]

    def end_of_edge(self, node_defaults: dict[str, str], edge_defaults: dict[str, str], depth: int) -> list[str]:
        """One node, without its port, or all nodes of a subgraph."""
        if self.kind() == "subgraph":
            self.take("subgraph")
            if self.kind() != "{":
                self.name()
        if self.kind() == "{":
            self.take("{")
            return self.statements(node_defaults, edge_defaults, depth + 1)
        name = self.name()
        while self.kind() == ":":
            self.take(":")
            self.name()
        if name not in self.current.nodes:
            self.current.nodes[name] = dict(node_defaults)
        return [name]

    def define(self, name: str, given: dict[str, str]) -> None:
        known = self.current.nodes[name]
        if "label" in given and known.get("label", given["label"]) != given["label"]:
            self.current.redefined.add(name)
        known.update(given)

    def attributes(self) -> dict[str, str]:
        """Attribute lists in brackets; an HTML value keeps its brackets, so that it can be told from a string."""
        given: dict[str, str] = {}
        while self.kind() == "[":
            self.take("[")
            while self.kind() != "]":
                name = self.name()
                value = "true"
                if self.kind() == "=":
                    self.take("=")
                    is_html = self.kind() == "html"
                    raw = self.label_text() if name == "label" and not is_html else self.name()
                    value = f"<{raw}>" if is_html else raw
                    given["is_html"] = "yes" if is_html and name == "label" else given.get("is_html", "")
                given[name] = value
                while self.kind() in (";", ","):
                    self.take(";", ",")
            self.take("]")
        return given

    def label_text(self) -> str:
        """A label as it is written, with its escapes, which mean more than those of names."""
        token = self.take("id", "string")
        text = self.raw(token)
        while token.kind == "string" and self.kind() == "+":
            self.take("+")
            text += self.raw(self.take("string"))
        return text

    def raw(self, token: Token) -> str:
        if token.kind != "string":
            return token.text
        match = _TOKEN.match(self.text, token.at)
        assert match is not None
        return match[0][1:-1].replace("\\\n", "").replace('\\"', '"')
