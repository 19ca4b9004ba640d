import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.errors import DataError
from wfkit.gate.differences import LINK_LIMIT, Difference, compare, is_unchanged, longest_increasing_run

ABC = ["fetch the key", "unlock the door", "walk inside"]


def found(record):
    return compare(record).differences


def test_equal_workflows_do_not_differ(make_pair):
    record = make_pair(ABC, ABC)
    assert is_unchanged(record)
    assert found(record) == ()


@pytest.mark.parametrize(
    ("candidate", "options"),
    [
        (ABC[:2], {}),
        ([*ABC, "wave"], {}),
        (ABC[::-1], {}),
        (ABC, {"candidate_edges": [(0, 1)]}),
        (ABC, {"candidate_edges": [(0, 1), (0, 2)]}),
        (ABC, {"matched": [(0, 0, 1.0), (1, 1, 1.0)]}),
        (ABC, {"matched": [(0, 1, 0.9), (1, 0, 0.9), (2, 2, 1.0)]}),
    ],
)
def test_the_quick_check_sees_every_change_of_structure(make_pair, candidate, options):
    record = make_pair(ABC, candidate, **options)
    assert not is_unchanged(record)
    assert found(record) != ()


def test_the_quick_check_looks_over_wording_edge_order_and_ids(make_pair):
    reworded = ["get the key", *ABC[1:]]
    record = make_pair(ABC, reworded, matched=[(0, 0, 0.9), (1, 1, 1.0), (2, 2, 1.0)], candidate_edges=[(1, 2), (0, 1)])
    assert is_unchanged(record)
    assert found(record) == (Difference("reworded", (0,), (0,), 0.9),)


def test_the_quick_check_says_nothing_without_alignment(make_pair):
    record = make_pair(ABC, ABC)
    del record["alignment"]
    assert not is_unchanged(record)


def test_a_deletion_that_is_relinked_only_misses_the_step(make_pair):
    # a -> b -> c became a -> c: the order of the rest is kept.
    assert found(make_pair(ABC, [ABC[0], ABC[2]])) == (Difference("missing", (1,)),)


def test_a_deletion_that_is_cut_also_loses_the_dependency(make_pair):
    # a -> b -> c became a, c: c no longer waits for a.
    assert found(make_pair(ABC, [ABC[0], ABC[2]], candidate_edges=[])) == (
        Difference("missing", (1,)),
        Difference("unlinked", (0, 2), (0, 1)),
    )


def test_an_insertion_is_looked_through(make_pair):
    record = make_pair(ABC, [ABC[0], "wave", *ABC[1:]])
    record["alignment"]["closest_extra"] = {"c2": ["3", 0.3]}
    assert found(record) == (Difference("added", (), (1,), 0.3, 2),)


def test_missing_steps_carry_what_is_closest(make_pair):
    record = make_pair(ABC, ABC[:2])
    record["alignment"]["closest"] = {"3": ["c2", 0.41]}
    assert found(record) == (Difference("missing", (2,), (), 0.41, 1),)


def test_links_lost_and_gained_name_the_waiting_step_last(make_pair):
    # 1 -> 2, 1 -> 3 became 1 -> 2 -> 3.
    record = make_pair(ABC, ABC, golden_edges=[(0, 1), (0, 2)], candidate_edges=[(0, 1), (1, 2)])
    assert found(record) == (Difference("unlinked", (0, 2), (0, 2)), Difference("linked", (1, 2), (1, 2)))


def test_a_merge_is_neither_missing_nor_reworded_nor_relinked(make_pair):
    golden = ["fetch the key", "unlock the door", "open the door", "walk inside"]
    candidate = ["fetch the key", "unlock and open the door", "walk inside"]
    record = make_pair(golden, candidate, matched=[(0, 0, 1.0), (1, 1, 0.9), (3, 2, 1.0)])
    assert found(record) == (Difference("merged", (1, 2), (1,), 0.9, 1),)


def test_a_moved_step_is_told_with_one_that_it_passed(make_pair):
    golden = ["a a", "b b", "c c", "d d"]
    # b is lost; d comes first: of a and c, which kept their order, a is now its neighbour.
    record = make_pair(golden, ["d d", "a a", "c c"], golden_edges=[], candidate_edges=[])
    assert found(record) == (Difference("missing", (1,)), Difference("moved", (3, 0), (0,)))


@pytest.mark.parametrize(
    ("values", "run"),
    [([], set()), ([3], {3}), ([0, 1, 2], {0, 1, 2}), ([2, 1, 0], {0}), ([3, 0, 1, 2], {0, 1, 2}), ([1, 2, 0], {1, 2})],
)
def test_longest_increasing_run(values, run):
    assert longest_increasing_run(values) == run


@given(st.permutations(range(7)))
def test_longest_increasing_run_against_brute_force(values):
    subsets = [[value for place, value in enumerate(values) if mask >> place & 1] for mask in range(1 << len(values))]
    longest = max(len(subset) for subset in subsets if subset == sorted(subset))
    run = longest_increasing_run(values)
    assert len(run) == longest
    assert sorted(run) == [value for value in values if value in run]


