"""Mermaid state diagrams, line by line."""

import re

from wfkit.errors import DataError
from wfkit.formats.mermaid_flowchart import Flowchart, Link, Node
from wfkit.formats.mermaid_labels import plain_label

HEADER = re.compile(r"[ \t]*stateDiagram(?:-v2)?[ \t]*(?:;|$)", re.MULTILINE)
SILENT = frozenset({"choice", "fork", "join"})
START, END = "[*]", "[*] "  # the same sign, before and after an arrow

_NAME = r"(?:\"[^\"]*\"|[^\s:{}<>\"]+)"
_EDGE = re.compile(
    rf"(?P<source>\[\*\]|{_NAME})(?::::[\w-]+)?\s*-->\s*(?P<target>\[\*\]|{_NAME})(?::::[\w-]+)?\s*(?::\s*(?P<label>.*))?$"
)
_ALIAS = re.compile(rf"state\s+\"(?P<label>[^\"]*)\"\s+as\s+(?P<id>{_NAME})\s*(?P<open>\{{)?$")
_PSEUDO = re.compile(rf"state\s+(?P<id>{_NAME})\s*(?:<<|\[\[)(?P<kind>\w+)(?:>>|\]\])$")
_COMPOSITE = re.compile(rf"state\s+(?P<id>{_NAME})\s*(?P<open>\{{)?$")
_DESCRIPTION = re.compile(rf"(?P<id>{_NAME})\s*:\s*(?P<label>.+)$")
_SKIPPED = re.compile(r"(?:direction|classDef|class|style|hide|scale|note|accTitle|accDescr)\b|--$|%%")
_NOTE = re.compile(r"note\s+(?:left|right)\s+of\s+[^:]+$")


def read_states(text: str) -> tuple[Flowchart, set[str]]:
    """Read the body of a state diagram; gives also the states that do nothing (choice, fork, join).

    Raises:
        DataError: ``E-SYNTAX`` with the line.
    """
    chart, silent, open_groups = Flowchart(), set[str](), list[str]()
    in_note = False
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.strip().rstrip(";").strip()
        if in_note:
            in_note = line.lower() != "end note"
            continue
        if not line or HEADER.match(line):
            continue
        if line == "}":
            if open_groups:
                open_groups.pop()
            continue
        if _SKIPPED.match(line):
            in_note = bool(_NOTE.match(line))
            continue
        if edge := _EDGE.match(line):
            source, target = edge["source"].strip('"'), edge["target"].strip('"')
            scope = open_groups[-1] if open_groups else ""
            source = f"{START}{scope}" if source == START else source
            target = f"{END}{scope}" if target == START else target
            for name in (source, target):
                _declare(chart, name, None, open_groups)
            chart.links.append(Link(source, target, plain_label(edge["label"] or "")))
        elif alias := _ALIAS.match(line):
            if alias["open"]:
                _open(chart, alias["id"], open_groups)
            else:
                _declare(chart, alias["id"].strip('"'), alias["label"], open_groups)
        elif pseudo := _PSEUDO.match(line):
            _declare(chart, pseudo["id"], None, open_groups)
            if pseudo["kind"] in SILENT:
                silent.add(pseudo["id"])
        elif (composite := _COMPOSITE.match(line)) and composite["open"]:
            _open(chart, composite["id"].strip('"'), open_groups)
        elif composite:
            _declare(chart, composite["id"].strip('"'), None, open_groups)
        elif description := _DESCRIPTION.match(line):
            _declare(chart, description["id"].strip('"'), description["label"], open_groups)
        elif re.fullmatch(_NAME, line):
            _declare(chart, line.strip('"'), None, open_groups)
        elif "-->" in line:
            raise DataError(f"line {number}: not understood: {line[:40]!r}", code="E-SYNTAX")
        else:
            chart.warnings.append(f"W-REPAIRED: line {number}: left out, being no part of a diagram: {line[:40]!r}")
    return chart, silent


def _open(chart: Flowchart, name: str, open_groups: list[str]) -> None:
    chart.nodes.pop(name, None)
    chart.groups.setdefault(name, [])
    if open_groups:
        chart.groups[open_groups[-1]].append(name)
    open_groups.append(name)


def _declare(chart: Flowchart, name: str, label: str | None, open_groups: list[str]) -> None:
    if name in chart.groups:
        return
    node = chart.nodes.get(name)
    if node is None:
        chart.nodes[name] = Node(name, label)
        if open_groups:
            chart.groups[open_groups[-1]].append(name)
    elif label is not None:
        node.label = label
