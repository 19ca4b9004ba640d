"""What is to be run: sides that are shared, requests in their places, names that are understood."""

import dataclasses

from tests.agents.grading.helpers import pair
from wfkit.agents.grading.plan import Plan, Request, run_id


def plan_of(*records: dict) -> Plan:
    plan = Plan()
    for record in records:
        plan.add(record)
    return plan


def test_families_share_the_clean_side() -> None:
    plan = plan_of(pair("a"), pair("a", "tools/missing"), pair("b"))
    # clean a, clean b and three perturbed sides
    assert len(list(plan.slots("m", 1))) == 5
    first, second, third = [one for one in plan.requests() if isinstance(one, Request)]
    assert first.clean == second.clean != third.clean
    assert len({first.perturbed, second.perturbed, third.perturbed}) == 3


def test_every_repeat_and_every_model_is_a_run_of_its_own() -> None:
    plan = plan_of(pair("a"))
    slots = [*plan.slots("m", 3), *plan.slots("n", 3)]
    assert len({slot.run_id for slot in slots}) == 12
    assert {slot.repeat for slot in slots} == {0, 1, 2}


def test_a_side_that_is_graded_against_something_else_is_another_one() -> None:
    plan = plan_of(pair("a"), pair("a", "tools/missing", private={"reference": 2}))
    assert len(list(plan.slots("m", 1))) == 4


def test_what_was_not_built_is_requested_all_the_same() -> None:
    rejected = pair("a", status="rejected", reason="solvable fails")
    missing = pair("b", status="inapplicable", perturbed=None)
    plan = plan_of(rejected, missing)
    first, second = [one for one in plan.requests() if isinstance(one, Request)]
    assert (first.perturbed, first.reason) == (None, "solvable fails")
    assert (second.perturbed, second.reason) == (None, "the pair is inapplicable")
    assert len(list(plan.slots("m", 1))) == 2  # the two clean sides


def test_only_the_users_recovery_is_told_and_only_on_the_perturbed_side() -> None:
    told = pair("a", recovery={"by": "user", "answer": "It is 40.", "note": ""})
    by_tool = pair("b", recovery={"by": "tool", "answer": "look it up", "note": ""})
    plan = plan_of(told, by_tool)
    first, second = [one for one in plan.requests() if isinstance(one, Request)]
    assert plan.job(first.perturbed or "").answer == "It is 40."
    assert plan.job(first.clean).answer is None
    assert plan.job(second.perturbed or "").answer is None


def test_what_the_actor_sees_of_a_job_is_its_side_alone() -> None:
    plan = plan_of(pair("a"))
    (request,) = [one for one in plan.requests() if isinstance(one, Request)]
    job = plan.job(request.perturbed or "")
    assert (job.side, job.public) == ("p-a-user-missing", {"value": 1})
    assert set(dataclasses.asdict(job)) == {"side", "public", "private", "answer", "scale"}


def test_error_records_keep_their_places() -> None:
    plan = Plan()
    plan.add(pair("a"))
    plan.add_error({"kind": "error", "message": "no"})
    plan.add(pair("b"))
    kinds = ["request" if isinstance(one, Request) else one["kind"] for one in plan.requests()]
    assert kinds == ["request", "error", "request"]
    assert plan.pairs == 2


def test_three_kinds_of_names_mean_a_side() -> None:
    plan = plan_of(pair("a"))
    (request,) = [one for one in plan.requests() if isinstance(one, Request)]
    assert plan.side_named("c-a") == plan.side_named("a") == request.clean
    assert plan.side_named("p-a-user-missing") == plan.side_named("pair-a-user/missing") == request.perturbed
    assert plan.side_named("z") is None


def test_a_run_id_tells_nothing_to_a_reader() -> None:
    assert run_id("side", "model", 0) != run_id("side", "model", 1)
    assert "model" not in run_id("side", "model", 0)
