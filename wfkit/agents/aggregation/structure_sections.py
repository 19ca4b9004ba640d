"""Tables on what lies behind the effects: capability, families, labels and tool edits."""

from collections.abc import Iterator, Sequence

from wfkit.agents.aggregation.wording import (
    UNKNOWN,
    Figures,
    amount,
    bounded,
    counted,
    ends,
    number,
    p_value,
)
from wfkit.gate.wording import printable
from wfkit.rendering import Section

KINDS = {
    "same_target": "same target",
    "same_type": "same type",
    "neither": "neither",
    "same_target_minus_same_type": "same target − same type",
    "same_target_minus_neither": "same target − neither",
}


def structure_sections(name: str, records: Sequence[Figures]) -> Iterator[Section]:
    """The sections on one benchmark, as far as its records have the figures.

    Args:
        name: the benchmark as it is shown.
        records: its `ap_aggregate` records, the one on the whole of it first.
    """
    whole = records[0]
    if "capability" in whole:
        yield _capability(name, whole["capability"])
    if whole["differing_outcomes"]:
        yield _differing(name, whole["differing_outcomes"])
    if "across_benchmarks" in whole:
        yield _across(name, whole["across_benchmarks"])
    yield from _cross_family(name, whole["cross_family"])
    if "labels" in whole:
        yield _labels(name, whole["labels"])
    if "tool_edits" in whole:
        yield _tool_edits(name, whole["tool_edits"])


def correlation_text(test: Figures) -> str:
    """A rank correlation with its permutation test in words."""
    if test["rho"] is None:
        return f"undefined: {counted(test['items'], 'model')}, or all alike on one side"
    few = "; too few models for any p below 0.05" if test["too_few"] else ""
    method = (
        "all pairings" if test["method"] == "exact" else f"{test['pairings']:,} drawn pairings, seed {test['seed']}"
    )
    return (
        f"rho {number(test['rho'])}, p {p_value({'p': test['p']})} ({method}, {counted(test['items'], 'model')}{few})"
    )


def _capability(name: str, capability: Figures) -> Section:
    rows = [
        [printable(each["model"]), amount(each["score"]), printable(each["source"]), printable(each["date"]),
         number(each["coverage"]), f"{number(each['degradation'])} {ends(each['bounds'])}"]
        for each in capability["models"]
    ]  # fmt: skip
    best = capability["most_capable"]
    notes = [f"Capability against robustness 1 − D: {correlation_text(capability)}."]
    if best["degradation"] is not None:
        tied = " (a tie decides who is among them)" if best["tied"] else ""
        notes.append(
            f"The {counted(best['count'], 'most capable model')}{tied}: mean D {number(best['degradation'])}; the rest:"
            f" {number(best['rest'])}; coverage and bounds of each stand above."
        )
    for which, title in (("without_capability", "Without a capability"), ("without_degradation", "Without a D")):
        if capability[which]:
            notes.append(f"{title}: {', '.join(map(printable, capability[which]))}.")
    header = ["model", "capability", "source", "date", "coverage", "D [bounds]"]
    return Section(f"{name}: capability and robustness", header, rows, notes)


def _differing(name: str, pairs: Sequence[Figures]) -> Section:
    rows = [
        [" and ".join(map(printable, each["models"])), f"{each['pairs']:,}", f"{each['differing']:,}",
         number(each["share"])]
        for each in pairs
    ]  # fmt: skip
    return Section(f"{name}: how often two models differ at all", ["models", "both scored", "differ", "share"], rows)


def _across(name: str, comparisons: Sequence[Figures]) -> Section:
    rows = [
        [" and ".join(map(printable, each["benchmarks"])), str(each["items"]), number(each["rho"]), p_value(each)]
        for each in comparisons
    ]
    notes = ["Do the models rank alike by D? By rank alone: scores of two benchmarks have no common mean."]
    return Section(f"{name}: across benchmarks", ["benchmarks", "models", "rho", "p"], rows, notes)


