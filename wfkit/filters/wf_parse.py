"""wf-parse: read workflows in the forms that people and models write, as one record each."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from wfkit import registry
from wfkit.errors import DataError, UsageProblem
from wfkit.filters.parse_options import parse_options, reading_options
from wfkit.skeleton import Told, map_filter

if TYPE_CHECKING:
    from wfkit.engine import Decoded, Stage
    from wfkit.formats.base import ParseOptions, Source
    from wfkit.jsonl import Record
    from wfkit.streams import Line

EXAMPLES = """
# approved workflows must parse cleanly; the id of a text file is its name without the ending
wf-parse --strict goldens/*.txt > goldens.jsonl

# what a model wrote: an answer that cannot be read becomes an empty workflow, which scores 0
wf-parse --candidates --text-field .output --id-field .task_id answers.jsonl > candidates.jsonl

# exports of visual builders, diagrams, CI files: the format is found by what they hold (wf-parse --list)
wf-parse --strict flows/*.json docs/*.md .github/workflows/*.yml > goldens.jsonl

# as a diagram, or back to text
wf-parse --to mermaid goldens.jsonl
"""


@map_filter("wf-parse", writes="workflow", awaits="workflows as text or JSON", examples=EXAMPLES)
@click.option(
    "--from", "source_format", metavar="FORMAT", default="auto", show_default=True,
    help="How the input is written: auto or a name of --list.",
)  # fmt: skip
@click.option(
    "--to", type=click.Choice(["json", "worf", "mermaid", "dot"]), default="json", show_default=True,
    help="Write records, the Node/Edge text, or a diagram.",
)  # fmt: skip
@click.option("--list", "list_formats", is_flag=True, help="Print the formats, a line each, and exit.")
@click.option("--text-field", metavar="PATH", help="Rows of JSONL or CSV: where the text is, such as .output.")
@click.option("--id-field", metavar="PATH", help="Rows of JSONL or CSV: where the id is, such as .task.id.")
@click.option("--id", "given_id", metavar="ID", help="The id of a text that brings none.  [default: the file's name]")
@click.option("--candidates", is_flag=True, help="For candidates: what cannot be read becomes an empty workflow.")
@click.option("--origin", is_flag=True, help="Keep file and line in meta.origin, for the reports of wf-gate.")
@reading_options
def main(
    source_format: str,
    to: Literal["json", "worf", "mermaid", "dot"],
    list_formats: bool,
    text_field: str | None,
    id_field: str | None,
    given_id: str | None,
    candidates: bool,
    origin: bool,
    **reading: Any,
) -> "Stage":
    """Read workflows and write one workflow record each.

    Reads text files, JSON and YAML documents, diagrams, and JSONL or CSV rows; each input may hold one workflow or
    many. Warnings are listed in meta.warnings of the record.
    """
    if list_formats:
        raise Told(_formats())
    if reading["strict"] and candidates:
        raise UsageProblem("--strict is for goldens and --candidates for candidates: choose one")
    from wfkit import sources
    from wfkit.engine import Stage
    from wfkit.joining import parse_key

    if source_format != "auto":
        registry.find(registry.FORMATS, source_format, "format")
    options = parse_options(**reading)
    if options.mapping is not None and source_format != "auto":
        raise UsageProblem("--map describes a format of its own: leave out --from")
    text_path = parse_key(text_field) if text_field is not None else None
    id_path = parse_key(id_field) if id_field is not None else None

    # The same condition as in the json format, which decides for single records inside documents.
    as_they_are = source_format in ("auto", "json") and text_path is None and id_path is None
    as_they_are = as_they_are and options.order != "topo" and not (options.reduce or options.keep_terminals)
    as_they_are = as_they_are and options.mapping is None and not origin

    def step(line: "Line | Record") -> "Record | Sequence[Record]":
        if isinstance(line, dict):
            return line
        records = read(line)
        return [_with_origin(record, line) for record in records] if origin else records

    def read(line: "Line") -> "Sequence[Record]":
        from wfkit import jsonl

        try:
            row = sources.row_of(line, text_path=text_path, id_path=id_path, given_id=given_id)
        except DataError as error:
            record_id = jsonl.leading_id(line.raw)
            if candidates and record_id is not None:
                return [_failed(record_id, error)]
            raise
        records = _records(row.source, line, source_format, options, candidates)
        if not row.fields:
            return records
        return [record if record["kind"] == "error" else _with_fields(record, row.fields) for record in records]

    return Stage(
        reads=(),
        writes=("workflow",),
        step=step,
        decode=_decoder(as_they_are),
        read=lambda inputs, limit: sources.read(inputs, limit, rows_of_text=text_path is not None),
        encode=_encoder(to),
        output_ids=True,
    )


def _with_fields(record: "Record", fields: "Record") -> "Record":
    """The record with the further fields of its row; a task or source that is no text goes to ``meta``."""
    misfits = {
        name: fields[name]
        for name in ("task", "source")
        if name in fields and name not in record and not isinstance(fields[name], str | None)
    }
    result = {**record, **{name: value for name, value in fields.items() if name not in misfits}, **record}
    return {**result, "meta": {**misfits, **record.get("meta", {})}} if misfits else result


def _with_origin(record: "Record", line: "Line") -> "Record":
    """The record with where it stood in ``meta``; an `error` record says that already."""
    if record["kind"] == "error":
        return record
    return {**record, "meta": {**record.get("meta", {}), "origin": {"file": line.file, "line": line.number}}}


def _decoder(takes_records_as_they_are: bool) -> "Callable[[Line], Decoded]":
    """What makes a line ready: a canonical record or an `error` record stays as it is, all else is read by `step`."""
    from wfkit import jsonl
    from wfkit.engine import Decoded
    from wfkit.formats.json_form import is_clean

    def decode(line: "Line") -> Decoded:
        raw = line.raw
        if b'"kind"' in raw and raw.lstrip().startswith(b"{"):
            try:
                record, canonical = jsonl.read(raw)
            except DataError:  # told when the line is read
                return Decoded(line, False)
            kind = record.get("kind")
            if kind == "error" or (kind == "workflow" and takes_records_as_they_are and is_clean(record)):
                return tuple.__new__(Decoded, (record, canonical))
        return Decoded(line, False)

    return decode


def _records(
    source: "Source", line: "Line", source_format: str, options: "ParseOptions", candidates: bool
) -> "list[Record]":
    """All workflows of a source, with an `error` record or an empty candidate in the place of each bad one."""
    from wfkit.engine import error_record_of
    from wfkit.formats.finish import finish
    from wfkit.formats.read import read

    try:
        drafts = read(source, source_format, registry.FORMATS, options)
    except DataError as error:
        if candidates:
            return [_failed(source.id, error)]
        raise
    if len(drafts) == 1 and drafts[0].ready is not None and not drafts[0].warnings:
        return [drafts[0].ready]
    records = []
    for draft in drafts:
        try:
            records.append(finish(draft, options))
        except DataError as error:
            if candidates:
                records.append(_failed(draft.id, error, draft.task))
            else:
                records.append(error_record_of("wf-parse", line, error, draft.id))
    return records


def _failed(record_id: str, error: DataError, task: str | None = None) -> "Record":
    from wfkit.formats.finish import failed_candidate

    return failed_candidate(record_id, error, task)


def _encoder(to: str) -> "Callable[[Record], bytes] | None":
    """How a record is written; None for JSON. An error record has no text form: stderr tells of it."""
    if to == "json":
        return None
    write = registry.find(registry.FORMATS, to, "format").write

    def encode(record: "Record") -> bytes:
        return b"" if record["kind"] == "error" else write(record).rstrip("\n").encode() + b"\n"

    return encode


def _formats() -> list[str]:
    formats = [registry.find(registry.FORMATS, name, "format") for name in registry.FORMATS]
    width = max(len(one.NAME) for one in formats)
    return [f"{one.NAME:<{width}}  {one.SUMMARY}" for one in formats]


build = main.build

if __name__ == "__main__":
    main()
