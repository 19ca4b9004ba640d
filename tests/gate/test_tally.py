from wfkit.gate.expectation import Expectation
from wfkit.gate.tally import Tally, summarise


def verdict(status, *, breached=(), unmeasured=(), not_applicable=(), notes=()):
    result = {
        "status": status,
        "breaches": [{"rule": rule, "metric": "m", "value": 0, "below": 1} for rule in breached],
        "not_applicable": list(not_applicable),
        "explanation": [],
    }
    if unmeasured:
        result["unmeasured"] = [{"rule": rule, "metric": "m", "reason": "none"} for rule in unmeasured]
    if notes:
        result["notes"] = list(notes)
    return result


def tally_of(*statuses):
    tally = Tally()
    for status in statuses:
        tally.add({"scores": {}}, verdict(status))
    return tally


def test_a_rule_counts_once_a_pair():
    tally = Tally()
    tally.add({}, verdict("fail", breached=["r", "r", "s"], unmeasured=["u", "u"], not_applicable=["n"]))
    tally.add({}, verdict("pass", notes=["golden step 1 has no counterpart"]))
    assert dict(tally.breached) == {"r": 1, "s": 1}
    assert (dict(tally.unmeasured), dict(tally.not_applicable)) == ({"u": 1}, {"n": 1})
    assert (tally.verdicts, tally.changed_passes) == (2, 1)


def test_nulls_are_counted_by_metric():
    tally = Tally()
    tally.add({"scores": {"a": None, "b": 0}}, verdict("pass"))
    tally.add({"scores": {"a": None, "b": 1, "c": None}}, verdict("pass"))
    tally.add({"scores": None}, verdict("unmeasured"))
    assert dict(tally.nulls) == {"a": 2, "c": 1}
    assert list(tally.metrics) == ["a", "b", "c"]


def test_summary_has_every_status_and_rule():
    tally = tally_of("pass", "fail")
    tally.add_error()
    assert summarise(tally, ["r"], {"chain_f1": "wfkit=1"}) == {
        "verdicts": 2,
        "status": {"fail": 1, "unmeasured": 0, "review": 0, "waived": 0, "pass": 1},
        "changed_passes": 0,
        "rules": {"r": {"breached": 0, "unmeasured": 0, "not_applicable": 0}},
        "nulls": {},
        "errors": 1,
        "signatures": {"chain_f1": "wfkit=1"},
    }


def test_summary_of_what_was_expected():
    expectation = Expectation(["a", "b"])
    expectation.saw_pair({"golden": {"id": "a"}})
    expectation.saw_pair({"golden": {"id": "z"}})
    assert summarise(Tally(), [], {}, expectation)["expected"] == {
        "goldens": 2,
        "missing": ["b"],
        "unexpected": 1,
        "unexpected_ids": ["z"],
    }