def _cross_family(name: str, cross: Figures) -> Iterator[Section]:
    title = f"{name}: which families disturb the same tasks"
    notes = [
        f"Partial rank correlation of the changes, given the clean rank and the model: {cross['rows']:,} of"
        f" {cross['possible_rows']:,} (task, model) have every family scored; {counted(cross['tasks'], 'task')},"
        f" {counted(cross['replicates'], 'replicate')}, seed {cross['seed']}."
    ]
    if cross["clean_zero"]:
        notes.append(f"{cross['clean_zero']:,} rows left out: the change relative to a clean score of 0 is undefined.")
    if cross["too_few"]:
        notes.append(f"too few: an interval from {counted(cross['tasks'], 'task')} says little.")
    if cross["groups"] is None:
        yield Section(title, ("families",), (), notes)
        return
    rows = []
    for key, kind in KINDS.items():
        group = cross["groups"][key]
        count = f"{group['pairs']}" if "pairs" in group else ""
        rows.append([kind, count, number(group["rho"]), ends(group["ci"]), f"{group['undefined_replicates']:,}"])
    of = cross["intervals"]
    notes.append(
        f"{of['excluding_zero']} of {of['defined']} intervals of single pairs exclude 0, of {of['pairs']} pairs; their"
        f" median width is {number(of['median_width'])}."
    )
    yield Section(title, ["families share", "pairs", "mean rho", "interval", "undefined replicates"], rows, notes)
    rows = [
        [f"{pair['a']} and {pair['b']}", KINDS[pair["kind"]], number(pair["rho"]), ends(pair["ci"]),
         f"{pair['undefined_replicates']:,}"]
        for pair in cross["pairs"]
    ]  # fmt: skip
    yield Section(f"{name}: pairs of families", ["families", "share", "rho", "interval", "undefined replicates"], rows)


def _labels(name: str, labels: Figures) -> Section:
    rows = []
    failures = labels["failures"]
    for each in labels["annotators"]:
        for aspect in ("awareness", "behaviour"):
            start = f"{printable(each['annotator'])}, {aspect}"
            for label in each[aspect]["labels"]:
                row = [f"{start}: {printable(label['label'])}", f"{label['count']:,}", f"{failures:,}"]
                rows.append([*row, number(label["share"]), ends(label["interval"])])
            unlabelled = each[aspect]["unlabelled"]
            share = number(unlabelled / failures if failures else None)
            rows.append([f"{start}: unlabelled", f"{unlabelled:,}", f"{failures:,}", share, ""])
    notes = ["Among the scored pairs that failed while their clean side succeeded; Wilson intervals."]
    for each in labels["agreement"]:
        who = " and ".join(map(printable, each["annotators"]))
        notes.append(
            f"Agreement of {who} on {each['aspect']}: kappa {number(each['kappa'])}"
            f" over {counted(each['episodes'], 'episode')}."
        )
    header = ["annotator, aspect: label", "count", "failures", "share", "interval"]
    return Section(f"{name}: what agents noticed and did", header, rows, notes)


def _tool_edits(name: str, edits: Sequence[Figures]) -> Section:
    rows = []
    for edit in edits:
        operation = UNKNOWN if edit["operation"] is None else printable(edit["operation"])
        row = [operation, f"{edit['tasks']:,}", f"{edit['requested']:,}", f"{edit['scored']:,}"]
        row += [number(edit["coverage"]), *(bounded(edit, figure) for figure in ("clean", "perturbed", "degradation"))]
        rows.append([*row, number(edit["token_ratio"]["median"])])
    header = ["operation", "tasks", "requested", "scored", "coverage", "clean C", "perturbed P", "D"]
    notes = ["Descriptive: the operations hit different tasks. In brackets: sharp bounds over all requests."]
    return Section(f"{name}: edits of tools", [*header, "token ratio, median"], rows, notes)
