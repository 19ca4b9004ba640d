from typing import Any

import pytest

from wfkit.validation.tool_swap import is_tool_swap


@pytest.mark.parametrize(
    ("golden", "candidate", "expected"),
    [
        ({"text": "a", "tool": "x"}, {"text": "a", "tool": "y"}, True),
        ({"text": "a", "tool": "x"}, {"text": "a", "tool": "x"}, False),
        ({"text": "a", "tool": "x"}, {"text": "b", "tool": "y"}, False),
        ({"text": "a", "tool": "x"}, {"text": "a"}, False),
        ({"text": "a", "tool": "x"}, {"text": "a", "tool": 7}, False),
        ({"text": "call get_a", "tool": "get_a"}, {"text": "call get_b", "tool": "get_b"}, True),
        ({"text": "call get_a", "tool": "get_a"}, {"text": "call get_c", "tool": "get_b"}, False),
        ({"text": "run `a` or `b`"}, {"text": "run `a` or `c`"}, True),
        ({"text": "run `a` and `a`"}, {"text": "run `c` and `c`"}, True),
        ({"text": "run `aa`, then `aa`"}, {"text": "run `cc`, then `dd`"}, False),
        ({"text": "run `aa`"}, {"text": "run ``"}, False),
        ({"text": "run `aa`"}, {"text": "run `cc`", "tool": "cc"}, False),
        ({"text": "go home"}, {"text": "go away"}, False),  # names no tool
        ({"text": "use (the `a.b` [tool])"}, {"text": "use (the `c+d` [tool])"}, True),
    ],
)
def test_is_tool_swap(golden: dict[str, Any], candidate: dict[str, Any], expected: bool) -> None:
    assert is_tool_swap(golden, candidate) is expected
