"""Values in texts: where each begins and ends."""

import pytest

from wfkit.agents.pairing.text_slots import slots_in


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("an invoice of $10000, with tax", "amount", "$10000"),
        ("an invoice of $10,000, with tax", "amount", "$10,000"),
        ("an invoice of $1,234,567.50, with tax", "amount", "$1,234,567.50"),
        ("an invoice of $12.50, with tax", "amount", "$12.50"),
        ("an invoice of € 7, with tax", "amount", "€ 7"),
        ("an invoice of £7,", "amount", "£7"),
        ("an invoice of $7,and more", "amount", "$7"),
        ("an invoice of $7.", "amount", "$7"),
        ("an invoice of $1,23,456 in all", "amount", "$1,23,456"),
        ("an invoice of €5,99 in all", "amount", "€5,99"),
        ("a share of 5%, not more", "percentage", "5%"),
        ("a share of 12.5 %, not more", "percentage", "12.5 %"),
        ("a rise of 1,200% since", "percentage", "1,200%"),
        ("which of 10, % or none", "number", "10"),
    ],
)
def test_a_comma_behind_a_value_is_no_part_of_it(text: str, kind: str, value: str) -> None:
    (slot,) = slots_in(text)
    assert (slot.kind, slot.value) == (kind, value)
    assert text[slot.start : slot.end] == value
