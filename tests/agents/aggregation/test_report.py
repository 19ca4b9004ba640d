import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from wfkit import schema
from wfkit.agents.aggregation.capability import read_capabilities
from wfkit.agents.aggregation.report import aggregate
from wfkit.agents.aggregation.settings import Settings
from wfkit.agents.families import FAMILIES
from wfkit.errors import UsageProblem

ROOT = Path(__file__).parents[3]
FEW = Settings(replicates=40)


def grid(short, tasks=8, models=("m1", "m2", "m3"), seed=0):
    """A grid of all families with unconstructed cells, lost records, labels, usage and a second benchmark."""
    chance = random.Random(seed)
    requests, grades = [], []
    for benchmark, scale in (("bfcl", "binary"), ("apex", "unit")):
        for task in range(tasks):
            clean_of = {model: chance.random() for model in models}
            for family in FAMILIES:
                built = chance.random() < 0.9
                status = "accepted" if built else "inapplicable"
                edit = {"operation": chance.choice(["a", "b"])}
                request = short.asked(
                    f"{benchmark}-{task}-{family}", f"t{task}", family, benchmark=benchmark, scale=scale
                ) | {"status": status, "edit": edit, "noop_score": int(task == 0)}
                requests.append(request)
                for model in models:
                    clean = round(clean_of[model]) if scale == "binary" else round(clean_of[model], 2)
                    usage = {"input_tokens": int(1000 * clean_of[model]) + 1, "output_tokens": 20}
                    before = short.side(clean, "clean", usage=usage, turns=2, tool_calls=1)
                    perturbed = short.side(None, status="not_constructed")
                    if built:
                        score = clean if chance.random() < 0.7 else 0
                        usage = {"input_tokens": chance.randrange(1, 2000), "output_tokens": chance.randrange(1, 50)}
                        perturbed = short.side(score, family, usage=usage, turns=3, tool_calls=1)
                    labels = [{"annotator": "rules", "awareness": "never_flagged"}] if chance.random() < 0.5 else []
                    if chance.random() < 0.95:
                        grades.append(short.graded(request, before, perturbed, model=model, labels=labels))
    return requests, grades


def capabilities(models=("m1", "m2", "m3")):
    rows = [{"model": model, "score": place, "source": "s", "date": "d"} for place, model in enumerate(models)]
    return read_capabilities(rows, models)


def test_every_record_fits_the_schema(short):
    check = schema.checker("ap_aggregate")
    requests, grades = grid(short)
    read = short.read(requests, grades, by=["edit.operation"])
    assert read.error_records == 0
    records = aggregate(read, FEW, capabilities())
    for record in records:
        check(record)
    assert len(records) == 2 * (1 + 3 + 4 + 3 + 12 + 2)


def test_reading_records_imports_no_numeric_library():
    program = "import sys; from wfkit.agents.aggregation import grades, requests; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT).returncode == 0


def test_input_records_fit_their_schema(short):
    check = schema.checker("ap_grade")
    for record in grid(short)[1]:
        check(record)


@pytest.mark.parametrize("kind", ["ap_grade", "ap_aggregate"])
def test_schema_examples_are_valid_and_every_property_is_described(kind):
    document = json.loads(schema.text(kind))
    for example in document["examples"]:
        schema.checker(kind)(example)

    def properties(part):
        if isinstance(part, dict):
            yield from part.get("properties", {}).items()
            for name, child in part.items():
                if name != "examples":
                    yield from properties(child)
        elif isinstance(part, list):
            for child in part:
                yield from properties(child)

    assert not [name for name, value in properties(document) if not value.get("description")]


def test_every_property_that_is_written_is_in_the_schema(short):
    documented = json.loads(schema.text("ap_aggregate"))["properties"]
    requests, grades = grid(short)
    for record in aggregate(short.read(requests, grades), FEW, capabilities()):
        assert set(record) <= set(documented)


def test_the_order_of_input_changes_nothing_and_a_second_run_is_byte_identical(short):
    requests, grades = grid(short)
    once = json.dumps(aggregate(short.read(requests, grades), FEW, capabilities()))
    assert json.dumps(aggregate(short.read(requests, grades), FEW, capabilities())) == once
    for seed in range(3):
        random.Random(seed).shuffle(requests)
        random.Random(seed).shuffle(grades)
        assert json.dumps(aggregate(short.read(requests, grades), FEW, capabilities())) == once


def test_another_seed_draws_other_replicates_and_is_recorded(short):
    requests, grades = grid(short)
    one, two = (aggregate(short.read(requests, grades), Settings(seed=seed, replicates=40))[0] for seed in (0, 1))
    assert one["ci"]["delta"] != two["ci"]["delta"]
    assert (two["ci"]["seed"], two["cross_family"]["seed"], two["settings"]["seed"]) == (1, 1, 1)
    assert one["degradation"] == two["degradation"]


