"""The checks that a workflow must pass whatever it is compared with."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from wfkit.validation.check import Check, check, quoted, warning
from wfkit.workflow import components, find_cycle, from_record, topological_order, transitive_closure


def workflow_checks(record: Mapping[str, Any]) -> list[Check]:
    """All checks of a golden: `structure_checks`, then has_steps, one_component and redundant_edges.

    The last two only warn; they are made where the structure is sound.
    """
    checks = structure_checks(record)
    checks.append(check("has_steps", 1, min(1, len(record["nodes"])), "the workflow has no steps"))
    if all(found["ok"] for found in checks):
        checks += [_one_component(record), _redundant_edges(record)]
    return checks


def structure_checks(record: Mapping[str, Any]) -> list[Check]:
    """unique_ids, known_edge_ends, acyclic and texts_non_empty of a canonical `workflow` record.

    An empty workflow passes. Whether it is acyclic is only asked where ids and edge ends are sound.
    """
    nodes, edges = record["nodes"], record["edges"]
    ids = Counter(node["id"] for node in nodes)
    repeated = [step for step, times in ids.items() if times > 1]
    unknown = [end for edge in edges for end in edge if end not in ids]
    blank = [node["id"] for node in nodes if not _says_something(node["text"])]
    checks = [
        check("unique_ids", len(nodes), len(ids), f"repeated step ids: {quoted(repeated)}"),
        check("known_edge_ends", 0, len(unknown), f"edges to steps that are not listed: {quoted(unknown)}"),
    ]
    if not repeated and not unknown:
        number = {node["id"]: place for place, node in enumerate(nodes)}
        cycle = find_cycle(len(nodes), [(number[source], number[target]) for source, target in edges])
        names = " -> ".join(nodes[step]["id"] for step in [*cycle, *cycle[:1]])
        checks.append(check("acyclic", 0, len(cycle), f"the steps form a cycle: {names}"))
    checks.append(check("texts_non_empty", 0, len(blank), f"steps without text: {quoted(blank)}"))
    return checks


def _says_something(text: str) -> bool:
    return any(letter.isprintable() and not letter.isspace() for letter in text)


def _one_component(record: Mapping[str, Any]) -> Check:
    workflow = from_record(record)
    parts = components(len(workflow.steps), workflow.edges)
    first = quoted([workflow.steps[part[0]].text for part in parts])
    return warning("one_component", 1, len(parts), f"parts that no edge joins begin with {first}")


def _redundant_edges(record: Mapping[str, Any]) -> Check:
    """An edge is redundant where a longer path says the same, or where it is written twice."""
    workflow = from_record(record)
    after = transitive_closure(len(workflow.steps), workflow.edges, topological_order(workflow))
    implied = [0] * len(workflow.steps)
    for source, target in workflow.edges:
        implied[source] |= after[target]
    needed = [[source, target] for source, target in workflow.edges if not implied[source] >> target & 1]
    extra = len(record["edges"]) - len(needed)
    return warning("redundant_edges", 0, extra, "other edges already say what these say")
