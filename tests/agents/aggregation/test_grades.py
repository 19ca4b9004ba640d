"""Bad records: each is a DataError whose pair stays unknown, or a UsageProblem where records do not belong together."""

import pytest

from wfkit.agents.aggregation.evidence import collect
from wfkit.agents.aggregation.figures import paired_figures
from wfkit.agents.aggregation.grades import Grades
from wfkit.agents.aggregation.requests import read_requests
from wfkit.errors import DataError, Unavailable, UsageProblem


def scored(grades):
    return sum(paired_figures(evidence)["scored"] for evidence in collect(grades))


def changed(record, path, value):
    """A copy of a record with another value at a dotted path."""
    first, _, rest = path.partition(".")
    return record | {first: changed(record[first], rest, value) if rest else value}


@pytest.mark.parametrize("score", [1.2, -0.1, float("nan"), float("inf"), True, "1", [1], 0.5])
@pytest.mark.parametrize("side", ["clean", "perturbed"])
def test_a_score_that_is_none(short, side, score):
    request = short.asked("p1")
    grades = Grades(read_requests([request]))
    with pytest.raises(DataError) as caught:
        grades.add(changed(short.graded(request, 1, 0), f"{side}.score", score))
    assert caught.value.code == "E-SCORE"
    assert caught.value.path == f"$.{side}.score"
    assert scored(grades) == 0


def test_half_a_point_is_a_score_on_a_unit_scale(short):
    request = short.asked("p1", scale="unit")
    assert scored(short.read([request], [short.graded(request, 0.5, 0.25)])) == 1


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("pair", "p9", "p9 was never requested"),
        ("pair", None, "pair should be a text"),
        ("model", "", "model should be a text"),
        ("model", 3, "model should be a text"),
        ("repeat", -1, "repeat should be a whole number"),
        ("repeat", True, "repeat should be a whole number"),
        ("repeat", 1000, "repeat should be a whole number from 0 to 999"),
        ("repeats", 0, "repeats should be a whole number above the repeat 0"),
        ("task", "t9", "task is 't9' here and 't1' in the request"),
        ("target", "tools", "target is 'tools' here and 'user' in the request"),
        ("type", "redundant", "type is"),
        ("benchmark", "other", "benchmark is"),
        ("clean", None, "clean should be an object"),
        ("perturbed.status", "lost", "the status of the perturbed side is 'lost'"),
        ("perturbed.status", "no_record", "the status of the perturbed side is 'no_record'"),
        ("perturbed.status", None, "the status of the perturbed side is None"),
        ("perturbed.score", None, "the perturbed side is graded but has no score"),
        ("perturbed.status", "not_constructed", "was not constructed but has a score"),
        ("perturbed.episode", 7, "episode should be a text"),
        ("perturbed.episode", "c1", "both sides are the one episode c1"),
        ("perturbed.usage", {"input_tokens": -5}, "an amount should be a whole number"),
        ("perturbed.usage", {"output_tokens": "12"}, "an amount should be a whole number"),
        ("perturbed.turns", 1.5, "an amount should be a whole number"),
        ("perturbed.tool_calls", True, "an amount should be a whole number"),
        ("actor_failure", None, "actor_failure should be one of unknown, zero"),
        ("labels", "rules", "labels should be a list of objects"),
        ("labels", [{"awareness": "x"}], "annotator should be a text"),
        ("labels", [{"annotator": "a"}, {"annotator": "a"}], "the annotator a labelled the episode twice"),
        ("labels", [{"annotator": "a", "behaviour": 3}], "a label should be a text"),
    ],
)
def test_a_bad_record_leaves_its_pair_unknown(short, path, value, message):
    request = short.asked("p1")
    record = short.graded(request, short.side(1, "c1"), 0)
    grades = Grades(read_requests([request]), models=["m"])
    with pytest.raises(DataError, match=message):
        grades.add(changed(record, path, value))
    assert scored(grades) == 0


def test_a_valid_record_does_not_undo_a_bad_one(short):
    """Otherwise spoiling one of two records of a pair would make the pair known."""
    request = short.asked("p1")
    record = short.graded(request, 1, 0)
    grades = short.read([request], [changed(record, "perturbed.score", 7), record])
    assert (scored(grades), grades.error_records) == (0, 2)


def test_a_record_that_was_refused_before_it_came_counts_as_bad(short):
    request = short.asked("p1")
    record = short.graded(request, 1, 0)
    grades = Grades(read_requests([request]))
    grades.refuse(changed(record, "perturbed.score", 7))
    grades.refuse({"pair": "unheard of"})
    with pytest.raises(DataError, match="a second record"):
        grades.add(record)
    assert (scored(grades), grades.error_records) == (0, 2)


def test_a_pair_with_two_records_is_unknown_whichever_comes_first(short):
    request = short.asked("p1")
    good, bad = short.graded(request, 1, 1), short.graded(request, 1, 0)
    for order in ([good, bad], [bad, good], [good, good]):
        grades = short.read([request], order)
        assert (scored(grades), grades.error_records) == (0, 1)
    with pytest.raises(DataError, match="a second record for pair p1, model m, repeat 0"):
        grades.add(good)


