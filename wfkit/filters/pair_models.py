"""The language models of ap-pair: as editor, as verifier, and what they would cost."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wfkit.agents.pairing.llm_editor import LlmProposer
from wfkit.agents.pairing.verifiers.llm import LlmVerifier
from wfkit.errors import Unavailable
from wfkit.filters.llm_options import closing, open_client

if TYPE_CHECKING:
    from wfkit.agents.pairing.candidate import Verifier
    from wfkit.agents.pairing.proposals import Proposer
    from wfkit.engine import Stage
    from wfkit.jsonl import Record
    from wfkit.llm.client import Client

FILTER = "ap-pair"
SELECTION_TOKENS, VERDICT_TOKENS = 60, 40


class Models:
    """The models that were named, and the one client for all of them."""

    def __init__(self, editor: str | None, verifier: str | None, cache: str | None, llm: dict[str, Any]) -> None:
        """Open the client.

        Raises:
            UsageProblem: see `open_client`.
            Unavailable: a model has no key, or the openai package is missing.
        """
        self._editor, self._verifier = editor, verifier
        self.names = list(dict.fromkeys(name for name in (editor, verifier) if name is not None))
        self.client: Client = open_client(FILTER, self.names, cache, **llm)
        self.close = closing(FILTER, self.client)
        if not llm["dry_run"]:
            for name in self.names:
                if (lacking := self.client.lacking(name)) is not None:
                    raise Unavailable(lacking)

    def proposer(self, seed: int) -> "Proposer | None":
        """The editor, if it is a model."""
        return None if self._editor is None else LlmProposer(self.client, self._editor, seed)

    def verifier(self) -> "Verifier | None":
        """The verifier, if it is a model."""
        return None if self._verifier is None else LlmVerifier(self.client, self._verifier)

    def dry_run(self, families: Sequence[str], per_family: int, attempts: int, seed: int) -> "Stage":
        """A stage that counts calls: the first attempt of each pair, and the most there could be."""
        from wfkit.agents.pairing import llm_prompts
        from wfkit.agents.pairing.candidate import SEMANTIC_CHECKS
        from wfkit.agents.pairing.edit import Inapplicable
        from wfkit.agents.pairing.llm_parts import parts_of
        from wfkit.agents.pairing.pairing import check_surface
        from wfkit.agents.pairing.view import View
        from wfkit.engine import Ending, Stage
        from wfkit.llm.estimate import Estimate
        from wfkit.llm.request import Request

        estimate, pairs = Estimate(), 0
        editor, verifier = self._editor, self._verifier

        def step(instance: "Record") -> None:
            nonlocal pairs
            view = View(instance)
            for family in families:
                try:
                    check_surface(view, family)
                    parts = parts_of(view, family)
                except Inapplicable:
                    continue
                if not parts:
                    continue
                pairs += per_family
                size = sum(request_size(part.content) for part in parts)
                if editor is not None:
                    selection = llm_prompts.selection_request(editor, family, parts, seed)
                    generation = llm_prompts.generation_request(editor, family, parts[0], "", (), seed)
                    estimate.add(selection, per_family, SELECTION_TOKENS)
                    estimate.add(generation, per_family, request_size(parts[0].content) + VERDICT_TOKENS)
                if verifier is not None:
                    question = Request(verifier, (("user", "x" * (8 * size + 2000)),), VERDICT_TOKENS)
                    estimate.add(question, per_family * len(SEMANTIC_CHECKS), VERDICT_TOKENS)

        def finish() -> "Ending":
            prices = {name: self.client.price(name) for name in self.names}
            each = (2 if editor is not None else 0) + (len(SEMANTIC_CHECKS) if verifier is not None else 0)
            most = pairs * each * attempts
            lines = [*estimate.lines(prices), f"dry run: {most:,} calls at most, if every attempt failed"]
            return Ending(report=lines, summary={"estimate": estimate.summary(prices), "most_calls": most})

        return Stage(reads=("instance",), writes=("ap_pair",), step=step, finish=finish, close=self.close)


def request_size(content: Any) -> int:
    """About how many tokens a part has."""
    from wfkit.agents.pairing.llm_data import shown

    return len(shown(content)) // 4
