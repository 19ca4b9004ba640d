"""An annotator in another language: a command that is sent an episode and answers with labels."""

from wfkit.agents.command import CommandFailed, LineCommand
from wfkit.agents.grading.labels.trace import LabelSet, Said, Trace, said_in


class CommandAnnotator:
    """Asks a command: in ``{"kind": "label", "id", "episode", …}``, out ``{"id", "awareness"?, "behaviour"?}``."""

    name = "command"

    def __init__(self, command: LineCommand, label_set: LabelSet) -> None:
        self._command = command
        self._label_set = label_set

    def label(self, trace: Trace) -> Said:
        """The labels that the command gave; a problem where it gave none."""
        try:
            answer = self._command.ask(trace.message(self._label_set))
        except CommandFailed as failure:
            return Said(problem=str(failure))
        if answer.get("id") != trace.id:
            self._command.stop()
            return Said(problem=f"the annotator answered for {str(answer.get('id'))[:60]!r}")
        return said_in(answer, self._label_set)

    def stop(self) -> None:
        """End the command."""
        self._command.stop()
