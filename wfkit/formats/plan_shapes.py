"""Where the steps of a plan are in a decoded value: lists of steps that name what they wait for."""

import re
from collections.abc import Mapping
from typing import Any

from wfkit.formats.answers import is_row

LIST_FIELDS = ("steps", "tasks", "plan", "subtasks", "actions", "task_nodes", "tool_nodes", "sampled_nodes")
DEPENDENCY_FIELDS = (
    "depends_on", "dependencies", "deps", "dep", "after", "needs", "requires", "prerequisites", "context", "parents",
)  # fmt: skip
TITLE_FIELDS = ("name", "title", "task", "step", "action", "tool", "subtask", "label")
DESCRIPTION_FIELDS = ("description", "text", "instruction", "content", "details", "objective", "goal", "desc")
OTHER_FORMATS = frozenset(
    {"apiVersion", "arazzo", "component_type", "connections", "cwlVersion", "definition", "document", "jobs",
     "namespace", "on", "States", "trigger"}
)  # fmt: skip


def is_plan(value: Any) -> bool:
    """Whether a decoded value is a list of steps, or an object that holds one."""
    if isinstance(value, list):
        return _is_list_of_steps(value)
    if not isinstance(value, dict) or not OTHER_FORMATS.isdisjoint(value):
        return False
    return steps_field(value) is not None or is_crew(value)


def steps_field(value: Mapping[str, Any]) -> str | None:
    """The field that holds the steps; none where edges stand beside them, which say more."""
    if "edges" in value or "links" in value:
        return None
    result = value.get("result")
    if isinstance(result, dict) and "task_nodes" in result:
        return "result"
    for field in LIST_FIELDS:
        steps = value.get(field)
        if isinstance(steps, str) and field.endswith("_nodes"):  # TaskBench keeps lists as JSON in strings
            return field
        if (isinstance(steps, list) and _is_list_of_steps(steps)) or (isinstance(steps, dict) and _are_named(steps)):
            return field
    nodes = value.get("nodes")
    if not isinstance(nodes, list):
        return None
    named = [node for node in nodes if isinstance(node, dict)]
    return "nodes" if any(field in node for node in named for field in DEPENDENCY_FIELDS) else None


def is_crew(value: Mapping[str, Any]) -> bool:
    """Whether this is CrewAI's ``tasks.yaml``: task names with a description and the output that is expected."""
    tasks = list(value.values())
    wanted = {"description", "expected_output"}
    return bool(tasks) and all(isinstance(task, dict) and wanted <= task.keys() for task in tasks)


def _is_list_of_steps(value: list[Any]) -> bool:
    if value and all(isinstance(step, str) and step.strip() for step in value):
        return True
    fields = {*TITLE_FIELDS, *DESCRIPTION_FIELDS}
    return bool(value) and all(
        isinstance(step, dict) and not (is_row(step) or "nodes" in step or fields.isdisjoint(step)) for step in value
    )


def _are_named(value: Mapping[str, Any]) -> bool:
    fields = {*TITLE_FIELDS, *DESCRIPTION_FIELDS}
    return bool(value) and all(isinstance(step, dict) and not fields.isdisjoint(step) for step in value.values())


_NUMBERED = re.compile(
    r"^(?P<indent>[ \t]*)(?:[#*_>-]+[ \t]*)?(?:step[ \t]+)?(?P<number>\d{1,4}(?:\.\d{1,4}){0,5})[*_]*"
    r"(?:[.):\]][*_]*(?:[ \t]+|$)|[ \t]+(?=\S))(?P<text>.*)$",
    re.IGNORECASE,
)


def numbered_steps(text: str) -> list[tuple[str, str]]:
    """The steps of the first numbered list of a text (see `numbered_lists`); none where that is a single number."""
    first = numbered_lists(text)[0]
    return first if len(first) > 1 else []


def numbered_lists(text: str) -> list[list[tuple[str, str]]]:
    """The numbered lists of a text, ``1`` and ``1.1`` alike, each step as number and text; lines below it belong to it.

    Numbers that do not follow each other, as dates and prices, make no list. There is one list at least, maybe empty.
    """
    lists: list[list[tuple[str, list[str]]]] = [[]]
    blank = False
    for line in text.replace("\r\n", "\n").split("\n"):
        steps = lists[-1]
        match = _NUMBERED.match(line)
        if match and _follows(match["number"], [number for number, _ in steps[-1:]]):
            steps.append((match["number"], [match["text"]]))
        elif steps and line.strip() and (not blank or line[0] in " \t"):
            steps[-1][1].append(line.strip().lstrip("-*•+ "))
        elif steps and line.strip():  # prose below the list, or the next one
            lists.append([(match["number"], [match["text"]])] if match and _follows(match["number"], []) else [])
        blank = not line.strip()
    return [[(number, " ".join(part for part in lines if part)) for number, lines in steps] for steps in lists]


def _follows(number: str, before: list[str]) -> bool:
    """Whether a number comes next: 2 after 1 or after 1.3, 1.1 after 1, 1.2 after 1.1."""
    now = [int(part) for part in number.split(".")]
    if not before:
        return len(now) == 1 and now[0] in (0, 1)
    last = [int(part) for part in before[0].split(".")]
    deeper = now == [*last, 1]
    same = len(now) <= len(last) and now[:-1] == last[: len(now) - 1] and now[-1] == last[len(now) - 1] + 1
    return deeper or same
