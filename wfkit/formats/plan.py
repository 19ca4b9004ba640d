"""Format ``plan``: steps that name what they wait for, as planners write them, and numbered lists.

Profiles: HuggingGPT (``task``, ``args``, ``dep``), TaskBench (in `wfkit.formats.taskbench`), CrewAI's ``tasks.yaml``,
and lists of steps under any of the usual names. Steps that say nothing of each other are taken in listed order.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from wfkit.errors import DataError
from wfkit.formats import taskbench
from wfkit.formats.base import Draft, ParseOptions, Source, further_workflows, id_of, read_each
from wfkit.formats.documents import documents
from wfkit.formats.flow import Flow
from wfkit.formats.plan_shapes import (
    DEPENDENCY_FIELDS,
    DESCRIPTION_FIELDS,
    LIST_FIELDS,
    OTHER_FORMATS,
    TITLE_FIELDS,
    is_crew,
    is_plan,
    numbered_lists,
    numbered_steps,
    steps_field,
)
from wfkit.formats.wording import one_line, step_text, words_of
from wfkit.formats.worf_text import edges_in, has_worf, unquoted
from wfkit.formats.yaml_text import top_level_keys

NAME = "plan"
SUMMARY = "steps with dependencies: HuggingGPT, TaskBench, CrewAI tasks.yaml, JSON or YAML lists, numbered lists"
SUFFIXES = (".json", ".yaml", ".txt", ".md")

ID_FIELDS = ("id", "step_id", "task_id", "key", "step_number", "number", "index")
INNER_FIELDS = ("substeps", "sub_steps", "subtasks", "children", "steps")
NOTHING = frozenset({"", "none", "null", "n/a", "-", "-1", "[]"})

_CREW_TASK = re.compile(r"^\s+expected_output:", re.MULTILINE)
_JSON_LINE = re.compile(r"^\s*[{\[]\s*(?:[\"{\[]|$)", re.MULTILINE)
_GENERATED = re.compile(r"<GENERATED>?-(\d+)>?")
_REFERENCE = re.compile(r"(?:step|task|node|#)\s*#?\s*(\d+(?:\.\d+)*)", re.IGNORECASE)

Step = dict[str, Any]


def detect(source: Source) -> bool:
    """Whether a value holds a list of steps, or a text such YAML or a numbered list without any graph beside it."""
    text = source.plain_text()
    if text is None:
        value = source.value
        if (
            isinstance(value, list)
            and value
            and isinstance(value[0], dict)
            and is_plan(value[0])
            and not is_plan(value)
        ):
            return True
        return is_plan(value)
    keys = top_level_keys(text)
    if keys and (not keys.isdisjoint(LIST_FIELDS) or _CREW_TASK.search(text)) and OTHER_FORMATS.isdisjoint(keys):
        return not {"nodes", "edges", "kind"} & keys
    return is_numbered_list(text)


def is_numbered_list(text: str) -> bool:
    """Whether a text is a numbered list and nothing that says more than a list can."""
    says_more = has_worf(text) or _JSON_LINE.search(text) or edges_in(text)
    return bool(numbered_steps(text)) and not says_more and OTHER_FORMATS.isdisjoint(top_level_keys(text))


def parse(source: Source, options: ParseOptions) -> list[Draft]:
    """Read a plan, each plan of a list, each YAML document, or a numbered list.

    Raises:
        DataError: ``E-SYNTAX`` where the shape is not understood, ``E-NO-NODES`` where there is no step.
    """
    text = source.plain_text()
    if text is not None and source.fault is None and is_numbered_list(text):
        return [_numbered(text, source.id, options)]
    values = documents(source)
    if len(values) == 1 and isinstance(values[0], list) and not is_plan(values[0]):
        values = values[0]
    if len(values) != 1:
        return read_each(source, lambda value, default_id: _read(value, default_id, options), values)
    return [_read(values[0], source.id, options)]


def _read(value: Any, default_id: str, options: ParseOptions) -> Draft:
    if isinstance(value, dict) and taskbench.is_taskbench(value):
        return taskbench.read(value, id_of(value, default_id), options)
    if isinstance(value, dict):
        field = steps_field(value)
        if field is None and not is_crew(value):
            raise DataError(f"no list of steps under any of {', '.join(LIST_FIELDS)}", code="E-SYNTAX")
        given = value if field is None else value[field]
        others = {} if field is None else {key: other for key, other in value.items() if key not in (field, "id")}
        default_id = default_id if field is None else id_of(value, default_id)
    else:
        given, others = value, {}
    if isinstance(given, dict):
        given = [{"id": key, **step} for key, step in given.items()]
    if not isinstance(given, list):
        raise DataError("the steps are no list", code="E-SYNTAX")
    task = next(
        (others[key] for key in ("task", "goal", "objective", "query") if isinstance(others.get(key), str)), None
    )
    return _draft(given, default_id, task, options)


def _draft(given: Sequence[Any], draft_id: str, task: str | None, options: ParseOptions) -> Draft:
    flow = Flow()
    warnings: list[str] = []
    steps = _named(given)
    says = _says_dependencies(given)
    _add_list(flow, steps, "", says, options, warnings)
    if not says and len(given) > 1:
        warnings.insert(0, "W-ASSUMED-CHAIN: no step says what it waits for; the steps are taken in listed order")
    return flow.draft(draft_id, task=task, order="listed", warnings=warnings, unordered=says)


def _says_dependencies(given: Sequence[Any]) -> bool:
    """Whether any step says what it waits for or what follows it, be it that nothing does."""
    items = [step for step in given if isinstance(step, dict)]
    fields = {*DEPENDENCY_FIELDS, "next"}
    if any(not fields.isdisjoint(step) for step in items):
        return True
    if any(_GENERATED.search(str(step.get("args", ""))) for step in items):
        return True
    return any(_says_dependencies(inner) for step in items if (inner := _inner(step)))


def _named(given: Sequence[Any]) -> list[tuple[str, Step]]:
    """The steps with their ids; where none brings one they are numbered from 1, or from 0 if something waits for 0."""
    items: list[Step] = []
    for place, step in enumerate(given):
        if isinstance(step, str):
            step = {"text": step}
        if not isinstance(step, dict):
            raise DataError("a step is neither an object nor a text", code="E-SYNTAX", path=f"$[{place}]")
        items.append(step)
    own = [_own_id(step) for step in items]
    if all(own):
        return [(str(own_id), step) for own_id, step in zip(own, items, strict=True)]
    waited = {name for step in items for name in _references(step)}
    first = 0 if "0" in waited else 1
    return [(str(place + first), step) for place, step in enumerate(items)]


def _own_id(step: Step) -> str | None:
    for field in ID_FIELDS:
        value = step.get(field)
        if (isinstance(value, str) and value) or (isinstance(value, int) and not isinstance(value, bool)):
            return str(value)
    number = step.get("step")
    return str(number) if isinstance(number, int) or (isinstance(number, str) and number.isdigit()) else None


def _inner(step: Step) -> list[Any]:
    return next((step[field] for field in INNER_FIELDS if isinstance(step.get(field), list) and step[field]), [])


def _add_list(
    flow: Flow, steps: list[tuple[str, Step]], prefix: str, says: bool, options: ParseOptions, warnings: list[str]
) -> tuple[list[str], list[str]]:
    """Add the steps of one list and what they hold; gives those that begin it and those that end it."""
    ends: dict[str, list[str]] = {}
    for own_id, step in steps:
        step_id = prefix + own_id
        _add_step(flow, step_id, step, options)
        ends[own_id] = [step_id]
        if (inner := _inner(step)) and not options.collapse:
            first, last = _add_list(flow, _named(inner), f"{step_id}/", _says_dependencies(inner), options, warnings)
            for one in first:
                flow.join(step_id, one)
            ends[own_id] = last
    edges = _edges(steps, says, warnings)
    for source, target in edges:
        for one in ends.get(source, [source]):
            flow.join(one, prefix + target)
    entered, left = {target for _, target in edges}, {source for source, _ in edges}
    first = [prefix + own_id for own_id, _ in steps if own_id not in entered]
    return first, [one for own_id, _ in steps if own_id not in left for one in ends[own_id]]


def _edges(steps: list[tuple[str, Step]], says: bool, warnings: list[str]) -> list[tuple[str, str]]:
    if not says:
        return list(pairwise(own_id for own_id, _ in steps))
    ids = {own_id: place for place, (own_id, _) in enumerate(steps)}
    edges = []
    names = _names_of(steps)
    for own_id, step in steps:
        for name in _references(step):
            edges.append((_resolved(name, own_id, ids, names, warnings), own_id))
        following = step.get("next")
        for name in _listed(following):
            edges.append((own_id, _resolved(name, own_id, ids, names, warnings)))
    return edges


def _names_of(steps: list[tuple[str, Step]]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for own_id, step in steps:
        for field in (*TITLE_FIELDS, "text", "description"):
            if isinstance(step.get(field), str):
                names.setdefault(step[field].strip().casefold(), []).append(own_id)
    return names


def _references(step: Step) -> list[str]:
    """The names of what a step waits for, as it gives them."""
    for field in DEPENDENCY_FIELDS:
        if field in step:
            return _listed(step[field])
    return _GENERATED.findall(str(step.get("args", "")))


def _listed(value: Any) -> list[str]:
    if isinstance(value, list):
        return [name for one in value for name in _listed(one)]
    if isinstance(value, dict):
        return [str(value[field]) for field in (*ID_FIELDS, "name", "task", "step") if field in value][:1]
    if value is None or isinstance(value, bool) or str(value).strip().casefold() in NOTHING:
        return []
    text = str(value).strip()
    if re.fullmatch(r"[\w.\-]+(?:\s*(?:,|;|&|and)\s*[\w.\-]+)+", text) or len(_REFERENCE.findall(text)) > 1:
        return [one for one in re.split(r"\s*(?:,|;|&|\band\b)\s*", text) if one]
    return [text]


def _resolved(
    name: str, own_id: str, ids: Mapping[str, int], names: Mapping[str, list[str]], warnings: list[str]
) -> str:
    """The id of the step that a name means; the name itself if it means none."""
    if name in ids:
        return name
    called = [one for one in names.get(name.casefold(), []) if one != own_id]
    if len(called) > 1:
        message = f"W-AMBIGUOUS-REF: step {own_id} names {name!r}, which several steps are called"
        warnings.append(f"{message}; the last before it is taken")
        earlier = [one for one in called if ids[one] < ids[own_id]]
        return (earlier or called)[-1]
    if called:
        return called[0]
    number = _REFERENCE.fullmatch(name)
    return number[1] if number and number[1] in ids else name


def _add_step(flow: Flow, step_id: str, step: Step, options: ParseOptions) -> None:
    name = _text_of(step, TITLE_FIELDS)
    arguments = step.get("args", step.get("arguments"))
    name_in_words = words_of(name) + arguments_in_words(arguments) if arguments else words_of(name)
    name_in_words = name_in_words or (words_of(step_id) if not step_id[-1:].isdigit() else "")
    description = without_quotes(_text_of(step, DESCRIPTION_FIELDS))
    text = step_text(options.text, name=name_in_words, description=description, fields=step)
    known = {*TITLE_FIELDS[:3], *ID_FIELDS[:1], *DEPENDENCY_FIELDS, *INNER_FIELDS, "text", "next"}
    others = {key: value for key, value in step.items() if key not in known}
    flow.add(step_id, text, **{"name": name if name != text else None, **others})


def _text_of(value: Mapping[str, Any], fields: Sequence[str]) -> str:
    return next((value[field] for field in fields if isinstance(value.get(field), str) and value[field].strip()), "")


def arguments_in_words(arguments: Any) -> str:
    """Arguments of a tool in brackets, without those that only point to another step."""
    if isinstance(arguments, dict):
        parts = [f"{key}: {value}" for key, value in arguments.items() if not _points(value)]
    else:
        listed = arguments if isinstance(arguments, list) else [arguments]
        parts = [str(value) for value in listed if not _points(value)]
    return f" ({one_line(', '.join(parts))})" if parts else ""


def _points(value: Any) -> bool:
    return isinstance(value, str) and bool(re.fullmatch(r"\s*<(?:GENERATED>?-\d+>?|node-\d+>)\s*", value))


def without_quotes(text: str) -> str:
    """One line, without the quotes of a Python string that some keep round a YAML block."""
    line = one_line(text)
    if line.startswith('"""'):
        line = line[3:].removesuffix('"""').strip()
    return unquoted(line)


def _numbered(text: str, draft_id: str, options: ParseOptions) -> Draft:
    flow = Flow()
    before: list[str] = []
    steps, *others = numbered_lists(text)
    for number, given in steps:
        if options.collapse and "." in number:
            continue
        flow.add(number, unquoted(given))
        before.append(number)
    for source, target in pairwise(before):
        flow.join(source, target)
    warnings = ["W-ASSUMED-CHAIN: no step says what it waits for; the steps are taken in listed order"]
    further = sum(len(other) > 1 for other in others)
    if further:
        warnings.append(further_workflows(further))
    return flow.draft(draft_id, order="listed", warnings=warnings)
