"""The stage of wf-perturb that has language models make the variants."""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from wfkit import exit_codes
from wfkit.errors import Unavailable, UsageProblem
from wfkit.filters.ahead import Ahead
from wfkit.filters.llm_options import closing, open_client
from wfkit.llm.estimate import Estimate
from wfkit.perturb import llm_generator
from wfkit.perturb.llm_generator import Variant
from wfkit.perturb.llm_prompts import PROMPTS
from wfkit.perturb.llm_report import GenerationReport, told_of

if TYPE_CHECKING:
    from wfkit.engine import Ending, Stage
    from wfkit.jsonl import Record
    from wfkit.llm.client import Client

FILTER = "wf-perturb"


def generator_stage(
    types: Sequence[str],
    severities: Sequence[int],
    seed: int,
    repeats: int,
    min_steps: int,
    models: Sequence[str],
    cache: str | None,
    llm: dict[str, Any],
) -> "Stage":
    """Make the stage.

    Raises:
        UsageProblem: no model is given, or a type has no prompt; or see `open_client`.
        Unavailable: a model has no key, or the openai package is missing.
    """
    from wfkit.engine import Ending, Stage

    without_prompt = [name for name in types if name not in PROMPTS]
    if without_prompt:
        raise UsageProblem(f"--generator llm has no prompt for {without_prompt[0]} (it has {', '.join(PROMPTS)})")
    if not models:
        raise UsageProblem("--generator llm needs a model: --model MODEL")
    client = open_client(FILTER, models, cache, **llm)
    if llm["dry_run"]:
        return _dry_run(types, severities, seed, repeats, min_steps, models, client)
    for model in models:
        if (lacking := client.lacking(model)) is not None:
            raise Unavailable(lacking)
    report, counts = GenerationReport(), Counter[str]()

    def begin(golden: "Record") -> "list[Future[Record]]":
        return [
            _begun(variant, models, client, min_steps)
            for variant in _variants(golden, types, severities, seed, repeats)
        ]

    def note(record: "Record") -> dict[str, Any] | None:
        if record["kind"] == "error":
            return None
        told = told_of(record)
        reasons = [reason for reason in ("inapplicable", "unavailable") if reason in record["perturbation"]]
        return {**told, "outcome": reasons[0] if reasons else "made"}

    def collect(told: dict[str, Any] | None) -> None:
        counts[told["outcome"] if told else "error records"] += 1
        if told:
            report.add(told)

    def finish() -> "Ending":
        lines = [f"pairs made: {counts['made']:,}", *report.lines()]
        if counts["inapplicable"]:
            lines.append(f"{counts['inapplicable']:,} more are inapplicable; perturbation.inapplicable says why")
        if counts["unavailable"]:
            lines.append(f"{counts['unavailable']:,} more could not be made; the same command goes on from here")
        if counts["error records"]:
            lines.append(f"{counts['error records']:,} error records")
        codes = {exit_codes.UNAVAILABLE} if counts["unavailable"] else set()
        summary = {**counts, "generation": report.summary(), "spent": client.spent.summary()}
        return Ending(codes=codes, report=lines, summary=summary)

    ahead = Ahead(begin, lambda begun: [future.result() for future in begun])
    return Stage(
        reads=("workflow",),
        writes=("pair",),
        step=ahead.step,
        prepare=ahead.prepare,
        note=note,
        collect=collect,
        finish=finish,
        close=closing(FILTER, client),
        flush_each=True,
    )


def _variants(
    golden: "Record", types: Sequence[str], severities: Sequence[int], seed: int, repeats: int
) -> list[Variant]:
    return [
        Variant(golden, type_name, severity, seed, repeat)
        for type_name in types
        for severity in severities
        for repeat in range(1, repeats + 1)
    ]


def _begun(variant: Variant, models: Sequence[str], client: "Client", min_steps: int) -> "Future[Record]":
    size = len(variant.golden["nodes"])
    if size >= min_steps:
        llm_generator.check(variant)
        return client.pool.submit(lambda: llm_generator.generate(variant, models, client))
    pair = variant.empty_pair()
    pair["perturbation"]["inapplicable"] = f"{size} steps are fewer than {min_steps} (--min-steps)"
    done: Future[Record] = Future()
    done.set_result(pair)
    return done


def _dry_run(
    types: Sequence[str],
    severities: Sequence[int],
    seed: int,
    repeats: int,
    min_steps: int,
    models: Sequence[str],
    client: "Client",
) -> "Stage":
    """Counts the first call of each variant, and how many there could be if every try of every model failed."""
    from wfkit.engine import Ending, Stage

    estimate, most = Estimate(), 0

    def step(golden: "Record") -> None:
        nonlocal most
        if len(golden["nodes"]) < min_steps:
            return
        for variant in _variants(golden, types, severities, seed, repeats):
            if llm_generator.reason_not_to(variant) is None:
                request = llm_generator.first_request(variant, models[0])
                estimate.add(request, 1, request.estimated_input_tokens // 2)
                most += llm_generator.most_calls(variant, len(models))

    def finish() -> "Ending":
        prices = {model: client.price(model) for model in models}
        lines = estimate.lines(prices)
        lines.append(
            f"dry run: {most:,} calls at most, if every try of every model failed; cached answers are not seen"
        )
        return Ending(report=lines, summary={"estimate": estimate.summary(prices), "most_calls": most})

    return Stage(reads=("workflow",), writes=("pair",), step=step, finish=finish, close=closing(FILTER, client))
