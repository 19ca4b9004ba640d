"""From a source to drafts: which format it is in, answers in rows, JSON in prose, dialects that the user describes."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from wfkit.errors import DataError
from wfkit.formats.answers import Row, is_row, read_row
from wfkit.formats.base import Draft, Format, ParseOptions, Source
from wfkit.formats.detect import detect
from wfkit.formats.documents import json_in_prose
from wfkit.registry import find


def read(source: Source, wanted: str, formats: Mapping[str, str], options: ParseOptions) -> list[Draft]:
    """Every workflow of a source.

    Args:
        wanted: the name of a format, or ``auto``.
        formats: format name to adapter module, as `wfkit.registry.FORMATS`.

    Raises:
        DataError: the source as a whole cannot be read, or fits no format or several.
    """
    if options.mapping is not None:
        from wfkit.formats import mapped

        return mapped.parse(source, options)
    turns = _turns(source)
    if turns is not None:
        return [draft for turn in turns for draft in _row(turn, wanted, formats, options)]
    try:
        name = detect(source, formats) if wanted == "auto" else wanted
    except DataError as error:
        text = source.plain_text()
        if text is None or error.code != "E-UNSUPPORTED":
            raise
        source, name = _in_prose(source, text, formats, error)
    adapter: Format = find(formats, name, "format")
    if wanted != "auto" and not adapter.detect(source):
        text = source.plain_text()
        if text is not None:
            source = next((inner for inner in _values(source, text) if adapter.detect(inner)), source)
    if source.value is not None and not isinstance(source.value, str) and name != "json" and _are_rows(source.value):
        return _rows(source, wanted, formats, options)
    return adapter.parse(source, options)


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


def _in_prose(source: Source, text: str, formats: Mapping[str, str], error: DataError) -> tuple[Source, str]:
    """The largest JSON value in a text that exactly one format fits, and that format.

    Raises:
        DataError: there is none.
    """
    for inner in _values(source, text):
        try:
            return inner, detect(inner, formats)
        except DataError as told:
            if told.code == "E-AMBIGUOUS":
                raise
    raise source.fault or error


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _values(source: Source, text: str) -> list[Source]:
    """The JSON values in a text as sources; a list of mere words stands in too many texts to be a plan."""
    try:
        values = [value for value in json_in_prose(text) if not _are_words(value)]
    except DataError as broken:
        raise source.fault or broken from None
    return [replace(source, text=None, value=value, fault=None) for value in values]
