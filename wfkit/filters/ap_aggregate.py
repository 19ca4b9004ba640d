"""ap-aggregate: what agents lose when an input surface is damaged, over everything that was requested."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from wfkit import exit_codes
from wfkit.errors import DataError, UsageProblem
from wfkit.filters.options import NumberRange
from wfkit.filters.reading import open_side_input
from wfkit.skeleton import fold_filter

if TYPE_CHECKING:
    from wfkit.agents.aggregation.gate import GateAnswer
    from wfkit.agents.aggregation.grades import Grades
    from wfkit.agents.aggregation.requests import Requests
    from wfkit.engine import Ending, Stage
    from wfkit.jsonl import Record

Format = Literal["jsonl", "table", "markdown", "csv"]

EXAMPLES = """
# the figures to read; requested.jsonl is what ap-pair wrote, all of it
ap-aggregate --requested requested.jsonl --format table grades.jsonl

# one page to look at and to send on, and the figures as SVG and PNG
ap-aggregate --requested requested.jsonl --capability capability.csv --html report.html --plot figures grades.jsonl

# a gate: no model may lose more than a fifth, whatever the unknown scores are
ap-aggregate --requested requested.jsonl --models ash,oak --max-degradation 0.2 --worst-bound grades.jsonl
"""
GROUPED_ALREADY = {"benchmark", "model", "target", "type"}


@fold_filter("ap-aggregate", writes="ap_aggregate", awaits="ap_grade records", examples=EXAMPLES)
@click.option(
    "--requested", metavar="FILE", multiple=True,
    help="The ap_pair records of everything that was asked for, which every denominator counts; may be repeated.",
)  # fmt: skip
@click.option("--models", metavar="LIST", default="", help="Models that were run, also if they left no record.")
@click.option(
    "--repeats", metavar="N", type=click.IntRange(1, 1000),
    help="How often each pair was run on each model.  [default: as the records say]",
)  # fmt: skip
@click.option("--by", metavar="LIST", default="", help="Fields of the requests to group by, such as edit.operation.")
@click.option("--capability", metavar="FILE", help="CSV or JSONL with the model, score, source and date of each.")
@click.option(
    "--most-capable", metavar="K", type=click.IntRange(1), default=3, show_default=True,
    help="How many models are set against the rest.",
)  # fmt: skip
@click.option("--label-set", metavar="FILE", help='Labels, in order: {"awareness": [...], "behaviour": [...]}.')
@click.option(
    "--success", metavar="SCORE", type=NumberRange(0, 1, min_open=True), default=1.0, show_default=True,
    help="The least score that is a success, for cost and labels.",
)  # fmt: skip
@click.option(
    "--change", type=click.Choice(["difference", "relative"]), default="difference", show_default=True,
    help="What families are compared by: perturbed minus clean, or that over clean.",
)  # fmt: skip
@click.option(
    "--replicates", metavar="N", type=click.IntRange(1, 1_000_000), default=2000, show_default=True,
    help="Bootstrap replicates of the tasks.",
)  # fmt: skip
@click.option(
    "--level", metavar="SHARE", type=NumberRange(0, 1, min_open=True, max_open=True), default=0.95,
    show_default=True, help="Confidence level of every interval.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of every random draw.")
@click.option(
    "--format", "form", type=click.Choice(["jsonl", "table", "markdown", "csv"]), default="jsonl", show_default=True,
    help="Records, or a report of them.",
)  # fmt: skip
@click.option("--plot", metavar="DIR", help="Draw the figures there, as SVG and PNG.")
@click.option("--html", metavar="FILE", help="Write one page that needs nothing else.")
@click.option(
    "--max-degradation", metavar="D", type=NumberRange(max=1),
    help="Gate: exit 1 if a model loses more than this share of its clean score on a benchmark.",
)  # fmt: skip
@click.option(
    "--min-coverage", metavar="SHARE", type=NumberRange(0, 1),
    help="Gate: exit 1 if less of a model's requests is scored on both sides.",
)  # fmt: skip
@click.option(
    "--worst-bound", is_flag=True,
    help="Gate: hold the upper bound over all requests against --max-degradation, which no lost episode can improve;"
    " needs --models, and --repeats unless the records tell it.",
)  # fmt: skip
def main(
    requested: tuple[str, ...],
    models: str,
    repeats: int | None,
    by: str,
    capability: str | None,
    most_capable: int,
    label_set: str | None,
    success: float,
    change: str,
    replicates: int,
    level: float,
    seed: int,
    form: Format,
    plot: str | None,
    html: str | None,
    max_degradation: float | None,
    min_coverage: float | None,
    worst_bound: bool,
) -> "Stage":
    """Aggregate matched clean and perturbed runs: means on the scored pairs, never without coverage and bounds.

    Reads ap_grade records. Writes an ap_aggregate record for each benchmark, and for each model, target, type and cell
    of it. A pair whose record is missing or bad stays in the denominator as unknown. Exit code 4 if nothing is scored.
    """
    from wfkit.agents.aggregation import gate
    from wfkit.agents.aggregation.grades import Grades
    from wfkit.agents.aggregation.settings import Settings
    from wfkit.engine import Ending, Stage

    if not requested:
        raise UsageProblem(
            "--requested FILE is missing: without the list of requests there is no coverage and no bound"
        )
    known_models, fields = _listed(models), _listed(by)
    if clash := sorted(GROUPED_ALREADY.intersection(fields)):
        raise UsageProblem(f"--by {', '.join(clash)}: these groups are there without being named")
    if worst_bound and max_degradation is None:
        raise UsageProblem("--worst-bound needs --max-degradation")
    if worst_bound and not known_models:
        raise UsageProblem("--worst-bound counts what never came: name all models that were run with --models")
    if plot is not None:
        _make_directory(plot)
    if html is not None:
        _need("jinja2", "--html", "report")
    settings = Settings(
        seed=seed, replicates=replicates, level=level, success=success, change=change, most_capable=most_capable,
        **({} if label_set is None else {"label_set": _label_set(label_set)}),
    )  # fmt: skip
    rows = None if capability is None else _capability_rows(capability)
    requests = _read_requests(requested, fields)
    grades = Grades(requests, models=known_models, repeats=repeats)
    too_long = 0

    def collect(error: "Record | None") -> None:
        nonlocal too_long
        if error is not None:
            too_long += "input_bytes" in error
            grades.refuse(_refused(error))

    def finish() -> "Ending":
        codes = {exit_codes.DATA} if requests.error_records else set()
        lines = _input_lines(requests, grades, too_long)
        if not grades.models:
            lines += ["Nothing to measure: no record names a model."] if grades.error_records else []
            return Ending(codes=codes | {exit_codes.UNAVAILABLE}, report=lines)
        if worst_bound:
            _need_repeats(requests, grades)
        from wfkit.agents.aggregation.report import aggregate
        from wfkit.agents.aggregation.wording import dimension, headline, note_lines

        records = aggregate(grades, settings, _capabilities(rows, grades))
        whole = [record for record in records if dimension(record) == "overall"]
        for record in whole:
            lines += [headline(record), *(f"  {note}" for note in note_lines(record))]
        if not any(record["scored"] for record in whole):
            codes.add(exit_codes.UNAVAILABLE)
            lines.append("Nothing to measure: no pair is scored on both sides.")
        answers: list[GateAnswer] = []
        if max_degradation is not None or min_coverage is not None:
            answers = gate.judge(
                records, max_degradation=max_degradation, min_coverage=min_coverage, worst_bound=worst_bound
            )
            codes |= {GATE_CODES[answer.status] for answer in answers}
            lines += map(_gate_line, answers)
        if plot is not None:
            _draw(plot, records, grades)
        if html is not None:
            _write_page(html, records, answers)
        return Ending(
            records=records if form == "jsonl" else (),
            codes=codes,
            report=lines,
            summary={"requests": len(requests), "bad_or_error_records": grades.error_records},
            text=_rendered(form, records),
        )

    return Stage(
        reads=("ap_grade",),
        writes=("ap_aggregate",),
        step=grades.add,
        encode=None if form == "jsonl" else lambda record: b"",
        note=lambda record: record if record["kind"] == "error" else None,
        collect=collect,
        finish=finish,
    )


GATE_CODES = {"pass": exit_codes.OK, "fail": exit_codes.NO, "unmeasured": exit_codes.UNAVAILABLE}


def _listed(value: str) -> list[str]:
    return [name.strip() for name in value.split(",") if name.strip()]


def _read_requests(files: Sequence[str], fields: Sequence[str]) -> "Requests":
    """The list of requests; a record of it that is bad would leave the denominator wrong, so it ends the run."""
    from wfkit import jsonl, streams
    from wfkit.agents.aggregation.requests import read_requests

    place = ""

    def records() -> "Iterator[Record]":
        nonlocal place
        inputs = open_side_input(files, "ap-aggregate", "requests")
        for batch in streams.read_batches(inputs, jsonl.MAX_LINE_BYTES):
            for line in batch:
                place = f"{line.file}:{line.number}"
                record = jsonl.loads(line.raw)
                if not isinstance(record, dict) or record.get("kind") not in ("ap_pair", "error"):
                    raise DataError("the list of requests holds ap_pair records, as ap-pair writes them")
                yield record

    try:
        return read_requests(records(), fields)
    except DataError as error:
        raise UsageProblem(f"{place}: {error}") from None


def _refused(error: "Record") -> "Record":
    """The `ap_grade` record that an error record stands for, as far as it can be read."""
    from wfkit import jsonl

    try:
        record = jsonl.loads(str(error.get("input", "")).encode())
    except DataError:
        return {}
    return record if isinstance(record, dict) else {}


def _label_set(name: str) -> dict[str, list[str]]:
    from wfkit.agents.label_set import read_label_set
    from wfkit.filters.options import read_json

    config = read_json(name)
    if not isinstance(config, dict):
        raise UsageProblem(f"{name} should hold a JSON object with awareness and behaviour")
    return read_label_set(config)


def _capability_rows(name: str) -> list[Mapping[str, Any]]:
    import csv
    import io

    from wfkit import jsonl

    try:
        with open(name, "rb") as file:
            text = file.read(jsonl.MAX_LINE_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise UsageProblem(f"cannot read {name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageProblem(f"{name} is not UTF-8") from None
    if not text.lstrip().startswith("{"):
        return list(csv.DictReader(io.StringIO(text)))
    rows: list[Mapping[str, Any]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                row = jsonl.loads(line.encode())
            except DataError as error:
                raise UsageProblem(f"{name}:{number}: {error}") from None
            if not isinstance(row, dict):
                raise UsageProblem(f"{name}:{number}: a capability is an object")
            rows.append(row)
    return rows


def _capabilities(rows: "Iterable[Mapping[str, Any]] | None", grades: "Grades") -> Any:
    from wfkit.agents.aggregation.capability import read_capabilities

    return None if rows is None else read_capabilities(rows, grades.models)


def _input_lines(requests: "Requests", grades: "Grades", too_long: int) -> list[str]:
    lines = []
    if grades.error_records:
        lines.append(f"{grades.error_records:,} bad or error records: the pairs that they name count as unknown.")
    if too_long:
        lines.append(
            f"{too_long:,} of them were too long to be kept, so that their pairs are not known: another record of such"
            " a pair, if there is one, stands."
        )
    if requests.error_records:
        lines.append(f"{requests.error_records:,} error records in the list of requests: N lacks their pairs.")
    return lines


def _need_repeats(requests: "Requests", grades: "Grades") -> None:
    for benchmark in requests.scales:
        if not grades.knows_repeats_of(benchmark):
            raise UsageProblem(
                f"--worst-bound counts what never came, and no record of {benchmark} tells how often each pair was run:"
                " say it with --repeats"
            )


def _gate_line(answer: "GateAnswer") -> str:
    from wfkit.gate.wording import printable

    group = answer.group
    return f"{answer.status}  {printable(group['benchmark'])}, {printable(group['model'])}: {answer.reason}"


def _need(package: str, option: str, extra: str) -> None:
    from importlib.util import find_spec

    from wfkit.errors import Unavailable

    if find_spec(package) is None:
        raise Unavailable(f"{option} needs {package}: pip install 'wfkit[{extra}]'")


def _make_directory(name: str) -> None:
    import os

    _need("matplotlib", "--plot", "plot")
    try:
        os.makedirs(name, exist_ok=True)
    except OSError as error:
        raise UsageProblem(f"cannot make the directory {name}: {error.strerror}") from None


def _draw(directory: str, records: "Sequence[Record]", grades: "Grades") -> None:
    import os

    from wfkit import streams
    from wfkit.agents.aggregation.cost import ratio_samples
    from wfkit.agents.aggregation.evidence import collect
    from wfkit.agents.aggregation.plots import figures

    ratios = {evidence.benchmark: ratio_samples(evidence) for evidence in collect(grades)}
    for name, data in figures(records, ratios):
        streams.write_file(os.path.join(directory, name), data)


def _write_page(name: str, records: "Sequence[Record]", answers: "Sequence[GateAnswer]") -> None:
    from wfkit import streams
    from wfkit.agents.aggregation.page import page

    streams.write_file(name, page(records, answers).encode())


def _rendered(form: Format, records: "Sequence[Record]") -> str:
    from wfkit.agents.aggregation.flat import as_csv
    from wfkit.agents.aggregation.sections import report
    from wfkit.rendering import as_markdown, as_text

    if form == "jsonl":
        return ""
    return (
        as_csv(records)
        if form == "csv"
        else as_text(report(records))
        if form == "table"
        else as_markdown(report(records))
    )


build = main.build

if __name__ == "__main__":
    main()
