import pytest

from wfkit.gate.merging import content_words, find_merges
from wfkit.workflow import Step, Workflow


def workflow(texts, edges=None):
    steps = tuple(Step(str(number), text) for number, text in enumerate(texts, 1))
    return Workflow(
        "w", steps, tuple((place, place + 1) for place in range(len(texts) - 1)) if edges is None else edges
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Unlock the door, and open it.", {"unlock", "door", "open"}),
        ("call get_user(id=7)", {"call", "get_user", "id", "7"}),
        ("打开门", {"打", "开", "门"}),
        ("and then the", set()),
        ("", set()),
    ],
)
def test_content_words(text, words):
    assert content_words(text) == words


GOLDEN = ["fetch the key", "unlock the door", "open the door", "walk inside"]


@pytest.mark.parametrize(
    ("candidate", "partners", "closest", "merges"),
    [
        # Step 2 was matched; it now says step 3 as well.
        (["fetch the key", "unlock and open the door", "walk inside"], {0: 0, 1: 1, 3: 2}, {}, {1: (1, 2)}),
        # Neither 2 nor 3 was similar enough to be matched.
        (["fetch the key", "unlock the door, then open it", "walk inside"], {0: 0, 3: 2}, {1: 1}, {1: (1, 2)}),
        # Three in one.
        (["fetch key, unlock door, open door", "walk inside"], {0: 0, 3: 1}, {}, {0: (0, 1, 2)}),
        # Step 3 is lost: nobody says its words.
        (["fetch the key", "unlock the door", "walk inside"], {0: 0, 1: 1, 3: 2}, {}, {}),
        # Not neighbours: the words of step 4 in step 1 are no merge while 2 and 3 stand between.
        (["fetch the key inside and walk", "unlock the door", "open the door"], {0: 0, 1: 1, 2: 2}, {}, {}),
        # An added step close to a matched golden step merges nothing.
        (["fetch the key", "fetch the key again", "walk inside"], {0: 0, 3: 2}, {1: 0}, {}),
        # Steps 2 and 3 are lost and said by an added step, although another, matched one is closer to it.
        (["fetch the key", "unlock and open the door", "walk inside"], {0: 0, 3: 2}, {1: 3}, {1: (1, 2)}),
        # Everything is matched.
        (GOLDEN, {0: 0, 1: 1, 2: 2, 3: 3}, {}, {}),
        ([], {}, {}, {}),
    ],
)
def test_merges(candidate, partners, closest, merges):
    assert find_merges(workflow(GOLDEN), workflow(candidate), partners, closest) == merges


def test_the_closest_step_may_be_far_from_those_that_were_merged():
    """The added step is closest to step 1, none of whose neighbours is lost, and says steps 3 and 4."""
    golden = workflow(["unlock the gate", "walk inside", "unlock the door", "open the window"])
    candidate = workflow(["unlock the gate", "walk inside", "unlock the door and open the window"])
    assert find_merges(golden, candidate, {0: 0, 1: 1}, {2: 0}) == {2: (2, 3)}


def test_words_that_the_step_always_had_do_not_say_a_lost_neighbour():
    golden = workflow(["open the door and shut the door", "shut the door"])
    assert find_merges(golden, workflow(["open the door and shut the door"]), {0: 0}, {}) == {}


def test_neighbours_may_be_joined_by_an_edge_only():
    golden = workflow(["boil water", "slice bread", "brew tea"], ((0, 2), (1, 2)))
    assert find_merges(golden, workflow(["boil water to brew tea", "slice bread"]), {0: 0, 1: 1}, {}) == {0: (0, 2)}


def test_a_lost_step_is_said_by_one_candidate_step_only():
    golden = workflow(["wash cup", "dry cup", "stack cup"])
    candidate = workflow(["wash cup, dry cup", "dry cup, stack cup"])
    assert find_merges(golden, candidate, {0: 0, 2: 1}, {}) == {0: (0, 1)}


def test_two_words_of_three_do_not_say_a_step():
    golden = workflow(["unlock the door", "open the door slowly"])
    assert find_merges(golden, workflow(["unlock and open the door"]), {0: 0}, {}) == {}
