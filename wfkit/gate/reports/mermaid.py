"""The drawing of a pair as one Mermaid flowchart in which lost, added and changed steps stand out.

What became of a step is said by a word and by the shape of its box as well as by its colour.
"""

import re
from collections.abc import Iterable, Iterator

from wfkit.formats.mermaid_labels import written_label
from wfkit.gate.reports.diagram import Drawing, DrawnStep, State
from wfkit.gate.wording import printable, similarity_text

LABEL_LIMIT = 80
"""Characters of a step text in a box."""

_SHAPES: dict[State, tuple[str, str]] = {
    "same": ("[", "]"),
    "lost": ("{{", "}}"),
    "added": ("([", "])"),
    "merged": ("[[", "]]"),
    "moved": ("[/", "/]"),
    "reworded": ("(", ")"),
}

_STYLES: dict[State, str] = {
    "lost": "fill:#fde8e8,stroke:#b42318,color:#5f1712,stroke-dasharray:5 3",
    "added": "fill:#e3f6e8,stroke:#1a7f37,color:#0b3d1b,stroke-width:3px",
    "merged": "fill:#efe5fd,stroke:#6f42c1,color:#33195e",
    "moved": "fill:#e1efff,stroke:#0969da,color:#0a3069",
    "reworded": "fill:#fff4d6,stroke:#9a6700,color:#4a3200",
}

_Edge = tuple[str, str]


def flowchart(drawing: Drawing) -> str:
    """The flowchart, ending in a newline; empty where there is no step to draw."""
    boxes = dict(_boxes(drawing))
    if not boxes:
        return ""
    lines = ["flowchart TD"]
    for title, state_names in _groups(drawing):
        inside = [f"    {name}{boxes.pop(name)}" for name in state_names]
        lines += [f"    subgraph {title}", *inside, "    end"]
    lines += [f"    {name}{box}" for name, box in boxes.items()]
    lines += _edge_lines(drawing)
    used = {step.state for side in (drawing.golden, drawing.candidate) for step in side.steps}
    lines += [f"    classDef {state} {style}" for state, style in _STYLES.items() if state in used]
    return "\n".join([*lines, ""])


def _names(drawing: Drawing) -> tuple[list[str], list[str]]:
    """The name of each golden and of each candidate step's box; partners share theirs."""
    partners = {step: partner for step, partner, _ in drawing.partners}
    golden = [f"c{partners[place]}" if place in partners else f"g{place}" for place in range(len(drawing.golden.steps))]
    return golden, [f"c{place}" for place in range(len(drawing.candidate.steps))]


def _boxes(drawing: Drawing) -> Iterator[tuple[str, str]]:
    """Each box in the order of the golden, then what the candidate has of its own."""
    golden_names, candidate_names = _names(drawing)
    members: dict[str, list[int]] = {}
    for place, name in enumerate(golden_names):
        members.setdefault(name, []).append(place)
    similarities = {step: similarity for step, _, similarity in drawing.partners}
    for name, places in members.items():
        steps = [drawing.golden.steps[place] for place in places]
        if name.startswith("g"):
            yield name, _box(steps[0].state, [_titled(steps[0])])
            continue
        counterpart = drawing.candidate.steps[int(name[1:])]
        if counterpart.state == "same" or (len(steps) == 1 and steps[0].text == counterpart.text):
            yield name, _box(counterpart.state, [_titled(steps[0])])
            continue
        similarity = similarities[places[0]]
        likeness = f" (similarity {similarity_text(similarity)})" if similarity is not None else ""
        before = [_said(step) for step in steps]
        yield name, _box(counterpart.state, [f"{counterpart.state}{likeness}", *before, f"→ {_said(counterpart)}"])
    for place, name in enumerate(candidate_names):
        if name not in members:
            step = drawing.candidate.steps[place]
            yield name, _box(step.state, [_titled(step)])


def _groups(drawing: Drawing) -> Iterator[tuple[str, list[str]]]:
    """The boxes of each side, where nobody knows which step stands for which."""
    golden_names, candidate_names = _names(drawing)
    if drawing.partners or not golden_names or not candidate_names:
        return
    for title, names, side in (
        ("golden", golden_names, drawing.golden),
        ("candidate", candidate_names, drawing.candidate),
    ):
        if all(step.state == "same" for step in side.steps):
            yield title, names


def _edge_lines(drawing: Drawing) -> list[str]:
    golden_names, candidate_names = _names(drawing)
    expected = _named_edges(golden_names, drawing.golden.edges)
    found = _named_edges(candidate_names, drawing.candidate.edges)
    lines, lost, new = [], [], []
    for number, ((source, target), changed) in enumerate({**found, **expected}.items()):
        arrow = "-->"
        if (source, target) not in found:
            arrow = "-. lost .->" if changed else "-.->"
            lost.append(str(number))
        elif (source, target) not in expected and changed:
            arrow = "== new ==>"
            new.append(str(number))
        lines.append(f"    {source} {arrow} {target}")
    if lost:
        lines.append(f"    linkStyle {','.join(lost)} stroke:#b42318")
    if new:
        lines.append(f"    linkStyle {','.join(new)} stroke:#1a7f37")
    return lines


def _named_edges(names: list[str], edges: Iterable[tuple[int, int, bool]]) -> dict[_Edge, bool]:
    """Edges by the names of their boxes; steps that were merged wait for each other no more."""
    return {
        (names[source], names[target]): changed for source, target, changed in edges if names[source] != names[target]
    }


def _said(step: DrawnStep) -> str:
    return f"{step.id}: {printable(step.text, LABEL_LIMIT)}"


def _titled(step: DrawnStep) -> str:
    return _said(step) if step.state == "same" else f"{step.state} {_said(step)}"


def _box(state: State, lines: Iterable[str]) -> str:
    opened, closed = _SHAPES[state]
    label = "<br/>".join(_escaped(line) for line in lines)
    return f'{opened}"{label}"{closed}' + (f":::{state}" if state in _STYLES else "")


def _escaped(line: str) -> str:
    """A line of a label: what reads as a directive or a formula anywhere in a diagram does not.

    Entities are decoded before formulas are looked for, so only a blank between two dollars keeps them apart.
    """
    return re.sub(r"\$(?=\$)", "$ ", written_label(line)[1:-1].replace("%", "#37;"))
