"""wf-sensitivity: learn from damaged goldens how metrics answer, how often rules fire, and where bars should be."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from wfkit import exit_codes
from wfkit.errors import UsageProblem
from wfkit.filters.options import NumberRange
from wfkit.skeleton import fold_filter

if TYPE_CHECKING:
    from wfkit.engine import Ending, Stage
    from wfkit.gate.policy import Policy, Require, Rule
    from wfkit.jsonl import Record
    from wfkit.rendering import Section
    from wfkit.sensitivity.columns import Columns, Mask
    from wfkit.sensitivity.observations import Observations
    from wfkit.sensitivity.study import Plan
    from wfkit.sensitivity.sweep import Sweep

Format = Literal["jsonl", "table", "markdown", "csv"]
REPORTING = (
    "policy_file", "require", "valid_only", "tolerate", "detect", "calibrate", "max_false_alarm", "min_detect", "form",
    "plot", "replicates", "seed",
)  # fmt: skip

EXAMPLES = """
# how the metrics answer to damage, to read; several files make one set
wf-sensitivity --format table scored.jsonl more.jsonl

# your own bars: fire on at most 5 % of the damage up to 10 %, on as much as possible from 30 % on
wf-sensitivity --calibrate policy.json --tolerate 10 --detect 30 --max-false-alarm 0.05 scored.jsonl > sensitivity.jsonl

# the structural metrics at other alignment thresholds, from one encoding
wf-sensitivity --sweep align=0.6:0.9:0.05 --format markdown scored.jsonl

