"""From a source to drafts: which format it is in, answers in rows, JSON in prose, dialects that the user describes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from wfkit import jsonl
from wfkit.errors import DataError
from wfkit.formats.answers import Row, is_row, read_row
from wfkit.formats.base import Draft, Format, ParseOptions, Source, further_workflows
from wfkit.formats.detect import detect
from wfkit.formats.documents import json_in_prose, json_stream
from wfkit.registry import find


def read(source: Source, wanted: str, formats: Mapping[str, str], options: ParseOptions) -> list[Draft]:
    """Every workflow of a source.

    Args:
        wanted: the name of a format, or ``auto``.
        formats: format name to adapter module, as `wfkit.registry.FORMATS`.

    Raises:
        DataError: the source as a whole cannot be read, or fits no format or several.
    """
    text = source.plain_text()
    pieces = json_stream(text) if text is not None and source.whole and source.fault is not None else None
    if pieces is not None:
        return _stream(source, pieces, wanted, formats, options)
    if options.mapping is not None:
        from wfkit.formats import mapped

        return mapped.parse(source, options)
    turns = _turns(source)
    if turns is not None:
        return [draft for turn in turns for draft in _row(turn, wanted, formats, options)]
    others = 0
    try:
        name = detect(source, formats) if wanted == "auto" else wanted
    except DataError as error:
        if text is None or error.code != "E-UNSUPPORTED":
            raise
        source, name, others = _in_prose(source, text, formats, error)
    adapter: Format = find(formats, name, "format")
    if wanted != "auto" and text is not None and not adapter.detect(source):
        inner, broken = _values(source, text)
        fitting = [one for one in inner if adapter.detect(one)]
        if fitting:
            source, others = fitting[0], len(fitting) - 1 + broken
    drafts = _drafts(source, name, adapter, wanted, formats, options)
    if others:
        for draft in drafts:
            draft.warnings.append(further_workflows(others))
    return drafts


def _drafts(
    source: Source, name: str, adapter: Format, wanted: str, formats: Mapping[str, str], options: ParseOptions
) -> list[Draft]:
    if source.value is not None and not isinstance(source.value, str) and name != "json" and _are_rows(source.value):
        return _rows(source, wanted, formats, options)
    return adapter.parse(source, options)


def _stream(
    source: Source, pieces: Sequence[str], wanted: str, formats: Mapping[str, str], options: ParseOptions
) -> list[Draft]:
    """The workflows of JSON values that follow each other in one text."""
    drafts: list[Draft] = []
    for place, piece in enumerate(pieces, start=1):
        default_id = f"{source.id}/{place}"
        raw = piece.encode(errors="surrogatepass")
        try:
            one = replace(source, text=None, value=jsonl.loads(raw), fault=None, id=default_id)
            drafts += read(one, wanted, formats, options)
        except DataError as error:
            drafts.append(Draft(jsonl.readable_id(raw) or default_id, problem=error))
    return drafts


def _rows(source: Source, wanted: str, formats: Mapping[str, str], options: ParseOptions) -> list[Draft]:
    if not isinstance(source.value, list):
        return _row(source, wanted, formats, options)
    drafts = []
    for place, value in enumerate(source.value):
        for draft in _row(replace(source, value=value, id=f"{source.id}/{place + 1}"), wanted, formats, options):
            if draft.problem is not None:
                draft.problem.path = f"$[{place}]" + (draft.problem.path or "$")[1:]
            drafts.append(draft)
    return drafts


def _are_rows(value: Any) -> bool:
    return is_row(value[0] if isinstance(value, list) and value else value)


def _turns(source: Source) -> list[Source] | None:
    """A bare list of messages is a conversation: one row for each answer, with the question before it."""
    messages = source.value
    if not isinstance(messages, list) or not messages:
        return None
    if not all(isinstance(one, dict) and isinstance(one.get("role"), str) and "content" in one for one in messages):
        return None
    turns: list[Source] = []
    for place, message in enumerate(messages):
        if message["role"] in ("assistant", "model"):
            number = len(turns) + 1
            turns.append(
                Source(value={"messages": messages[max(0, place - 1) : place + 1]}, id=f"{source.id}/{number}")
            )
    return turns or None


def _row(source: Source, wanted: str, formats: Mapping[str, str], options: ParseOptions) -> list[Draft]:
    """The workflow of an answer in a row: Node/Edge text if it is that, else whatever its text is."""
    try:
        row = read_row(source.value, source.id)
    except DataError as error:
        return [Draft(source.id, problem=error)]
    worf: Format = find(formats, "worf", "format")
    if wanted == "worf" or (wanted == "auto" and worf.detect(Source(text=row.text))):
        return _problems(lambda: worf.parse(source, options), row)
    inner = Source(text=row.text, name=source.name, id=row.id)
    try:
        drafts = read(inner, wanted, formats, options)
    except DataError as error:
        if error.code == "E-UNSUPPORTED":  # then it is Node/Edge text or nothing, and says what it lacks
            return _problems(lambda: worf.parse(source, options), row)
        return [Draft(row.id, problem=error, task=row.task)]
    for draft in drafts:
        draft.task = row.task if draft.task is None else draft.task
        draft.fields = {**row.fields, **draft.fields}
    return drafts


def _problems(parse: Any, row: Row) -> list[Draft]:
    try:
        drafts: list[Draft] = parse()
    except DataError as error:
        return [Draft(row.id, problem=error, task=row.task)]
    return drafts


def _in_prose(source: Source, text: str, formats: Mapping[str, str], error: DataError) -> tuple[Source, str, int]:
    """The largest JSON value in a text that exactly one format fits, that format, and how many more there are.

    Raises:
        DataError: there is none.
    """
    values, broken = _values(source, text)
    found: list[tuple[Source, str]] = []
    for inner in values:
        try:
            found.append((inner, detect(inner, formats)))
        except DataError as told:
            if told.code == "E-AMBIGUOUS" and not found:
                raise
    if not found:
        raise source.fault or error
    return *found[0], len(found) - 1 + broken


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _values(source: Source, text: str) -> tuple[list[Source], bool]:
    """The JSON values in a text as sources, and whether a broken one is there too.

    A list of mere words stands in too many texts to be a plan.
    """
    try:
        values, broken = json_in_prose(text)
    except DataError as fault:
        raise source.fault or fault from None
    return [replace(source, text=None, value=value, fault=None) for value in values if not _are_words(value)], broken
