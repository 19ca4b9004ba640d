"""Measurements of ap-aggregate: the cluster statistics of a whole study, and a million graded pairs."""

import json
import random
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.measure import Row, Timed, run, wf

TARGETS = ("user", "procedure", "context", "tools")
TYPES = ("missing", "redundant", "incorrect")


def made_up_study(folder: Path, tasks: int, models: int) -> tuple[Path, Path]:
    """The requests for so many tasks in every family, and the grades of so many models."""
    requested, grades = folder / f"requested_{tasks}_{models}.jsonl", folder / f"grades_{tasks}_{models}.jsonl"
    chance = random.Random(0)
    cells = [(target, type_) for target in TARGETS for type_ in TYPES]
    with open(requested, "w") as target_file:
        for task in range(tasks):
            for target, type_ in cells:
                pair = {
                    "kind": "ap_pair", "id": f"{task}:{target}:{type_}", "benchmark": "b", "task": f"task {task}",
                    "scale": "binary", "target": target, "type": type_, "status": "accepted",
                }  # fmt: skip
                target_file.write(json.dumps(pair) + "\n")
    with open(grades, "w") as grade_file:
        for model in range(models):
            for task in range(tasks):
                clean = side(chance, f"{model}:{task}", 0.7)
                for target, type_ in cells:
                    pair_id = f"{task}:{target}:{type_}"
                    grade = {
                        "kind": "ap_grade", "id": f"{model}:{pair_id}", "pair": pair_id, "benchmark": "b",
                        "task": f"task {task}", "target": target, "type": type_, "scale": "binary",
                        "model": f"model {model}", "repeat": 0, "repeats": 1, "clean": clean,
                        "perturbed": side(chance, f"{model}:{pair_id}", 0.5), "actor_failure": "unknown",
                    }  # fmt: skip
                    grade_file.write(json.dumps(grade) + "\n")
    return requested, grades


def side(chance: random.Random, episode: str, success: float) -> dict[str, object]:
    """One episode; one in fifty has no score."""
    calls = chance.randrange(1, 20)
    answer: dict[str, object] = {"episode": episode, "score": int(chance.random() < success), "status": "graded"}
    if chance.random() < 0.02:
        answer |= {"score": None, "status": "grader_error"}
    usage = {"input_tokens": 400 * calls, "output_tokens": 60 * calls + chance.randrange(50)}
    return answer | {"usage": usage, "turns": calls + 1, "tool_calls": calls}


def aggregate(folder: Path, tasks: int, models: int, replicates: int) -> Timed:
    """Run ap-aggregate on a made-up study."""
    requested, grades = made_up_study(folder, tasks, models)
    timed = run(wf("ap-aggregate"), "-q", "--requested", str(requested), "--replicates", str(replicates), str(grades))
    requested.unlink()
    grades.unlink()
    return timed


def study_statistics(folder: Path) -> list[Row]:
    """Every statistic of 15,000 requests, and how it grows."""
    one = aggregate(folder, 250, 5, 2000)
    two = aggregate(folder, 500, 5, 2000)
    growth = two.seconds / one.seconds
    detail = "250 tasks, 12 families, 5 models; 2,000 replicates of whole tasks, start-up included, one process"
    return [
        Row("ap-aggregate, 15,000 requests", f"{one.seconds:.0f} s", "< 60 s", one.seconds < 60, detail),
        Row("the same, peak memory", f"{one.megabytes:.0f} MB", "< 400 MB", one.megabytes < 400, detail),
        Row("30,000 requests against 15,000", f"{growth:.1f} ×", "≤ 2.3 ×", growth <= 2.3, "linear: 2 ×"),
    ]  # fmt: skip


def million_grades(folder: Path) -> list[Row]:
    """A million graded pairs, with a single replicate: everything but the cluster statistics."""
    done = aggregate(folder, 8334, 10, 1)
    detail = f"1,000,080 grades of 100,008 requested pairs and 10 models in {done.seconds:.0f} s, one replicate"
    met = done.megabytes < 1000
    return [Row("ap-aggregate, a million pairs, peak memory", f"{done.megabytes:.0f} MB", "< 1,000 MB", met, detail)]


BENCHMARKS: dict[str, Callable[[Path], list[Row]]] = {
    "study_statistics": study_statistics,
    "million_grades": million_grades,
}
