"""What the report says of the records, as titled tables with notes."""

from collections.abc import Iterator, Sequence

from wfkit.agents.aggregation.structure_sections import structure_sections
from wfkit.agents.aggregation.wording import (
    HEAVY_TAIL,
    Figures,
    amount,
    benchmark_name,
    bounded,
    counted,
    dimension,
    ends,
    group_name,
    note_lines,
    number,
    p_value,
    per_benchmark,
)
from wfkit.rendering import Section

FIGURES = ("clean", "perturbed", "delta", "degradation")
BOUNDS_NOTE = "In brackets: sharp bounds over all requests, whatever the unknown scores are."
MEASURES = {
    "tokens": "tokens",
    "input_tokens": "input tokens",
    "output_tokens": "output tokens",
    "tool_calls": "tool calls",
    "turns": "turns",
}


def report(records: Sequence[Figures]) -> Iterator[Section]:
    """The sections on all benchmarks, one after the other; figures of two benchmarks never share a table."""
    for here in per_benchmark(records):
        yield from benchmark_sections(here)


def benchmark_sections(records: Sequence[Figures]) -> Iterator[Section]:
    """The sections on one benchmark.

    Args:
        records: the `ap_aggregate` records of the benchmark, the one on the whole of it first.
    """
    whole = records[0]
    name = benchmark_name(whole)
    some = [record for record in records if dimension(record) in ("overall", "model")]
    yield _effects(name, records)
    yield _evidence(name, records)
    yield _losses(name, records)
    yield _statuses(name, whole)
    yield _other_denominators(name, some)
    yield _side_costs(name, some)
    yield _paired_ratios(name, some)
    yield _rollouts(name, [record for record in records if dimension(record) in ("target", "type")])
    yield from structure_sections(name, records)


def _effects(name: str, records: Sequence[Figures]) -> Section:
    rows = [
        [group_name(record), f"{record['requested']:,}", f"{record['scored']:,}", number(record["coverage"]),
         *(bounded(record, figure) for figure in FIGURES)]
        for record in records
    ]  # fmt: skip
    notes = [BOUNDS_NOTE]
    for record in records:
        prefix = "" if dimension(record) == "overall" else f"{group_name(record)}: "
        notes += [f"{prefix}{note}" for note in note_lines(record, heavy_tails=False)]
    header = ["group", "requested", "scored", "coverage", "clean C", "perturbed P", "Δ = C − P", "D = Δ / C"]
    return Section(f"{name}: paired robustness", header, rows, notes)


def _evidence(name: str, records: Sequence[Figures]) -> Section:
    single = [test for test in ("mcnemar", "wilcoxon") if any(test in record["tests"] for record in records)]
    rows = []
    for record in records:
        interval, tests = record["ci"], record["tests"]
        row = [group_name(record), number(record["coverage"]), ends(record["bounds"]["degradation"])]
        row += [ends(interval["delta"]), ends(interval["degradation"]), str(interval["tasks"])]
        for test in ("sign_flip", *single):
            row += [p_value(tests.get(test)), p_value(tests.get(test), "holm")]
        rows.append(row)
    header = ["group", "coverage", "D bounds", "Δ interval", "D interval", "tasks", "sign-flip p", "Holm"]
    header += [title for test in single for title in (f"{test.capitalize()} p", "Holm")]
    settings = records[0]["settings"]
    notes = [
        f"Intervals: {100 * settings['level']:g} %, {counted(settings['replicates'], 'bootstrap replicate')} of whole"
        f" tasks, seed {settings['seed']}; they speak of the scored pairs, the bounds of the unknown ones.",
        "Holm: adjusted over the groups of the same kind (models, targets, types, cells). * too few moved tasks for any"
        " p below 0.05.",
    ]
    return Section(f"{name}: intervals and tests", header, rows, notes)


def _losses(name: str, records: Sequence[Figures]) -> Section:
    rows = []
    for record in records:
        counts = [record["requested"], record["constructed"], record["scored"], *record["one_sided"].values()]
        row = [group_name(record), *(f"{count:,}" for count in counts)]
        rows.append([*row, number(record["constructed_coverage"]), number(record["coverage"])])
    header = ["group", "requested", "constructed", "scored", "clean only", "perturbed only", "neither"]
    header += ["constructed / requested", "scored / requested"]
    return Section(f"{name}: what became of the requests", header, rows)


def _statuses(name: str, whole: Figures) -> Section:
    sides = whole["status_counts"]
    rows = [
        [status, *(f"{sides[side].get(status, 0):,}" for side in ("clean", "perturbed"))]
        for status in dict.fromkeys((*sides["clean"], *sides["perturbed"]))
    ]
    return Section(f"{name}: statuses", ["status", "clean", "perturbed"], rows)


