"""The order of episodes: by the seed and each episode alone."""

from hypothesis import given
from hypothesis import strategies as st

from wfkit.agents.grading.plan import Slot
from wfkit.agents.grading.schedule import shuffled

SLOTS = [Slot(f"run-{number}", "side", 0) for number in range(200)]


@given(st.permutations(SLOTS[:20]), st.integers())
def test_the_order_does_not_depend_on_the_order_of_the_input(slots: list[Slot], seed: int) -> None:
    assert shuffled(slots, seed) == shuffled(SLOTS[:20], seed)


@given(st.sets(st.sampled_from(SLOTS)), st.integers())
def test_what_is_left_after_a_kill_keeps_its_order(done: set[Slot], seed: int) -> None:
    left = [slot for slot in SLOTS if slot not in done]
    assert shuffled(left, seed) == [slot for slot in shuffled(SLOTS, seed) if slot not in done]


def test_seeds_shuffle_otherwise_and_neighbours_are_torn_apart() -> None:
    order = shuffled(SLOTS, 0)
    assert order != shuffled(SLOTS, 1)
    assert sorted(order) == sorted(SLOTS)
    # Clean and perturbed of one pair stand beside each other in the input; of 100 such pairs about one stays together.
    place = {slot: number for number, slot in enumerate(order)}
    assert sum(abs(place[SLOTS[2 * one]] - place[SLOTS[2 * one + 1]]) == 1 for one in range(100)) < 6
