import pytest

from wfkit.perturb.words import content_words, lost_words, stem, wording, words


@pytest.mark.parametrize(
    "forms",
    [
        "pick picks picked picking",
        "place places placed placing",
        "stop stops stopped stopping",
        "carry carries carried carrying",
        "box boxes boxed boxing",
        "go goes going",
        "use uses used using",
        "add adds added adding",
        "mash mashes mashed mashing",
        "install installs installed installing",
        "travel travels travelled travelling traveled",
        "fill fills filled filling",
        "mug mugs mug's",
        "shoe shoes",
        "cache caches cached caching",
        "press presses pressed pressing",
        "proceed proceeds proceeded proceeding",
        "free frees freeing",
    ],
)
def test_inflections_have_one_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("universe", "university"),  # one stem for Porter
        ("organ", "organize"),
        ("need", "new"),
        ("string", "strip"),
        ("bus", "bu"),
        ("fill", "file"),
        ("bring", "bred"),
        ("get_user", "get_users"),  # names stay as they are
        ("10", "100"),
    ],
)
def test_different_words_have_different_stems(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don’t pay $1,000.50!", ("don't", "pay", "1,000.50")),
        ("put mug in/on desk 1.", ("put", "mug", "in", "on", "desk", "1")),
        ("call get_weather_v2()", ("call", "get_weather_v2")),
        ("ＦＵＬＬ ﬁll", ("full", "fill")),  # compatibility forms
        ("取杯子 now", ("取", "杯", "子", "now")),  # written without blanks: sign by sign
        ("🎉 !!!", ()),
        ("", ()),
    ],
)
def test_words(text: str, expected: tuple[str, ...]) -> None:
    assert words(text) == expected


def test_content_words() -> None:
    assert content_words("pick up the mug") == {"pick", "mug"}
    assert content_words("do it") == frozenset()
    assert content_words("!!!") == frozenset()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Go to the fridge.", "go to fridge", True),
        ("Open  the\ndoor!", "Open a door", True),
        ("go to fridge", "walk to fridge", False),
        ("not now", "now", False),
    ],
)
def test_wording(one: str, other: str, same: bool) -> None:
    assert (wording(one) == wording(other)) is same


@pytest.mark.parametrize(
    ("part", "whole", "lost"),
    [
        ("pick up the mug", "locate the mug in the kitchen and pick it up", []),
        ("press the button to brew coffee", "brew the coffee by pressing a button", []),
        ("drop it off at a UPS location", "print the shipping label", ["drop", "off", "ups", "location"]),
        ("wait 10 minutes", "wait a few minutes", ["10"]),
        ("do not open the door", "open the door", ["not"]),
        ("use 'get_user'", "use 'get_users'", ["get_user"]),
        ("turn off the lamp", "turn on the lamp", ["off"]),
        ("turn off the lamp", "turn the lamp out of it", ["off"]),
        ("🎉", "bake it, then 🎉", []),
        ("🎉", "bake it", ["🎉"]),
        ("", "bake it", []),
        ("take one cup on it", "take cup on it", ["one"]),  # a number, whose stem is not the word on
        ("do it", "Do it, then go", []),
        ("do it", "go", ["do", "it"]),
    ],
)
def test_lost_words(part: str, whole: str, lost: list[str]) -> None:
    assert lost_words(part, whole) == lost
