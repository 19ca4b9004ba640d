"""The rules that hold for every format: from a `Draft` to a `workflow` record.

START and END leave the steps, edges to unlisted steps are dropped or refused, cycles are refused, broken or kept,
steps are put in order, and whatever a reader should know is listed in ``meta.warnings``.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from wfkit.errors import DataError
from wfkit.formats.base import MAXIMUM_STEPS, SEVERAL, Draft, ParseOptions
from wfkit.formats.error_branches import without_error_branches
from wfkit.formats.order import back_edges, canonical, layered_order, reduced
from wfkit.workflow import components, find_cycle

OWN_FIELDS = frozenset({"kind", "id", "task", "nodes", "edges", "meta"})
COUNT_FIELDS = frozenset({"step_count", "node_count", "num_steps", "num_nodes", "n_steps", "n_nodes", "total_steps"})

Edge = tuple[int, int]


def finish(draft: Draft, options: ParseOptions) -> dict[str, Any]:
    """The `workflow` record of a draft.

    Raises:
        DataError: the draft's own problem, or ``E-NO-NODES``, ``E-LIMIT``, ``E-DUP-ID``, ``E-EMPTY-TEXT``,
            ``E-SYNTAX`` (text that UTF-8 cannot carry), ``E-GHOST`` and ``E-SEVERAL`` (strict), ``E-CYCLE``,
            ``E-NO-EDGES``.
    """
    if draft.problem is not None:
        raise draft.problem
    if options.strict:
        _refuse_others(draft)
    if draft.ready is not None:
        return _with_warnings(draft.ready, draft.warnings)
    if not options.error_edges:
        draft = without_error_branches(draft)
    warnings = list(draft.warnings)
    listed = _checked_nodes(draft, options)
    if draft.order == "topo" and options.order != "listed":
        draft, listed = canonical(draft, listed)
    pairs, start, end = _without_terminals(draft)
    nodes = [node for node in listed if node["id"] not in draft.terminals]
    if not nodes:
        raise DataError("there is no step besides START and END", code="E-NO-NODES")
    index = {node["id"]: position for position, node in enumerate(nodes)}

    refuse_ghosts = options.strict or draft.refuse_ghosts
    edges, start, end = _known_edges(index, pairs, start, end, refuse_ghosts, warnings)
    edges = _without_self_loops(nodes, edges, options, draft, warnings)
    if len(nodes) > 1 and not (edges or start or end or draft.unordered):
        edges = _chain_or_refuse(len(nodes), bool(pairs), options, warnings)
    edges, removed = _without_cycles(nodes, edges, start, options.cycles or draft.cycles, draft, warnings)
    if options.reduce:
        edges = reduced(len(nodes), edges)
    _warn_of_terminals(nodes, edges, removed, start, end, draft, warnings)
    _warn_of_parts(nodes, edges, start, end, warnings)
    _warn_of_count(draft, len(nodes), len(listed), warnings)

    kept = {(nodes[source]["id"], nodes[target]["id"]) for source, target in edges}
    if (options.order or draft.order) == "topo":
        nodes, edges = _sorted(nodes, edges)
    named_edges = [[nodes[source]["id"], nodes[target]["id"]] for source, target in edges]
    if options.keep_terminals:
        nodes, named_edges = _with_terminals(nodes, named_edges, start, end)

    meta = dict(draft.meta)
    if start is not None:
        meta["start"] = start
    if end is not None:
        meta["end"] = end
    attributes = [[a, b, values] for a, b, values in draft.edge_attributes if (a, b) in kept]
    if attributes:
        meta["edge_attrs"] = attributes
    if removed:
        meta["back_edges"] = removed
    if warnings:
        earlier = meta["warnings"] if isinstance(meta.get("warnings"), list) else []
        meta["warnings"] = [*earlier, *(warning for warning in warnings if warning not in earlier)]
    task = {} if draft.task is None else {"task": draft.task}
    fields = {key: value for key, value in draft.fields.items() if key not in OWN_FIELDS}
    return {"kind": "workflow", "id": draft.id, **task, **fields, "nodes": nodes, "edges": named_edges, "meta": meta}


def _refuse_others(draft: Draft) -> None:
    """A golden is one workflow: what was left out beside it may be the one that was meant."""
    told = next((warning for warning in draft.warnings if warning.startswith(SEVERAL)), None)
    if told is not None:
        remedy = "put each workflow into a file, a line or a list element of its own"
        message = f"{told.removeprefix(SEVERAL + ': ')}; {remedy}"
        raise DataError(message, code="E-SEVERAL")


def _with_warnings(record: dict[str, Any], warnings: Sequence[str]) -> dict[str, Any]:
    if not warnings:
        return record
    meta = record.get("meta", {})
    return {**record, "meta": {**meta, "warnings": [*meta.get("warnings", ()), *warnings]}}


def failed_candidate(workflow_id: str, error: DataError, task: str | None = None) -> dict[str, Any]:
    """The empty workflow that stands for a candidate that cannot be read: it scores 0 and keeps its place."""
    reason = f"{error.code}: {error}"
    given = {} if task is None else {"task": task}
    return {"kind": "workflow", "id": workflow_id, **given, "nodes": [], "edges": [], "meta": {"error": reason}}


def _checked_nodes(draft: Draft, options: ParseOptions) -> list[dict[str, Any]]:
    if not draft.nodes:
        raise DataError("there are no steps", code="E-NO-NODES")
    if len(draft.nodes) > MAXIMUM_STEPS:
        raise DataError(f"{len(draft.nodes):,} steps; the limit is {MAXIMUM_STEPS:,}", code="E-LIMIT")
    nodes: dict[str, dict[str, Any]] = {}
    for position, node in enumerate(draft.nodes):
        path = f"$.nodes[{position}]"
        if node["id"] in nodes:
            raise DataError(f"step id {node['id']!r} occurs twice", code="E-DUP-ID", path=path)
        if not node["text"].strip():
            if options.empty_text == "error" or not node["id"].strip():
                raise DataError(f"step {node['id']!r} has no text", code="E-EMPTY-TEXT", path=path)
            node = {**node, "text": node["id"]}
        for value in (node["id"], node["text"]):
            try:
                value.encode()
            except UnicodeEncodeError:
                message = f"step {node['id']!a} holds half a surrogate pair, which UTF-8 cannot carry"
                raise DataError(message, code="E-SYNTAX", path=path) from None
        nodes[node["id"]] = node
    return list(nodes.values())


def _without_terminals(draft: Draft) -> tuple[list[tuple[str, str]], list[str] | None, list[str] | None]:
    """Edges from a START node and to an END node become start and end; the rest stays, for better or worse."""
    if not draft.terminals:
        return draft.edges, draft.start, draft.end
    roles = set(draft.terminals.values())
    start = list(draft.start or []) if "start" in roles else draft.start
    end = list(draft.end or []) if "end" in roles else draft.end
    pairs = []
    for source, target in draft.edges:
        from_start = draft.terminals.get(source) == "start"
        to_end = draft.terminals.get(target) == "end"
        if from_start and not to_end:
            start = [*(start or []), target]
        elif to_end and not from_start:
            end = [*(end or []), source]
        elif not from_start:
            pairs.append((source, target))
    return pairs, start, end


def _known_edges(
    index: dict[str, int],
    pairs: Iterable[tuple[str, str]],
    start: list[str] | None,
    end: list[str] | None,
    refused: bool,
    warnings: list[str],
) -> tuple[list[Edge], list[str] | None, list[str] | None]:
    """The edges as step indices, each once, and start and end, without what names an unlisted step."""
    counted = Counter(pairs)
    given_start, given_end = Counter(start or ()), Counter(end or ())
    edges = [(index[source], index[target]) for source, target in counted if source in index and target in index]
    ghosts = [f"{source} -> {target}" for source, target in counted if source not in index or target not in index]
    ghosts += [f"START -> {step}" for step in given_start if step not in index]
    ghosts += [f"{step} -> END" for step in given_end if step not in index]
    if ghosts:
        if refused:
            raise DataError(f"edge to a step that is not listed: {_several(ghosts)}", code="E-GHOST")
        warnings.append(f"W-GHOST: edges to steps that are not listed, dropped: {_several(ghosts)}")
    repeated = [f"{source} -> {target}" for (source, target), count in counted.items() if count > 1]
    repeated += [f"START -> {step}" for step, count in given_start.items() if count > 1]
    repeated += [f"{step} -> END" for step, count in given_end.items() if count > 1]
    if repeated:
        warnings.append(f"W-DUP-EDGE: repeated edges, taken once: {_several(repeated)}")
    return (
        edges,
        None if start is None else [step for step in given_start if step in index],
        None if end is None else [step for step in given_end if step in index],
    )


def _without_self_loops(
    nodes: Sequence[dict[str, Any]], edges: list[Edge], options: ParseOptions, draft: Draft, warnings: list[str]
) -> list[Edge]:
    loops = [nodes[source]["id"] for source, target in edges if source == target]
    if not loops:
        return edges
    if options.strict and (options.cycles or draft.cycles) == "error":
        raise DataError(f"a step waits for itself: {_several(loops)}", code="E-CYCLE")
    warnings.append(f"W-LOOP: self-loops removed from steps {_several(loops)}")
    return [(source, target) for source, target in edges if source != target]


def _chain_or_refuse(count: int, had_edges: bool, options: ParseOptions, warnings: list[str]) -> list[Edge]:
    if not options.assume_chain:
        lack = "no edge joins two listed steps" if had_edges else "nothing says how they depend on each other"
        raise DataError(f"{count} steps, but {lack}; --assume-chain takes them in listed order", code="E-NO-EDGES")
    warnings.append("W-ASSUMED-CHAIN: no edges in the source; the steps are taken as a chain in listed order")
    return [(step, step + 1) for step in range(count - 1)]


def _without_cycles(
    nodes: Sequence[dict[str, Any]],
    edges: list[Edge],
    start: list[str] | None,
    policy: str,
    draft: Draft,
    warnings: list[str],
) -> tuple[list[Edge], list[list[str]]]:
    """The edges under the policy, and the back edges that were removed as pairs of ids."""
    if all(source < target for source, target in edges):  # listed in order: no cycle is possible
        return edges, []
    cycle = find_cycle(len(nodes), edges)
    if not cycle:
        return edges, []
    shown = cycle if len(cycle) <= 20 else cycle[:20]
    names = " -> ".join([*(nodes[step]["id"] for step in shown), *(["…"] if len(cycle) > 20 else [])])
    names = f"{names} -> {nodes[cycle[0]]['id']}"
    if policy == "error":
        raise DataError(f"the steps form a cycle: {names}", code="E-CYCLE")
    if policy == "keep":
        warnings.append(f"W-LOOP: the steps form a cycle, kept: {names}")
        return edges, []
    index = {node["id"]: position for position, node in enumerate(nodes)}
    first = [index[step] for step in start or () if step in index]
    reading_order = [index[step] for step in draft.reading_order if step in index]
    back = back_edges([node["text"] for node in nodes], edges, first, reading_order)
    removed = [[nodes[source]["id"], nodes[target]["id"]] for source, target in edges if (source, target) in back]
    listing = _several([f"{source} -> {target}" for source, target in removed])
    warnings.append(f"W-LOOP: back edges removed to break cycles: {listing}")
    return [edge for edge in edges if edge not in back], removed


def _warn_of_terminals(
    nodes: Sequence[dict[str, Any]],
    edges: Sequence[Edge],
    back: Sequence[Sequence[str]],
    start: list[str] | None,
    end: list[str] | None,
    draft: Draft,
    warnings: list[str],
) -> None:
    """Warn where START and END do not join the roots and leaves.

    In the notations of tools, where loops and decisions are drawn, more steps than those may begin or end the work.
    """
    if not start and not end:  # the source says nothing that could differ
        return
    ids = [node["id"] for node in nodes]
    targets = {ids[target] for _, target in edges} | {target for _, target in back}
    sources = {ids[source] for source, _ in edges} | {source for source, _ in back}
    differences = []
    for name, declared, waiting, kind in (("START", start, targets, "roots"), ("END", end, sources, "leaves")):
        actual = [step for step in ids if step not in waiting]
        if declared is None or (draft.order == "topo" and set(actual) <= set(declared)):
            continue
        if set(declared) != set(actual):
            differences.append(
                f"{name} joins {_several(declared) or 'no step'}, the {kind} are {_several(actual) or 'none'}"
            )
    if differences:
        warnings.append(f"W-START-MISMATCH: {'; '.join(differences)}")


def _warn_of_parts(
    nodes: Sequence[dict[str, Any]],
    edges: Sequence[Edge],
    start: list[str] | None,
    end: list[str] | None,
    warnings: list[str],
) -> None:
    """Warn of steps that nothing joins, and of further parts. START and END join what they lead to."""
    count = len(nodes)
    index = {node["id"]: position for position, node in enumerate(nodes)}
    joined = [
        *edges,
        *((count, index[step]) for step in start or ()),
        *((index[step], count + 1) for step in end or ()),
    ]
    touched = {step for edge in joined for step in edge}
    isolated = [node["id"] for position, node in enumerate(nodes) if position not in touched]
    if isolated and count > 1:
        warnings.append(f"W-ISOLATED: steps without any edge: {_several(isolated)}")
    parts = [part for part in components(count + 2, joined) if len(part) > 1]
    if len(parts) > 1:
        firsts = _several([nodes[part[0]]["id"] for part in parts])
        warnings.append(f"W-COMPONENTS: {len(parts)} parts that no edge joins, beginning at steps {firsts}")


def _warn_of_count(draft: Draft, steps: int, listed: int, warnings: list[str]) -> None:
    declared = [draft.declared_steps, *(place.get(key) for place in (draft.fields, draft.meta) for key in COUNT_FIELDS)]
    wrong = {count for count in declared if type(count) is int and count not in (steps, listed)}
    for count in sorted(wrong):
        warnings.append(f"W-COUNT: the source declares {count} steps, {steps} were read")


def _sorted(nodes: Sequence[dict[str, Any]], edges: Sequence[Edge]) -> tuple[list[dict[str, Any]], list[Edge]]:
    order = layered_order([node["text"] for node in nodes], edges)
    place = {step: position for position, step in enumerate(order)}
    return [nodes[step] for step in order], sorted((place[source], place[target]) for source, target in edges)


def _with_terminals(
    nodes: list[dict[str, Any]], edges: list[list[str]], start: list[str] | None, end: list[str] | None
) -> tuple[list[dict[str, Any]], list[list[str]]]:
    taken = {node["id"] for node in nodes} & {"START", "END"}
    if taken:
        raise DataError(f"a step has the id {min(taken)!r} already", code="E-DUP-ID")
    if start:
        nodes = [{"id": "START", "text": "START"}, *nodes]
        edges = [*(["START", step] for step in start), *edges]
    if end:
        nodes = [*nodes, {"id": "END", "text": "END"}]
        edges = [*edges, *([step, "END"] for step in end)]
    return nodes, edges


def _several(names: Sequence[str], limit: int = 5) -> str:
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
