"""What the report says of the records, in the tables that the paper prints (Tables 2 to 5, 7 and 8) and notes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from wfkit.gate.wording import printable
from wfkit.jsonl import Record
from wfkit.rendering import Section

SMALL = "*"
SMALL_NOTE = f"{SMALL} fewer than 30 goldens: not to be relied on."


def report(records: Sequence[Record], notes: Sequence[str]) -> Iterator[Section]:
    """The sections on some records, and what is to be noted of the whole input.

    Args:
        records: ``sensitivity`` and ``firing`` records of one run.
        notes: lines on the input.
    """
    sensitivities = [record for record in records if record["kind"] == "sensitivity"]
    firings = [record for record in records if record["kind"] == "firing"]
    if any("align" in record for record in records):
        yield from _sweep(sensitivities, firings)
    else:
        whole = [record for record in sensitivities if record["stratum"] is None]
        if whole:
            yield _deltas(whole)
        yield from _trajectories(whole)
        yield from _strata(sensitivities)
        if firings:
            yield _firing(firings)
        yield from _firing_strata(firings)
        if whole:
            yield _separation(whole)
    yield Section("Input", (), (), notes)


def _deltas(records: Sequence[Record]) -> Section:
    types = _distinct(records, "type")
    rows = []
    for metric in _distinct(records, "metric"):
        found = {record["type"]: record for record in records if record["metric"] == metric}
        rows.append([printable(metric), *(_delta_cell(found.get(name)) for name in types)])
    notes = [
        "Mean fall of the score per unit of severity (1 = all steps), with its 95 % interval over goldens.",
        *_small_note(records),
    ]
    return Section("Sensitivity (Δ average)", ["metric", *map(printable, types)], rows, notes)


def _delta_cell(record: Record | None) -> str:
    if record is None or record["delta_average"] is None:
        return "–"
    mark = SMALL if record["too_small"] else ""
    return f"{record['delta_average']:.2f}{mark} {_interval(record['delta_average_interval'])}".rstrip()


def _trajectories(records: Sequence[Record]) -> Iterator[Section]:
    for type_name in _distinct(records, "type"):
        here = [record for record in records if record["type"] == type_name]
        severities = sorted({point["severity"] for record in here for point in record["severities"]})
        steps = sorted({(step["from"], step["to"]) for record in here for step in record["delta"]})
        header = ["metric", *(f"{severity:g} %" for severity in severities)]
        header += [f"Δ {low:g}–{high:g}" for low, high in steps] + ["residuals", "below 1", "monotone"]
        rows = [_target_row(here, severities, len(steps)), *(_trajectory_row(one, severities, steps) for one in here)]
        notes = ["Mean ± standard deviation; residuals are mean less target; below 1 is the share of such scores."]
        compared = [_point(here[0], severity)["steps_compared"] for severity in severities if _point(here[0], severity)]
        if any(one is not None for one in compared):
            shown = ", ".join("–" if one is None else f"{one:.1f}" for one in compared)
            notes.append(f"Steps of the shorter side, which is how many BERTScore compares: {shown}.")
        yield Section(printable(type_name), header, rows, notes)


def _target_row(records: Sequence[Record], severities: Sequence[float], steps: int) -> list[str]:
    cells = []
    for severity in severities:
        targets = [_point(record, severity).get("target") for record in records]
        known = [target for target in targets if target is not None]
        cells.append(f"{known[0]:.2f}" if known else "–")
    return ["target", *cells, *[""] * (steps + 3)]


def _trajectory_row(record: Record, severities: Sequence[float], steps: Sequence[tuple[float, float]]) -> list[str]:
    points = [_point(record, severity) for severity in severities]
    deltas = {(step["from"], step["to"]): step["value"] for step in record["delta"]}
    monotone = {True: "yes", False: "no", None: "–"}[record["monotone"]]
    return [
        printable(record["metric"]) + (SMALL if record["too_small"] else ""),
        *(_mean_cell(point) for point in points),
        *(_number(deltas.get(step)) for step in steps),
        " ".join(_number(point.get("residual"), "+.2f") for point in points),
        " ".join(_percent(point.get("below_1")) for point in points) + " %",
        monotone,
    ]


def _mean_cell(point: Mapping[str, Any]) -> str:
    if point.get("mean") is None:
        return "–"
    spread = f" ± {point['sd']:.2f}" if point["sd"] is not None else ""
    return f"{point['mean']:.2f}{spread}"


def _strata(records: Sequence[Record]) -> Iterator[Section]:
    for by in dict.fromkeys(record["stratum"]["by"] for record in records if record["stratum"]):
        here = [record for record in records if record["stratum"] and record["stratum"]["by"] == by]
        values = list(dict.fromkeys(record["stratum"]["value"] for record in here))
        cells = {(one["metric"], one["type"], one["stratum"]["value"]): one for one in here}
        rows = [
            [printable(f"{metric}, {type_name}"), *(_stratum_cell(cells.get((metric, type_name, v))) for v in values)]
            for metric, type_name in dict.fromkeys((record["metric"], record["type"]) for record in here)
        ]
        notes = ["Δ average, and the number of goldens.", *_small_note(here)]
        yield Section(f"Sensitivity by {printable(by)}", ["metric, type", *map(_value_name, values)], rows, notes)


def _stratum_cell(record: Record | None) -> str:
    if record is None:
        return "–"
    return f"{_number(record['delta_average'])} ({record['goldens']:,}){SMALL if record['too_small'] else ''}"


def _firing(records: Sequence[Record]) -> Section:
    whole = [record for record in records if record["stratum"] is None]
    rules = _distinct(whole, "rule")
    rows = []
    for type_name, severity in dict.fromkeys((record["type"], record["severity"]) for record in whole):
        found = {r["rule"]: r for r in whole if (r["type"], r["severity"]) == (type_name, severity)}
        rows.append([f"{printable(type_name)} {severity:g} %", *(_firing_cell(found.get(rule)) for rule in rules)])
    notes = ["✓ it should fire, ✗ it should not; brackets hold the 95 % interval.", *_small_note(whole)]
    return Section("Share of pairs on which each rule fires", ["damage", *map(printable, rules)], rows, notes)


def _firing_strata(records: Sequence[Record]) -> Iterator[Section]:
    order = [_damage(record) for record in records if record["stratum"] is None]
    measured = [record for record in records if record["stratum"] and record["rate"] is not None]
    for by in dict.fromkeys(record["stratum"]["by"] for record in measured):
        here = [record for record in measured if record["stratum"]["by"] == by]
        values = list(dict.fromkeys(record["stratum"]["value"] for record in here))
        rows: dict[tuple[str, str, float], dict[str, str]] = {}
        for record in here:
            rows.setdefault(_damage(record), {})[record["stratum"]["value"]] = _firing_cell(record)
        yield Section(
            f"Share of pairs on which each rule fires, by {printable(by)}",
            ["rule, damage", *map(_value_name, values)],
            [
                [f"{printable(f'{rule}, {type_name}')} {severity:g} %", *(cells.get(value, "–") for value in values)]
                for (rule, type_name, severity), cells in sorted(rows.items(), key=lambda row: order.index(row[0]))
            ],
            _small_note(here),
        )


def _damage(record: Record) -> tuple[str, str, float]:
    return record["rule"], record["type"], record["severity"]


def _firing_cell(record: Record | None) -> str:
    if record is None or record["rate"] is None:
        return "–"
    mark = {"yes": "✓ ", "no": "✗ ", None: ""}[record["expected"]]
    low, high = (100 * end for end in record["interval"])
    small = SMALL if record["too_small"] else ""
    return f"{mark}{100 * record['rate']:.1f} %{small} [{low:.1f}, {high:.1f}]"


def _separation(records: Sequence[Record]) -> Section:
    types = _distinct(records, "type")
    rows = []
    for metric in _distinct(records, "metric"):
        found = {record["type"]: record["separation"] for record in records if record["metric"] == metric}
        rows.append([printable(metric), *(_separation_cell(found.get(name)) for name in types)])
    notes = [
        "First: the probability that damage to be detected scores lower than damage to be tolerated. Second: lower",
        "than as much damage of other types. Over single pairs; 0.50 is chance. P, the primary metric, is best in both",
        "taken together; S is that of another family which sees most of what P misses (appendix C of the paper).",
    ]
    return Section("Which metric separates which damage", ["metric", *map(printable, types)], rows, notes)


def _separation_cell(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return "–"
    role = {"primary": "P ", "secondary": "S ", None: ""}[found["role"]]
    return f"{role}{found['sensitivity']:.2f} {_number(found['specificity'])}"


def _sweep(sensitivities: Sequence[Record], firings: Sequence[Record]) -> Iterator[Section]:
    thresholds = _distinct(sensitivities, "align")
    header = [*(f"{threshold:g}" for threshold in thresholds)]
    yield Section(
        "Sensitivity (Δ average) by alignment threshold",
        ["metric, type", *header],
        _by_threshold(sensitivities, thresholds, ("metric", "type"), lambda one: _number(one["delta_average"])),
    )
    yield _bundles(sensitivities, thresholds)
    yield Section(
        "Mean scores by alignment threshold",
        ["metric, type", *header],
        _by_threshold(sensitivities, thresholds, ("metric", "type"), _means_cell),
        ["At each severity, rising."],
    )
    yield Section(
        "Share of pairs on which each rule fires, by alignment threshold",
        ["rule, type, severity", *header],
        _by_threshold(firings, thresholds, ("rule", "type", "severity"), lambda one: f"{_percent(one['rate'], 1)} %"),
    )


def _bundles(sensitivities: Sequence[Record], thresholds: Sequence[float]) -> Section:
    """Which metric is primary and which secondary for each type, at every threshold."""
    roles: dict[tuple[str, float], dict[str, str]] = {}
    for record in sensitivities:
        if record["separation"] is not None and record["separation"]["role"] is not None:
            here = roles.setdefault((record["type"], record["align"]), {})
            here[record["separation"]["role"]] = printable(record["metric"])
    rows = []
    for type_name in _distinct(sensitivities, "type"):
        bundles = [roles.get((type_name, threshold), {}) for threshold in thresholds]
        rows.append(
            [printable(type_name), *(", ".join(found[role] for role in sorted(found)) or "–" for found in bundles)]
        )
    title = "Primary and secondary metric by alignment threshold"
    return Section(title, ["type", *(f"{threshold:g}" for threshold in thresholds)], rows, [])


def _by_threshold(
    records: Sequence[Record], thresholds: Sequence[float], keys: Sequence[str], cell: Callable[[Record], str]
) -> list[list[str]]:
    rows: dict[tuple[Any, ...], dict[float, str]] = {}
    for record in records:
        if record["stratum"] is None:
            rows.setdefault(tuple(record[key] for key in keys), {})[record["align"]] = cell(record)
    return [
        [printable(", ".join(str(part) for part in key)), *(cells.get(threshold, "–") for threshold in thresholds)]
        for key, cells in rows.items()
    ]


def _means_cell(record: Record) -> str:
    return " ".join(_number(point["mean"]) for point in record["severities"])


def _small_note(records: Iterable[Record]) -> list[str]:
    return [SMALL_NOTE] if any(record["too_small"] and record.get("n") != 0 for record in records) else []


def _value_name(value: str) -> str:
    return printable(value) or "(none)"


def _point(record: Record, severity: float) -> dict[str, Any]:
    return next((point for point in record["severities"] if point["severity"] == severity), {})


def _distinct(records: Iterable[Record], key: str) -> list[Any]:
    values: list[Any] = []
    for record in records:
        if record[key] not in values:
            values.append(record[key])
    return values


def _number(value: float | None, form: str = ".2f") -> str:
    return "–" if value is None else f"{value:{form}}"


def _percent(share: float | None, digits: int = 0) -> str:
    return "–" if share is None else f"{100 * share:.{digits}f}"


def _interval(ends: Sequence[float] | None) -> str:
    return "" if ends is None else f"[{ends[0]:.2f}, {ends[1]:.2f}]"
