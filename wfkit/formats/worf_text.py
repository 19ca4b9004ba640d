"""The Node/Edge notation of WorFBench, as models and the published goldens really write it.

A text has a part of numbered steps and a part of edges such as ``(START,1) (1,2) (2,END)``. Around and between
them stands anything: Markdown, explanations, other numbered lists. No pattern scans further than it consumes and
no part is looked at more than a few times, so reading is linear in the length of the text.
"""

import re
from itertools import pairwise, takewhile
from typing import NamedTuple

from wfkit.formats.answers import FENCE, fenced_blocks
from wfkit.formats.base import END_NAMES, START_NAMES, further_workflows


class WorfText(NamedTuple):
    """What a text says.

    Attributes:
        steps: number and text of each step in listed order; a text may be empty.
        edges: pairs of step numbers in reading order; START and END are those words.
        declared_steps: the count in a header such as ``Nodes (5):``.
        warnings: short strings, each beginning with its code.
    """

    steps: list[tuple[str, str]]
    edges: list[tuple[str, str]]
    declared_steps: int | None
    warnings: list[str]


QUOTES = tuple(pair.split() for pair in ("** **", "__ __", "` `", '" "', "“ ”", "„ “", "« »", "' '", "‘ ’"))


def has_worf(text: str) -> bool:
    """Whether the text has a header of nodes with a numbered step below it."""
    return _below_header(_lines(text)) is not None


def read_worf(text: str) -> WorfText:
    """Read one workflow out of an answer; without steps where there are none."""
    fences = _fences_with_worf(text)
    lines = _lines(fences[0] if fences else text)
    begin = _below_header(lines)
    declared = None if begin is None else _declared_steps(lines[:begin])
    if begin is None:
        begin = _without_header(lines)
    if begin is None:
        return WorfText([], [], None, [])
    block = _read_block(lines, begin)
    below = [*block.below, *lines[block.end :]]
    texts = _alias_texts(block.steps, below)
    if texts is not None:
        warnings = ["W-ALIAS: the steps are names that are defined further down; the definitions are taken"]
        between, edge_lines = _edge_part(below)
    else:
        wrapped = list(takewhile(lambda line: _continues(line, block.indent), block.below))
        texts = [_joined(lines) for lines in [*block.steps[:-1], [*block.steps[-1], *wrapped]]]
        below = below[len(wrapped) :]
        between, edge_lines = _edge_part(below)
        left_out = any(not _is_empty(line) for line in between)
        warnings = ["W-TRAILING: text between the steps and the edges left out"] if left_out else []
    rest = below[len(between) + len(edge_lines) :]
    others = len(fences[1:]) + (_below_header(rest) is not None)
    if others:
        warnings.append(further_workflows(others))
    steps = [(str(block.first + place), unquoted(text)) for place, text in enumerate(texts)]
    edges = edges_in("\n".join(edge_lines))
    absorbed = _absorbed(steps, edges, edge_lines)
    if absorbed:
        numbers = ", ".join(number for number, _ in steps[-absorbed:])
        warnings.append(f"W-TRAILING: steps {numbers} repeat the explanation below the edges, left out")
        steps = steps[:-absorbed]
    return WorfText(steps, edges, declared, warnings)


def worf_texts(text: str) -> list[str]:
    """The texts of several workflows that follow each other with nothing between them; else the one text."""
    lines = _lines(text)
    begins = [0]
    found = False
    for at, line in enumerate(lines):
        if found and _is_node_header(line):
            begins.append(at)
            found = False
        found = found or _has_edge(line)
    parts = [lines[begin:end] for begin, end in pairwise([*begins, len(lines)])]
    if len(parts) > 1 and all(_is_bare(part) for part in parts):
        return ["\n".join(part) for part in parts]
    return [text]


def _is_bare(lines: list[str]) -> bool:
    """Whether lines are a header of nodes, steps and edges, and nothing above or below them."""
    filled = [line for line in lines if not _is_empty(line)]
    if not filled or not _is_node_header(filled[0]) or _below_header(filled) is None:
        return False
    edges = list(takewhile(lambda line: not _EDGE_HEADER.match(line), reversed(filled)))
    return _EDGE_HEADER.match(filled[len(filled) - len(edges) - 1]) is not None and all(map(_has_edge, edges))


def edges_in(text: str) -> list[tuple[str, str]]:
    """All edges written in a text: tuples ``(a, b)`` and chains ``a -> b -> c``, in reading order."""
    edges: list[tuple[str, str]] = []
    for match in _EDGE.finditer(text):
        ends = [_endpoint(name) for name in _ENDPOINT.findall(match[0])]
        edges += pairwise(ends)
    return edges