@pytest.mark.parametrize(
    ("alignment", "message"),
    [
        ({"matched": [["9", "c1", 1.0]]}, "names step '9', which the golden lacks"),
        ({"matched": [["1", "9", 1.0]]}, "names step '9', which the candidate lacks"),
        ({"matched": [["1", "c1", 1.0], ["1", "c2", 1.0]]}, "matches a step twice"),
        ({"matched": [["1", "c1", 1.0], ["2", "c1", 1.0]]}, "matches a step twice"),
        ({"matched": [], "closest": {"9": ["c1", 0.1]}}, "which the golden lacks"),
        ({"matched": [], "closest": {"1": ["9", 0.1]}}, "which the candidate lacks"),
        ({"matched": [], "closest_extra": {"9": ["1", 0.1]}}, "which the candidate lacks"),
        ({"matched": [], "closest_extra": {"c1": ["9", 0.1]}}, "which the golden lacks"),
    ],
)
def test_an_alignment_that_does_not_fit_is_a_data_error(make_pair, alignment, message):
    record = {**make_pair(ABC, ABC), "alignment": alignment}
    assert not is_unchanged(record)
    with pytest.raises(DataError, match=message) as caught:
        compare(record)
    assert caught.value.code == "E-ALIGNMENT"


@pytest.mark.parametrize("side", ["golden", "candidate"])
def test_a_broken_workflow_is_a_data_error(make_pair, side):
    record = make_pair(ABC, ABC)
    record[side]["edges"].append([record[side]["nodes"][0]["id"], "nowhere"])
    with pytest.raises(DataError, match="nowhere"):
        compare(record)


def test_links_through_a_lost_hub_of_thousands_are_not_compared(make_pair):
    side = int(LINK_LIMIT**0.5) + 1
    texts = [f"in {number}" for number in range(side)] + ["hub"] + [f"out {number}" for number in range(side)]
    edges = [(place, side) for place in range(side)] + [(side, side + 1 + place) for place in range(side)]
    candidate = [text for text in texts if text != "hub"]
    matched = [(place if place < side else place + 1, place, 1.0) for place in range(2 * side)]
    record = make_pair(texts, candidate, golden_edges=edges, candidate_edges=[], matched=matched)
    comparison = compare(record)
    assert not comparison.links_compared
    assert comparison.differences == (Difference("missing", (side,)),)


def test_self_loops_and_cycles_of_a_candidate_do_not_hang(make_pair):
    record = make_pair(ABC, [*ABC, "x", "y"], candidate_edges=[(0, 0), (0, 3), (3, 4), (4, 3), (4, 1), (1, 2)])
    assert [difference.kind for difference in found(record)] == ["added", "added"]


@st.composite
def pairs(draw):
    texts = st.lists(st.sampled_from(["wash cup", "dry cup", "wash and dry cup", "pour tea", "drink"]), max_size=6)
    golden, candidate = draw(texts), draw(texts)
    count = draw(st.integers(0, min(len(golden), len(candidate))))
    left = draw(st.permutations(range(len(golden))))[:count]
    right = draw(st.permutations(range(len(candidate))))[:count]

    def edges(size):
        forward = [(source, target) for source in range(size) for target in range(source + 1, size)]
        return draw(st.lists(st.sampled_from(forward), unique=True)) if forward else []

    return (
        golden,
        candidate,
        {
            "matched": [(here, there, 0.9) for here, there in zip(left, right, strict=True)],
            "golden_edges": edges(len(golden)),
            "candidate_edges": edges(len(candidate)),
        },
    )


@given(pairs())
def test_every_step_is_accounted_for_once(make_pair, case):
    golden, candidate, options = case
    record = make_pair(golden, candidate, **options)
    differences = found(record)
    merged = [difference for difference in differences if difference.kind == "merged"]
    missing = [difference.golden[0] for difference in differences if difference.kind == "missing"]
    added = [difference.candidate[0] for difference in differences if difference.kind == "added"]
    matched_golden = {here for here, _, _ in options["matched"]}
    matched_candidate = {there for _, there, _ in options["matched"]}
    said_in_merges = {step for difference in merged for step in difference.golden} - matched_golden
    merging = {difference.candidate[0] for difference in merged} - matched_candidate
    assert sorted([*missing, *said_in_merges, *matched_golden]) == list(range(len(golden)))
    assert sorted([*added, *merging, *matched_candidate]) == list(range(len(candidate)))


@given(pairs())
def test_the_quick_check_agrees_with_the_comparison(make_pair, case):
    golden, candidate, options = case
    record = make_pair(golden, candidate, **options)
    structural = [difference for difference in found(record) if difference.kind != "reworded"]
    if is_unchanged(record):
        assert structural == []
    elif golden_and_candidate_match_in_place(record):
        assert structural != [] or same_links_through_other_steps(options)


def golden_and_candidate_match_in_place(record):
    return record["alignment"]["matched"] == [
        [node["id"], counterpart["id"], 0.9]
        for node, counterpart in zip(record["golden"]["nodes"], record["candidate"]["nodes"], strict=False)
    ]


def same_links_through_other_steps(options):
    return set(options["golden_edges"]) == set(options["candidate_edges"])


def test_a_merge_into_a_step_without_counterpart_says_what_that_step_is_closest_to(make_pair):
    golden = ["fetch the key", "unlock the door", "open the door", "walk inside"]
    record = make_pair(golden, ["fetch the key", "unlock the door, then open it", "walk inside"])
    for closest, expected in (({"c2": ["2", 0.7]}, (0.7, 1)), ({}, (None, None))):
        record["alignment"]["closest_extra"] = closest
        merged = [one for one in found(record) if one.kind == "merged"]
        assert [(one.similarity, one.closest) for one in merged] == ([expected] if closest else [])
