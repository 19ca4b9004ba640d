"""wf-score: measure how far each candidate is from its golden."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from wfkit import exit_codes, registry
from wfkit.errors import UsageProblem
from wfkit.filters.bertscore_options import OPTION_NAMES, bertscore_options
from wfkit.filters.llm_options import llm_options
from wfkit.filters.options import NumberRange, cache_folder, names
from wfkit.skeleton import map_filter

if TYPE_CHECKING:
    from wfkit.engine import Ending, Stage
    from wfkit.filters.judges import Judges
    from wfkit.filters.reading import SideFile
    from wfkit.jsonl import Record

EXAMPLES = """
# candidates against their goldens, joined by id
wf-score --golden goldens.jsonl candidates.jsonl > scored.jsonl

# pairs from wf-perturb; the exact forms beside the published ones
wf-perturb goldens.jsonl | wf-score --metrics chain_f1,chain_f1_exact,precedence_f1

# several candidates a golden, joined by a field of both
wf-score --golden goldens.jsonl --key .meta.task_id candidates.jsonl

# an LLM judge for the pairs that the other metrics leave in doubt
wf-score --judge-model gpt-4o --judge-when 'chain_f1 in 0.6..0.9' --max-calls 300 pairs.jsonl
"""


@map_filter("wf-score", writes="pair", awaits="pair records, or candidates beside --golden", examples=EXAMPLES)
@click.option("--golden", metavar="FILE", help="Goldens; the input is then candidates, joined to them by --key.")
@click.option("--key", metavar="PATH", default=".id", show_default=True, help="What joins candidates and goldens.")
@click.option(
    "--metrics", metavar="LIST", default=",".join(registry.DEFAULT_METRICS), show_default=True,
    help="Metrics, separated by commas, or all.",
)  # fmt: skip
@click.option(
    "--encoder", metavar="NAME|DIR", default="all-mpnet-base-v2", show_default=True, envvar="WFKIT_ENCODER",
    help="Sentence encoder for the alignment of steps (see wf-models).",
)  # fmt: skip
@click.option(
    "--backend", type=click.Choice(["auto", "torch", "onnx"]), default="auto", show_default=True,
    envvar="WFKIT_BACKEND",
    help="What runs the encoder; auto takes onnx where wf-models export has made its ONNX form.",
)  # fmt: skip
@click.option(
    "--align", metavar="COSINE", type=NumberRange(-1, 1), default=0.8, show_default=True,
    help="Similarity from which on two steps count as the same.",
)  # fmt: skip
@bertscore_options
@click.option(
    "--cache", metavar="DIR", help="Where embeddings and scores of steps are kept.  [default: $XDG_CACHE_HOME/wfkit]"
)
@click.option("--no-cache", is_flag=True, help="Keep neither.")
@click.option(
    "--max-steps", metavar="N", type=click.IntRange(1), default=2000, show_default=True,
    help="Larger workflows are bad records.",
)  # fmt: skip
@click.option(
    "--judge-model", "judge_models", metavar="MODEL", multiple=True,
    help="Have this language model judge each pair (metric judge; judge:MODEL where given several times).",
)  # fmt: skip
@click.option(
    "--judge-when", metavar="CONDITION",
    help="Judge only where this holds, such as 'chain_f1 in 0.6..0.9 or kendall_tau < 0.5'; also and, (), <=, >, >=.",
)  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Sent to the judge where it accepts a seed.")
@llm_options
def main(
    golden: str | None,
    key: str,
    metrics: str,
    encoder: str,
    backend: str,
    align: float,
    cache: str | None,
    no_cache: bool,
    max_steps: int,
    judge_models: tuple[str, ...],
    judge_when: str | None,
    seed: int,
    **others: Any,
) -> "Stage":
    """Score candidates against their goldens: structure, order and wording, each from 0 to 1 (Kendall's tau from -1).

    Reads pair records, or candidate workflows with --golden. Writes each pair with its scores, the alignment of
    its steps, and a signature for every score. A score that cannot be measured is null, with the reason.
    """
    from wfkit import scoring
    from wfkit.engine import Ending
    from wfkit.filters.measuring import open_scorer

    kept_in = cache_folder(cache, no_cache)
    bertscore = {name: others.pop(name) for name in OPTION_NAMES}
    wanted = _wanted(metrics, judge_models, bertscore)
    judges = _judges(judge_models, judge_when, seed, kept_in, others, alone=not wanted)
    scorer, prepare = open_scorer(
        wanted, encoder=encoder, backend=backend, align=align, cache=kept_in, max_steps=max_steps, bertscore=bertscore,
        others_measure=bool(judges),
    )  # fmt: skip
    nulls: Counter[str] = Counter()
    first_reasons: dict[str, str] = {}

    def note(record: "Record") -> dict[str, Any]:
        reasons = record.get("reasons", {}) if record["kind"] == "pair" else {}
        unavailable = {name: reason for name, reason in reasons.items() if reason.startswith("unavailable:")}
        told = {"unavailable": unavailable, "met": _names_met(record)}
        return {**told, "judges": judges.told_of(record)} if judges else told

    def count(told: dict[str, Any]) -> None:
        nulls.update(told["unavailable"].keys())
        for name, reason in told["unavailable"].items():
            first_reasons.setdefault(name, reason)
        if judges:
            judges.report.add(told["judges"])

    def ending(records: "Sequence[Record]" = (), **summary: Any) -> "Ending":
        codes = {exit_codes.UNAVAILABLE} if nulls else set()
        _tell_unavailable(nulls, first_reasons)
        summary = {"unavailable": dict(nulls), **summary}
        if not judges:
            return Ending(records, codes, summary=summary)
        return Ending(() if judges.dry_run else records, codes, judges.lines(), {**summary, **judges.summary()})

    if golden is None:
        return _stage(
            judges, "pair", lambda pair: [scoring.score_pair(pair, scorer)], prepare, note=note, collect=count,
            finish=ending,
        )  # fmt: skip

    from wfkit import joining, jsonl

    key_path = joining.parse_key(key)
    goldens, faults = _read_goldens(golden, key_path, max_steps)
    bad = {jsonl.id_of(fault) or "": str(fault.get("message")) for fault in faults}
    table = joining.GoldenTable(goldens, key_path, bad)

    def score(candidate: "Record") -> "list[Record]":
        return [scoring.score_pair(pair, scorer) for pair in table.pairs(candidate)]

    def prepare_candidates(candidates: "Sequence[Record]") -> None:
        assert prepare is not None
        keys = [joining.key_of(candidate, key_path) or "" for candidate in candidates]
        prepare(
            [
                {"golden": beside, "candidate": candidate}
                for candidate, value in zip(candidates, keys, strict=True)
                for beside in table.by_key.get(value, ())
            ]
        )

    def collect(told: dict[str, Any]) -> None:
        count(told)
        table.meet(told["met"])

    def finish() -> "Ending":
        alone = [scoring.score_pair(pair, scorer) for pair in table.without_candidate()]
        if judges:
            alone = judges.judge(alone)
        for pair in alone:
            count(note(pair))
        return ending([*faults, *alone], without_candidate=len(alone))

    def note_met(record: "Record") -> dict[str, Any]:
        told = note(record)
        value = joining.key_of(record.get("candidate") or record, key_path)
        return {**told, "met": [*told["met"], *([value] if value is not None else [])]}

    return _stage(
        judges, "workflow", score, prepare_candidates if prepare else None, note=note_met, collect=collect,
        finish=finish,
    )  # fmt: skip


def _stage(
    judges: "Judges | None",
    reads: str,
    score: "Callable[[Record], list[Record]]",
    prepare: "Callable[[Sequence[Record]], None] | None",
    **rest: Any,
) -> "Stage":
    """The stage that scores each record, and has the judges look at what comes out if there are any."""
    from wfkit.engine import Stage

    if judges is None:
        return Stage(reads=(reads,), writes=("pair",), step=score, prepare=prepare, prepares_beside=True, **rest)
    return judges.stage(reads, score, prepare, **rest)


def _wanted(metrics: str, judge_models: Sequence[str], bertscore: Mapping[str, Any]) -> list[str]:
    """The metrics asked for but the judge, which comes with its model."""
    local = [name for name in registry.METRICS if name not in registry.MODEL_METRICS]
    wanted = local if metrics == "all" else names(metrics, list(registry.METRICS), "metric")
    if "judge" in wanted and not judge_models:
        raise UsageProblem("the metric judge needs a model: --judge-model MODEL")
    for name, value in bertscore.items():
        if value is not None and "bertscore" not in wanted:
            raise UsageProblem(f"--{name.replace('_', '-')} needs bertscore among the --metrics")
    return [name for name in wanted if name != "judge"]


def _judges(
    models: Sequence[str], when: str | None, seed: int, cache: str | None, llm: dict[str, Any], *, alone: bool
) -> "Judges | None":
    if not models:
        if when is not None or llm["dry_run"]:
            raise UsageProblem("--judge-when and --dry-run need --judge-model MODEL")
        return None
    from wfkit.filters.judges import Judges

    return Judges(models, when, seed, cache, llm, alone=alone)


def _names_met(record: "Record") -> list[str]:
    """The golden ids that a pair, or an error record in the place of a candidate, accounts for."""
    from wfkit import jsonl

    if record["kind"] == "pair":
        return [record["golden"]["id"]]
    record_id = jsonl.id_of(record)
    return [] if record_id is None else [record_id]


def _tell_unavailable(nulls: Mapping[str, int], reasons: Mapping[str, str]) -> None:
    """Say at the end, however quiet the run, what was not measured and what helps; one line for each reason."""
    from wfkit import streams

    for reason in dict.fromkeys(reasons.values()):
        lacking = [f"{name} {nulls[name]:,}" for name in reasons if reasons[name] == reason]
        streams.tell(f"wf-score: null scores: {', '.join(lacking)}; {reason.removeprefix('unavailable: ')}")


def _read_goldens(name: str, key: Sequence[str], max_steps: int) -> "SideFile":
    """All good goldens of a file, and an error record for each that cannot be scored against."""
    from wfkit import joining, scoring
    from wfkit.filters.reading import read_workflows

    def inspect(golden: "Record") -> None:
        scoring.check_golden(golden, "$", max_steps)
        joining.key_of_golden(golden, key)

    return read_workflows([name], "wf-score", awaited="goldens", inspect=inspect)


build = main.build

if __name__ == "__main__":
    main()
