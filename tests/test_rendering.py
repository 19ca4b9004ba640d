import pytest

from wfkit.rendering import Section, as_markdown, as_text

SECTION = Section("Title", ["name", "value"], [["one", "1.00"], ["three|four", "10.00 *"]], ["A note."])


def test_text_is_aligned():
    assert as_text([SECTION]) == (
        "Title\n\n"
        "  name          value\n"
        "  ----------  -------\n"
        "  one            1.00\n"
        "  three|four  10.00 *\n\n"
        "  A note.\n"
    )


def test_markdown_escapes_what_it_would_read_as_marks():
    assert as_markdown([SECTION]) == (
        "### Title\n\n| name | value |\n| --- | ---: |\n| one | 1.00 |\n| three\\|four | 10.00 \\* |\n\n- A note.\n"
    )


@pytest.mark.parametrize("render", [as_text, as_markdown])
def test_a_section_without_rows_has_notes_alone(render):
    assert "A note." in render([Section("Title", (), (), ["A note."])])
    assert render([]) == ""
