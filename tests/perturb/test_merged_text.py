import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.perturb.merged_text import merged_text, names_in
from wfkit.perturb.words import words


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (["locate the mug", "pick up the mug"], "locate the mug, then pick up the mug"),
        (["Pour the tea.", "Serve it."], "Pour the tea, then serve it."),
        (["Pour.", "Stir.", "Drink."], "Pour, then stir, then drink."),
        (["Relax!", "Go skiing."], "Relax! Go skiing."),  # a closed sentence stays closed
        (["Elements you’ll need...", "Mix."], "Elements you’ll need... Mix."),
        (["Add hats, etc.", "Paint it."], "Add hats, etc., then paint it."),  # the dot of the abbreviation stays
        (["open it", "Then close it"], "open it; Then close it"),
        (["Open it.", "Then close it."], "Open it; then close it."),  # no "then then"
        (["Call.", "Peter's answer counts."], "Call, then Peter's answer counts."),
        (["Log in.", "Google Maps opens."], "Log in, then Google Maps opens."),  # a capital follows: a name
        (["Log in.", "SQL is run."], "Log in, then SQL is run."),
        (["Log in.", "iPhone rings."], "Log in, then iPhone rings."),
        (["Log in.", "I agree."], "Log in, then I agree."),
        (["ask peter", "Peter answers"], "ask peter, then Peter answers"),  # small letters else: a name
        (['Say "play."', "Watch."], 'Say "play", then watch.'),
        (["a,", "b"], "a, then b"),
        (["", "b"], "b"),
        (["a", " "], "a"),
        ([".", "b"], ", then b"),
        (["only"], "only"),
    ],
)
def test_merged_text(parts: list[str], expected: str) -> None:
    assert merged_text(parts, frozenset()) == expected


def test_names_keep_their_capital() -> None:
    names = names_in(["Ask Peter, then Mary", "Peter says no"])
    assert names == {"Peter", "Mary"}
    assert merged_text(["Wait.", "Peter says no."], names) == "Wait, then Peter says no."
    assert merged_text(["Wait.", "Peter says no."], frozenset()) == "Wait, then peter says no."


@given(st.lists(st.text(max_size=20), min_size=1, max_size=4))
def test_no_word_of_any_part_is_lost(parts: list[str]) -> None:
    merged = set(words(merged_text(parts, frozenset())))
    # Blanks cut off at the ends of parts are no words; everything else is there.
    assert all(set(words(part.strip())) <= merged for part in parts)
