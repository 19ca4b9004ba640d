"""One episode from the task to its line in the ledger."""

from typing import Any

from wfkit import schema
from wfkit.agents.grading.actor import Acted
from wfkit.agents.grading.episode import Settings, digest_of, kept, run_episode
from wfkit.agents.grading.grader import Graded
from wfkit.agents.grading.plan import Slot

SETTINGS = Settings("oak", 7, {"actor": "sha256:a", "grader": "sha256:g"})
SLOT = Slot("run-1", "key", 2)


def episode(**more: Any) -> dict[str, Any]:
    return {"kind": "episode", "id": "side", "status": "done", "result": 1, **more}


def test_what_is_written_down() -> None:
    acted = Acted(episode(usage={"input_tokens": 5}, messages=[{"role": "assistant", "content": "x"}], version="v1"))
    run = run_episode(SLOT, "side", SETTINGS, lambda: acted, lambda _: Graded(0.5, None, "half"))
    record = run.record
    schema.checker("ap_run")(record)
    assert (record["id"], record["side"], record["model"], record["repeat"]) == ("run-1", "side", "oak", 2)
    assert (record["status"], record["score"], record["message"]) == ("graded", 0.5, "half")
    assert record["usage"] == {"input_tokens": 5, "output_tokens": None, "cost_usd": None}
    assert (record["turns"], record["tool_calls"], record["version"], record["seed"]) == (1, 0, "v1", 7)
    assert set(record["timing"]) == {"start", "end", "seconds", "grader_seconds"}


def test_what_the_actor_writes_after_its_episode_spoils_it() -> None:
    run = run_episode(SLOT, "side", SETTINGS, lambda: Acted(episode()), lambda _: Graded(1), lambda: "wrote more")
    assert (run.record["status"], run.record["score"], run.record["failure"]) == ("parse_error", None, "wrote more")
    assert (run.record["digest"], run.episode) == (None, None)


def test_a_digest_is_of_what_was_done() -> None:
    first = digest_of(episode())
    assert digest_of(episode(id="another", timing={"seconds": 1})) == first
    assert digest_of(episode(result=2)) != first
    assert digest_of(None) is None


def test_kept_episodes_carry_the_graders_score_and_never_the_actors() -> None:
    acted = Acted(episode(score=1, model="somebody"))
    line = kept(run_episode(SLOT, "side", SETTINGS, lambda: acted, lambda _: Graded(0)))
    assert (line["score"], line["model"], line["repeat"], line["run"]) == (0, "oak", 2, "run-1")


def test_an_episode_that_never_came_is_kept_as_a_failure() -> None:
    failed = Acted(None, "actor_timeout", "too slow")
    line = kept(run_episode(SLOT, "side", SETTINGS, lambda: failed, lambda _: Graded(1)))
    schema.checker("episode")(line)
    assert (line["id"], line["failure"], line["message"], line["score"]) == ("side", "actor_timeout", "too slow", None)
