"""Dialects that no adapter knows: the user says where things are (``--map``)."""

from collections.abc import Mapping
from typing import Any

from wfkit.errors import DataError, UsageProblem
from wfkit.formats.base import Draft, ParseOptions, Source, id_of, read_each
from wfkit.formats.documents import documents
from wfkit.formats.flow import Flow
from wfkit.formats.wording import one_line, step_text, words_of

PLACES = ("nodes", "edges", "id", "text", "source", "target", "depends_on", "label")

Path = tuple[str, ...]


def parse_map(text: str) -> dict[str, Path]:
    """Read ``nodes=.workflow.tasks,id=.key,text=.title,depends_on=.after``.

    ``nodes`` leads from the top to a list or an object of steps; ``id``, ``text`` and ``depends_on`` lead on from a
    step. Or ``edges`` leads to a list, and ``source``, ``target`` and ``label`` lead on from an edge.

    Raises:
        UsageProblem: a place is unknown or comes twice, or nothing says where steps and dependencies are.
    """
    places: dict[str, Path] = {}
    for part in text.split(","):
        name, equals, path = part.strip().partition("=")
        if not equals or name not in PLACES or name in places:
            raise UsageProblem(
                f"--map: {part.strip()!r} is not one of {', '.join(f'{place}=.PATH' for place in PLACES)}"
            )
        places[name] = tuple(step for step in path.strip().split(".") if step)
    if "nodes" not in places or ("depends_on" not in places and "edges" not in places):
        raise UsageProblem("--map needs nodes= and one of depends_on= and edges=")
    return places


def parse(source: Source, options: ParseOptions) -> list[Draft]:
    """Read each JSON value or YAML document of a source as the map says.

    Raises:
        DataError: ``E-SYNTAX`` with a path where the map leads nowhere.
    """
    values = documents(source)
    if len(values) == 1:
        return [_read(values[0], source.id, options)]
    return read_each(source, lambda value, default_id: _read(value, default_id, options), values)


def _read(value: Any, default_id: str, options: ParseOptions) -> Draft:
    places = options.mapping or {}
    flow = Flow()
    steps = _members(value, places["nodes"], "nodes")
    for own_id, step in steps:
        step_id = _word(_at(step, places.get("id", ("id",)))) or own_id
        given = _at(step, places.get("text", ("text",)))
        text = one_line(given) if isinstance(given, str) else ""
        fields = step if isinstance(step, Mapping) else {}
        chosen = step_text(options.text, name=text or words_of(step_id), description=text, fields=fields)
        others = {key: other for key, other in fields.items() if key not in ("id", "text")}
        flow.add(step_id, chosen, **(others if options.params else {}))
        depends = _at(step, places["depends_on"]) if "depends_on" in places else None
        for name in depends if isinstance(depends, list) else [depends]:
            if _word(name):
                flow.join(_word(name), step_id)
    for _, edge in _members(value, places["edges"], "edges") if "edges" in places else []:
        source, target = (_word(_at(edge, places.get(end, (end,)))) for end in ("source", "target"))
        if not source or not target:
            raise DataError("an edge has no source or no target where --map says", code="E-SYNTAX")
        flow.join(source, target, label=_word(_at(edge, places.get("label", ("label",)))))
    return flow.draft(id_of(value, default_id) if isinstance(value, dict) else default_id)


def _members(value: Any, path: Path, name: str) -> list[tuple[str, Any]]:
    """The members of a list, numbered from 1, or of an object, by key."""
    found = _at(value, path)
    if isinstance(found, dict):
        return list(found.items())
    if not isinstance(found, list):
        raise DataError(f"{name}: no list and no object at .{'.'.join(path)}", code="E-SYNTAX")
    return [(str(place), member) for place, member in enumerate(found, start=1)]


def _at(value: Any, path: Path) -> Any:
    for part in path:
        if isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return value


def _word(value: Any) -> str:
    return str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
