import pytest

from wfkit.escaping import escaped


@pytest.mark.parametrize(
    ("character", "shown"),
    [("\x1b", r"\x1b"), ("\x85", r"\x85"), ("\u202e", r"\u202e"), ("\udc80", r"\udc80"), ("\U000e0001", r"\U000e0001")],
)
def test_what_a_terminal_would_obey_is_shown_by_its_code(character: str, shown: str) -> None:
    assert escaped(character) == shown
