"""What a format adapter is: it turns a `Source` into `Draft` objects, which `wfkit.formats.finish` completes.

An adapter is one module of this package. It knows the surface of its notation and nothing of the rules that
hold for every format (terminals, ghosts, cycles, order, warnings), which are in `wfkit.formats.finish`.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from wfkit.errors import DataError

Order = Literal["listed", "topo"]
Cycles = Literal["error", "break", "keep"]

MAXIMUM_STEPS = 10_000
MAXIMUM_CHARACTERS = 16 * 1024 * 1024

START_NAMES = frozenset({"start", "begin", "__start__"})
END_NAMES = frozenset({"end", "finish", "__end__"})


@dataclass(frozen=True, slots=True)
class Source:
    """One thing to read: a text, or a JSON value that is decoded already.

    Attributes:
        text: the text; None where there is only a value.
        value: the decoded JSON value, or None where the text is not JSON. A string stands for a text.
        name: the file it came from, for messages.
        id: the id of a workflow that brings none of its own.
        fault: why the text is not the JSON that it looks like; told if it is nothing else either.
        whole: whether the text is all of an input, which may be several workflows; an answer in a row is one.
    """

    text: str | None = None
    value: Any = None
    name: str = "-"
    id: str = "workflow"
    fault: DataError | None = None
    whole: bool = False

    def plain_text(self) -> str | None:
        """The text where the source is one (a JSON string included), None where it is another JSON value."""
        if self.value is None:
            return self.text
        return self.value if isinstance(self.value, str) else None


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """How a workflow is read.

    Attributes:
        strict: what would be dropped with a warning (an edge to an unlisted step, a self-loop, a further workflow) is
            an error.
        order: ``listed`` keeps the order of the source, ``topo`` sorts; None is the format's own default.
        cycles: ``error`` refuses a cycle, ``break`` removes its back edges, ``keep`` leaves it; None as above.
        assume_chain: steps that nothing joins form a chain in listed order instead of an error.
        keep_terminals: START and END stay as steps.
        empty_text: a step without text is an error, or takes its ``id`` as text.
        reduce: leave out every edge that a longer path implies.
        text: which of a tool's fields become the text of a step: auto, name, desc, both or a template.
        collapse: containers (loops, scopes, called templates) stay closed, as one step each.
        error_edges: keep the branches that only an error takes.
        params: keep the parameters of steps.
        keep_wiring: sub-nodes that are wired to an agent (models, tools, memory) are steps of their own.
        keep_disabled: disabled steps stay.
        drop_control: steps that do nothing (Pass, Succeed) are bridged.
        expand_jobs: the steps of a job, not the job, are the steps.
        mapping: where things are in an unknown dialect, as `wfkit.formats.mapped` has it.
    """

    strict: bool = False
    order: Order | None = None
    cycles: Cycles | None = None
    assume_chain: bool = False
    keep_terminals: bool = False
    empty_text: Literal["error", "id"] = "error"
    reduce: bool = False
    text: str = "auto"
    collapse: bool = False
    error_edges: bool = True
    params: bool = False
    keep_wiring: bool = False
    keep_disabled: bool = False
    drop_control: bool = False
    expand_jobs: bool = False
    mapping: Mapping[str, tuple[str, ...]] | None = None


@dataclass(slots=True)
class Draft:
    """A workflow as its source says it, before the rules that all formats share.

    Attributes:
        id: the record's id.
        nodes: the steps in listed order, each a mapping with ``id``, ``text`` and any further fields.
        edges: pairs of step ids in listed order; they may repeat, and name steps that are not listed.
        start: ids that START leads to; None where the source has no such notion.
        end: ids that lead to END; None as above.
        terminals: ids of nodes that are START or END themselves, with which of both each is.
        edge_attributes: (from, to, attributes) such as the label of a branch.
        task: what the workflow is for.
        fields: further fields of the record, kept as they are.
        meta: further fields of ``meta``.
        warnings: short strings, each beginning with its code.
        declared_steps: how many steps the source says there are.
        unordered: the source says expressly that no edge joins its steps.
        order: whether the listed order carries meaning in this format.
        reading_order: where a text is read from top to bottom, the ids in that order: a loop without a beginning is
            then opened before the step that is met first.
        cycles: what this format does with a cycle unless told otherwise.
        refuse_ghosts: the tool itself refuses an edge to a step that is not there, so it is an error always.
        problem: set if the source could not be read; the rest is then of no account.
        ready: the finished record, where the source already held one.
    """

    id: str
    nodes: list[dict[str, Any]] = field(default_factory=list)
    edges: list[tuple[str, str]] = field(default_factory=list)
    start: list[str] | None = None
    end: list[str] | None = None
    terminals: dict[str, Literal["start", "end"]] = field(default_factory=dict)
    edge_attributes: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    task: str | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    meta: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    declared_steps: int | None = None
    unordered: bool = False
    order: Order = "listed"
    reading_order: list[str] = field(default_factory=list)
    cycles: Cycles = "error"
    refuse_ghosts: bool = False
    problem: DataError | None = None
    ready: dict[str, Any] | None = None


class Format(Protocol):
    """What each adapter module offers.

    Attributes:
        NAME: the word for ``--from``.
        SUMMARY: one line for ``--list`` and the README.
        SUFFIXES: how names of files in this format usually end, such as ``.json``.
    """

    NAME: str
    SUMMARY: str
    SUFFIXES: tuple[str, ...]

    def detect(self, source: Source) -> bool:
        """Whether the source looks like this format; cheap, and never raises."""

    def parse(self, source: Source, options: ParseOptions) -> list[Draft]:
        """Read every workflow of the source, in order.

        Where one of several cannot be read, its draft has ``problem`` set, so that the others are not lost.

        Raises:
            DataError: the source as a whole cannot be read.
        """


def read_each(source: Source, read: Callable[[Any, str], Draft], values: Iterable[Any]) -> list[Draft]:
    """Read each of several values of one source with ``read(value, default id)``, keeping failures in their place."""
    drafts = []
    for number, value in enumerate(values):
        default_id = f"{source.id}/{number + 1}"
        try:
            drafts.append(read(value, default_id))
        except DataError as error:
            error.path = f"$[{number}]" + (error.path or "$")[1:]
            drafts.append(Draft(id_of(value, default_id), problem=error))
    return drafts


def read_named(named: Iterable[tuple[str, Any]], read: Callable[[Any, str], Draft]) -> list[Draft]:
    """Read each of several values that have names, with ``read(value, name)``, keeping failures in their place."""
    drafts = []
    for name, value in named:
        try:
            drafts.append(read(value, name))
        except DataError as error:
            drafts.append(Draft(name, problem=error))
    return drafts


def further_workflows(count: int) -> str:
    """The warning about workflows beside the one that was read; `wfkit.formats.finish` refuses them in goldens."""
    return f"{SEVERAL}: further workflows in the same text left out: {count}"


SEVERAL = "W-SEVERAL"


def id_of(value: Any, default: str) -> str:
    """The id that a JSON object brings (a string or an integer), else the default."""
    own = value.get("id") if isinstance(value, dict) else None
    if isinstance(own, str) and own:
        return own
    return str(own) if isinstance(own, int) and not isinstance(own, bool) else default


def clean_text(text: str) -> str:
    """A label of a visual tool as plain text: tags out, entities decoded, composed (NFC), single spaces."""
    import html

    plain = html.unescape(_TAG.sub(" ", _INLINE_TAG.sub("", text)))
    return " ".join(unicodedata.normalize("NFC", plain).split())


# Bounded, so that a text of many "<" stays linear. Inline tags may stand inside a word; others part words.
_INLINE_TAG = re.compile(r"</?(?:b|i|u|s|em|strong|span|code|sub|sup|font|a|small|mark)(?:\s[^<>]{0,1000})?>", re.I)
_TAG = re.compile(r"</?[a-z][^<>]{0,1000}>", re.I)
