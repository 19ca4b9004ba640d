"""A field of a pair is looked for in the perturbation, then in the golden, then in the pair itself."""

from typing import Any

import pytest

from wfkit.strata import field_of

PAIR = {
    "golden": {"id": "g", "source": "wikihow", "severity": "the golden's"},
    "perturbation": {"type": "missing_steps", "severity": 30, "placement": None},
    "source": "the pair's",
    "group": "x",
}


@pytest.mark.parametrize(
    ("pair", "name", "expected"),
    [
        (PAIR, "severity", "30"),
        (PAIR, "source", "wikihow"),
        (PAIR, "group", "x"),
        (PAIR, "placement", ""),
        (PAIR, "nothing", ""),
        ({"golden": {}, "perturbation": None, "type": "t"}, "type", "t"),
        ({"golden": {}, "type": 0}, "type", "0"),
    ],
)
def test_field_of(pair: dict[str, Any], name: str, expected: str) -> None:
    assert field_of(pair, name) == expected