def unquoted(text: str) -> str:
    """The text without one pair of bold marks, backticks or quotes round the whole of it; else as it is."""
    text = text.strip()
    for opening, closing in QUOTES:
        if len(text) > len(opening + closing) and text.startswith(opening) and text.endswith(closing):
            inner = text[len(opening) : -len(closing)]
            if opening not in inner and closing not in inner:
                return inner.strip()
    return text


# Quantifiers are possessive (`*+`): what they consume they keep, so no pattern tries a long run twice.
_NODE_HEADER = re.compile(
    r"(?P<header>[#*\-_>\s]*+(?:nodes?|steps?)[*_\s]*+(?:[(（]\s*+(?P<count>\d{1,9})\s*+[)）][*_\s]*+)?)"
    r"(?:[:：](?P<rest>.*))?$",
    re.I,
)
_EDGE_HEADER = re.compile(r"[#*\-_>\s]*+(?:edges?|graph)[*_\s]*+(?:[:：]|(?=[(（])|$)(?P<rest>.*)$", re.I)
_STEP = re.compile(
    r"(?P<lead>[#*\-_>+•\s(\[]*+)(?:(?:node|step)\s++)?(?P<number>\d{1,9})(?P<mark>[*_`]*+)\s*+"
    r"(?:[:)\]：、）]|[.．](?!\d))(?P<text>.*)$",
    re.I,
)
_RULE = re.compile(r"\s*+([-*_])(?:\s*+\1){2,}\s*+$")
_DEFINITION = re.compile(r"[\s\-+•*`\"'(]*(?P<name>\w+)[*`\"')]*\s*+[:：=](?P<text>.*\S.*)$")

_NAME = r"(?:\d{1,9}|start|begin|end|finish|s|e)"
_NUMBERED = rf"(?:(?:node|step)\s++)?{_NAME}[\"'“”‘’`*]*+"
_END = rf"[\"'“”‘’`*]*+{_NUMBERED}"
_ARROW = r"\s*+(?:-{1,2}>|={1,2}>|→|⟶|➔|➜)\s*+"
_TUPLE = rf"[(（]\s*+{_END}\s*+[,，、;；]\s*+{_END}\s*+[)）]"
_EDGE = re.compile(rf"{_TUPLE}|(?<![\w.]){_NUMBERED}(?:{_ARROW}{_END})+(?!\w)", re.I)
_ENDPOINT = re.compile(rf"(?<!\w){_NAME}(?!\w)", re.I)


class _Block(NamedTuple):
    """The numbered steps, each as its lines; the first number; the indentation; the line where the block ends;
    and the lines directly below the last step, which may or may not belong to it."""

    steps: list[list[str]]
    first: int
    indent: int
    end: int
    below: list[str]


def _lines(text: str) -> list[str]:
    """The lines of a text, a step that stands on the header's line on a line of its own."""
    lines = []
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        match = _NODE_HEADER.match(line)
        if match and match["rest"] and _opens_list(match["rest"]):
            lines += [match["header"], match["rest"].strip()]
        else:
            lines.append(line)
    return lines


def _fences_with_worf(text: str) -> list[str]:
    """The fences that hold both steps and edges: with the edges outside, the whole text is needed."""
    if "```" not in text and "~~~" not in text:
        return []
    return [body for body in fenced_blocks(text) if _has_whole(_lines(body))]


def _has_whole(lines: list[str]) -> bool:
    """Whether lines hold a workflow with its edges."""
    return _below_header(lines) is not None and _has_edge("\n".join(lines))


def _is_node_header(line: str) -> bool:
    match = _NODE_HEADER.match(line)
    return match is not None and not (match["rest"] or "").strip("*_ \t")


def _opens_list(line: str) -> bool:
    step = _STEP.match(line)
    return step is not None and int(step["number"]) in (0, 1)


def _below_header(lines: list[str]) -> int | None:
    """The line of the first step below the first header of nodes that has steps."""
    inside = False
    for at, line in enumerate(lines):
        if _is_node_header(line):
            inside = True
        elif inside and _opens_list(line):
            return at
        elif inside and _EDGE_HEADER.match(line):
            inside = False
    return None


def _without_header(lines: list[str]) -> int | None:
    """The first line numbered 0 or 1, in a text that has edges."""
    begin = next((at for at, line in enumerate(lines) if _opens_list(line)), None)
    return begin if begin is not None and _has_edge("\n".join(lines[begin:])) else None


