"""wf-perturb: damage goldens on purpose, at known severity."""

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from wfkit import registry
from wfkit.errors import UsageProblem
from wfkit.filters.llm_options import llm_options
from wfkit.filters.options import cache_folder, names
from wfkit.skeleton import map_filter

if TYPE_CHECKING:
    from wfkit.engine import Ending, Stage
    from wfkit.jsonl import Record
    from wfkit.perturb.donors import Donors

EXAMPLES = """
# the paper's three types at 10, 30 and 50 percent
wf-perturb goldens.jsonl > pairs.jsonl

# from goldens to how each metric responds
wf-perturb goldens.jsonl | wf-validate | wf-score | wf-sensitivity --format table

# steps of other workflows added, three variants of each
wf-perturb --type added_steps --donors goldens.jsonl --repeats 3 goldens.jsonl

# written by language models: the second repairs what the first gets wrong
wf-perturb --generator llm --model gpt-4o --model gpt-4.1 --max-cost 5 --prices prices.json goldens.jsonl
"""
PAPER_TYPES = "missing_steps,compressed_steps,description_changes"
NEED_DONORS = frozenset({"added_steps"})


@map_filter("wf-perturb", writes="pair", awaits="golden workflow records", examples=EXAMPLES)
@click.option(
    "--type", "types", metavar="LIST", default=PAPER_TYPES, show_default=True,
    help=f"Kinds of damage, separated by commas, or all: {', '.join(registry.PERTURBATIONS)}.",
)  # fmt: skip
@click.option(
    "--severity", metavar="LIST", default="10,30,50", show_default=True,
    help="Percentages of steps to edit, 1 to 100; ceil(severity * steps / 100) steps are edited.",
)  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed edits other steps.")
@click.option(
    "--repeats", metavar="N", type=click.IntRange(1), default=1, show_default=True,
    help="Variants for each golden, type and severity.",
)  # fmt: skip
@click.option(
    "--min-steps", metavar="N", type=click.IntRange(1), default=5, show_default=True,
    help="Goldens with fewer steps give pairs that are marked inapplicable.",
)  # fmt: skip
@click.option(
    "--placement", type=click.Choice(["uniform", "tail", "block"]), default="uniform", show_default=True,
    help="Where missing_steps removes: anywhere, the last steps, or steps in a row.",
)  # fmt: skip
@click.option("--donors", metavar="FILE", help="Workflows whose steps and tools added_steps and wrong_tool take.")
@click.option(
    "--generator", type=click.Choice(["rules", "llm"]), default="rules", show_default=True,
    help="Who makes the variants: the rules of this program, or language models (the first three types).",
)  # fmt: skip
@click.option(
    "--model", "models", metavar="MODEL", multiple=True,
    help="A language model for --generator llm; further ones repair what it gets wrong.",
)  # fmt: skip
@click.option("--cache", metavar="DIR", help="Where answers of models are kept.  [default: $XDG_CACHE_HOME/wfkit]")
@click.option("--no-cache", is_flag=True, help="Keep no answers.")
@llm_options
def main(
    types: str,
    severity: str,
    seed: int,
    repeats: int,
    min_steps: int,
    placement: str,
    donors: str | None,
    generator: str,
    models: tuple[str, ...],
    cache: str | None,
    no_cache: bool,
    **llm: Any,
) -> "Stage":
    """Damage golden workflows at known severity and write each variant as a pair with its golden.

    Reads workflow records. Deterministic from seed, id, type, severity and repeat. Where a type cannot be applied as
    often as asked, the pair says so in perturbation.inapplicable and has no candidate; it is never a weaker one.
    """
    from wfkit.engine import Ending, Stage, complaint_of
    from wfkit.perturb.pairs import inapplicable_pair, perturb

    wanted = list(registry.PERTURBATIONS) if types == "all" else names(types, list(registry.PERTURBATIONS), "type")
    severities = _severities(severity)
    if generator == "llm":
        if placement != "uniform":
            raise UsageProblem("--placement is for --generator rules: a model chooses the steps itself")
        from wfkit.filters.generator import generator_stage

        kept_in = cache_folder(cache, no_cache)
        return generator_stage(wanted, severities, seed, repeats, min_steps, models, kept_in, llm)
    if models or llm["dry_run"]:
        raise UsageProblem("--model and --dry-run need --generator llm")
    lacking = NEED_DONORS.intersection(wanted)
    if lacking and donors is None:
        raise UsageProblem(f"{', '.join(sorted(lacking))} takes steps of other workflows: name a file with --donors")
    pool, bad_donors = _donors(donors)
    counts: Counter[str] = Counter()

    def step(golden: "Record") -> "list[Record]":
        size = len(golden["nodes"])
        if size < min_steps:
            reason = f"{size} steps are fewer than {min_steps} (--min-steps)"
            return [
                inapplicable_pair(golden, type_name, percent, reason, seed=seed, repeat=repeat, placement=placement)
                for type_name in wanted
                for percent in severities
                for repeat in range(1, repeats + 1)
            ]
        return [
            perturb(golden, type_name, percent, seed=seed, repeat=repeat, placement=placement, donors=pool)
            for type_name in wanted
            for percent in severities
            for repeat in range(1, repeats + 1)
        ]

    def finish() -> "Ending":
        lines = [f"pairs made: {counts['made']:,}"]
        if counts["inapplicable"]:
            lines.append(f"{counts['inapplicable']:,} more are inapplicable; perturbation.inapplicable says why")
        if counts["error records"]:
            lines.append(f"{counts['error records']:,} error records")
        if bad_donors:
            lines.append(f"{len(bad_donors):,} bad donors are left out, the first is {complaint_of(bad_donors[0])}")
        return Ending(report=lines, summary=dict(counts))

    def note(record: "Record") -> str:
        if record["kind"] == "error":
            return "error records"
        return "inapplicable" if record["candidate"] is None else "made"

    def collect(what: str) -> None:
        counts[what] += 1

    return Stage(reads=("workflow",), writes=("pair",), step=step, note=note, collect=collect, finish=finish)


def _severities(value: str) -> list[int]:
    percents = []
    for part in value.split(","):
        text = part.strip()
        if not text.isdecimal() or not 1 <= int(text) <= 100:
            raise UsageProblem(f"--severity {text!r} is not a whole number from 1 to 100")
        if int(text) in percents:
            raise UsageProblem(f"--severity {text} is given twice")
        percents.append(int(text))
    return percents


def _donors(name: str | None) -> "tuple[Donors, list[Record]]":
    """What added_steps and wrong_tool take from, and an error record for each donor that cannot be read."""
    from wfkit.perturb.donors import NO_DONORS, donors_from

    if name is None:
        return NO_DONORS, []
    from wfkit.filters.reading import read_workflows

    side = read_workflows([name], "wf-perturb", awaited="donors")
    return donors_from(side.workflows), side.errors


build = main.build

if __name__ == "__main__":
    main()
