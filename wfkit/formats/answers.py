"""Answers of language models: out of rows (chats, completions, predictions), and out of their wrapping."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from wfkit.errors import DataError
from wfkit.formats.base import id_of


class Row(NamedTuple):
    """One row: the answer, and what else the row says.

    Attributes:
        text: the answer of the model.
        id: the row's id.
        task: what was asked for, where the row shows it.
        fields: the row's other fields.
    """

    text: str
    id: str
    task: str | None
    fields: dict[str, Any]


def is_row(value: Any) -> bool:
    """Whether a JSON value is a row that holds an answer."""
    return isinstance(value, dict) and _carrier(value) is not None


def read_row(value: Any, default_id: str) -> Row:
    """Take the answer out of a row: a chat (``conversations`` or ``messages``), a chat completion (``choices``,
    also as a batch result under ``response.body``), a single message, or a prediction with its text in ``workflow``.

    Raises:
        DataError: ``E-UNSUPPORTED`` if it is no such row, ``E-NO-NODES`` if it holds no answer.
    """
    carrier = _carrier(value) if isinstance(value, dict) else None
    if carrier is None:
        message = "the row holds no answer: none of conversations, messages, choices, response, content, workflow"
        raise DataError(message, code="E-UNSUPPORTED")
    answer, task = _CARRIERS[carrier](value[carrier])
    if answer is None:
        raise DataError(f"{carrier} holds no answer of a model", code="E-NO-NODES", path=f"$.{carrier}")
    own_task = value.get("task")
    if isinstance(own_task, str):
        task = own_task
    row_id = value.get("custom_id") if isinstance(value.get("custom_id"), str) else None
    fields = {key: field for key, field in value.items() if key not in (carrier, "id", "custom_id", "task")}
    return Row(answer, row_id or id_of(value, default_id), task, fields)


def unwrapped(text: str, has_workflow: Callable[[str], bool]) -> str:
    """The part of an answer that holds the workflow: without the model's thoughts, out of its answer tags.

    A wrapping is taken off only if what remains still has a workflow, so a step may speak of ``<answer>`` tags.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    if not _TAG.search(text):
        return text
    for inner in (_without_thoughts(text), text):
        bodies = [body for body in _answer_bodies(inner) if has_workflow(body)]
        if bodies:
            return bodies[-1]
        if has_workflow(inner):
            return inner
    return text


def fenced_blocks(text: str) -> Iterator[str]:
    """The bodies of the Markdown code fences; one that is never closed runs to the end."""
    mark, body = "", list[str]()
    for line in text.split("\n"):
        fence = FENCE.match(line)
        if mark and fence and fence[1].startswith(mark) and not fence[2].strip():
            yield "\n".join(body)
            mark = ""
        elif mark:
            body.append(line)
        elif fence:
            mark, body = fence[1], []
    if mark:
        yield "\n".join(body)


FENCE = re.compile(r"\s*(```+|~~~+)(.*)")
_TAG = re.compile(r"<(/?)(think|thinking|thought|answer|output)>", re.IGNORECASE)
_ANSWER_TAGS = ("answer", "output")


def _without_thoughts(text: str) -> str:
    """The text without thoughts, which open at the beginning of a line or right after another tag. A close without an
    open ends a thought that began in the prompt; an open without a close is a thought that was cut off."""
    kept, position, inside, mentioned = [], 0, "", ""
    for tag in _TAG.finditer(text):
        name = tag[2].lower()
        if name in _ANSWER_TAGS:
            continue
        if inside:
            if tag[1] and name == inside:
                inside, position = "", tag.end()
        elif not tag[1] and _opens_line(text, tag.start()):
            kept.append(text[position : tag.start()])
            inside = name
        elif not tag[1]:
            mentioned = name
        elif name == mentioned:
            mentioned = ""
        else:
            kept, position = [], tag.end()
    if not inside:
        kept.append(text[position:])
    return "".join(kept)


def _opens_line(text: str, at: int) -> bool:
    """Whether only blanks stand between a place and the beginning of its line, or the tag before it."""
    while at and text[at - 1] in " \t":
        at -= 1
    return at == 0 or text[at - 1] in "\n>"


def _answer_bodies(text: str) -> list[str]:
    """What stands between answer tags; a last one that is never closed runs to the end."""
    bodies, opened, begin = [], "", 0
    for tag in _TAG.finditer(text):
        name = tag[2].lower()
        if name not in _ANSWER_TAGS:
            continue
        if not tag[1]:
            opened, begin = name, tag.end()
        elif name == opened:
            bodies.append(text[begin : tag.start()])
            opened = ""
    if opened:
        bodies.append(text[begin:])
    return bodies


def _carrier(value: Mapping[str, Any]) -> str | None:
    """The field that holds the answer."""
    for name in ("conversations", "messages", "choices"):
        if isinstance(value.get(name), list):
            return name
    response = value.get("response")
    if isinstance(response, dict) and "body" in response:
        return "response"
    if isinstance(value.get("role"), str) and "content" in value:
        return "content"
    return "workflow" if isinstance(value.get("workflow"), str) else None


def _from_chat(messages: Any) -> tuple[str | None, str | None]:
    """The last answer of the model, and the task out of the user's message before it."""
    answer: str | None = None
    task: str | None = None
    request: str | None = None
    for message in messages:
        if not isinstance(message, dict):
            continue
        role = message.get("role", message.get("from"))
        content = _plain(message.get("content", message.get("value")))
        if role in ("assistant", "gpt", "model"):
            answer, task = content, request
        elif role in ("user", "human"):
            request = content
    return answer, None if answer is None or task is None else task_of(task)


def _from_choices(choices: Any) -> tuple[str | None, None]:
    first = choices[0] if choices else None
    if not isinstance(first, dict):
        return None, None
    message = first.get("message")
    return _plain(message.get("content") if isinstance(message, dict) else first.get("text")), None


def _from_response(response: Any) -> tuple[str | None, None]:
    body = response["body"]
    choices = body.get("choices") if isinstance(body, dict) else None
    return _from_choices(choices) if isinstance(choices, list) else (None, None)


def _from_text(content: Any) -> tuple[str | None, None]:
    return _plain(content), None


_CARRIERS: dict[str, Callable[[Any], tuple[str | None, str | None]]] = {
    "conversations": _from_chat,
    "messages": _from_chat,
    "choices": _from_choices,
    "response": _from_response,
    "content": _from_text,
    "workflow": _from_text,
}


def _plain(content: Any) -> str | None:
    """The text of a message: a string, or a list of parts of which some are texts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str)) or None


# WorFBench's prompts put the list of tools or actions right after the task, at times without a blank.
_TOOL_LIST = re.compile(r"The (?:api|action|tool)s? list you can|^api_list:", re.MULTILINE)
_TASK = re.compile(r"^Task:", re.MULTILINE)


def task_of(request: str) -> str:
    """The task that a user's message asks for: what follows ``Task:``, if that is there, up to the list of tools."""
    begin = _TASK.search(request)
    text = request[begin.end() :] if begin else request
    tools = _TOOL_LIST.search(text)
    return (text[: tools.start()] if tools else text).strip()
