"""No way of losing episodes can improve a bound: every fault leaves it where it was or makes it worse."""

from hypothesis import given, settings
from hypothesis import strategies as st

from wfkit.agents.aggregation.evidence import collect
from wfkit.agents.aggregation.figures import bounds, sums

MANY = settings(deadline=None, max_examples=100)

SCORES = st.sampled_from([0, 0, 0.25, 0.5, 1, 1, None])
FAULTS = st.sampled_from(["drop", "duplicate", "fail clean", "fail perturbed", "spoil", "cut", "reorder"])
FAILURES = ("actor_error", "actor_timeout", "turn_limit", "parse_error", "tool_error")


@st.composite
def runs(draw):
    """Requests of three tasks and two families on two models, some built, and their records."""
    setting = draw(st.sampled_from(["unknown", "zero"]))
    rows = []
    for task in range(3):
        for model in "ab":
            clean = draw(SCORES)
            rows += [(task, family, model, clean, draw(SCORES)) for family in ("user/missing", "tools/redundant")]
    return setting, rows


def records_of(short, setting, rows):
    names = {(task, family): f"{task}{family}" for task, family, *_ in rows}
    requests = {name: short.asked(name, f"t{task}", family, scale="unit") for (task, family), name in names.items()}
    grades = [
        short.graded(requests[names[task, family]], side(short, clean, f"c{task}"), side(short, perturbed), model=model)
        | {"actor_failure": setting}
        for task, family, model, clean, perturbed in rows
    ]
    return list(requests.values()), grades


def side(short, score, episode=None):
    return short.side(score, episode)


def failed(short, record, name):
    """The episode of one side is lost: its score is unknown, or an imposed 0 under `--actor-failure zero`."""
    zero = record["actor_failure"] == "zero"
    lost = short.side(0 if zero else None, record[name]["episode"], status="actor_timeout")
    return record | {name: lost}


def with_fault(short, grades, place, fault):
    record = grades[place]
    replaced = {
        "drop": [],
        "duplicate": [record, record],
        "fail clean": [failed(short, record, "clean")],
        "fail perturbed": [failed(short, record, "perturbed")],
        "spoil": [record | {"perturbed": short.side(1.2)}],
    }
    if fault == "cut":
        return grades[:place]
    if fault == "reorder":
        return grades[place:] + grades[:place]
    return grades[:place] + replaced[fault] + grades[place + 1 :]


def bounds_of(short, requests, grades, models=("a", "b")):
    (evidence,) = collect(short.read(requests, grades, models=models, repeats=1))
    return bounds(sums(evidence))


def no_better(before, after):
    """Lower ends may only fall and upper ends only rise; no end of D means that C can be 0, or can only be 0."""
    for name in ("clean", "perturbed", "delta"):
        assert after[name][0] <= before[name][0]
        assert after[name][1] >= before[name][1]
    (low, high), (low_after, high_after) = before["degradation"], after["degradation"]
    if low is None:
        assert low_after is None  # where C may be 0, D may be anything: no fault makes that go away
    elif low_after is not None:
        assert low_after <= low
    if high is not None:
        assert high_after is not None
        assert high_after >= high


@MANY
@given(run=runs(), faults=st.lists(st.tuples(st.integers(0, 10**6), FAULTS), min_size=1, max_size=6))
def test_no_fault_improves_a_bound(short, run, faults):
    requests, grades = records_of(short, *run)
    undisturbed = bounds_of(short, requests, grades)
    for number, fault in faults:
        if grades:
            grades = with_fault(short, grades, number % len(grades), fault)
            no_better(undisturbed, bounds_of(short, requests, grades))


@MANY
@given(run=runs(), data=st.data())
def test_whatever_the_unknown_scores_are_the_means_lie_within_the_bounds(short, run, data):
    _, rows = run
    requests, grades = records_of(short, "unknown", rows)
    stated = bounds_of(short, requests, grades)
    whole = st.floats(0, 1)
    clean = [row[3] if row[3] is not None else data.draw(whole) for row in rows]
    perturbed = [row[4] if row[4] is not None else data.draw(whole) for row in rows]
    clean_mean, perturbed_mean = sum(clean) / len(rows), sum(perturbed) / len(rows)
    within(clean_mean, stated["clean"])
    within(perturbed_mean, stated["perturbed"])
    within(clean_mean - perturbed_mean, stated["delta"])
    if clean_mean > 1e-6:
        within(1 - perturbed_mean / clean_mean, stated["degradation"])


@MANY
@given(run=runs())
def test_both_ends_are_reached(short, run):
    """The bounds are sharp: filling the unknown scores with 0 or 1 gives every end exactly."""
    _, rows = run
    requests, grades = records_of(short, "unknown", rows)
    stated = bounds_of(short, requests, grades)
    for clean_fill, perturbed_fill, end in ((0, 1, 0), (1, 0, 1)):
        filled = [
            (task, family, f"{model}", fill(clean, clean_fill), fill(perturbed, perturbed_fill))
            for task, family, model, clean, perturbed in rows
        ]
        reached = bounds_of(short, *records_of(short, "unknown", filled))
        assert reached["delta"] == [stated["delta"][end]] * 2
        assert reached["degradation"] == [stated["degradation"][end]] * 2


def fill(score, value):
    return value if score is None else score


def within(value, ends):
    low, high = ends
    assert low is None or value >= low - 1e-9
    assert high is None or value <= high + 1e-9


def test_the_property_has_teeth(short):
    """Counting only what was scored, the fault that this module guards against, does improve with a lost failure."""
    requests = [short.asked("p1", "t1"), short.asked("p2", "t2")]
    grades = [short.graded(requests[0], 1, 1), short.graded(requests[1], 1, 0)]
    whole, lost = bounds_of(short, requests, grades, ["m"]), bounds_of(short, requests, grades[:1], ["m"])
    assert whole["degradation"] == [0.5, 0.5]
    assert lost["degradation"][1] >= 0.5  # although the pair that is left shows no degradation at all
