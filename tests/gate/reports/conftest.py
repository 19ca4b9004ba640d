"""Findings for the tests of the reports: pairs that the real verdict judged, under the default policy."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from wfkit.gate.policy import DEFAULT_POLICY, load_policy
from wfkit.gate.reports.entries import Findings, Place, entry_of, fault_of
from wfkit.gate.verdict import judge

Record = dict[str, Any]

GOOD = {"chain_f1": 1.0, "graph_f1": 1.0, "kendall_tau": 1.0, "bleu": 1.0, "gleu": 1.0}
SCORES = {
    "pass": GOOD,
    "fail": {**GOOD, "chain_f1": 0.5, "graph_f1": 0.5},
    "review": {**GOOD, "gleu": 0.5},
    "unmeasured": {**GOOD, "kendall_tau": None},
}
GOLDEN_LINE = Place("goldens.jsonl", 7)
TEA = ["boil the water", "put the tea in a cup", "pour the water over it", "wait for four minutes", "drink"]


@pytest.fixture(scope="session")
def policy() -> Any:
    return load_policy({**DEFAULT_POLICY, "set_rules": SET_RULES})


@pytest.fixture(scope="session")
def judged(make_pair: Callable[..., Record], policy: Any) -> Callable[..., Record]:
    """A pair that was judged: by its name, the status it shall get, and texts of both sides."""

    def build(
        name: str, status: str, golden: Sequence[str] = TEA, candidate: Sequence[str] = TEA, **fields: Any
    ) -> Record:
        reasons = {"kendall_tau": "unavailable: no encoder"} if status == "unmeasured" else {}
        record = make_pair(golden, candidate, scores=SCORES[status], reasons=reasons, **fields)
        record["id"] = name
        record["golden"]["id"] = fields.get("golden_id", name)
        record["verdict"] = judge(record, policy)
        assert record["verdict"]["status"] == status
        return record

    return build


@pytest.fixture(scope="session")
def waived(judged: Callable[..., Record]) -> Callable[..., Record]:
    """A failed pair that somebody waived."""

    def build(name: str, reason: str = "the new model says it shorter") -> Record:
        record = judged(name, "fail", candidate=TEA[:2])
        waiver = {"reason": reason, "expires": "2027-01-31", "rules": ["missing_steps"]}
        record["verdict"] |= {"status": "waived", "was": "fail", "waiver": waiver}
        return record

    return build


@pytest.fixture(scope="session")
def findings(policy: Any) -> Callable[..., Findings]:
    """Findings of judged records and error records, with a summary that counts them and has the given fields."""

    def build(
        records: Sequence[Mapping[str, Any]] = (),
        errors: Sequence[Mapping[str, Any]] = (),
        *,
        fail_on: str = "fail",
        place: Place | None = GOLDEN_LINE,
        unnamed_errors: int = 0,
        **fields: Any,
    ) -> Findings:
        status = dict.fromkeys(("fail", "unmeasured", "review", "waived", "pass"), 0)
        for record in records:
            status[record["verdict"]["status"]] += 1
        not_enough = status["fail"] + (status["review"] if fail_on == "review" else 0)
        gaps = status["unmeasured"] or not records
        result = "fail" if not_enough else "bad_input" if errors else "unmeasured" if gaps else "pass"
        summary = {
            "result": result,
            "reasons": [] if records else ["no workflow was judged"],
            "verdicts": len(records),
            "status": status,
            "changed_passes": sum("notes" in record["verdict"] for record in records),
            "errors": len(errors) + unnamed_errors,
            "signatures": {},
            **fields,
        }
        entries = [entry_of(record, place) for record in records]
        return Findings(
            entries, [fault_of(error) for error in errors], summary, policy, fail_on, Place("policy.json", 1)
        )

    return build


ERROR = {
    "kind": "error",
    "id": "broken",
    "filter": "wf-score",
    "code": "E-CYCLE",
    "message": "the steps form a cycle: 1 -> 2 -> 1",
    "where": {"file": "candidates.jsonl", "line": 3},
    "input": "{}",
}

EVERYTHING: dict[str, Any] = {
    "result": "fail",
    "exit_code": 1,
    "reasons": ["1 of 20 workflows failed", "and something else"],
    "set_rules": [
        {
            "name": "on average", "status": "fail", "statistic": "mean", "metric": "chain_f1", "slice": None, "n": 20,
            "unknown": 0, "value": 0.8, "below": 0.9,
        },
        {
            "name": "long ones", "status": "unmeasured", "statistic": "p10", "metric": "bleu",
            "slice": {"golden.source": "wikihow"}, "n": 3, "unknown": 0, "value": None, "below": 0.5,
            "reason": "3 scores, and at least 30 are asked for",
        },
        {
            "name": "share", "status": "pass", "statistic": "pass_rate", "metric": None, "slice": None, "n": 20,
            "unknown": 0, "value": 0.95, "below": 0.9,
        },
    ],
    "coverage": {"expected": 20, "measured": 18, "share": 0.9, "floor": 0.95, "status": "unmeasured"},
    "baseline": {
        "file": "approved.jsonl", "max_drop": 0.02, "missing_count": 1, "missing": ["forgotten"], "new": 0,
        "metrics": [
            {
                "metric": "chain_f1", "n": 18, "goldens": 18, "baseline_mean": 0.9, "mean": 0.8, "drop": 0.1,
                "ci": [0.05, 0.15], "max_drop": 0.02, "status": "fail",
            },
        ],
    },
    "expected": {"goldens": 20, "missing": ["lost_one"], "unexpected": 0, "unexpected_ids": []},
    "goldens": {
        "rule": "k_of_n", "k": 2, "groups": 120, "failed_count": 3, "failed": ["wobbly"], "unmeasured_count": 1,
        "unmeasured": ["vague"],
    },
    "waivers": {
        "used": [],
        "unused": [{"golden": "g1", "rule": "missing_steps", "reason": "not needed", "expires": "2027-01-01"}],
        "expired": [{"golden": "g2", "rule": "*", "reason": "old", "expires": "2026-01-01", "owner": "me"}],
    },
    "signatures": {"chain_f1": "wfkit=1|enc=all-mpnet-base-v2@78c0197b|align=0.8"},
}  # fmt: skip
SET_RULES = [
    {"name": "on average", "statistic": "mean", "metric": "chain_f1", "below": 0.9},
    {"name": "long ones", "statistic": "p10", "metric": "bleu", "below": 0.5, "slice": {"golden.source": "wikihow"}},
    {"name": "share", "statistic": "pass_rate", "below": 0.9},
]


@pytest.fixture(scope="session")
def error_record() -> Record:
    return dict(ERROR)


@pytest.fixture(scope="session")
def everything() -> Record:
    """The fields of a summary in which whatever may be found beyond single pairs was found."""
    return dict(EVERYTHING)
