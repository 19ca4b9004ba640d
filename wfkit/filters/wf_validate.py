"""wf-validate: check workflows, and check that every perturbed pair is damaged as it says and no further."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from wfkit import exit_codes
from wfkit.errors import DataError, UsageProblem
from wfkit.skeleton import Told, fold_filter

if TYPE_CHECKING:
    from wfkit.engine import Ending, Stage
    from wfkit.jsonl import Record

EXAMPLES = """
# keep what is valid, and say what is not
wf-perturb goldens.jsonl | wf-validate --select valid > pairs.jsonl

# ten pairs for each type and severity, for a person to decide on; then what the decisions say
wf-validate --sample 10 --by type,severity --inspect sample.csv pairs.jsonl > checked.jsonl
wf-validate --compliance sample.csv
"""


@fold_filter("wf-validate", writes="pair", awaits="workflow or pair records", examples=EXAMPLES)
@click.option(
    "--select", type=click.Choice(["all", "valid", "invalid"]), default="all", show_default=True,
    help="Which records to write; all are counted.",
)  # fmt: skip
@click.option("--inspect", metavar="CSV", help="Write a stratified sample to this file, for a person to decide on.")
@click.option(
    "--sample", metavar="N", type=click.IntRange(1), default=10, show_default=True, help="Pairs in each stratum of it."
)
@click.option("--by", metavar="LIST", default="type,severity", show_default=True, help="Fields that make a stratum.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed draws another sample.")
@click.option("--compliance", metavar="CSV", help="Say what the decisions in this file amount to, and exit.")
def main(
    select: Literal["all", "valid", "invalid"],
    inspect: str | None,
    sample: int,
    by: str,
    seed: int,
    compliance: str | None,
) -> "Stage":
    """Check workflow and pair records; add what was found as validation, and exit 1 if any is invalid.

    Everything is derived again from golden and candidate: a pair from an outside program that gives no more than
    perturbation.type and perturbation.severity is checked as strictly. Inapplicable pairs are counted apart.
    """
    from wfkit.engine import Ending, Stage
    from wfkit.validation.audit import Audit
    from wfkit.validation.inspection import Sample
    from wfkit.validation.validate import validate

    strata = [name.strip() for name in by.split(",") if name.strip()]
    if not strata:
        raise UsageProblem("--by names no field")
    if compliance is not None:
        raise Told(_compliance(compliance, strata))
    audit = Audit()
    drawn = Sample(sample, strata, seed)
    errors = 0

    def step(record: "Record") -> "Record | None":
        validation = validate(record)
        checked = {**record, "validation": validation}
        audit.add(checked)
        if inspect is not None:
            drawn.add(checked)
        wanted = select == "all" or validation.get("valid") is (select == "valid")
        return checked if wanted else None

    def collect(is_error: bool) -> None:
        nonlocal errors
        errors += is_error

    def finish() -> "Ending":
        if inspect is not None:
            _write_sample(inspect, drawn.columns, drawn.rows())
        summary = audit.summary()
        codes = {exit_codes.NO} if audit.invalid else set()
        return Ending(codes=codes, report=_report(summary, errors), summary=summary)

    kinds = ("workflow", "pair")
    return Stage(
        reads=kinds,
        writes=kinds,
        step=step,
        note=lambda record: record["kind"] == "error",
        collect=collect,
        finish=finish,
    )


def _report(summary: Mapping[str, Any], errors: int) -> list[str]:
    """One line for each type and severity with something to say, then the totals."""
    lines = []
    for stratum in summary["strata"]:
        told = [f"{name} {count:,}" for name, count in (stratum["failures"] | stratum["warnings"]).items()]
        if stratum["node_count_difference"]:
            differences = ", ".join(f"{size}: {count:,}" for size, count in stratum["node_count_difference"].items())
            told.append(f"node count off by {differences}")
        if stratum["inapplicable"]:
            told.append(f"inapplicable {stratum['inapplicable']:,}")
        if told:
            name = f"{stratum['type']} {stratum['severity']}".rstrip()
            lines.append(f"{name}: {stratum['invalid']:,} of {stratum['checked']:,} invalid ({'; '.join(told)})")
    inapplicable = f", {summary['inapplicable']:,} inapplicable" if summary["inapplicable"] else ""
    bad = f", {errors:,} error record{'s' if errors > 1 else ''}" if errors else ""
    return [*lines, f"{summary['valid']:,} valid, {summary['invalid']:,} invalid{inapplicable}{bad}"]


def _write_sample(name: str, columns: Sequence[str], rows: Sequence[Mapping[str, str]]) -> None:
    import csv
    import io

    from wfkit import streams

    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    streams.write_file(name, text.getvalue().encode())


def _compliance(name: str, strata: Sequence[str]) -> list[str]:
    """The decisions of a CSV in words."""
    import csv

    from wfkit.validation.inspection import compliance

    try:
        with open(name, encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            absent = [column for column in ("decision", *strata) if column not in (rows.fieldnames or ())]
            if absent:
                raise UsageProblem(f"{name} has no column {absent[0]!r}: is it a file that --inspect wrote?")
            found = compliance(rows, strata)
    except OSError as error:
        raise UsageProblem(f"cannot read {name}: {error.strerror}") from None
    except (DataError, UnicodeDecodeError, csv.Error) as error:
        raise UsageProblem(f"{name}: {error}") from None
    lines = [f"{' '.join(stratum[field] for field in strata)}: {_in_words(stratum)}" for stratum in found["strata"]]
    return [*lines, f"all: {_in_words(found)}"]


def _in_words(rate: Mapping[str, Any]) -> str:
    decided = rate["passed"] + rate["failed"]
    undecided = f", {rate['undecided']} undecided" if rate["undecided"] else ""
    if not decided:
        return f"nothing decided{undecided}"
    interval = f"95 % interval {100 * rate['low']:.1f} to {100 * rate['high']:.1f} %"
    return f"{rate['passed']} of {decided} comply ({100 * rate['rate']:.1f} %, {interval}){undecided}"


build = main.build

if __name__ == "__main__":
    main()
