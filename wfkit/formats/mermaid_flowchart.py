"""Mermaid flowcharts, as people and models write them: one pass over the text, tolerant where the meaning is plain.

What a strict reader would refuse and this one takes (an unquoted bracket in a label, ``end`` as an id, ``->``) is told
as ``W-REPAIRED``; what it cannot make sense of is an error with line and column.
"""

import re
from dataclasses import dataclass, field

from wfkit.errors import DataError
from wfkit.formats.mermaid_labels import plain_id, plain_label

HEADER = re.compile(
    r"[ \t]*(?:flowchart(?:-elk)?|graph)(?:[ \t]+(?:TB|TD|BT|RL|LR|>|<|\^|v))?[ \t]*(?:;|$)", re.MULTILINE
)

MAXIMUM_DEPTH = 100

CLOSERS = {
    "(((": (")))",), "((": ("))",), "([": ("])",), "[[": ("]]",), "[(": (")]",), "[/": ("/]", "\\]"),
    "[\\": ("\\]", "/]"), "{{": ("}}",), ">": ("]",), "[": ("]",), "(": (")",), "{": ("}",),
}  # fmt: skip
SHAPES = {"{": "diamond", "((": "circle", "(((": "circle", "([": "stadium", "[(": "cylinder", "{{": "hexagon"}
BRACKETS = {"(": ")", "[": "]", "{": "}"}

_BLANK = re.compile(r"[ \t\r\n;]*(?:%%[^\n]*(?:\n|$)[ \t\r\n;]*)*")
_SPACE = re.compile(r"[ \t]*")
_ID = re.compile(r"(?:\w|[\\./:#$?!*+'’](?!::)|-(?![-.>])|[^\x00-\x7f←-⇿⟰-⟿➔-➾\s])+")
_SKIPPED = re.compile(r"(?:style|classDef|class|linkStyle|click|direction|accTitle|accDescr)(?=[ \t:{])[^\n]*")
_SUBGRAPH = re.compile(r"subgraph\b[ \t]*(?P<title>[^\n]*)")
_END = re.compile(r"end(?=[ \t]*(?:;|\n|$|%%))")
_SHAPE_DATA = re.compile(r"@\{(?P<body>(?:\"[^\"]*\"|[^}\"])*)\}")
_SHAPE_FIELD = re.compile(r"(\w+)\s*:\s*(\"[^\"]*\"|'[^']*'|[^,\n}]+)")
_CLASS = re.compile(r":::[\w-]+")
_EDGE_ID = re.compile(r"[\w-]+@(?=[<xo]?[-=.~])")
_LINK = re.compile(
    r"(?P<back>[xo<](?=[-=.]))?(?:(?P<hidden>~~~+)|(?P<line>--+|==+|-\.+-)(?P<head>[>xo]?)|(?P<dotted>-\.+)(?!-))"
)
_TEXT_ENDS = {
    "-": re.compile(r"(?P<text>(?:\"[^\"]*\"|[^\"\n])*?)[ \t]*--+(?P<head>[>xo-])"),
    "=": re.compile(r"(?P<text>(?:\"[^\"]*\"|[^\"\n])*?)[ \t]*==+(?P<head>[>xo=])"),
    ".": re.compile(r"(?P<text>(?:\"[^\"]*\"|[^\"\n])*?)[ \t]*\.+-(?P<head>[>xo]?)"),
}  # fmt: skip
_PIPE = re.compile(r"\|(?P<text>\"[^\"]*\"|[^|]*)\|")
_OTHER_ARROW = re.compile(r"-{1,2}>|={1,2}>|[–—]+>|[←-⇿⟰-⟿➔-➾]")
_LINK_LIKE = re.compile(r"--|==|-\.|->|=>|[→⟶⇒➔➜]")


@dataclass(slots=True)
class Node:
    """A node as it is declared: its label (None where only the id stands), shape, and whether the label was rough."""

    id: str
    label: str | None = None
    shape: str = ""


@dataclass(slots=True)
class Link:
    """An edge between two nodes or groups."""

    source: str
    target: str
    label: str = ""
    hidden: bool = False


