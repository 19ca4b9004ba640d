"""The judges of wf-score: made from its options, put to work a batch at a time, and reported on at the end."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from wfkit import judging
from wfkit.condition import parse_condition
from wfkit.errors import Unavailable
from wfkit.filters.ahead import Ahead
from wfkit.filters.llm_options import closing, open_client
from wfkit.judge_report import JudgeReport, told_of
from wfkit.llm.estimate import Estimate
from wfkit.metrics.judge import Judge

if TYPE_CHECKING:
    from wfkit.engine import Stage
    from wfkit.jsonl import Record

FILTER = "wf-score"


class Judges:
    """All judges of one run.

    Attributes:
        report: what they did.
        dry_run: whether they only count calls.
    """

    def __init__(
        self, models: Sequence[str], when: str | None, seed: int, cache: str | None, llm: dict[str, Any], *, alone: bool
    ) -> None:
        """Make the judges.

        Args:
            alone: whether nothing else is measured in this run.

        Raises:
            UsageProblem: the condition, a file or a model's name is not as it must be.
            Unavailable: nothing could be measured: no judge has a key, or the openai package is missing.
        """
        self.dry_run: bool = llm["dry_run"]
        self._condition = None if when is None else parse_condition(when)
        self._client = open_client(FILTER, models, cache, **llm)
        names = ["judge"] if len(models) == 1 else [f"judge:{model}" for model in models]
        self._judges = [Judge(self._client, model, name, seed) for model, name in zip(models, names, strict=True)]
        lacking = [self._client.lacking(model) for model in models]
        if alone and lacking[0] is not None and None not in lacking and not self.dry_run:
            raise Unavailable(lacking[0])
        self._estimate = Estimate()
        self.report = JudgeReport(names)

    def told_of(self, record: "Record") -> dict[str, Any]:
        """What the report must know of one record."""
        return told_of(record, [judge.name for judge in self._judges])

    def judge(self, pairs: "Sequence[Record]") -> "list[Record]":
        """Judge scored pairs, all at the same time as far as ``--llm-jobs`` goes."""
        begun = [self._begin(pair) for pair in pairs]
        return [self._finish(one) for one in begun]

    def stage(
        self,
        reads: str,
        score: "Callable[[Record], list[Record]]",
        embed: "Callable[[Sequence[Record]], None] | None",
        **rest: Any,
    ) -> "Stage":
        """The stage that scores each record with ``score``, a batch ahead, and judges what comes out."""
        from wfkit.engine import Stage

        ahead = Ahead(
            begin=lambda record: [self._begin(pair) for pair in score(record)],
            finish=lambda begun: [self._finish(one) for one in begun],
        )

        def prepare(records: "Sequence[Record]") -> None:
            if embed is not None:
                embed(records)
            ahead.prepare(records)

        return Stage(
            reads=(reads,),
            writes=("pair",),
            step=ahead.step,
            prepare=prepare,
            encode=_nothing if self.dry_run else None,
            close=closing(FILTER, self._client),
            flush_each=True,
            **rest,
        )

    def lines(self) -> list[str]:
        """The report in words."""
        return self._estimate.lines(self._prices()) if self.dry_run else self.report.lines()

    def summary(self) -> dict[str, Any]:
        """The report for the summary record."""
        if self.dry_run:
            return {"estimate": self._estimate.summary(self._prices())}
        return {**self.report.summary(), "spent": self._client.spent.summary()}

    def _begin(self, pair: "Record") -> judging.Begun:
        if self.dry_run:
            judging.estimate(pair, self._judges, self._condition, self._estimate)
            return judging.Begun(pair, [], "skipped: dry run")
        return judging.begin(pair, self._judges, self._condition)

    def _finish(self, begun: judging.Begun) -> "Record":
        return judging.finish(begun, self._judges)

    def _prices(self) -> dict[str, Any]:
        return {judge.model: self._client.price(judge.model) for judge in self._judges}


def _nothing(_record: "Record") -> bytes:
    return b""