# the same report from shards, each of them on a machine of its own
wf-sensitivity --partial shard1.jsonl > shard1.state
wf-sensitivity --merge --format table shard*.state
"""


@fold_filter("wf-sensitivity", writes="sensitivity", awaits="scored pair records", examples=EXAMPLES)
@click.option("--policy", "policy_file", metavar="FILE", help="Rules whose firing is counted.  [default: Table 1]")
@click.option(
    "--require", type=click.Choice(["primary", "both", "either"]),
    help="Which clauses of a rule must be true; overrides the policy.",
)  # fmt: skip
@click.option(
    "--by", metavar="LIST", default="",
    help="Fields of perturbation, golden or pair whose values are looked at by themselves, such as placement,source.",
)  # fmt: skip
@click.option("--valid-only", is_flag=True, help="Leave out the pairs that wf-validate found invalid.")
@click.option(
    "--tolerate", metavar="PERCENT", type=NumberRange(0, 100, min_open=True), default=10, show_default=True,
    help="Damage up to this severity is tolerated.",
)  # fmt: skip
@click.option(
    "--detect", metavar="PERCENT", type=NumberRange(0, 100, min_open=True), default=30, show_default=True,
    help="Damage from this severity on is to be detected.",
)  # fmt: skip
@click.option("--calibrate", metavar="FILE", help="Choose the bars of the policy's rules and write the policy to FILE.")
@click.option(
    "--max-false-alarm", metavar="SHARE", type=NumberRange(0, 1, min_open=True, max_open=True),
    help="Calibrate: fire on no more than this share of tolerated damage.  [default: 0.05]",
)  # fmt: skip
@click.option(
    "--min-detect", metavar="SHARE", type=NumberRange(0, 1, min_open=True, max_open=True),
    help="Calibrate: instead, fire on no less than this share of the damage to be detected.",
)  # fmt: skip
@click.option("--sweep", metavar="align=A:B:STEP", help="Derive the structural metrics again at these thresholds.")
@click.option(
    "--encoder", metavar="NAME|DIR", default="all-mpnet-base-v2", show_default=True, envvar="WFKIT_ENCODER",
    help="Sentence encoder for --sweep (see wf-models).",
)  # fmt: skip
@click.option("--cache", metavar="DIR", help="Where embeddings are kept.  [default: $XDG_CACHE_HOME/wfkit]")
@click.option("--no-cache", is_flag=True, help="Keep no embeddings.")
@click.option("--partial", is_flag=True, help="Write the state of these pairs, a shard, for --merge; no report.")
@click.option("--merge", is_flag=True, help="Read states that --partial wrote; report as one run on all their pairs.")
@click.option(
    "--format", "form", type=click.Choice(["jsonl", "table", "markdown", "csv"]), default="jsonl", show_default=True,
    help="Records, or a report of them.",
)  # fmt: skip
@click.option("--plot", metavar="DIR", help="Draw trajectories, matrices and distributions there, as SVG and PNG.")
@click.option(
    "--replicates", metavar="N", type=click.IntRange(1, 1_000_000), default=2000, show_default=True,
    help="Bootstrap replicates of the goldens.",
)  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of bootstrap and cross-validation.")
def main(
    policy_file: str | None,
    require: "Require | None",
    by: str,
    valid_only: bool,
    tolerate: float,
    detect: float,
    calibrate: str | None,
    max_false_alarm: float | None,
    min_detect: float | None,
    sweep: str | None,
    encoder: str,
    cache: str | None,
    no_cache: bool,
    partial: bool,
    merge: bool,
    form: Format,
    plot: str | None,
    replicates: int,
    seed: int,
) -> "Stage":
    """Learn how metrics and rules answer to damage of known severity, and choose bars from that.

    Reads scored pairs from wf-perturb and wf-score. Writes a sensitivity record for every metric and type of damage
    (and stratum), then a firing record for every rule, type and severity; intervals are over goldens. Exit code 4 if
    nothing can be measured, or a rule cannot be calibrated.
    """
    from wfkit.engine import Ending, Stage
    from wfkit.filters.configuration import read_configuration
    from wfkit.filters.options import cache_folder, refuse_given
    from wfkit.filters.sensitivity_state import partial_stage, read_states, state_record
    from wfkit.gate.policy import DEFAULT_POLICY, load_policy, with_require
    from wfkit.sensitivity.observations import Observations
    from wfkit.sensitivity.state import Merge
    from wfkit.signature import SignatureGuard

    fields = [name.strip() for name in by.split(",") if name.strip()]
    if {"size", "window"}.intersection(fields):
        raise UsageProblem("--by names fields of the records; size and window are looked at without being named")
    if partial:
        refuse_given(REPORTING, "--partial makes no report: give {option} to --merge")
        refuse_given(("sweep", "encoder", "cache", "no_cache"), "--partial keeps no texts, which {option} needs")
        refuse_given(("merge",), "--partial and --merge are two ends of one job: give one")
        return partial_stage(fields)
    if merge:
        refuse_given(("by",), "--merge takes the fields that its states were made with: give {option} to --partial")
        refuse_given(("sweep",), "the states that --merge reads have no texts, which {option} needs")
    if tolerate >= detect:
        raise UsageProblem(f"--tolerate {tolerate:g} must be less than --detect {detect:g}")
    if calibrate is None and (max_false_alarm is not None or min_detect is not None):
        raise UsageProblem("--max-false-alarm and --min-detect need --calibrate FILE")
    if max_false_alarm is not None and min_detect is not None:
        raise UsageProblem("--max-false-alarm and --min-detect are two targets: give one")
    if sweep is not None and (calibrate is not None or plot is not None):
        raise UsageProblem("--sweep looks at several alignment thresholds; --calibrate and --plot need scores at one")
    if plot is not None:
        _make_directory(plot)
    template = DEFAULT_POLICY if policy_file is None else read_configuration(policy_file)
    policy = load_policy(template)
    if require is not None:
        policy = with_require(policy, require)
    merged = Merge() if merge else None
    unmerged, guard = Observations(fields), SignatureGuard() if merged is None else merged.guard
    kept_in = cache_folder(cache, no_cache)
    swept = _sweep(sweep, policy, fields, encoder, kept_in) if sweep is not None else None
    errors = 0

    def observe(record: "Record") -> None:
        (unmerged if swept is None else swept).add(record)
        guard.check(record)

    def observations() -> "Observations":
        if merged is not None:
            return merged.observations
        return unmerged if swept is None else swept.observations[0]

    def collect(is_error: bool) -> None:
        nonlocal errors
        errors += is_error
        if is_error and merged is not None:
            merged.take_error()

    def finish() -> "Ending":
        from wfkit.sensitivity.calibration_sections import calibration_sections
        from wfkit.sensitivity.columns import columns_of
        from wfkit.sensitivity.notes import calibration_notes, input_notes, largest_shift
        from wfkit.sensitivity.response import Resampling
        from wfkit.sensitivity.sections import report
        from wfkit.sensitivity.study import Plan, study

        plan = Plan(policy, tolerate, detect, Resampling(replicates, seed), valid_only)
        columns = columns_of(observations())
        if not len(columns) and not errors:
            why = () if merged is None else ("Nothing to measure: no shard has a pair.",)
            return Ending(codes={exit_codes.UNAVAILABLE}, report=why)
        if swept is None:
            records = study(columns, columns.metrics, plan, guard.signatures)
        else:
            records = swept.study(plan, guard.signatures)
        drawn: Sequence[Rule] = policy.rules
        codes: set[int] = set()
        lines = input_notes(columns, records, errors, valid_only=valid_only)
        if not any(record["kind"] == "sensitivity" for record in records):
            codes.add(exit_codes.UNAVAILABLE)
            lines.append("Nothing to measure: no pair has a score.")
        sections = list(report(records, list(lines)))
        if calibrate is not None:
            target = (max_false_alarm, min_detect) if max_false_alarm or min_detect else (0.05, None)
            rules, calibration = _calibrate(calibrate, template, columns, plan, guard.signatures, target)
            drawn = rules
            sections += calibration_sections(calibration)
            lines += calibration_notes(calibration)
            if any(rule["outcome"] != "calibrated" for rule in calibration["rules"]):
                codes.add(exit_codes.UNAVAILABLE)
        if plot is not None:
            _draw(plot, records, columns, plan.used(columns), drawn)
        return Ending(
            records=records if form == "jsonl" else (),
            codes=codes,
            report=lines,
            summary={"pairs": len(columns), "largest_shift_without_invalid": largest_shift(records)},
            text=_rendered(form, records, sections),
        )

    return Stage(
        reads=("pair",),
        writes=("sensitivity", "firing"),
        step=observe if merged is None else merged.take,
        decode=None if merged is None else state_record,
        read=None if merged is None else read_states,
        prepare=None if swept is None else swept.prepare,
        prepares_beside=True,
        encode=None if form == "jsonl" else lambda record: b"",
        note=lambda record: record["kind"] == "error",
        collect=collect,
        finish=finish,
    )


def _sweep(text: str, policy: "Policy", fields: "Sequence[str]", encoder: str, cache: str | None) -> "Sweep":
    from wfkit.filters.encoding import open_embedder
    from wfkit.gate.policy import metrics_of
    from wfkit.registry import DEFAULT_METRICS
    from wfkit.sensitivity.sweep import Sweep, parse_sweep

    thresholds = parse_sweep(text)
    embedder = open_embedder("wf-sensitivity", encoder, cache, "--sweep")
    return Sweep(thresholds, {*DEFAULT_METRICS, *metrics_of(policy)}, fields, embedder)


def _calibrate(
    name: str,
    template: "Mapping[str, Any]",
    columns: "Columns",
    plan: "Plan",
    signatures: "Mapping[str, str]",
    target: tuple[float | None, float | None],
) -> "tuple[list[Rule], dict[str, Any]]":
    """Choose bars and write the policy, unless no rule has one; returns the rules and what is to be said of them."""
    import json

    from wfkit import streams
    from wfkit.sensitivity.calibration import Question, calibrate, policy_value
    from wfkit.sensitivity.thresholds import Target

    question = Question(plan.tolerate, plan.detect, Target(*target), plan.resampling.seed)
    rules, calibration = calibrate(columns, plan.policy, plan.used(columns), question, signatures)
    if rules:
        value = policy_value(template, rules, calibration)
        text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
        streams.write_file(name, f"{text}\n".encode())
    return rules, calibration


def _make_directory(name: str) -> None:
    import os
    from importlib.util import find_spec

    from wfkit.errors import Unavailable

    if find_spec("matplotlib") is None:
        raise Unavailable("--plot needs matplotlib: pip install 'wfkit[plot]'")
    try:
        os.makedirs(name, exist_ok=True)
    except OSError as error:
        raise UsageProblem(f"cannot make the directory {name}: {error.strerror}") from None


def _draw(
    directory: str, records: "Sequence[Record]", columns: "Columns", used: "Mask", rules: "Sequence[Rule]"
) -> None:
    import os

    from wfkit import streams
    from wfkit.sensitivity.plots import figures

    for name, data in figures(records, columns, used, rules):
        streams.write_file(os.path.join(directory, name), data)


def _rendered(form: Format, records: "Sequence[Record]", sections: "Sequence[Section]") -> str:
    from wfkit.rendering import as_markdown, as_text
    from wfkit.sensitivity.rows import as_csv

    if form == "jsonl":
        return ""
    return as_csv(records) if form == "csv" else as_text(sections) if form == "table" else as_markdown(sections)


build = main.build

if __name__ == "__main__":
    main()
