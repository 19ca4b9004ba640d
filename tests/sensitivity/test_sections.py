import pytest

from wfkit.gate.policy import DEFAULT_POLICY, load_policy
from wfkit.rendering import as_text
from wfkit.sensitivity.calibration import Question, calibrate
from wfkit.sensitivity.calibration_sections import calibration_sections
from wfkit.sensitivity.notes import calibration_notes, input_notes, largest_shift
from wfkit.sensitivity.response import Resampling
from wfkit.sensitivity.sections import report
from wfkit.sensitivity.study import Plan, study
from wfkit.sensitivity.thresholds import Target

PLAN = Plan(load_policy(DEFAULT_POLICY), 10, 30, Resampling(50, 0))


def pairs_of(make_pair, goldens, fall=0.7, **options):
    return [
        make_pair(
            f"g{golden}", "missing_steps", severity,
            {"graph_f1": 1 - fall * severity / 100 - golden / 1000, "chain_f1": 1 - fall * severity / 100}, **options,
        )
        for golden in range(goldens) for severity in (10, 30, 50)
    ]  # fmt: skip


@pytest.fixture
def told(columns):
    def build(pairs):
        seen = columns(pairs)
        records = study(seen, seen.metrics, PLAN, {})
        return as_text(report(records, input_notes(seen, records, 0, valid_only=False)))

    return build


def row(text, name):
    return next(line.split() for line in text.splitlines() if line.strip().startswith(name))


def test_the_report_has_the_figures(make_pair, told):
    text = told(pairs_of(make_pair, 40))
    assert row(text, "chain_f1")[:4] == ["chain_f1", "0.70", "[0.70,", "0.70]"]
    assert "0.93 ± 0.00  0.79 ± 0.00  0.65 ± 0.00" in text
    assert row(text, "target") == ["target", "0.90", "0.70", "0.50"]
    assert "✗ 0.0 % [0.0, 8.8]" in text  # .93 at 10 %; 0 of 40
    assert "✓ 100.0 % [91.2, 100.0]" in text  # .65 at 50 %
    assert "40 pairs" not in text and "120 pairs of 40 goldens." in text
    assert "P 1.00 –" in text  # one type alone: no specificity
    assert "fewer than 30" not in text


def test_few_goldens_are_marked_wherever_they_stand(make_pair, told):
    text = told(pairs_of(make_pair, 29))
    assert "0.70* [" in text and "(29)*" in text and "0.0 %* [" in text
    assert "* fewer than 30 goldens" in text


def test_control_characters_do_not_reach_a_terminal(make_pair, told):
    evil = make_pair("g", "missing\x1b[2J", 30, {"bl\x1beu": 0.5})
    assert "\x1b" not in told([evil])


def test_what_is_said_of_the_input(make_pair, columns):
    pairs = [
        *pairs_of(make_pair, 2, validation={"valid": True}),
        make_pair("bad", "missing_steps", 10, {"graph_f1": 0.2, "chain_f1": 0.93}, validation={"valid": False}),
        make_pair("none", "missing_steps", 10, {"graph_f1": None}, reasons={"graph_f1": "unavailable: no model"}),
        make_pair("not", "compressed_steps", 10, {}, candidate=None),
    ]
    seen = columns(pairs)
    records = study(seen, seen.metrics, PLAN, {})
    # 10 %: (.93 + .929 + .2)/3 = .6863, without the invalid one .9295: .2432 more.
    assert input_notes(seen, records, 1, valid_only=False) == [
        "8 pairs of 5 goldens, 1 more inapplicable (compressed_steps 1), 1 error record.",
        "chain_f1 has a score on 7 pairs (absent 1).",
        "graph_f1 has a score on 7 pairs (unavailable 1).",
        "1 invalid pair counted in; leaving them out would move a mean by at most 0.2432 "
        "(graph_f1, missing_steps 10 %).",
    ]
    assert largest_shift(records)["shift"] == pytest.approx(0.24316667)


def test_without_invalid_pairs_that_is_said_too(make_pair, columns):
    seen = columns(pairs_of(make_pair, 2))
    assert input_notes(seen, study(seen, seen.metrics, PLAN, {}), 0, valid_only=False)[-1] == (
        "No pair is marked invalid (0 were checked): leaving such pairs out would move no mean."
    )


def test_a_calibration_states_bars_rates_and_the_trade_off(make_pair, columns):
    seen = columns(pairs_of(make_pair, 40))
    question = Question(10, 30, Target(max_false_alarm=0.05), 0)
    _, calibration = calibrate(seen, PLAN.policy, seen.applicable, question, {})
    text = as_text(calibration_sections(calibration))
    assert "Asked: fire on at most 5 % of damage up to 10 %" in text
    assert "compressed_steps: no bar, too little data" in text
    assert "What another bar would cost: missing_steps" in text and "chosen" in text and "before" in text
    notes = list(calibration_notes(calibration))
    assert notes[0].startswith("missing_steps: bar 0.") and "0.0 % false alarms and 0.0 % misses" in notes[0]
    assert notes[1].startswith("compressed_steps: no bar, too little data: no pair is damaged by compressed_steps")
