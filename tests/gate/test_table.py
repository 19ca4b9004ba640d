from wfkit.gate.expectation import Expectation
from wfkit.gate.table import ROW_LIMIT, WorstRows, table_lines
from wfkit.gate.tally import Tally


def breach(value, metric="chain_f1", rule="r"):
    return {"rule": rule, "metric": metric, "value": value, "below": 0.75}


def gate(*judged):
    worst, tally = WorstRows(), Tally()
    for identifier, status, breaches, explanation in judged:
        verdict = {"status": status, "breaches": breaches, "not_applicable": [], "explanation": explanation}
        tally.add({"id": identifier}, verdict)
        worst.add({"id": identifier}, verdict)
    return worst, tally


def test_worst_first_with_values_and_the_first_explanation():
    worst, tally = gate(
        ("fine", "pass", [], []),
        ("look", "review", [breach(0.6, "bleu")], ["golden step 1 «a» is reworded as 1 «b» (similarity 0.90)"]),
        ("gone", "unmeasured", [], ["there is no candidate"]),
        ("low", "fail", [breach(0.7499999999999999)], ["golden step 5 «x» has no counterpart", "another line"]),
        ("lower", "fail", [breach(0.5), breach(0.74, "graph_f1")], []),
    )
    assert table_lines(worst, tally) == [
        "fail        lower  chain_f1 0.500 < 0.75, graph_f1 0.740 < 0.75",
        "fail        low    chain_f1 0.7499999999999999 < 0.75; golden step 5 «x» has no counterpart … and 1 more",
        "unmeasured  gone   there is no candidate",
        "review      look   bleu 0.600 < 0.75; golden step 1 «a» is reworded as 1 «b» (similarity 0.90)",
        "5 workflows: 1 passed, 2 failed, 1 to review, 1 unmeasured",
    ]


def test_one_value_below_the_bar_of_two_rules_is_one_reason():
    worst, tally = gate(("a", "fail", [breach(0.5, rule="r"), breach(0.5, rule="s")], []))
    assert table_lines(worst, tally)[0] == "fail  a  chain_f1 0.500 < 0.75"


def test_nothing_but_totals_where_all_pass():
    worst, tally = gate(("a", "pass", [], []))
    tally.changed_passes = 1
    assert table_lines(worst, tally) == [
        "1 workflow: 1 passed (1 of them with steps lost, gained, merged, moved or re-linked), "
        "0 failed, 0 to review, 0 unmeasured"
    ]


def test_only_the_worst_rows_are_kept_in_whatever_order_they_come():
    failures = [(f"w{number:03}", "fail", [breach(number / 1000)], []) for number in range(ROW_LIMIT + 30)]
    for order in (failures, failures[::-1]):
        worst, tally = gate(*order, ("r", "review", [breach(-9)], []))
        lines = table_lines(worst, tally)
        assert [line.split()[1] for line in lines[:ROW_LIMIT]] == [f"w{number:03}" for number in range(ROW_LIMIT)]
        assert lines[ROW_LIMIT] == "… and 31 more"
        assert (len(worst.rows), len(lines)) == (ROW_LIMIT, ROW_LIMIT + 2)


def test_missing_unexpected_and_error_records_are_told():
    expectation = Expectation([*"abcdefg"])
    expectation.saw_pair({"golden": {"id": "a"}})
    expectation.saw_pair({"golden": {"id": "z"}})
    worst, tally = gate(("x", "pass", [], []))
    tally.errors, tally.missing = 2, len(expectation.missing())
    assert table_lines(worst, tally, expectation) == [
        "6 expected goldens without candidate: b, c, d, e, f, …",
        "1 record of goldens that were not expected: z",
        "1 workflow: 1 passed, 0 failed, 0 to review, 0 unmeasured, 2 error records, 6 missing",
    ]


def test_hostile_ids_and_texts_cannot_reach_the_terminal():
    hostile = "\x1b]0;owned\x07\n\u202e" + "x" * 500
    expectation = Expectation([hostile])
    worst, tally = gate((hostile, "fail", [breach(0.1, metric=hostile)], [hostile]))
    lines = table_lines(worst, tally, expectation)
    assert all(line.isprintable() for line in lines)
    assert "\\x1b]0;owned\\x07" in lines[0]
    assert len(lines[0]) < 600


def test_waived_failures_stay_in_the_table_below_all_others():
    worst, tally = WorstRows(), Tally()
    waiver = {"rules": ["r"], "reason": "on\x1b[2J purpose", "expires": "2026-12-31"}
    for identifier, status, extra in (("w", "waived", {"waiver": waiver, "was": "fail"}), ("r", "review", {})):
        verdict = {"status": status, "breaches": [breach(0.5)], "not_applicable": [], "explanation": [], **extra}
        tally.add({"id": identifier}, verdict)
        worst.add({"id": identifier}, verdict)
    assert table_lines(worst, tally, of_the_run=["a line on the run"]) == [
        "review  r  chain_f1 0.500 < 0.75",
        "waived  w  waived until 2026-12-31: on\\x1b[2J purpose; chain_f1 0.500 < 0.75",
        "a line on the run",
        "2 workflows: 0 passed, 0 failed, 1 to review, 0 unmeasured, 1 waived",
    ]


def test_rows_that_turn_out_not_to_count_are_taken_back():
    failures = [(f"w{number:03}", "fail", [breach(number / 1000)], []) for number in range(ROW_LIMIT + 3)]
    worst, tally = gate(*failures)
    worst.leave_out({"w000", "w001", f"w{ROW_LIMIT:03}"})  # the last of them has no row
    assert [row.id for row in worst.rows] == [f"w{number:03}" for number in range(2, ROW_LIMIT)]
    assert worst.hidden == 2
    assert table_lines(worst, tally)[ROW_LIMIT - 2] == "… and 2 more"
