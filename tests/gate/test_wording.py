import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfkit.gate.wording import breach_text, counted, printable, quoted, similarity_text, value_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("open the door", "open the door"),
        ("  open\tthe\r\n door ", "open the door"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\x00b\x7f\x9b", "a\\x00b\\x7f\\x9b"),
        ("\u202egnp.exe", "\\u202egnp.exe"),  # bidirectional override
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\udc80", "\\udc80"),  # lone surrogate
        ("\U000e0041", "\\U000e0041"),  # tag character
        ("क्\u200dष 👩\u200d🔧", "क्\u200dष 👩\u200d🔧"),  # joiners that spelling needs
        ("", ""),
    ],
)
def test_printable(text, shown):
    assert printable(text) == shown


def test_long_texts_are_cut_to_the_limit():
    assert printable("x" * 60) == "x" * 60
    assert printable("x" * 61) == "x" * 59 + "…"
    assert printable("x" * 10**7) == "x" * 59 + "…"
    assert printable(" " * 10**3 + "x") == "…"  # what is looked at holds blanks only, and there is more


@given(st.text(), st.integers(2, 80))
def test_printable_is_one_harmless_line(text, limit):
    shown = printable(text, limit)
    assert all(mark.isprintable() or mark in "\u200c\u200d" for mark in shown)
    shown.encode("utf-8")


def test_quoted():
    assert quoted("open the door") == "«open the door»"


@pytest.mark.parametrize(
    ("similarity", "shown"), [(0.41, "0.41"), (1.0, "1.00"), (0.9999, "0.99"), (0.994, "0.99"), (-0.05, "-0.05")]
)
def test_only_equal_texts_are_shown_with_similarity_one(similarity, shown):
    assert similarity_text(similarity) == shown


@pytest.mark.parametrize(
    ("value", "bar", "shown"),
    [
        (0.7272727272727273, 0.75, "0.727"),
        (0.7499, 0.75, "0.7499"),
        (0.74999999, 0.75, "0.74999999"),
        (0.7499999999999999, 0.75, "0.7499999999999999"),
        (0.75, 0.75, "0.750"),
        (0, 0.75, "0"),
        (-(10**400), 0.5, "-10000000000000000000000"[:23] + "…"),
        (-2.5e300, 0.5, "-2.5e+300"),
    ],
)
def test_values_show_on_which_side_of_the_bar_they_lie(value, bar, shown):
    assert value_text(value, bar) == shown


@given(st.floats(-2, 2), st.floats(-2, 2))
def test_the_printed_value_compares_like_the_value(value, bar):
    printed = float(value_text(value, bar))
    assert (printed < bar, printed == bar) == (value < bar, value == bar)


def test_breach_text():
    breach = {"rule": "r", "metric": "chain_f1", "value": 0.7499999999999999, "below": 0.75}
    assert breach_text(breach) == "chain_f1 0.7499999999999999 < 0.75"


def test_counted():
    assert [counted(number, "step") for number in (0, 1, 2)] == ["0 steps", "1 step", "2 steps"]