def _declared_steps(lines: list[str]) -> int | None:
    """The count in the last header of these lines."""
    header = next(match for line in reversed(lines) if (match := _NODE_HEADER.match(line)) and _is_node_header(line))
    return int(header["count"]) if header["count"] else None


def _read_block(lines: list[str], begin: int) -> _Block:
    """Read the steps from the line of the first one.

    Lines between two steps belong to the former. The block ends at a header, at a number that starts again, and
    at a blank line with text below it that is neither the next step nor indented.
    """
    opening = _STEP.match(lines[begin])
    assert opening is not None
    first, indent = int(opening["number"]), _indent(lines[begin])
    steps, below = [[_step_text(opening)]], list[str]()
    after_blank = nested = False
    for at in range(begin + 1, len(lines)):
        line = lines[at]
        if _is_empty(line):
            after_blank = True
            continue
        step = _STEP.match(line)
        number = int(step["number"]) if step else None
        deeper = _indent(line) > indent + 1
        nested = deeper and (nested or number == first)
        if step and number == first + len(steps) and not nested:
            steps[-1] += below
            steps.append([_step_text(step)])
            below = []
        elif deeper or not (number == first or after_blank or _is_node_header(line) or _EDGE_HEADER.match(line)):
            below.append(line)
        else:
            return _Block(steps, first, indent, at, below)
        after_blank = False
    return _Block(steps, first, indent, len(lines), below)


def _step_text(step: re.Match[str]) -> str:
    """The text on the line of a step; bold that opens before the number, as in ``**1. Title**: …``, is undone."""
    text = step["text"]
    for mark in ("**", "__"):
        if mark in step["lead"] and mark not in step["mark"]:
            text = text.replace(mark, "", 1)
    return text


def _joined(lines: list[str]) -> str:
    return " ".join(line.strip() for line in lines if line.strip())


def _continues(line: str, indent: int) -> bool:
    """Whether a line right below the last step is its wrapped text, and not the explanation that models glue there:
    it is indented or goes on in lower case, and has no edge."""
    goes_on = _indent(line) > indent + 1 or line.strip()[0].islower()
    return goes_on and not line.rstrip().endswith(":") and not _has_edge(line)


def _edge_part(lines: list[str]) -> tuple[list[str], list[str]]:
    """The lines above the edges, and those of the edges: from the first header of edges to the next workflow; in a
    text without such a header, from the first line with an edge."""
    begin = next((at for at, line in enumerate(lines) if _EDGE_HEADER.match(line)), None)
    if begin is None:
        begin = next((at for at, line in enumerate(lines) if _has_edge(line)), len(lines))
    found = False
    for at in range(begin, len(lines)):
        if found and _is_node_header(lines[at]):
            return lines[:begin], lines[begin:at]
        found = found or _has_edge(lines[at])
    return lines[:begin], lines[begin:]


def _absorbed(steps: list[tuple[str, str]], edges: list[tuple[str, str]], edge_lines: list[str]) -> int:
    """How many of the last steps are no steps: joined by no edge, and word for word a numbered point of the
    explanation below the edges. (A published golden was spoilt so by its own extraction.)"""
    joined = {step for edge in edges for step in edge}
    points = {match["text"].strip() for line in edge_lines if (match := _STEP.match(line))}
    return sum(1 for _ in takewhile(lambda step: step[0] not in joined and step[1] in points, reversed(steps[1:])))


def _alias_texts(steps: list[list[str]], below: list[str]) -> list[str] | None:
    """The texts of steps that are all single words defined further down as ``word: text``; else None."""
    names = [unquoted(lines[0]) for lines in steps]
    if not all(len(lines) == 1 and name and name.isidentifier() for lines, name in zip(steps, names, strict=True)):
        return None
    definitions: dict[str, str] = {}
    for line in below:
        match = None if _EDGE_HEADER.match(line) else _DEFINITION.match(line)
        if match:
            definitions.setdefault(match["name"], match["text"].strip("*_ \t"))
    return [definitions[name] for name in names] if all(name in definitions for name in names) else None


def _has_edge(text: str) -> bool:
    return _EDGE.search(text) is not None


def _endpoint(name: str) -> str:
    name = name.lower()
    if name == "s" or name in START_NAMES:
        return "START"
    return "END" if name == "e" or name in END_NAMES else str(int(name))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_empty(line: str) -> bool:
    """A line that says nothing: blank, the mark of a fence, a Markdown rule."""
    return not line.strip() or FENCE.match(line) is not None or _RULE.match(line) is not None
