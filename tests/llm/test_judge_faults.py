"""Every way in which a service can fail, each on one pair of one run: the record it ends in, and the exit code."""

import json
import re
from collections import Counter
from typing import Any

from tests.llm.conftest import lines, pair
from tests.llm.stand_in import Call, Response, StandIn, completion, failure

GOOD = {"initial_score": 4, "final_score": 4, "missing": [], "extra": [], "reordered": [], "reason": "one is missing"}
GOOD_TEXT = json.dumps(GOOD)
OTHER_TEXT = json.dumps({**GOOD, "final_score": 5})


def judged(**changes: Any) -> str:
    return json.dumps({**GOOD, **changes})


# What goes wrong with the first call of each sample; the second is answered well.
PASSING = {
    "429-with-retry-after": failure(429, "slow down", retry_after="0.1"),
    "429-with-a-date": failure(429, "slow down", retry_after="Wed, 21 Oct 2015 07:28:00 GMT"),
    "429-without": failure(429, "slow down"),
    "500": failure(500),
    "503-of-a-proxy": Response("<html>bad gateway</html>", 503),
    "timeout": Response(completion(GOOD_TEXT).body, delay=3),
    "reset-in-the-body": Response(completion(GOOD_TEXT).body, cut=40),
    "reset-at-once": Response(silent=True),
    "not-json": Response("<html>welcome</html>"),
    "json-of-another-kind": Response([1, 2]),
    "empty-choices": Response({"choices": [], "usage": {}}),
    "no-text": completion(None),
    "score-7": completion(judged(final_score=7)),
    "score-as-text": completion(judged(final_score="4")),
    "field-missing": completion('{"final_score": 4}'),
    "no-object": completion("I would say four."),
    "cut-off": completion(GOOD_TEXT[:30], finish="length"),
    "two-different-objects": completion(f"The text says {OTHER_TEXT}. I say {GOOD_TEXT}"),
}
# Strange, and yet an answer.
STRANGE = {
    "prose-around": completion(f"Let me see.\n{GOOD_TEXT}\nThat is all."),
    "fenced": completion(f"```json\n{GOOD_TEXT}\n```"),
    "thinking": completion(f"<think>perhaps {OTHER_TEXT}</think>\n{GOOD_TEXT}"),
    "the-same-twice": completion(f"{GOOD_TEXT}\n{GOOD_TEXT}"),
    "whole-float": completion(judged(final_score=4.0)),
    "further-fields": completion(judged(confidence=1)),
}
# What stays wrong however often it is asked, and what the reason says.
LASTING = {
    "always-7": (completion(judged(final_score=7)), "unavailable: m: no usable answer in 3 calls: .*final_score.*", 3),
    "always-cut-off": (completion("{", finish="length"), "unavailable: m: no usable answer in 3 calls: .*cut off.*", 3),
    "refused": (completion(None, refusal="I cannot"), "unavailable: m: refused to judge: I cannot", 1),
    "filtered": (completion("", finish="content_filter"), r"unavailable: m: refused to judge \(content filter\)", 1),
    "filtered-prompt": (
        failure(400, "policy", "content_filter"),
        r"unavailable: m: refused to judge \(content filter\)",
        1,
    ),
    "too-large": (
        failure(400, "maximum context length is 8192 tokens", "context_length_exceeded"),
        "unavailable: m: the workflow is larger than the model's context .*8192.*",
        1,
    ),
    "bad-request": (failure(400, "no such thing"), "unavailable: m: HTTP 400: no such thing", 1),
}


def test_every_fault_ends_in_a_right_record(run_with: Any) -> None:
    calls: Counter[str] = Counter()

    def answer(call: Call) -> Response:
        (name,) = re.findall(r"make tea \((.*?)\)", call.prompt)
        calls[name] += 1
        if name in PASSING:
            return PASSING[name] if calls[name] % 2 else completion(GOOD_TEXT)
        if name in LASTING:
            return LASTING[name][0]
        if name == "no-usage":
            return completion(GOOD_TEXT, usage=None)
        return STRANGE.get(name, completion(GOOD_TEXT))

    # One call at a time, so that the odd call of each name is the first of a sample. The first pair is a good one.
    names = ["plain", *PASSING, *STRANGE, *LASTING, "no-usage"]
    with StandIn(answer) as server:
        done = run_with(
            "wf-score", "--metrics", "bleu", "--judge-model", "m", "--llm-jobs", "1", "--llm-timeout", "1",
            data=lines(*[pair(name) for name in names]), server=server,
        )  # fmt: skip
    assert [record["id"] for record in done.records] == names
    for record in done.records:
        name = record["id"]
        if name in LASTING:
            _, reason, tries = LASTING[name]
            assert record["scores"]["judge"] is None, name
            assert re.fullmatch(reason, record["reasons"]["judge"]), record["reasons"]["judge"]
            assert calls[name] == 3 * tries, name
            assert "judge" not in record
            continue
        assert record["scores"]["judge"] == 4 / 5, (name, record["reasons"])
        used = 6 if name in PASSING else 3
        assert (name, calls[name]) == (name, used)
        expected = {"calls": used, "input_tokens": 300, "output_tokens": 60, "cost_usd": None}
        if name == "no-usage":
            expected |= {"input_tokens": None, "output_tokens": None}
        assert (name, record["judge"]["usage"]) == (name, expected)
        assert record["judge"]["samples"] == [4, 4, 4]
        assert record["judge"]["spread"] == 0
        assert record["judge"]["cached"] == 0
        assert record["judge"]["model"] == "stand-in-1"
        assert len(record["judge"]["timing"]["seconds"]) == 3
        assert record["details"]["judge"]["answers"] == [GOOD] * 3
    assert done.code == 4  # some could not be judged
    assert "sk-test-secret" not in done.error
    for call in server.calls:
        assert "n" not in call.body  # a service may answer once however many are asked for
        assert call.body["temperature"] == 0
        assert call.body["seed"] == 0


