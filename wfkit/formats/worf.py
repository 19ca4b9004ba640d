"""Format ``worf``: the Node/Edge text of WorFBench, alone, inside answers of models, and in rows that hold answers."""

from collections.abc import Mapping
from typing import Any

from wfkit.errors import DataError
from wfkit.formats.answers import Row, is_row, read_row, unwrapped
from wfkit.formats.base import MAXIMUM_CHARACTERS, Draft, ParseOptions, Source, read_each, read_named
from wfkit.formats.worf_text import QUOTES, has_worf, read_worf, unquoted, worf_texts

NAME = "worf"
SUMMARY = "Node:/Edge: text alone or in a model's answer, WorFBench rows, chat and prediction rows"
SUFFIXES = (".txt", ".md")


def detect(source: Source) -> bool:
    """Whether the source is a text with a header of nodes, or a row (or a list of rows) that holds an answer."""
    text = source.plain_text()
    if text is not None:
        return has_worf(text)
    value = source.value
    return is_row(value[0] if isinstance(value, list) and value else value)


def parse(source: Source, options: ParseOptions) -> list[Draft]:
    """Read a text, a row, or each row of a list.

    Raises:
        DataError: ``E-NO-NODES`` where no step is listed, ``E-LIMIT`` for a text of over 16 million characters,
            ``E-UNSUPPORTED`` for JSON that is no row.
    """
    text = source.plain_text()
    if text is not None:
        texts = worf_texts(text) if source.whole and len(text) <= MAXIMUM_CHARACTERS else [text]
        if len(texts) == 1:
            return [_draft(Row(text, source.id, None, {}))]
        named = ((f"{source.id}/{place}", one) for place, one in enumerate(texts, start=1))
        return read_named(named, lambda one, name: _draft(Row(one, name, None, {})))
    if isinstance(source.value, list):
        return read_each(source, lambda value, default_id: _draft(read_row(value, default_id)), source.value)
    return [_draft(read_row(source.value, source.id))]


def write(record: Mapping[str, Any]) -> str:
    """The text form of a workflow record: steps numbered from 1, START and END joined to the roots and leaves.

    Reading it back gives the same steps and edges, whatever the texts hold, but for their outer blanks and
    line breaks, which become blanks.

    Raises:
        DataError: ``E-NO-NODES`` for a workflow without steps.
    """
    nodes, edges = record["nodes"], record["edges"]
    if not nodes:
        raise DataError("a workflow without steps has no text form", code="E-NO-NODES")
    numbers = {node["id"]: number for number, node in enumerate(nodes, start=1)}
    targets, sources = {target for _, target in edges}, {source for source, _ in edges}
    pairs = [
        *(f"(START,{number})" for step, number in numbers.items() if step not in targets),
        *(f"({numbers[source]},{numbers[target]})" for source, target in edges),
        *(f"({number},END)" for step, number in numbers.items() if step not in sources),
    ]
    steps = [f"{number}: {_protected(node['text'])}" for number, node in enumerate(nodes, start=1)]
    return "\n".join(["Node:", *steps, f"Edge: {' '.join(pairs)}", ""])


def _draft(row: Row) -> Draft:
    if len(row.text) > MAXIMUM_CHARACTERS:
        raise DataError(f"{len(row.text):,} characters; the limit is {MAXIMUM_CHARACTERS:,}", code="E-LIMIT")
    worf = read_worf(unwrapped(row.text, has_worf))
    if not worf.steps:
        lack = "no numbered step below a Node: header" if row.text.strip() else "the text is empty"
        raise DataError(lack, code="E-NO-NODES")
    meta = row.fields.get("meta")
    mentioned = {step for edge in worf.edges for step in edge}
    return Draft(
        row.id,
        nodes=[{"id": number, "text": text} for number, text in worf.steps],
        edges=worf.edges,
        terminals={"START": "start", "END": "end"} if mentioned & {"START", "END"} else {},
        task=row.task,
        fields=row.fields,
        meta=dict(meta) if isinstance(meta, dict) else {},
        warnings=worf.warnings,
        declared_steps=worf.declared_steps,
    )


def _protected(text: str) -> str:
    """The text on one line; in quotes of another kind where the reader would take its own quotes off."""
    line = " ".join(text.replace("\r", "\n").split("\n")).strip()
    if unquoted(line) == line:
        return line
    wrapped = (f"{opening}{line}{closing}" for opening, closing in QUOTES)
    return next((form for form in wrapped if unquoted(form) == line), line)