@dataclass(slots=True)
class Flowchart:
    """What a diagram says.

    Attributes:
        nodes: in order of appearance; the last label counts.
        links: in order of appearance.
        groups: the ids that each subgraph holds, nodes and inner groups.
        warnings: short strings, each beginning with its code.
    """

    nodes: dict[str, Node] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    groups: dict[str, list[str]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def read_flowchart(text: str) -> Flowchart:
    """Read the body of a flowchart, with or without its header.

    Raises:
        DataError: ``E-SYNTAX`` with line and column.
    """
    return _Reader(text).read()


class _Reader:
    """A place in the text, and what was read so far."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.chart = Flowchart()
        self.open: list[str] = []
        self.grouped: set[str] = set()
        self.repaired: list[str] = []

    def read(self) -> Flowchart:
        begin = HEADER.match(self.text, _BLANK.match(self.text, 0).end())  # type: ignore[union-attr]
        self.at = begin.end() if begin else 0
        while True:
            self.skip(_BLANK)
            if self.at >= len(self.text):
                break
            self.statement()
        if self.open:
            self.repair("a subgraph is never closed")
        if self.repaired:
            self.chart.warnings.append(f"W-REPAIRED: {'; '.join(self.repaired[:5])}")
        return self.chart

    def skip(self, pattern: "re.Pattern[str]") -> "re.Match[str] | None":
        match = pattern.match(self.text, self.at)
        if match:
            self.at = match.end()
        return match

    def place(self) -> str:
        line = self.text.count("\n", 0, self.at) + 1
        return f"line {line}, column {self.at - self.text.rfind(chr(10), 0, self.at)}"

    def repair(self, what: str) -> None:
        self.repaired.append(f"{self.place()}: {what}")

    def fail(self, what: str) -> DataError:
        rest = self.text[self.at : self.at + 20].split("\n")[0]
        return DataError(f"{self.place()}: {what} at {rest!r}", code="E-SYNTAX")

    def statement(self) -> None:
        begin = self.at
        if self.skip(_SKIPPED):
            return
        subgraph = self.skip(_SUBGRAPH)
        if subgraph:
            self.open_group(subgraph["title"])
            return
        if self.open and self.skip(_END):
            self.open.pop()
            return
        if not self.chain():
            self.at = begin
            line = self.text[begin:].split("\n", 1)[0]
            if _LINK_LIKE.search(line):
                raise self.fail("not understood")
            self.repair(f"left out, being no part of a diagram: {line.strip()[:40]!r}")
            self.at = begin + len(line)

    def open_group(self, title: str) -> None:
        if len(self.open) == MAXIMUM_DEPTH:
            raise DataError(f"subgraphs nested deeper than {MAXIMUM_DEPTH}", code="E-LIMIT")
        title = title.strip().rstrip(";")
        match = re.match(r"(?P<id>[^\s\[\"]+)\s*(?:\[.*)?$", title)
        number = len(self.chart.groups)
        name = plain_id(match["id"]) if match else plain_label(title.strip('"')) or f"\0group {number}"
        if name in self.chart.groups:  # two groups of one title are two groups
            name = f"\0{name} {number}"
        self.chart.groups[name] = []
        if self.open:
            self.chart.groups[self.open[-1]].append(name)
        self.open.append(name)

    def chain(self) -> bool:
        """Read ``a & b --> c -- text --> d``; False where this is no statement of a diagram at all."""
        begin = self.at
        sources = self.nodes()
        if not sources:
            return False
        only = self.chart.nodes.get(sources[0]) if len(sources) == 1 else None
        bare = only is not None and only.label is None and not only.shape
        linked = False
        while link := self.link():
            linked = True
            self.skip(_BLANK if link.hidden is None else _SPACE)
            self.skip(re.compile(r"[ \t\r\n]*"))
            targets = self.nodes()
            if not targets:
                raise self.fail("no node after the arrow")
            backwards = link.source == "<"
            self.chart.links += [
                Link(target if backwards else source, source if backwards else target, link.label, link.hidden)
                for source in sources
                for target in targets
            ]
            sources = targets
        self.skip(_SPACE)
        if self.at >= len(self.text) or self.text[self.at] in ";\n\r" or self.text.startswith("%%", self.at):
            return True
        if linked or not bare:
            raise self.fail("not understood")
        if self.text[begin : self.at].strip():  # words of a sentence, of which the first looked like an id
            self.forget(sources[0])
        return False

    def forget(self, node_id: str) -> None:
        if not any(node_id in (link.source, link.target) for link in self.chart.links):
            del self.chart.nodes[node_id]
            for members in self.chart.groups.values():
                if node_id in members:
                    members.remove(node_id)

    def nodes(self) -> list[str]:
        found: list[str] = []
        while True:
            self.skip(_SPACE)
            node = self.node()
            if node is None:
                return found
            found.append(node)
            match = re.compile(r"[ \t\r\n]*&").match(self.text, self.at)
            if not match:
                return found
            self.at = match.end()
            self.skip(re.compile(r"[ \t\r\n]*"))

    def node(self) -> str | None:
        match = self.skip(_ID)
        if not match:
            return None
        written = match[0]
        if written.lower() == "end" and written != "END":
            self.repair("a node is called end, which closes subgraphs")
        node_id = plain_id(written)
        data = self.skip(_SHAPE_DATA)
        label, shape = self.label()
        if data:
            fields = dict(_SHAPE_FIELD.findall(data["body"]))
            label = fields["label"].strip().strip("\"'") if "label" in fields else label
            shape = fields.get("shape", shape).strip()
        self.skip(_CLASS)
        known = self.chart.nodes.get(node_id)
        if known is None:
            if node_id not in self.chart.groups:
                self.chart.nodes[node_id] = Node(node_id, label, shape)
                self.into_group(node_id)
        elif label is not None:
            if known.label is not None and known.label != label:
                self.chart.warnings.append(f"W-REDEFINED: node {node_id} has several labels; the last is taken")
            known.label, known.shape = label, shape
        if known is not None and node_id not in self.grouped:
            self.into_group(node_id)
        return node_id

    def into_group(self, node_id: str) -> None:
        if self.open:
            self.grouped.add(node_id)
            self.chart.groups[self.open[-1]].append(node_id)

    def label(self) -> tuple[str | None, str]:
        """The label in brackets that follows an id, and the name of its shape."""
        opener = next((one for one in CLOSERS if self.text.startswith(one, self.at)), None)
        if opener is None:
            return None, ""
        begin = self.at + len(opener)
        closers = CLOSERS[opener]
        quoted = re.compile(r"\s*\"([^\"]*)\"\s*").match(self.text, begin)
        if quoted:
            closer = next((one for one in closers if self.text.startswith(one, quoted.end())), None)
            if closer is not None:
                self.at = quoted.end() + len(closer)
                return quoted[1], SHAPES.get(opener, "")
        end, closer = self.closing(begin, opener[-1], closers)
        label = self.text[begin:end]
        if re.search(r"[()\[\]{}\"]", label):
            self.repair(f"brackets or quotes in a label that is not quoted: {label.strip()[:40]!r}")
        self.at = end + len(closer)
        label = label.strip()
        if len(label) > 1 and label[0] == label[-1] == '"':
            label = label[1:-1]
        return label, SHAPES.get(opener, "")

    def closing(self, begin: int, opening: str, closers: tuple[str, ...]) -> tuple[int, str]:
        """Where a label ends, brackets of its own kind inside it counted; a line that never closes is an error."""
        depth = 0
        closing = BRACKETS.get(opening, "]")
        position = begin
        line_end = self.text.find("\n\n", begin)
        limit = min(len(self.text) if line_end < 0 else line_end, begin + 10_000)
        while position < limit:
            closer = next((one for one in closers if self.text.startswith(one, position)), None)
            if closer is not None and depth == 0:
                return position, closer
            character = self.text[position]
            depth += (character == opening) - (character == closing and depth > 0)
            position += 1
        raise self.fail(f"the label is never closed by {closers[0]!r}")

    def link(self) -> Link | None:
        """The arrow at this place: its label, whether it is hidden, and ``<`` as source where it points back."""
        begin = self.at
        self.skip(re.compile(r"[ \t]*"))
        self.skip(_EDGE_ID)
        match = self.skip(_LINK)
        if not match or (match["line"] and len(match["line"]) < 2):
            self.at = begin
            return self.other_arrow()
        if match["hidden"]:
            return Link("", "", hidden=True)
        head, label = match["head"] or "", ""
        if match["dotted"] or (match["line"] in ("--", "==") and not head):
            if match["line"] == "--" and self.text.startswith(">", self.at):
                head = ">"
            else:
                inner = self.skip(_TEXT_ENDS["." if match["dotted"] else match["line"][0]])
                if not inner:
                    self.at = begin
                    raise self.fail("an arrow that does not end")
                head, label = inner["head"].strip("-="), inner["text"]
        pipe = self.skip(re.compile(r"[ \t]*" + _PIPE.pattern))
        if pipe:
            label = pipe["text"]
        if match["back"] == "<" and head == ">":
            self.chart.warnings.append(f"W-BIDIR: {self.place()}: an arrow both ways is taken in written order")
        backwards = match["back"] == "<" and not head
        if backwards:
            self.repair("an arrow that points back is turned round")
        return Link("<" if backwards else "", "", plain_label(label.strip().strip('"')))

    def other_arrow(self) -> Link | None:
        begin = self.at
        self.skip(re.compile(r"[ \t]*"))
        if not self.skip(_OTHER_ARROW):
            self.at = begin
            return None
        self.repair("an arrow that Mermaid does not know")
        pipe = self.skip(_PIPE)
        return Link("", "", plain_label(pipe["text"].strip('"')) if pipe else "")