def test_no_figure_on_the_common_set_stands_without_coverage_and_bounds(short):
    def parts(value):
        if isinstance(value, dict):
            yield value
            for child in value.values():
                yield from parts(child)
        elif isinstance(value, list):
            for child in value:
                yield from parts(child)

    requests, grades = grid(short)
    records = aggregate(short.read(requests, grades), FEW, capabilities())
    found = [part for part in parts(records) if "degradation" in part and ("clean" in part or "score" in part)]
    assert len(found) > 150
    for part in found:
        # bounds and intervals are named after what they bound
        if not isinstance(part["degradation"], list):
            assert "coverage" in part
            assert part["bounds"] is not None or part["requested"] == 0


def test_groups_come_in_a_fixed_order_and_only_where_something_was_requested(short):
    requests = [short.asked("p1", "t1", "tools/missing"), short.asked("p2", "t2", "user/incorrect")]
    grades = [short.graded(request, 1, 0) for request in requests]
    groups = [record["group"] for record in aggregate(short.read(requests, grades, by=["generator"]), FEW)]
    whole = {"benchmark": "b"}
    assert groups == [
        whole,
        whole | {"model": "m"},
        whole | {"target": "user"},
        whole | {"target": "tools"},
        whole | {"type": "missing"},
        whole | {"type": "incorrect"},
        whole | {"target": "user", "type": "incorrect"},
        whole | {"target": "tools", "type": "missing"},
        whole | {"generator": None},
    ]


def test_holm_over_the_cells(short):
    """Twelve cells of six tasks each, all broken in one cell: raw p 2/64, adjusted 12 times that."""
    requests = [short.asked(f"{task}{family}", f"t{task}", family) for family in FAMILIES for task in range(6)]
    grades = [short.graded(request, 1, int(request["id"][1:] != FAMILIES[0])) for request in requests]
    records = aggregate(short.read(requests, grades), FEW)
    cells = [record for record in records if len(record["group"]) == 3]
    test = cells[0]["tests"]["sign_flip"]
    assert (test["p"], test["holm"], test["family_size"]) == (2 / 64, 12 * 2 / 64, 12)
    assert cells[0]["tests"]["mcnemar"]["p"] == 2 / 64  # one pair for each task: valid, and equal here
    assert "mcnemar" not in records[0]["tests"]  # twelve pairs for each task
    targets = [record for record in records if list(record["group"]) == ["benchmark", "target"]]
    assert targets[0]["tests"]["sign_flip"]["family_size"] == 4


def test_rollout_tests_are_one_family_of_28(short):
    requests, grades = grid(short)
    records = aggregate(short.read(requests, grades), FEW)
    tests = [
        ratio["test"]
        for record in records
        if record["group"]["benchmark"] == "bfcl"
        for ratio in record["cost"]["paired_ratio"].values()
        if "test" in ratio
    ]
    assert len(tests) == 28
    assert {test["family_size"] for test in tests} == {28}


def test_wilcoxon_on_a_unit_scale_with_one_pair_for_each_task(short):
    """Differences 1, .5, .25, -.125, ranks 4 3 2 1: positive 9 of 10; P(W >= 9) = 2/16."""
    scores = [(1, 0), (1, 0.5), (1, 0.75), (0.5, 0.625)]
    requests = [short.asked(f"p{place}", f"t{place}", scale="unit") for place in range(4)]
    grades = [short.graded(request, *score) for request, score in zip(requests, scores, strict=True)]
    overall = aggregate(short.read(requests, grades), FEW)[0]
    assert overall["tests"]["wilcoxon"]["p"] == 4 / 16
    assert "mcnemar" not in overall["tests"]


def test_insensitive_tasks_are_shown_apart_and_never_dropped(short):
    requests = [short.asked("p1", "t1", noop_score=1), short.asked("p2", "t2", noop_score=0), short.asked("p3", "t3")]
    grades = [short.graded(requests[0], 1, 1), short.graded(requests[1], 1, 0), short.graded(requests[2], 1, 1)]
    overall = aggregate(short.read(requests, grades), FEW)[0]
    assert (overall["requested"], overall["degradation"]) == (3, pytest.approx(1 / 3))
    without = overall["sensitive_only"]
    assert (without["insensitive_tasks"], without["untried_tasks"], without["requested"]) == (1, 1, 2)
    assert (without["degradation"], without["bounds"]["degradation"]) == (0.5, [0.5, 0.5])


def test_nobody_tried_an_actor_that_does_nothing(short):
    request = short.asked("p1")
    assert aggregate(short.read([request], [short.graded(request, 1, 1)]), FEW)[0]["sensitive_only"] is None