def test_the_spread_of_the_three_calls_is_told(run_with: Any) -> None:
    replies = [completion(judged(final_score=score)) for score in (3, 5, 5)]
    with StandIn(replies) as server:
        done = run_with(
            "wf-score",
            "--metrics",
            "judge",
            "--judge-model",
            "m",
            "--llm-jobs",
            "1",
            data=lines(pair("a")),
            server=server,
        )
    (record,) = done.records
    assert done.code == 0
    assert record["scores"] == {"judge": 13 / 15}  # (3 + 5 + 5) / 3 / 5
    assert (record["judge"]["samples"], record["judge"]["spread"]) == ([3, 5, 5], 2)


def test_a_service_without_json_schema_is_found_out_once(run_with: Any) -> None:
    def answer(call: Call) -> Response:
        if call.body.get("response_format", {}).get("type") == "json_schema":
            return failure(500, "Internal Server Error")  # as llama-cpp-python does
        return completion(GOOD_TEXT)

    with StandIn(answer) as server:
        done = run_with(
            "wf-score", "--metrics", "judge", "--judge-model", "m", "--llm-jobs", "8",
            data=lines(*[pair(str(number)) for number in range(20)]), server=server,
        )  # fmt: skip
    kinds = Counter(call.body["response_format"]["type"] for call in server.calls)
    assert kinds == {"json_schema": 2, "json_object": 60}  # once may be chance, twice is not
    assert done.code == 0
    assert all(record["scores"]["judge"] == 0.8 for record in done.records)


def test_a_service_without_any_response_format_or_old_parameters(run_with: Any) -> None:
    """As reasoning models and small servers do: each refusal names one parameter."""

    def answer(call: Call) -> Response:
        for name in ("response_format", "seed", "temperature"):
            if name in call.body:
                return failure(400, f"Unsupported parameter: '{name}' is not supported with this model.")
        if "max_tokens" in call.body:
            return failure(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        return completion(GOOD_TEXT)

    with StandIn(answer) as server:
        done = run_with(
            "wf-score", "--metrics", "judge", "--judge-model", "m", "--llm-jobs", "4",
            data=lines(*[pair(str(number)) for number in range(4)]), server=server,
        )  # fmt: skip
    assert done.code == 0
    assert len(server.calls) == 12 + 5  # json_schema, json_object, seed, temperature and max_tokens refused once each
    assert "max_completion_tokens" in server.calls[-1].body
    # Answers at another temperature than 0 must not pass for the usual ones.
    assert all("temp_refused=yes" in record["signatures"]["judge"] for record in done.records)


def test_a_service_that_is_down_is_not_asked_for_every_record(run_with: Any) -> None:
    with StandIn([failure(500, "out of order", retry_after="0")]) as server:
        done = run_with(
            "wf-score", "--metrics", "bleu,judge", "--judge-model", "m", "--llm-retries", "2",
            data=lines(*[pair(str(number)) for number in range(30)]), server=server,
        )  # fmt: skip
    assert done.code == 4
    assert len(done.records) == 30
    for record in done.records:
        assert record["scores"]["bleu"] is not None
        assert record["scores"]["judge"] is None
        assert re.fullmatch(r"unavailable: m: HTTP 500: out of order \(\d+ calls\)", record["reasons"]["judge"])
    assert len(server.calls) <= 6


def test_services_that_no_call_can_reach(run_with: Any) -> None:
    cases = [
        (failure(404, "The model `m` does not exist", "model_not_found"), "HTTP 404: The model `m` does not exist"),
        (failure(401, "Incorrect API key provided: sk-test-secret"), "HTTP 401: Incorrect API key provided: ***"),
        (failure(429, "You exceeded your quota", "insufficient_quota"), "HTTP 429: You exceeded your quota"),
        (failure(429, "later", retry_after="4000"), "asks to wait 4,000 s (HTTP 429: later)"),
    ]
    for response, reason in cases:
        with StandIn([response]) as server:
            done = run_with(
                "wf-score", "--metrics", "judge", "--judge-model", "m", data=lines(pair("a"), pair("b")), server=server
            )
        assert done.code == 4
        assert [record["reasons"]["judge"] for record in done.records] == [f"unavailable: m: {reason}"] * 2
        assert len(server.calls) == 1
        assert "sk-test-secret" not in done.error + done.output.decode()
