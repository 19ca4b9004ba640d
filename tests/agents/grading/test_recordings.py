"""Recorded episodes against what was asked for: one for each side and repeat, of one model, and none by chance."""

from typing import Any

import pytest

from tests.agents.grading.helpers import pair
from wfkit.agents.grading.plan import Plan
from wfkit.agents.grading.recordings import Recordings
from wfkit.errors import UsageProblem


def episode(name: str, **more: Any) -> dict[str, Any]:
    return {"kind": "episode", "id": name, "status": "done", "result": 1, **more}


def recordings(*episodes: dict[str, Any]) -> Recordings:
    made = Recordings()
    for one in episodes:
        made.add(one, "file")
    return made


def plan() -> Plan:
    made = Plan()
    made.add(pair("a"))
    return made


def test_episodes_find_their_sides_by_any_name() -> None:
    asked = plan()
    chosen = recordings(episode("a"), episode("p-a-user-missing"), episode("z")).of_model(None, "actor")
    assert chosen.match(asked, 1) == ["z"]
    assert [chosen.find(slot)["id"] for slot in asked.slots("actor", 1) if chosen.has(slot)] == [
        "a",
        "p-a-user-missing",
    ]


def test_two_episodes_of_one_side_are_one_too_many() -> None:
    with pytest.raises(UsageProblem, match="two episodes of 'a'"):
        recordings(episode("a"), episode("a"))
    chosen = recordings(episode("a"), episode("c-a")).of_model(None, "actor")
    with pytest.raises(UsageProblem, match="mean one side"):
        chosen.match(plan(), 1)
    with pytest.raises(UsageProblem, match="two episodes of 'a'"):
        recordings(episode("a", model="m"), episode("a")).of_model("m", "actor")


def test_repeats_are_told_apart() -> None:
    chosen = recordings(episode("a"), episode("a", repeat=2)).of_model(None, "actor")
    assert chosen.repeats == 3
    assert chosen.match(plan(), 3) == []
    assert recordings(episode("a", repeat=2)).of_model(None, "actor").match(plan(), 1) == ["a"]


def test_the_model_is_the_one_that_is_there_or_the_one_that_is_named() -> None:
    both = recordings(episode("a", model="ash"), episode("a", model="oak"))
    with pytest.raises(UsageProblem, match="of ash, oak: choose one"):
        both.of_model(None, "actor")
    assert both.of_model("oak", "actor").model == "oak"
    assert recordings(episode("a", model="ash")).of_model(None, "actor").model == "ash"
    assert recordings(episode("a")).of_model(None, "actor").model == "actor"
    assert recordings(episode("a")).of_model("oak", "actor").model == "oak"
    with pytest.raises(UsageProblem, match="no episode of elm is recorded, only of ash, oak"):
        both.of_model("elm", "actor")


def test_what_is_no_episode_is_refused() -> None:
    with pytest.raises(UsageProblem, match="file: episode 'a': "):
        recordings(episode("a", status="perhaps"))
