"""The judge against llmock: an OpenAI server that others wrote, so that our own stand-in is not the only witness."""

import json
from typing import Any

import pytest

from tests.llm.conftest import lines, pair

llmock = pytest.importorskip("llmock.testing", reason="llmock is not installed")

GOOD = json.dumps(
    {"initial_score": 4, "final_score": 4, "missing": [], "extra": [], "reordered": [], "reason": "one is missing"}
)


def test_faults_and_replies_of_another_server(run_with: Any) -> None:
    from llmock.scenarios import Fail, Reply

    with llmock.LLMockServer() as server:
        for behaviour in (Fail(429), Fail(500), Reply(GOOD), Reply("nothing"), Reply(GOOD), Reply(GOOD)):
            server.state.scenarios.add(behaviour)
        done = run_with(
            "wf-score", "--metrics", "judge", "--judge-model", "gpt-4o", "--llm-jobs", "1", data=lines(pair("a")),
            OPENAI_BASE_URL=server.base_url("openai"), OPENAI_API_KEY="x", NO_PROXY="127.0.0.1",
        )  # fmt: skip
    (record,) = done.records
    assert done.code == 0
    assert record["scores"]["judge"] == 0.8
    assert record["judge"]["usage"]["calls"] == 6
    assert record["judge"]["model"] == "gpt-4o"
