import pytest

from wfkit.perturb.tools import tools_of, with_other_tool


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use the getUser tool to log in", ["getUser"]),
        ('Call the "get_user_v2" function.', ["get_user_v2"]),
        ("Use the function get_user", ["get_user"]),
        ("Use the 'postput' tool", ["postput"]),
        ("run `deploy` now", ["deploy"]),
        ("run `deploy(1, 2)` now", ["deploy"]),
        ("query the Zen Quotes API", ["Zen Quotes"]),
        ("results of the search from the IP lookup tool", ["IP lookup"]),
        ("first use the getA tool, then the getB tool", ["getA", "getB"]),
        ("use getA tool and the getA tool", ["getA"]),
        ("use the provided API", []),
        ("use the appropriate tool", []),
        ("open your iPhone’s settings", []),
        ("the odd function", []),
        ("go to the fridge", []),
        ("", []),
    ],
)
def test_tools_named_in_a_text(text: str, expected: list[str]) -> None:
    assert tools_of({"text": text}) == expected


def test_the_field_wins_over_the_text() -> None:
    assert tools_of({"text": "Use the getUser tool", "tool": "search"}) == ["search"]
    assert tools_of({"text": "Use the getUser tool", "tool": " "}) == ["getUser"]
    assert tools_of({"text": "Use the getUser tool", "tool": {"name": "x"}}) == ["getUser"]


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("call get_user, then get_users", "get_user", "find", "call find, then get_users"),
        ("search with the search tool", "search", "fetch", "search with the fetch tool"),  # the verb stays
        ("search the web", "search", "fetch", "search the web"),
        ("use a.b(", "a.b(", r"\1", r"use \1"),  # neither is a pattern
        ("the IP lookup tool", "IP lookup", "DNS", "the DNS tool"),
    ],
)
def test_with_other_tool(text: str, old: str, new: str, expected: str) -> None:
    assert with_other_tool(text, old, new) == expected
