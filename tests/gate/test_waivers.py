import json
from datetime import date
from pathlib import Path

import jsonschema_rs
import pytest

from wfkit.errors import UsageProblem
from wfkit.gate.policy import DEFAULT_POLICY, load_policy
from wfkit.gate.waivers import Waivers, day_of, load_waivers

POLICY = load_policy(DEFAULT_POLICY)
TODAY = date(2026, 6, 15)
WAIVER = {"golden": "tea", "rule": "missing_steps", "reason": "shorter on purpose", "expires": "2026-12-31"}
SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "waiver.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)


def waivers_of(*changes, today=TODAY):
    return Waivers(load_waivers([{**WAIVER, **change} for change in changes], POLICY), today)


def verdict(status, *rules, unmeasured=()):
    result = {
        "status": status,
        "breaches": [{"rule": rule, "metric": "m", "value": 0.1, "below": 0.7} for rule in rules],
        "not_applicable": [],
        "diagnosis": "missing_steps",
        "explanation": ["golden step 1 has no counterpart"],
    }
    return {**result, "unmeasured": list(unmeasured)} if unmeasured else result


def test_a_waived_failure_keeps_everything_that_was_found():
    waivers = waivers_of({})
    failed = verdict("fail", "missing_steps")
    assert waivers.apply("tea", failed, POLICY) == {
        **failed,
        "status": "waived",
        "was": "fail",
        "waiver": {"rules": ["missing_steps"], "reason": "shorter on purpose", "expires": "2026-12-31"},
    }
    assert waivers.summary() == {"used": [WAIVER], "unused": [], "expired": []}


@pytest.mark.parametrize(
    ("changes", "rules", "status"),
    [
        ([{}], ["missing_steps"], "waived"),
        ([{}], ["missing_steps", "compressed_steps"], "fail"),  # the other rule still fails
        ([{}], ["missing_steps", "description_changes"], "review"),  # the other rule asks for review
        ([{}], ["description_changes"], "review"),
        ([{}, {"rule": "compressed_steps"}], ["missing_steps", "compressed_steps"], "waived"),
        ([{"rule": "*"}], ["missing_steps", "compressed_steps", "description_changes"], "waived"),
        ([{"rule": "*", "golden": "coffee"}], ["missing_steps"], "fail"),
        ([{"expires": "2026-06-15"}], ["missing_steps"], "waived"),  # until the end of the day
        ([{"expires": "2026-06-14"}], ["missing_steps"], "fail"),
    ],
)
def test_the_status_is_that_of_what_is_not_waived(changes, rules, status):
    before = "review" if rules == ["description_changes"] else "fail"
    assert waivers_of(*changes).apply("tea", verdict(before, *rules), POLICY)["status"] == status


def test_two_reasons_and_the_first_day_to_come():
    waivers = waivers_of({"expires": "2026-08-01"}, {"rule": "compressed_steps", "reason": "merged on purpose"})
    waiver = waivers.apply("tea", verdict("fail", "missing_steps", "compressed_steps"), POLICY)["waiver"]
    assert waiver == {
        "rules": ["missing_steps", "compressed_steps"],
        "reason": "shorter on purpose; merged on purpose",
        "expires": "2026-08-01",
    }


def test_what_could_not_be_measured_is_not_waived():
    gap = {"rule": "compressed_steps", "metric": "kendall_tau", "reason": "unavailable: no encoder"}
    waived = waivers_of({"rule": "*"}).apply("tea", verdict("fail", "missing_steps", unmeasured=[gap]), POLICY)
    assert (waived["status"], waived["was"]) == ("unmeasured", "fail")
    unmeasured = verdict("unmeasured", unmeasured=[gap])
    assert waivers_of({"rule": "*"}).apply("tea", unmeasured, POLICY) is unmeasured


def test_expired_and_unused_waivers_are_told_apart():
    waivers = waivers_of({"expires": "2026-01-01"}, {"golden": "coffee", "owner": "Ada"}, {"rule": "compressed_steps"})
    waivers.apply("tea", verdict("fail", "missing_steps"), POLICY)
    assert waivers.summary() == {
        "used": [],
        "unused": [{**WAIVER, "golden": "coffee", "owner": "Ada"}, {**WAIVER, "rule": "compressed_steps"}],
        "expired": [{**WAIVER, "expires": "2026-01-01"}],
    }