def _other_denominators(name: str, records: Sequence[Figures]) -> Section:
    rows, notes = [], [BOUNDS_NOTE]
    for record in records:
        group = group_name(record)
        complete, sensitive = record["complete_case"], record["sensitive_only"]
        cases = [("all requests", record), ("constructed only", record["constructed_only"])]
        cases += [("complete cases", complete | {"requested": record["requested"]})]
        cases += [] if sensitive is None else [("sensitive tasks", sensitive)]
        for title, figures in cases:
            row = [f"{group}: {title}", f"{figures['requested']:,}", f"{figures['scored']:,}"]
            rows.append([*row, number(figures["coverage"]), *(bounded(figures, figure) for figure in FIGURES)])
        if dimension(record) == "overall":
            mean = {"degradation": record["mean_model_degradation"]}
            mean |= {"bounds": {"degradation": record["mean_model_degradation_bounds"]}}
            row = [f"{group}: mean of {counted(record['models_averaged'], 'model')}", f"{record['requested']:,}"]
            rows.append(
                [*row, f"{record['scored']:,}", number(record["coverage"]), "", "", "", bounded(mean, "degradation")]
            )
            notes.append(
                f"Complete cases: {complete['units_kept']:,} of {complete['units']:,} (model, repeat, task) have all"
                " their requests scored; bounds are those over all requests."
            )
            notes.append(_sensitive_note(sensitive))
    header = ["group: requests", "requested", "scored", "coverage", "clean C", "perturbed P", "Δ", "D"]
    return Section(f"{name}: other denominators", header, rows, notes)


def _sensitive_note(sensitive: Figures | None) -> str:
    if sensitive is None:
        return "Insensitive tasks, which an actor passes by doing nothing, are not known: no request has a noop_score."
    return (
        f"Sensitive tasks: without {counted(sensitive['insensitive_tasks'], 'task')} that an actor passes by doing"
        f" nothing; {sensitive['untried_tasks']:,} untried."
    )


def _side_costs(name: str, records: Sequence[Figures]) -> Section:
    rows = []
    for record in records:
        cost = record["cost"]
        for side in ("clean", "perturbed"):
            of, run = cost[side], cost[side]["successful_trajectory"]
            row = [f"{group_name(record)}: {side}", f"{of['episodes']:,}", f"{of['successes']:,}", f"{of['tokens']:,}"]
            row += [amount(of["tokens_per_success"]), amount(of["successes_per_million"]), amount(run["median"])]
            rows.append([*row, f"[{amount(run['q1'])}, {amount(run['q3'])}]", amount(run["mean"])])
        ratio, run = cost["ratio"], cost["ratio"]["successful_trajectory"]
        row = [f"{group_name(record)}: ratio", "", "", "", amount(ratio["tokens_per_success"])]
        rows.append([*row, amount(ratio["successes_per_million"]), amount(run["median"]), "", amount(run["mean"])])
    header = ["group: side", "episodes", "successes", "tokens", "tokens per success", "successes per million tokens"]
    header += ["successful run, median", "quartiles", "mean"]
    notes = [
        "Over the scored pairs whose tokens are known; a clean run that several families share counts once.",
        "Tokens per success counts all tokens spent, also in failures; a successful run counts its own alone.",
        _coverage_note(records),
    ]
    return Section(f"{name}: cost of success", header, rows, notes)


def _paired_ratios(name: str, records: Sequence[Figures]) -> Section:
    rows, notes = [], ["Perturbed over clean, pair by pair, whatever became of the scores."]
    for record in records:
        for measure, title in MEASURES.items():
            ratio = record["cost"]["paired_ratio"][measure]
            row = [f"{group_name(record)}: {title}", f"{ratio['pairs']:,}", number(ratio["median"])]
            row += [ends([ratio["q1"], ratio["q3"]]), number(ratio["mean"]), number(ratio["sd"])]
            rows.append([*row, f"{ratio['clean_zero']:,}"])
        notes += [f"{group_name(record)}: {note}" for note in record["notes"] if note.startswith(HEAVY_TAIL)]
    header = ["group: amount", "pairs", "median", "quartiles", "mean", "sd", "clean is 0"]
    return Section(f"{name}: ratios of matched runs", header, rows, notes)


def _rollouts(name: str, records: Sequence[Figures]) -> Section:
    measures = [measure for measure in MEASURES if measure != "tokens"]
    rows, family = [], 0
    for record in records:
        row = [group_name(record)]
        for measure in measures:
            ratio = record["cost"]["paired_ratio"][measure]
            row += [number(ratio["median"]), p_value(ratio["test"]), p_value(ratio["test"], "holm")]
            family = ratio["test"]["family_size"]
        rows.append(row)
    header = ["group", *(title for measure in measures for title in (f"{MEASURES[measure]}: median", "p", "Holm"))]
    notes = [
        "Median ratio of matched runs; sign-flip test by task over the signs of the changes, Holm over the"
        f" {counted(family, 'test')} of this table. * too few moved tasks for any p below 0.05."
    ]
    return Section(f"{name}: longer or shorter runs", header, rows, notes)


def _coverage_note(records: Sequence[Figures]) -> str:
    covered = ", ".join(
        f"{group_name(record)} {record['cost']['pairs']:,} of {record['requested']:,} requests" for record in records
    )
    return f"Counted pairs: {covered}."
