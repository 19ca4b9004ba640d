"""Turns and tool calls: as told, else counted."""

from typing import Any

import pytest

from wfkit.agents.grading.steps import Steps, steps_of

CALL = {"role": "assistant", "tool_calls": [{"id": "1"}, {"id": "2"}]}


@pytest.mark.parametrize(
    ("episode", "expected"),
    [
        ({}, Steps(None, None)),
        ({"turns": 3, "tool_calls": 0}, Steps(3, 0)),
        ({"messages": []}, Steps(0, 0)),
        (
            {"messages": [{"role": "user"}, CALL, {"role": "tool"}, {"role": "assistant", "content": "done"}]},
            Steps(2, 2),
        ),
        ({"messages": [CALL], "turns": 9}, Steps(9, 2)),
        ({"messages": None, "tool_calls": 4}, Steps(None, 4)),
        ({"messages": [{"role": "assistant", "tool_calls": None}]}, Steps(1, 0)),
    ],
)
def test_steps(episode: dict[str, Any], expected: Steps) -> None:
    assert steps_of(episode) == expected
