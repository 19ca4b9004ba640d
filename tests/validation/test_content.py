from wfkit.validation.content import losses, merged_into
from wfkit.workflow import Step, Workflow


def chain(*texts: str) -> Workflow:
    steps = tuple(Step(str(n), text) for n, text in enumerate(texts, start=1))
    return Workflow("g", steps, tuple((n, n + 1) for n in range(len(texts) - 1)))


def test_the_only_home() -> None:
    golden = chain("take a cup", "fill the cup", "drink")
    candidate = chain("take a cup and fill it", "drink")
    assert merged_into(golden, candidate, {2: 1}, [0]) == {0: 0, 1: 0}


def test_a_step_whose_words_are_in_no_merged_step_has_no_home() -> None:
    golden = chain("print the label", "drop it off", "weigh it")
    candidate = chain("print the label", "weigh it off")
    # Unchanged steps take nothing in: step 2 must be in a merged one, and "drop" is in none.
    assert merged_into(golden, candidate, {0: 0}, [1]) == {2: 1}
    assert losses(golden, candidate, [1]) == "golden step 2 «drop it off» is in no merged step: drop lost"


def test_repeated_steps_find_homes_that_keep_the_order_and_leave_none_half_empty() -> None:
    golden = chain("go", "take", "go", "take")
    candidate = chain("go, take", "go, take")
    assert merged_into(golden, candidate, {}, [0, 1]) == {0: 0, 1: 0, 2: 1, 3: 1}
    candidate = chain("go", "take, go, take")
    assert merged_into(golden, candidate, {0: 0}, [1]) == {1: 1, 2: 1, 3: 1}


def test_many_repeated_steps_neither_recurse_nor_run_away() -> None:
    golden = chain(*["go"] * 3000)
    candidate = chain(*["go, go"] * 3)
    homes = merged_into(golden, candidate, {}, [0, 1, 2])
    assert set(homes) == set(range(3000))


def test_a_merged_step_has_no_more_parts_than_it_has_words_for_where_that_is_possible() -> None:
    golden = chain(*["go"] * 300)
    candidate = chain(*[", then ".join(["go"] * size) for size in (100, 2, 150, 48)])
    homes = merged_into(golden, candidate, {}, [0, 1, 2, 3])
    assert [homes[step] for step in range(300)] == [0] * 100 + [1] * 2 + [2] * 150 + [3] * 48
    # Where the words do not suffice ("it"), the limit falls away.
    golden, candidate = chain("take cup", "fill cup", "take cup", "fill cup"), chain(*["take cup and fill it"] * 2)
    assert merged_into(golden, candidate, {}, [0, 1]) == {0: 0, 1: 0, 2: 1, 3: 1}


def test_losses_of_many_steps_are_cut() -> None:
    golden = chain(*(f"task{n}" for n in range(5)))
    told = losses(golden, chain("rest"), range(5))
    assert told.count("is in no merged step") == 3
    assert told.endswith("; and 2 more")
    assert losses(golden, Workflow("g", (), ()), [0]) == "golden step 1 «task0» is in no merged step: task0 lost"