def lacking(key):
    return [{name: text for name, text in WAIVER.items() if name != key}]


FAULTS = {
    "no list": ("tea", "expected a list of waivers, got a string"),
    "no object": (["tea"], "waiver 1: expected an object, got a string"),
    "without reason": (lacking("reason"), "waiver 1: 'reason' is missing"),
    "empty reason": ([WAIVER, {**WAIVER, "golden": "b", "reason": " "}], r"waiver 2\.reason: is empty"),
    "reason as a number": (
        [{**WAIVER, "reason": 1}],
        r"waiver 1\.reason: expected a text, got a number; write it in quotes",
    ),
    "without day": (lacking("expires"), "'expires' is missing"),
    "without golden": (lacking("golden"), "'golden' is missing"),
    "without rule": (lacking("rule"), "'rule' is missing"),
    "never": ([{**WAIVER, "expires": "never"}], "expected a day such as 2026-01-31, got 'never'"),
    "no such day": ([{**WAIVER, "expires": "2026-02-30"}], "expected a day such as 2026-01-31, got '2026-02-30'"),
    "another way to write a day": ([{**WAIVER, "expires": "20261231"}], "expected a day"),
    "with time": ([{**WAIVER, "expires": "2026-12-31T00:00:00"}], "expected a day"),
    "day as a number": ([{**WAIVER, "expires": 2026}], "expected a day such as 2026-01-31, got 2026"),
    "unknown rule": (
        [{**WAIVER, "rule": "missing_step"}],
        "the policy has no rule 'missing_step'; did you mean 'missing_steps'",
    ),
    "unknown key": ([{**WAIVER, "until": "2026-12-31"}], "waiver 1: unknown key 'until'; known are golden"),
    "twice": ([WAIVER, {**WAIVER, "reason": "again"}], "waiver 2: 'tea' and 'missing_steps' are waived twice"),
    "under another key": ({"waiver": [WAIVER]}, "unknown key 'waiver'; did you mean 'waivers'"),
}
ONLY_THE_LOADER_SEES = {"no list", "no such day", "unknown rule", "twice", "under another key", "empty reason"}


@pytest.mark.parametrize(("value", "message"), FAULTS.values(), ids=FAULTS)
def test_faults_are_named(value, message):
    with pytest.raises(UsageProblem, match=message):
        load_waivers(value, POLICY)


@pytest.mark.parametrize("name", [name for name in FAULTS if name not in ONLY_THE_LOADER_SEES])
def test_the_schema_refuses_what_the_loader_refuses(name):
    [value] = FAULTS[name][0]
    assert not VALIDATOR.is_valid(value)


def test_a_rule_on_the_set_cannot_be_waived_for_one_golden():
    average = {"name": "average", "metric": "m", "statistic": "mean", "below": 0.9}
    policy = load_policy({**DEFAULT_POLICY, "set_rules": [average]})
    with pytest.raises(UsageProblem, match="rule 'average' is on the set, and only rules on pairs can be waived"):
        load_waivers([{**WAIVER, "rule": "average"}], policy)


def test_valid_waivers_in_words():
    waivers = waivers_of({}, {"rule": "*", "golden": "coffee"}, {"golden": "old", "expires": "2026-01-01"})
    assert waivers.in_words() == [
        "Until 2026-12-31 it is accepted that tea breaks missing_steps: shorter on purpose",
        "Until 2026-12-31 it is accepted that coffee breaks any rule: shorter on purpose",
    ]


@pytest.mark.parametrize("value", [[], None, {"waivers": []}, {"waivers": None}])
def test_no_waivers(value):
    assert load_waivers(value, POLICY) == []


def test_a_list_may_stand_under_its_name_as_in_toml():
    assert [waiver.value() for waiver in load_waivers({"waivers": [WAIVER]}, POLICY)] == [WAIVER]


def test_a_day():
    assert day_of("2026-01-31", "--today") == date(2026, 1, 31)
