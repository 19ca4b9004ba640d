"""One episode from the task to its line in the ledger: act, grade, settle."""

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from wfkit import jsonl
from wfkit.agents.grading.actor import Acted
from wfkit.agents.grading.grader import Graded
from wfkit.agents.grading.plan import Slot
from wfkit.agents.grading.statuses import settle
from wfkit.agents.grading.steps import steps_of

Record = dict[str, Any]
TOKENS = ("input_tokens", "output_tokens", "cost_usd")


@dataclass(frozen=True)
class Settings:
    """What all episodes of a run share.

    Attributes:
        model: the name of the model or agent that acts.
        seed: the seed of the order.
        digests: `actor` and `grader`, digests of the programs.
    """

    model: str
    seed: int
    digests: Mapping[str, str | None]


@dataclass(frozen=True)
class Run:
    """A finished episode: its line in the ledger, and the episode itself where there is one."""

    record: Record
    episode: Record | None


def run_episode(
    slot: Slot,
    side: str,
    settings: Settings,
    act: Callable[[], Acted],
    grade: Callable[[Record], Graded],
    late: Callable[[], str | None] = lambda: None,
) -> Run:
    """Run and grade one episode; never raises for what an actor or a grader does.

    Args:
        side: the opaque id of the task.
        act: has the actor do the task.
        grade: has an episode graded; called only where there is one.
        late: what the actor wrote after its episode, as far as it has come by the time of the score. It makes the
            answer one that cannot be read.
    """
    start, started = datetime.now(UTC), time.perf_counter()
    acted = act()
    end, acted_at = datetime.now(UTC), time.perf_counter()
    outcome = settle(acted, grade)
    graded_at = time.perf_counter()
    if acted.episode is not None and (further := late()) is not None:
        acted = Acted(None, "parse_error", further, acted.questions)
        outcome = settle(acted, grade)
    episode = acted.episode or {}
    usage = episode.get("usage") or {}
    steps = steps_of(episode)
    record = {
        "kind": "ap_run",
        "id": slot.run_id,
        "side": side,
        "model": settings.model,
        "repeat": slot.repeat,
        "status": outcome.status,
        "score": outcome.score,
        "failure": outcome.failure,
        "message": outcome.message,
        "usage": {name: usage.get(name) for name in TOKENS},
        "turns": steps.turns,
        "tool_calls": steps.tool_calls,
        "asked": len(acted.questions),
        "questions": acted.questions,
        "digest": digest_of(acted.episode),
        "seed": settings.seed,
        "digests": dict(settings.digests),
        "timing": {
            "start": start.isoformat(timespec="milliseconds"),
            "end": end.isoformat(timespec="milliseconds"),
            "seconds": round(acted_at - started, 6),
            "grader_seconds": round(graded_at - acted_at, 6),
        },
    }
    if "version" in episode:
        record["version"] = episode["version"]
    return Run(record, acted.episode)


def kept(run: Run) -> Record:
    """The line of an episode in ``--episodes-out``, with its score; one that never came says how it failed."""
    record = run.record
    failed = {
        "kind": "episode", "id": record["side"], "status": "gave_up", "result": None,
        "failure": record["status"], "message": record["failure"] or "",
    }  # fmt: skip
    names = {key: record[key] for key in ("score", "model", "repeat")}
    return {**(run.episode or failed), **names, "run": record["id"]}


def digest_of(episode: Record | None) -> str | None:
    """SHA-256 of what an actor did, without the names and clock values around it; None where nothing came."""
    if episode is None:
        return None
    content = {key: value for key, value in episode.items() if key not in ("kind", "id", "timing")}
    return f"sha256:{hashlib.sha256(jsonl.dumps(content)).hexdigest()}"
