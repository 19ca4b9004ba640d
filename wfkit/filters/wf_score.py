"""wf-score: measure how far each candidate is from its golden."""

import contextlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from wfkit import exit_codes, registry
from wfkit.errors import Unavailable, UsageProblem
from wfkit.filters.options import names
from wfkit.skeleton import map_filter

if TYPE_CHECKING:
    from wfkit.engine import Ending, Stage
    from wfkit.jsonl import Record
    from wfkit.scoring import Scorer

EXAMPLES = """
# candidates against their goldens, joined by id
wf-score --golden goldens.jsonl candidates.jsonl > scored.jsonl

# pairs from wf-perturb; the exact forms beside the published ones
wf-perturb goldens.jsonl | wf-score --metrics chain_f1,chain_f1_exact,precedence_f1

# several candidates a golden, joined by a field of both
wf-score --golden goldens.jsonl --key .meta.task_id candidates.jsonl
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
    "--align", metavar="COSINE", type=click.FloatRange(-1, 1), default=0.8, show_default=True,
    help="Similarity from which on two steps count as the same.",
)  # fmt: skip
@click.option("--cache", metavar="DIR", help="Where embeddings are kept.  [default: $XDG_CACHE_HOME/wfkit]")
@click.option("--no-cache", is_flag=True, help="Keep no embeddings.")
@click.option(
    "--max-steps", metavar="N", type=click.IntRange(1), default=2000, show_default=True,
    help="Larger workflows are bad records.",
)  # fmt: skip
def main(
    golden: str | None,
    key: str,
    metrics: str,
    encoder: str,
    align: float,
    cache: str | None,
    no_cache: bool,
    max_steps: int,
) -> "Stage":
    """Score candidates against their goldens: structure, order and wording, each from 0 to 1 (Kendall's tau from -1).

    Reads pair records, or candidate workflows with --golden. Writes each pair with its scores, the alignment of
    its steps, and a signature for every score. A score that cannot be measured is null, with the reason.
    """
    from wfkit import scoring
    from wfkit.engine import Ending, Stage

    wanted = list(registry.METRICS) if metrics == "all" else names(metrics, list(registry.METRICS), "metric")
    if cache is not None and no_cache:
        raise UsageProblem("--cache and --no-cache contradict each other")
    scorer, prepare = _scorer(wanted, encoder, align, None if no_cache else cache or "", max_steps)
    nulls: Counter[str] = Counter()

    def note(record: "Record") -> dict[str, Any]:
        reasons = record.get("reasons", {}) if record["kind"] == "pair" else {}
        unavailable = [name for name, reason in reasons.items() if reason.startswith("unavailable:")]
        return {"unavailable": unavailable, "met": _names_met(record)}

    def count(told: dict[str, Any]) -> None:
        nulls.update(told["unavailable"])

    def code() -> set[int]:
        return {exit_codes.UNAVAILABLE} if nulls else set()

    if golden is None:
        return Stage(
            reads=("pair",),
            writes=("pair",),
            step=lambda pair: scoring.score_pair(pair, scorer),
            prepare=prepare and (lambda pairs: prepare(pairs)),
            note=note,
            collect=count,
            finish=lambda: Ending(codes=code(), summary={"unavailable": dict(nulls)}),
        )

    from wfkit import joining, jsonl

    key_path = joining.parse_key(key)
    goldens, faults = _read_goldens(golden, key_path, max_steps)
    bad = {jsonl.id_of(fault) or "": str(fault.get("message")) for fault in faults}
    table = joining.GoldenTable(goldens, key_path, bad)

    def step(candidate: "Record") -> "Sequence[Record]":
        return [scoring.score_pair(pair, scorer) for pair in table.pairs(candidate)]

    def prepare_candidates(candidates: "Sequence[Record]") -> None:
        assert prepare is not None
        beside = [
            one for candidate in candidates for one in table.by_key.get(joining.key_of(candidate, key_path) or "", ())
        ]
        prepare([{"golden": one, "candidate": None} for one in [*candidates, *beside]])

    def collect(told: dict[str, Any]) -> None:
        count(told)
        table.meet(told["met"])

    def finish() -> "Ending":
        alone = []
        for pair in table.without_candidate():
            alone.append(scoring.score_pair(pair, scorer))
            count(note(alone[-1]))
        summary = {"unavailable": dict(nulls), "without_candidate": len(alone)}
        return Ending(records=[*faults, *alone], codes=code(), summary=summary)

    def note_met(record: "Record") -> dict[str, Any]:
        told = note(record)
        value = joining.key_of(record.get("candidate") or record, key_path)
        return {**told, "met": [*told["met"], *([value] if value is not None else [])]}

    return Stage(
        reads=("workflow",),
        writes=("pair",),
        step=step,
        prepare=prepare_candidates if prepare else None,
        note=note_met,
        collect=collect,
        finish=finish,
    )


def _names_met(record: "Record") -> list[str]:
    """The golden ids that a pair, or an error record in the place of a candidate, accounts for."""
    from wfkit import jsonl

    if record["kind"] == "pair":
        return [record["golden"]["id"]]
    record_id = jsonl.id_of(record)
    return [] if record_id is None else [record_id]


def _scorer(
    wanted: Sequence[str], encoder: str, align: float, cache: str | None, max_steps: int
) -> "tuple[Scorer, Callable[[Sequence[Record]], None] | None]":
    """Find the encoder if a metric needs one, and say what cannot be measured."""
    from wfkit import scoring

    metrics = scoring.metrics_named(wanted)
    needing = [metric.name for metric in metrics if metric.needs_alignment]
    if not needing:
        return scoring.Scorer(metrics, {}, None, "", align, max_steps), None
    try:
        from wfkit.models.embedder import open_embedder

        embedder = open_embedder(encoder, cache=cache, metric=needing[0], warn=_warn)
    except Unavailable as error:
        if len(needing) == len(metrics):
            raise
        reasons = dict.fromkeys(needing, f"unavailable: {error}")
        rest = [metric for metric in metrics if not metric.needs_alignment]
        return scoring.Scorer(rest, reasons, None, "", align, max_steps), None

    def prepare(pairs: "Sequence[Record]") -> None:
        texts: dict[str, None] = {}
        for pair in pairs:
            if all(len(side["nodes"]) <= max_steps for side in (pair["golden"], pair["candidate"]) if side):
                texts.update(dict.fromkeys(sorted(scoring.texts_of(pair))))
        with contextlib.suppress(Unavailable):  # told in each record that lacks a vector
            embedder.embed(list(texts))

    return scoring.Scorer(metrics, {}, embedder.embed, embedder.signature, align, max_steps), prepare


def _warn(message: str) -> None:
    click.echo(f"wf-score: {message}", err=True)


def _read_goldens(name: str, key: Sequence[str], max_steps: int) -> "tuple[list[Record], list[Record]]":
    """All good goldens of a file, and an error record for each bad one."""
    from wfkit import engine, joining, jsonl, scoring, streams

    def step(golden: "Record") -> "Record":
        scoring.check_golden(golden, "$", max_steps)
        joining.key_of_golden(golden, key)
        return golden

    stage = engine.Stage(reads=("workflow",), writes=("workflow",), step=step)
    process = engine.processor(stage, "wf-score", check=True, admit=engine.admit_into(set()))
    goldens: list[Record] = []
    faults: list[Record] = []
    for batch in streams.read_batches(streams.open_inputs((name,), "wf-score", "goldens"), jsonl.MAX_LINE_BYTES):
        for result in process(batch):
            for output in result.outputs:
                (faults if output.is_error else goldens).append(jsonl.loads(output.data))
    if not goldens:
        because = f": {engine.complaint_of(faults[0])}" if faults else ""
        raise UsageProblem(f"{name} holds no golden workflow{because}")
    return goldens, faults


build = main.build

if __name__ == "__main__":
    main()