def test_two_models_and_two_repeats_are_no_duplicates(short):
    request = short.asked("p1")
    records = [short.graded(request, 1, 0, model=model, repeat=repeat) for model in "ab" for repeat in (0, 1)]
    grades = short.read([request], records)
    assert (scored(grades), grades.error_records) == (4, 0)


def test_a_score_of_a_pair_that_was_never_constructed(short):
    request = short.asked("p1", status="rejected")
    with pytest.raises(DataError, match="the pair was not accepted"):
        Grades(read_requests([request])).add(short.graded(request, 1, 0))


def test_the_clean_score_of_a_pair_that_could_not_be_built_stays_known(short):
    request = short.asked("p1", status="inapplicable")
    grades = short.read([request], [short.graded(request, 1, short.side(None, status="not_constructed"))])
    (evidence,) = collect(grades)
    assert grades.error_records == 0
    assert evidence.clean.known.tolist() == [True]
    assert evidence.perturbed.known.tolist() == [False]


def test_a_number_from_the_grader_stands_whatever_the_actor_did(short):
    request = short.asked("p1")
    grades = short.read([request], [short.graded(request, 1, short.side(1, status="turn_limit"))])
    assert scored(grades) == 1


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("other", [{"score": 0}, {"turns": 9}, {"usage": {"input_tokens": 1}}])
def test_a_clean_episode_told_in_two_ways_makes_its_pairs_unknown(short, other, backwards):
    requests = [short.asked("p1"), short.asked("p2", family="tools/missing"), short.asked("p3", "t3")]
    clean = short.side(1, "shared", turns=4)
    records = [
        short.graded(requests[0], clean, 0),
        short.graded(requests[1], clean | other, 0),
        short.graded(requests[2], short.side(1, "own"), 0),
    ]
    grades = short.read(requests, reversed(records) if backwards else records)
    assert (scored(grades), grades.error_records) == (1, 1)


def test_one_name_on_two_tasks_or_models_is_two_episodes(short):
    requests = [short.asked("p1", "t1"), short.asked("p2", "t2")]
    records = [short.graded(requests[0], short.side(1, "run"), 0), short.graded(requests[1], short.side(0, "run"), 0)]
    records.append(short.graded(requests[0], short.side(0, "run"), 0, model="n"))
    grades = short.read(requests, records)
    assert (scored(grades), grades.error_records) == (3, 0)


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        ({"actor_failure": "unknown"}, {"actor_failure": "zero"}, "two --actor-failure settings"),
        ({"digests": {"grader": "g1"}}, {"digests": {"grader": "g2"}}, "two grader digests for b: g1 and g2"),
        ({"digests": {"actor": "a1"}}, {"digests": {"actor": "a2"}}, "two actor digests for b and m: a1 and a2"),
        ({"digests": {"actor": "a1"}}, {}, "two actor digests for b and m: a1 and None"),
        ({"scale": "binary"}, {"scale": "unit"}, "benchmark b has two scales"),
    ],
)
def test_records_that_do_not_belong_together(short, one, other, message):
    requests = [short.asked("p1"), short.asked("p2")]
    grades = Grades(read_requests(requests))
    grades.add(short.graded(requests[0], 1, 0) | one)
    with pytest.raises(UsageProblem, match=message):
        grades.add(short.graded(requests[1], 1, 0) | other)


def test_two_models_may_have_two_actors_and_two_benchmarks_two_graders(short):
    requests = [short.asked("p1"), short.asked("p2", benchmark="c")]
    records = [
        short.graded(requests[0], 1, 0, digests={"actor": "a1", "grader": "g1"}),
        short.graded(requests[0], 1, 0, model="n", digests={"actor": "a2", "grader": "g1"}),
        short.graded(requests[1], 1, 0, digests={"actor": "a1", "grader": "g2"}),
    ]
    assert scored(short.read(requests, records)) == 3


def test_models_and_repeats_make_the_denominator(short):
    request = short.asked("p1")
    record = short.graded(request, 1, 0)
    for options, more, requested in [
        ({}, {}, 1),
        ({"models": ["m", "lost"]}, {}, 2),
        ({"repeats": 3}, {}, 3),
        ({"models": ["lost"], "repeats": 2}, {}, 4),
        ({}, {"repeat": 2}, 3),
        ({}, {"repeats": 5}, 5),
    ]:
        (evidence,) = collect(short.read([request], [record | more], **options))
        assert len(evidence) == requested


def test_a_repeat_beyond_the_declared_ones_was_never_requested(short):
    request = short.asked("p1")
    with pytest.raises(DataError, match="repeat 2, counted from 0, was never requested: there are 2"):
        Grades(read_requests([request]), repeats=2).add(short.graded(request, 1, 0, repeat=2))


def test_without_any_model_there_is_nothing_to_measure(short):
    with pytest.raises(Unavailable, match="nothing to measure"):
        list(collect(short.read([short.asked("p1")], [])))


def test_a_declared_model_without_any_record_is_all_unknown(short):
    (evidence,) = collect(short.read([short.asked("p1")], [], models=["m"]))
    figures = paired_figures(evidence)
    assert (figures["requested"], figures["scored"], figures["coverage"]) == (1, 0, 0)
    assert figures["bounds"] == {"clean": [0, 1], "perturbed": [0, 1], "delta": [-1, 1], "degradation": [None, 1]}
