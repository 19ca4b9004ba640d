"""An annotator that is a language model: it reads the transcript as data and chooses one label of each aspect."""

import re
from typing import TYPE_CHECKING, Any

from wfkit import jsonl, prompts
from wfkit.agents.grading.labels.trace import LabelSet, Said, Trace, said_in
from wfkit.errors import DataError, Unavailable
from wfkit.llm.answers import object_in
from wfkit.llm.errors import BadAnswer, Refused
from wfkit.llm.request import Request

if TYPE_CHECKING:
    from wfkit.llm.client import Client
    from wfkit.llm.reply import Reply

PROMPT = "label-1"
MAX_OUTPUT_TOKENS = 1024
LONGEST_TEXT = 4000
MOST_MESSAGES = 80

# In JSON these stand inside strings only, so that no text of a transcript can end the section it stands in.
_MARK = re.compile(r"[<>\u2028\u2029]|\[(?=/?[A-Z])")


class ModelAnnotator:
    """Asks a model; its name is the annotator's."""

    def __init__(self, client: "Client", model: str, label_set: LabelSet) -> None:
        self.name = model
        self._client = client
        self._label_set = label_set

    def label(self, trace: Trace) -> Said:
        """The labels that the model gave; a problem where it could not be asked or gave none."""
        try:
            return self._client.ask(self.request(trace), "0", self._read).value
        except Unavailable as error:
            return Said(problem=str(error))

    def request(self, trace: Trace) -> Request:
        """What the model is asked about one episode."""
        shown = trace.message(self._label_set)
        episode = {**trace.episode, "messages": _shortened(trace.episode.get("messages") or [])}
        data = {"episode": episode, **{key: shown[key] for key in ("target", "type", "edit", "misleading", "restores")}}
        text = _MARK.sub(lambda found: f"\\u{ord(found[0]):04x}", jsonl.dumps(data).decode())
        labels = {aspect: jsonl.dumps(list(names)).decode() for aspect, names in self._label_set.items()}
        prompt = prompts.load(PROMPT).filled(data=text, **labels)
        return Request(self.name, (("user", prompt),), MAX_OUTPUT_TOKENS, schema=self._schema())

    def stop(self) -> None:
        """End the client."""
        self._client.stop()

    def _schema(self) -> dict[str, Any]:
        properties = {aspect: {"type": "string", "enum": list(names)} for aspect, names in self._label_set.items()}
        return {
            "type": "object",
            "properties": {"evidence": {"type": "string"}, **properties},
            "required": ["evidence", *properties],
            "additionalProperties": False,
        }

    def _read(self, reply: "Reply") -> Said:
        if reply.ending == "refused":
            raise Refused("refused to label")

        def check(value: Any) -> None:
            said = said_in(value, self._label_set)
            if said.problem is not None or said.awareness is None or said.behaviour is None:
                raise DataError(said.problem or "a label is missing")

        try:
            return said_in(object_in(reply.text, check), self._label_set)
        except DataError as error:
            raise BadAnswer(str(error)) from None


def _shortened(messages: list[Any]) -> list[Any]:
    """A transcript that fits: it says where long texts, and the middle of a long transcript, are left out."""
    if len(messages) > MOST_MESSAGES:
        half, left_out = MOST_MESSAGES // 2, len(messages) - MOST_MESSAGES
        gap = {"role": "note", "content": f"{left_out} messages left out"}
        messages = [*messages[:half], gap, *messages[-half:]]
    return [_short(message) for message in messages]


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _short(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_short(inner) for inner in value]
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]} … {len(value) - LONGEST_TEXT} characters left out"
    return value
