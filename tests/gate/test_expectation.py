from wfkit.gate.expectation import UNEXPECTED_SHOWN, Expectation


def pair(golden_id):
    return {"kind": "pair", "id": "x", "golden": {"id": golden_id}}


def test_what_never_came_is_missing_in_the_expected_order():
    expectation = Expectation(["c", "a", "b", "d"])
    expectation.saw_pair(pair("a"))
    expectation.saw_pair(pair("a"))  # several candidates of one golden
    assert expectation.missing() == ["c", "b", "d"]
    assert (len(expectation), expectation.unexpected) == (4, 0)


def test_an_error_record_stands_for_the_golden_whose_id_it_has():
    expectation = Expectation(["a", "b"])
    expectation.saw_error({"kind": "error", "id": "a"})
    expectation.saw_error({"kind": "error"})
    expectation.saw_error({"kind": "error", "id": None})
    expectation.saw_error({"kind": "error", "id": "other"})
    assert (expectation.missing(), expectation.unexpected) == (["b"], 0)


def test_unexpected_goldens_are_counted_and_the_first_ones_named():
    expectation = Expectation([])
    for number in range(UNEXPECTED_SHOWN + 5):
        expectation.saw_pair(pair(f"u{number}"))
        expectation.saw_pair(pair(f"u{number}"))
    assert expectation.unexpected == 2 * (UNEXPECTED_SHOWN + 5)
    assert expectation.unexpected_ids == [f"u{number}" for number in range(UNEXPECTED_SHOWN)]
    assert expectation.missing() == []
