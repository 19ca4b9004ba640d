"""What a reader of the figures must be told in words."""

from typing import Any

from wfkit.agents.aggregation.evidence import Evidence
from wfkit.agents.aggregation.grades import Grades


def group_notes(record: dict[str, Any]) -> list[str]:
    """Notes on the figures of one group: what is undefined, what rests on too little, what is heavy-tailed."""
    notes = []
    degradation, tests = record["degradation"], record["tests"]["sign_flip"]
    if not record["scored"]:
        notes.append("no pair is scored on both sides: there is no figure on the common set")
    elif degradation is None:
        notes.append("the clean mean is 0: the degradation is undefined")
    elif _outside(degradation, record["bounds"]["degradation"]):
        notes.append("the degradation on the common set lies outside its bounds over all requests")
    if record["scored"] and record["ci"]["too_few"]:
        notes.append(f"too few: an interval from {_counted(record['ci']['tasks'], 'task')} says little")
    if record["scored"] and tests["too_few"]:
        moved = tests["moved_tasks"]
        notes.append(f"too few: with {_counted(moved, 'moved task')} p cannot be below {min(1.0, 2 / 2**moved):g}")
    if undefined := record["ci"]["undefined_replicates"]:
        notes.append(f"{undefined} of {record['ci']['replicates']} replicates draw no clean success and are left out")
    for measure, ratio in record["cost"]["paired_ratio"].items():
        if tail := ratio["heavy_tail"]:
            notes.append(
                f"heavy tail of {measure}: median ratio {ratio['median']:.4g}, mean {ratio['mean']:.4g}, or"
                f" {tail['mean_without']:.4g} without {tail['beyond']} of {ratio['pairs']} above {tail['fence']:.4g}"
            )
    imposed = sum(record["imposed_zeros"].values())
    if imposed:
        notes.append(
            f"{_counted(imposed, 'score')} imposed as 0 by --actor-failure zero; the bounds count them as unknown"
        )
    labels = record.get("labels")
    unlisted = sorted(
        {
            label
            for entry in (labels["annotators"] if labels else [])
            for aspect in ("awareness", "behaviour")
            for label in entry[aspect]["not_in_label_set"]
        }
    )
    if unlisted:
        notes.append(f"not in the label set: {', '.join(unlisted)}")
    return notes


def run_notes(grades: Grades, evidence: Evidence) -> list[str]:
    """Notes on the whole input: what the denominator rests on, and what was bad."""
    notes = []
    if inferred := sorted(set(evidence.models) - grades.models_declared):
        notes.append(
            f"{_counted(len(inferred), 'model')} known only from the records: one that lost every record is not in N"
            " unless --models names it"
        )
    if not grades.knows_repeats_of(evidence.benchmark):
        repeats = grades.repeats[evidence.benchmark]
        notes.append(f"{_counted(repeats, 'repeat')} guessed from the largest number in the records: see --repeats")
    if grades.error_records:
        notes.append(f"{_counted(grades.error_records, 'error record')} in the input: their pairs count as unknown")
    if grades.requests.error_records:
        count = _counted(grades.requests.error_records, "error record")
        notes.append(f"{count} in the list of requests: N lacks the pairs that they would have been")
    return notes


def _outside(value: float, bounds: list[float | None]) -> bool:
    low, high = bounds
    return (low is not None and value < low) or (high is not None and value > high)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