def test_a_cell_that_could_not_be_built_stays_in_n_with_the_constructed_figures_beside_it(short):
    requests = [short.asked("p1", "t1"), short.asked("p2", "t2", status="inapplicable")]
    grades = [
        short.graded(requests[0], 1, 1),
        short.graded(requests[1], 1, short.side(None, status="not_constructed")),
    ]
    overall = aggregate(short.read(requests, grades), FEW)[0]
    assert (overall["requested"], overall["constructed"], overall["constructed_coverage"]) == (2, 1, 0.5)
    assert overall["bounds"]["degradation"] == [0, 0.5]
    assert overall["constructed_only"]["bounds"]["degradation"] == [0, 0]
    assert overall["status_counts"]["perturbed"] == {"graded": 1, "not_constructed": 1}


def test_one_task_one_model_and_no_scored_pair(short):
    request = short.asked("p1")
    overall = aggregate(short.read([request], [short.graded(request, 1, None)]), FEW)[0]
    assert (overall["scored"], overall["degradation"], overall["bounds"]["degradation"]) == (0, None, [0, 1])
    assert overall["tests"]["sign_flip"]["p"] is None
    assert overall["ci"]["delta"] is None
    assert "no pair is scored on both sides: there is no figure on the common set" in overall["notes"]


def test_too_few_is_an_outcome(short):
    requests = [short.asked(f"p{place}", f"t{place}") for place in range(3)]
    notes = aggregate(short.read(requests, [short.graded(request, 1, 0) for request in requests]), FEW)[0]["notes"]
    assert "too few: an interval from 3 tasks says little" in notes
    assert "too few: with 3 moved tasks p cannot be below 0.25" in notes


def test_what_the_denominator_rests_on_is_said(short):
    request = short.asked("p1")
    record = short.graded(request, 1, 0)
    inferred = aggregate(short.read([request], [record, {"pair": "p9"}]), FEW)[0]["notes"]
    assert any(note.startswith("1 model known only from the records") for note in inferred)
    assert any(note.startswith("1 repeat guessed from the largest number in the records") for note in inferred)
    assert "1 error record in the input: their pairs count as unknown" in inferred
    declared = aggregate(short.read([request], [record], models=["m"], repeats=1), FEW)[0]["notes"]
    assert not any("known only" in note or "guessed" in note or "error" in note for note in declared)
    told = aggregate(short.read([request], [record | {"repeats": 2}], models=["m"]), FEW)[0]
    assert told["requested"] == 2 and not any("guessed" in note for note in told["notes"])
    listed = aggregate(short.read([{"kind": "error"}, request], [record]), FEW)[0]["notes"]
    assert "1 error record in the list of requests: N lacks the pairs that they would have been" in listed


def test_imposed_zeros_and_a_figure_outside_its_bounds_are_said(short):
    """Half the clean sides failed and count as 0: D on S is 1 - .5 / .5 = 0, and the bounds say more."""
    requests = [short.asked("p1", "t1"), short.asked("p2", "t2"), short.asked("p3", "t3")]
    failed = short.side(0, status="actor_error")
    grades = [short.graded(request, 1, failed) for request in requests[:2]] + [short.graded(requests[2], 1, 1)]
    overall = aggregate(short.read(requests, [grade | {"actor_failure": "zero"} for grade in grades]), FEW)[0]
    assert "2 scores imposed as 0 by --actor-failure zero; the bounds count them as unknown" in overall["notes"]
    assert overall["settings"]["actor_failure"] == "zero"
    # known: (1, -) (0, 0); the scored pair has clean 0... the common set alone is not typical
    requests = [short.asked("q1", "t1"), short.asked("q2", "t2"), short.asked("q3", "t3")]
    grades = [short.graded(requests[0], 1, 0), short.graded(requests[1], None, 1), short.graded(requests[2], None, 1)]
    overall = aggregate(short.read(requests, grades), FEW)[0]
    # D on S = 1; over all, P = 2/3 and C at most 1, so D is at most 1/3
    assert (overall["degradation"], overall["bounds"]["degradation"][1]) == (1, pytest.approx(1 / 3))
    assert "the degradation on the common set lies outside its bounds over all requests" in overall["notes"]


def test_across_benchmarks_by_rank_in_the_overall_records_only(short):
    records = aggregate(short.read(*grid(short)), FEW)
    with_ranks = [record for record in records if "across_benchmarks" in record]
    assert [record["group"] for record in with_ranks] == [{"benchmark": "apex"}, {"benchmark": "bfcl"}]
    assert with_ranks[0]["across_benchmarks"][0]["benchmarks"] == ["apex", "bfcl"]


@pytest.mark.parametrize(
    "choice",
    [
        {"seed": -1},
        {"replicates": 0},
        {"level": 1.0},
        {"success": 0.0},
        {"success": 1.5},
        {"change": "ratio"},
        {"most_capable": 0},
    ],
)
def test_a_setting_out_of_range(choice):
    with pytest.raises(UsageProblem):
        Settings(**choice)
