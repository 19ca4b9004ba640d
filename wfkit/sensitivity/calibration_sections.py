"""What the report says of a calibration: the bars, the rates to expect, and what other bars would cost."""

from collections.abc import Iterator, Mapping
from typing import Any

from wfkit.gate.wording import printable
from wfkit.rendering import Section

RATES = {"false_alarm": "false alarms", "benign_alarm": "benign alarms", "miss": "misses"}


def calibration_sections(calibration: Mapping[str, Any]) -> Iterator[Section]:
    """What was calibrated, and for each rule what another bar would cost."""
    yield _outcomes(calibration)
    for outcome in calibration["rules"]:
        if "trade_off" in outcome:
            yield _trade_off(outcome)


def _outcomes(calibration: Mapping[str, Any]) -> Section:
    rows = []
    notes = [_question(calibration)]
    for outcome in calibration["rules"]:
        name = printable(outcome["name"])
        if outcome["outcome"] != "calibrated":
            rows.append([name, "none", *["–"] * 4])
            notes.append(f"{without_bar(outcome)}. The rule is left out.")
            continue
        rates = [_rate_cell(outcome["held_out"][rate]) for rate in RATES]
        rows.append([name, _bars(outcome["bars"]), _bars(outcome["before"]), *rates])
    tolerate, detect = f"{calibration['tolerate']:g} %", f"{calibration['detect']:g} %"
    notes += [
        f"False alarms: on damage up to {tolerate}. Misses: on damage from {detect} on.",
        "Benign alarms: on pairs of other types that an ideal metric gives 1; they count as false alarms too.",
        f"Rates are on goldens that had no say in the bar ({calibration['folds']}-fold cross-validation by golden),",
        "with their 95 % interval. A higher bar misses less and raises more alarms: set it high where an outage is",
        "costly, low where alarms go unread. Two clauses that must both be true raise fewer alarms than one.",
    ]
    header = ["rule", "bar", "bar before", *RATES.values()]
    return Section("Calibration", header, rows, notes)


def _question(calibration: Mapping[str, Any]) -> str:
    mild, severe = f"damage up to {calibration['tolerate']:g} %", f"damage from {calibration['detect']:g} % on"
    if calibration["max_false_alarm"] is not None:
        return f"Asked: fire on at most {100 * calibration['max_false_alarm']:g} % of {mild}, and on most of {severe}."
    return f"Asked: fire on at least {100 * calibration['min_detect']:g} % of {severe}, and on least of {mild}."


def _trade_off(outcome: Mapping[str, Any]) -> Section:
    points = [
        *outcome["trade_off"],
        {"bars": outcome["bars"], **_plain(outcome["on_all"]), "name": "chosen"},
        {"bars": outcome["before"], **_plain(outcome["before_on_all"]), "name": "before"},
    ]
    points.sort(key=lambda point: (list(point["bars"].values()), point.get("name", "")))
    rows = [
        [_bars(point["bars"]), *(_percent(point[name]) for name in RATES), point.get("name", "")] for point in points
    ]
    title = f"What another bar would cost: {printable(outcome['name'])}"
    note = "On all pairs, those that chose the bars among them, so these rates flatter a little."
    return Section(title, ["bar", *RATES.values(), ""], rows, [note])


def _plain(rates: Mapping[str, Any]) -> dict[str, float | None]:
    return {name: rates[name]["rate"] for name in RATES}


def _bars(bars: Mapping[str, float]) -> str:
    return ", ".join(f"{bar:.12g}" for bar in bars.values())


def _rate_cell(rate: Mapping[str, Any]) -> str:
    if rate["rate"] is None:
        return "–"
    low, high = (100 * end for end in rate["interval"])
    return f"{100 * rate['rate']:.1f} % [{low:.1f}, {high:.1f}]"


def without_bar(outcome: Mapping[str, Any]) -> str:
    """Why a rule has no bar, in one line."""
    kind = outcome["outcome"].replace("_", " ")
    return f"{printable(outcome['name'])}: no bar, {kind}: {printable(outcome['reason'], 300)}"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"
